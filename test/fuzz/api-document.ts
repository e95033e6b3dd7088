import { exactJson } from './exact-json.js';

/** A JSON schema of the document, its references followed and its whole numbers as bigints. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  readonly minLength?: bigint;
  readonly maxLength?: bigint;
  readonly maxItems?: bigint;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

export interface DocumentedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export interface DocumentedAnswer {
  /** Undefined for an answer without a body. */
  readonly body?: Schema;
  readonly headers: readonly DocumentedHeader[];
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** With its parameters in braces, below the server's path. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Schema;
  readonly answers: ReadonlyMap<number, DocumentedAnswer>;
}

/** What is read of the document as it is. */
interface RawDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: JsonContent };
  readonly responses: Readonly<Record<string, RawResponse>>;
}

interface RawResponse {
  readonly headers?: Readonly<Record<string, Partial<DocumentedHeader>>>;
  readonly content?: JsonContent;
}

interface JsonContent {
  readonly 'application/json': { readonly schema: Schema };
}

/** Everything that the service says of its operations. */
export function readApi(documentText: string): Operation[] {
  const document = exactJson(documentText);
  const { servers, paths } = followed(document, document) as RawDocument;
  const basePath = servers[0]!.url;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, responses }]) => ({
      id: operationId,
      method: method.toUpperCase() as Operation['method'],
      path: `${basePath}${path}`,
      parameters,
      requestBody: requestBody?.content['application/json'].schema,
      answers: new Map(
        Object.entries(responses).map(([status, { content, headers = {} }]) => [
          Number(status),
          { body: content?.['application/json'].schema, headers: Object.entries(headers).map(toHeader) },
        ]),
      ),
    })),
  );
}

function toHeader([name, { required = false, schema }]: [
  string,
  Partial<DocumentedHeader>,
]): DocumentedHeader {
  return { name, required, schema: schema! };
}

/** `node` with every reference into `document` replaced by what it refers to. */
function followed(node: unknown, document: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => followed(item, document));
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) {
    const [, ...path] = String(node.$ref).split('/');
    const target = path.reduce((place, name) => (place as Record<string, unknown>)[name], document);
    return followed(target, document);
  }
  const fields = Object.entries(node).map(([name, value]) => [name, followed(value, document)] as const);
  // The document wraps a reference in allOf where it adds a default or an example.
  const { allOf = [], ...rest } = Object.fromEntries(fields) as { allOf?: object[] };
  return Object.assign({}, ...allOf, rest);
}
