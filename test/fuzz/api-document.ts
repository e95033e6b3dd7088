import { parseJson } from '../../src/http/json.js';

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

/** Everything that the service says of its operations. */
export function readApi(documentText: string): Operation[] {
  // Untyped from here on, as what is read is what is to be tested.
  const document: any = parseJson(documentText);

  function follow(node: any): any {
    if (Array.isArray(node)) return node.map(follow);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node) {
      const [, ...path] = node.$ref.split('/');
      return follow(path.reduce((place: any, part: string) => place[part], document));
    }
    const followed = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, follow(value)]));
    // The document wraps a reference in allOf where it adds a default or an example.
    const { allOf = [], ...rest } = followed as { allOf?: object[] };
    return Object.assign({}, ...allOf, rest);
  }

  const basePath: string = document.servers[0].url;
  return Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]): Operation => {
      const { operationId, parameters = [], requestBody, responses } = follow(operation);
      return {
        id: operationId,
        method: method.toUpperCase() as Operation['method'],
        path: `${basePath}${path}`,
        parameters,
        requestBody: requestBody?.content['application/json'].schema,
        answers: new Map(
          Object.entries<any>(responses).map(([status, { content, headers = {} }]) => [
            Number(status),
            {
              body: content?.['application/json'].schema,
              headers: Object.entries<any>(headers).map(([name, { required = false, schema }]) => ({
                name,
                required,
                schema,
              })),
            },
          ]),
        ),
      };
    }),
  );
}
