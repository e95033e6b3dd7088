import type { OpenAPIObject } from '@nestjs/swagger';
import { toJson } from '@animal-store/kernel';
import { EXAMPLE_URL } from '../page-origin.js';

export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

interface Schema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** A request to the server at `EXAMPLE_URL` for a shell, and its response. */
export function exampleRequest(
  document: OpenAPIObject,
  operation: OperationObject | null,
  method: string,
  target: string,
): string {
  const body = operation && requestExample(document, operation);
  const response = operation && responseExample(document, operation);
  const isDefault = method === (body === null ? 'GET' : 'POST');
  const sent = body === null ? '' : ` -H 'Content-Type: application/json' --data-raw '${body}'`;
  const line = `curl ${isDefault ? '' : `-X ${method} `}-H "Authorization: Bearer $API_KEY"${sent} '${EXAMPLE_URL}${target}'`;
  return response === null ? line : `${line}\n# ${response}`;
}

/** What comes before a path of the document: the version in which the URLs of its servers end, or nothing. */
export function prefixOf({ servers, paths }: OpenAPIObject, path: string): string {
  return paths[path]?.servers ? '' : /\/v\d+$/.exec(servers![0]!.url)![0];
}

/** A path with the examples of its parameters: `/v1/ships/:shipId` or `/v1/ships/{shipId}`. */
export function filledIn(path: string, operation: OperationObject | null): string {
  return path.replace(/:(\w+)|\{(\w+)\}/g, (_, colon: string | undefined, braces: string) => {
    const name = colon ?? braces;
    const parameter = operation && parametersOf(operation).find((one) => one.name === name);
    return parameter?.example ?? `{${name}}`;
  });
}

export interface Parameter {
  readonly name: string;
  /** `path`, `query` or `header`. */
  readonly in: string;
  readonly required: boolean;
  /** As a text; null without one. */
  readonly example: string | null;
}

export function parametersOf({ parameters = [] }: OperationObject): Parameter[] {
  return parameters.flatMap((parameter) => {
    if (!('name' in parameter)) return [];
    const { example } = (parameter.schema ?? {}) as Schema;
    const text = typeof example === 'string' ? example : toJson(example);
    return [
      { ...parameter, required: parameter.required ?? false, example: example === undefined ? null : text },
    ];
  });
}

/** The JSON of a request body; null without one. */
export function requestExample(document: OpenAPIObject, { requestBody }: OperationObject): string | null {
  if (!requestBody || !('content' in requestBody)) return null;
  const media = requestBody.content['application/json'];
  if (media?.example !== undefined) return toJson(media.example);
  const { schema, examples } = media ?? {};
  const [first] = Object.values(examples ?? {});
  if (first && 'value' in first) return toJson(first.value);
  return schema ? toJson(exampleOf(document, schema)) : null;
}

/** The JSON of a successful response, put together from the examples of its schema; null without a body. */
function responseExample(document: OpenAPIObject, { responses }: OperationObject): string | null {
  const success = responses['200'] ?? responses['201'];
  if (!success || !('content' in success)) return null;
  const schema = success.content?.['application/json']?.schema;
  return schema ? toJson(exampleOf(document, schema)) : null;
}

function exampleOf(document: OpenAPIObject, schema: Schema): unknown {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/components/schemas/', '');
    return exampleOf(document, document.components!.schemas![name] as Schema);
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.items) return [exampleOf(document, schema.items)];
  if (!schema.properties) return null;
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, exampleOf(document, property)]),
  );
}
