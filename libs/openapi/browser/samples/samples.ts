/** A request as it is entered in the form of an operation. */
export interface SampleRequest {
  /** The package of the TypeScript client. */
  readonly client: string;
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** The base URL of the client, which ends with the version. */
  readonly baseUrl: string;
  /** With its parameters and query filled in. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text of the body; null without one. */
  readonly body: string | null;
  /** What is sent as the body, in place of JSON; null otherwise. */
  readonly file: SampleFile | null;
  /** What comes back: text, events for as long as one listens, or the bytes of a file with this name. */
  readonly result: 'text' | 'events' | { readonly file: string };
  /** Parameters of the path and the query, as JSON texts. */
  readonly parameters: Readonly<Record<string, string>>;
}

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

/** @param content that of the successful response */
export function resultOf(content: Content = {}): SampleRequest['result'] {
  if ('text/event-stream' in content) return 'events';
  const file = fileOf(content);
  return file ? { file: file.name } : 'text';
}

type Sample = (request: SampleRequest, key: string | null) => string;

/** A sample for each language, by its name. Without a key it is read from the environment variable `API_KEY`. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  curl: curlSample,
  'JavaScript (fetch)': fetchSample,
  'TypeScript client': clientSample,
  Python: pythonSample,
};

function curlSample({ method, url, headers, body, file, result }: SampleRequest, key: string | null): string {
  const authorization =
    key === null ? '"Authorization: Bearer $API_KEY"' : shell(`Authorization: Bearer ${key}`);
  const isDefault = method === (body === null && file === null ? 'GET' : 'POST');
  const lines = [
    // -N shows each event when it comes.
    `curl ${result === 'events' ? '-N ' : ''}${isDefault ? '' : `-X ${method} `}${shell(url)}`,
    `-H ${authorization}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shell(`${name}: ${value}`)}`),
    // `-d` would read a file when the text begins with @.
    ...(body === null ? [] : [`--data-raw ${shell(body)}`]),
    ...(file === null ? [] : [`--data-binary ${shell(`@${file.name}`)}`]),
    ...(typeof result === 'string' ? [] : [`--fail --output ${shell(result.file)}`]),
  ];
  return lines.join(' \\\n  ');
}

function fetchSample(
  { method, url, headers, body, file, result }: SampleRequest,
  key: string | null,
): string {
  const authorization = key === null ? '`Bearer ${process.env.API_KEY}`' : literal(`Bearer ${key}`);
  const fields = [
    ...(method === 'GET' ? [] : [`  method: ${literal(method)},`]),
    '  headers: {',
    `    Authorization: ${authorization},`,
    ...Object.entries(headers).map(([name, value]) => `    ${literal(name)}: ${literal(value)},`),
    '  },',
    // A text, because a number beyond 2⁵³ would be rounded.
    ...(body === null ? [] : [`  body: ${literal(body)},`]),
    ...(file === null ? [] : [`  body: ${fileInNode(file)},`]),
  ];
  return `${filesInNode(file, result)}const response = await fetch(${literal(url)}, {
${fields.join('\n')}
});
${shownInNode(result)}`;
}

function shownInNode(result: SampleRequest['result']): string {
  if (result === 'text') return 'console.log(response.status, await response.text());';
  if (result === 'events')
    return 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);';
  return `if (!response.ok) throw new Error(await response.text());
await writeFile(${literal(result.file)}, Buffer.from(await response.arrayBuffer()));`;
}

function clientSample(request: SampleRequest, key: string | null): string {
  const { client, operationId, baseUrl, headers, body, file, result, parameters } = request;
  // The client reads no streams.
  if (result === 'events') return fetchSample(request, key);
  const apiKey = key === null ? `process.env['API_KEY'] ?? ''` : literal(key);
  const fields = Object.entries(parameters).map(([name, value]) => `${name}: ${withBigints(value)}`);
  if (body !== null) fields.push(`...${withBigints(body)}`);
  if (file !== null) fields.push(`bytes: ${fileInNode(file)}`, `mediaType: ${literal(file.mediaType)}`);
  // The client has an option for each header: `ifMatch`.
  const others = Object.entries(headers).filter(([name]) => name !== 'Content-Type');
  const texts = others.map(([name, value]) => `${optionOf(name)}: ${literal(value)}`);
  const input = fields.length === 1 && body !== null ? withBigints(body) : `{ ${fields.join(', ')} }`;
  const options = texts.length === 0 ? '' : `, { ${texts.join(', ')} }`;
  const name = optionOf(client.replace(/-client$/, ''));
  const args = fields.length === 0 && options === '' ? '' : input + options;
  return `import { ${name} } from '${client}';
${filesInNode(file, result) || '\n'}const api = ${name}({ baseUrl: ${literal(baseUrl)}, apiKey: ${apiKey} });
${calledInNode(operationId, args, result)}`;
}

function calledInNode(
  operationId: string,
  args: string,
  result: Exclude<SampleRequest['result'], 'events'>,
): string {
  const name = operationId.replace(/^(.+)V(\d+)$/, 'v$2.$1');
  const call = `await api.${name}(${args})`;
  if (result === 'text') return `console.log(${call});`;
  return `const blob = ${call};
await writeFile(${literal(result.file)}, Buffer.from(await blob.arrayBuffer()));`;
}

function pythonSample(
  { method, url, headers, body, file, result }: SampleRequest,
  key: string | null,
): string {
  const authorization = key === null ? `f"Bearer {os.environ['API_KEY']}"` : literal(`Bearer ${key}`);
  const lines = [
    `    ${literal(url)},`,
    `    method=${literal(method)},`,
    '    headers={',
    `        "Authorization": ${authorization},`,
    ...Object.entries(headers).map(([name, value]) => `        ${literal(name)}: ${literal(value)},`),
    '    },',
    ...(body === null ? [] : [`    data=${literal(body)}.encode(),`]),
    ...(file === null ? [] : [`    data=open(${literal(file.name)}, "rb").read(),`]),
  ];
  return `${key === null ? 'import os\n' : ''}import urllib.error
import urllib.request

request = urllib.request.Request(
${lines.join('\n')}
)
try:
    with urllib.request.urlopen(request) as response:
        ${shownInPython(result)}
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())`;
}

function shownInPython(result: SampleRequest['result']): string {
  if (result === 'text') return 'print(response.status, response.read().decode())';
  if (result === 'events') return 'for line in response:\n            print(line.decode(), end="")';
  return `open(${literal(result.file)}, "wb").write(response.read())`;
}

/** What reads and writes the files of a sample; nothing when it has none. */
function filesInNode(file: SampleFile | null, result: SampleRequest['result']): string {
  const names = [
    ...(file === null ? [] : ['readFile']),
    ...(typeof result === 'string' ? [] : ['writeFile']),
  ];
  return names.length === 0 ? '' : `import { ${names.join(', ')} } from 'node:fs/promises';\n\n`;
}

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
