/** A request as it is entered in the form of an operation. */
export interface SampleRequest {
  /** The package of the TypeScript client. */
  readonly client: string;
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  readonly baseUrl: string;
  /** The path with its parameters and query filled in, after the base URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text of the body; null without one. */
  readonly body: string | null;
  /** What is sent as the body, in place of JSON; null otherwise. */
  readonly file: SampleFile | null;
  /** Parameters of the path and the query, as JSON texts. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A body of bytes. */
export interface SampleFile {
  readonly name: string;
  readonly mediaType: string;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;

/**
 * The body of an operation that takes bytes; null of any other.
 * @param chosen the media type
 * @param value what was entered: a File
 */
export function fileOf(content: Content = {}, chosen?: string, value?: unknown): SampleFile | null {
  const types = Object.keys(content).filter(
    (type) => (content[type]!.schema as { format?: string }).format === 'binary',
  );
  const mediaType = types.find((type) => type === chosen) ?? types[0];
  if (mediaType === undefined) return null;
  const name = value instanceof File ? value.name : `file.${/\w+(?=\+|$)/.exec(mediaType)![0]}`;
  return { name, mediaType };
}

type Sample = (request: SampleRequest, key: string | null) => string;

/** A sample for each language, by its name. Without a key it is read from the environment variable `API_KEY`. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  curl: curlSample,
  'JavaScript (fetch)': fetchSample,
  'TypeScript client': clientSample,
  Python: pythonSample,
};

function curlSample(
  { method, baseUrl, target, headers, body, file }: SampleRequest,
  key: string | null,
): string {
  const authorization =
    key === null ? '"Authorization: Bearer $API_KEY"' : shell(`Authorization: Bearer ${key}`);
  const isDefault = method === (body === null && file === null ? 'GET' : 'POST');
  const lines = [
    `curl ${isDefault ? '' : `-X ${method} `}${shell(baseUrl + target)}`,
    `-H ${authorization}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
    // Not -d, which would read a file when the text begins with @.
    ...(body === null ? [] : [`--data-raw ${shell(body)}`]),
    ...(file === null ? [] : [`--data-binary ${shell(`@${file.name}`)}`]),
  ];
  return lines.join(' \\\n  ');
}

function fetchSample(
  { method, baseUrl, target, headers, body, file }: SampleRequest,
  key: string | null,
): string {
  const authorization = key === null ? '`Bearer ${process.env.API_KEY}`' : literal(`Bearer ${key}`);
  const fields = [
    ...(method === 'GET' ? [] : [`  method: ${literal(method)},`]),
    '  headers: {',
    `    Authorization: ${authorization},`,
    ...Object.entries(headers).map(([name, value]) => `    ${literal(name)}: ${literal(value)},`),
    '  },',
    // As text, since a number beyond 2⁵³ would be rounded.
    ...(body === null ? [] : [`  body: ${literal(body)},`]),
    ...(file === null ? [] : [`  body: ${fileInNode(file)},`]),
  ];
  return `${file === null ? '' : READ_FILE}const response = await fetch(${literal(baseUrl + target)}, {
${fields.join('\n')}
});
console.log(response.status, await response.text());`;
}

function clientSample(
  { client, operationId, baseUrl, headers, body, file, parameters }: SampleRequest,
  key: string | null,
): string {
  const apiKey = key === null ? 'process.env.API_KEY' : literal(key);
  const fields = Object.entries(parameters).map(([name, value]) => `${name}: ${withBigints(value)}`);
  if (body !== null) fields.push(`...${withBigints(body)}`);
  if (file !== null) fields.push(`bytes: ${fileInNode(file)}`, `mediaType: ${literal(file.mediaType)}`);
  // The client has an option for each header: `ifMatch`.
  const others = Object.entries(headers).filter(([name]) => name !== 'Content-Type');
  const texts = others.map(([name, value]) => `${optionOf(name)}: ${literal(value)}`);
  const input = fields.length === 1 && body !== null ? withBigints(body) : `{ ${fields.join(', ')} }`;
  const options = texts.length === 0 ? '' : `, { ${texts.join(', ')} }`;
  const name = optionOf(client.replace(/-client$/, ''));
  return `import { ${name} } from '${client}';
${file === null ? '\n' : READ_FILE}const api = ${name}({ baseUrl: ${literal(baseUrl)}, apiKey: ${apiKey} });
console.log(await api.${operationId}(${fields.length === 0 && options === '' ? '' : input + options}));`;
}

function pythonSample(
  { method, baseUrl, target, headers, body, file }: SampleRequest,
  key: string | null,
): string {
  const authorization = key === null ? `f"Bearer {os.environ['API_KEY']}"` : literal(`Bearer ${key}`);
  const lines = [
    `    ${literal(baseUrl + target)},`,
    `    method=${literal(method)},`,
    '    headers={',
    `        "Authorization": ${authorization},`,
    ...Object.entries(headers).map(([name, value]) => `        ${literal(name)}: ${literal(value)},`),
    '    },',
    ...(body === null ? [] : [`    data=${literal(body)}.encode(),`]),
    ...(file === null ? [] : [`    data=open(${literal(file.name)}, "rb").read(),`]),
  ];
  return `${key === null ? 'import os\n' : ''}import urllib.request

request = urllib.request.Request(
${lines.join('\n')}
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`;
}

const READ_FILE = "import { readFile } from 'node:fs/promises';\n\n";

function fileInNode({ name }: SampleFile): string {
  return `await readFile(${literal(name)})`;
}

function optionOf(header: string): string {
  return header.toLowerCase().replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A string for a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A string for JavaScript and Python: JSON's escapes mean the same in both. */
function literal(text: string): string {
  return JSON.stringify(text);
}

/** JSON as JavaScript, with whole numbers beyond 2⁵³ as bigints. */
function withBigints(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?![\d.eE])/g, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `${token}n`,
  );
}
