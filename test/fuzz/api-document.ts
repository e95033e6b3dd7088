import { contentOf } from '../../scripts/document-content.mjs';
import { readSchema, type Schema, targetOf } from './schemas.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface DocumentedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** What the body of a request or a response has. */
export type Body =
  | { readonly kind: 'json' | 'events'; readonly schema: Schema }
  | { readonly kind: 'bytes'; readonly types: readonly string[]; readonly maxBytes: number };

export interface DocumentedResponse {
  /** Undefined for a response without a body. */
  readonly body?: Body;
  readonly headers: readonly DocumentedHeader[];
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below that of the server, with parameters in braces. */
  readonly path: string;
  /** The scopes that a key needs. */
  readonly scopes: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
}

/** The parts of the document that the fuzz suites read. */
interface RawDocument {
  readonly servers: readonly { readonly url: string }[];
  /** A path with servers of its own has its version itself. */
  readonly paths: Readonly<
    Record<string, { readonly servers?: never } & Readonly<Record<string, RawOperation>>>
  >;
}

interface RawOperation {
  readonly operationId: string;
  readonly security?: readonly { readonly apiKey?: readonly string[] }[];
  readonly parameters?: readonly Raw<Parameter>[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, RawResponse>>;
}

interface RawResponse {
  readonly headers?: Readonly<Record<string, Partial<Raw<DocumentedHeader>>>>;
  readonly content?: Content;
}

type Raw<Described> = Omit<Described, 'schema'> & { readonly schema: unknown };
type Content = Readonly<Record<string, { readonly schema: unknown }>>;

/** The operations in the OpenAPI document of the service. */
export function readApi(documentText: string): Operation[] {
  const document = JSON.parse(documentText) as RawDocument;
  const reader = new OperationReader(document);
  const basePath = document.servers[0]!.url;
  return Object.entries(document.paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods as Record<string, RawOperation>).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase() as Operation['method'],
      path: servers ? path : `${basePath}${path}`,
      scopes: (operation.security ?? []).flatMap(({ apiKey = [] }) => apiKey),
      ...reader.read(operation),
    })),
  );
}

class OperationReader {
  constructor(private readonly document: RawDocument) {}

  read({
    operationId,
    parameters = [],
    requestBody,
    responses,
  }: RawOperation): Pick<Operation, 'parameters' | 'requestBody' | 'responses'> {
    return {
      parameters: parameters.map((parameter) => this.parameter(this.followed(parameter), operationId)),
      requestBody: this.body(requestBody?.content, `${operationId} body`),
      responses: new Map(
        Object.entries(responses).map(([status, response]) => [
          Number(status),
          this.response(this.followed(response), `${operationId} ${status}`),
        ]),
      ),
    };
  }

  private parameter(
    { name, in: place, required = false, schema }: Raw<Parameter>,
    operationId: string,
  ): Parameter {
    return { name, in: place, required, schema: this.schema(schema, `${operationId} ${place} ${name}`) };
  }

  private response({ headers = {}, content }: RawResponse, place: string): DocumentedResponse {
    const documented = Object.entries(headers).map(([name, header]) => {
      const { required = false, schema } = this.followed(header);
      return { name, required, schema: this.schema(schema, `${place} ${name}`) };
    });
    return { body: this.body(content, place), headers: documented };
  }

  private body(content: Content | undefined, place: string): Body | undefined {
    const body = contentOf(content, place);
    return body && 'schema' in body ? { ...body, schema: this.schema(body.schema, place) } : body;
  }

  private schema(node: unknown, place: string): Schema {
    return readSchema(this.document, node, place);
  }

  private followed<Node extends object>(node: Node): Node {
    return '$ref' in node ? (targetOf(this.document, String(node.$ref)) as Node) : node;
  }
}
