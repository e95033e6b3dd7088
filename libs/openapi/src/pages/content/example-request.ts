import type { OpenAPIObject } from '@nestjs/swagger';
import { toJson } from '@animal-store/kernel';
import { IDEMPOTENCY_KEY } from '@animal-store/idempotency';
import type { Operation } from '../../operation-description.js';
import { EXAMPLE_URL } from '../page-layout.js';

/** A request to the server at `EXAMPLE_URL` for a shell, and its response. */
export function exampleRequest(operation: Operation | null, method: string, target: string): string {
  const body = operation && exampleIn(operation.requestBody);
  const response = operation && exampleIn(operation.responses['200'] ?? operation.responses['201']);
  const isDefault = method === (body === null ? 'GET' : 'POST');
  const sent = body === null ? '' : ` -H 'Content-Type: application/json' --data-raw '${body}'`;
  const takesKey = operation && parametersOf(operation).some(({ name }) => name === IDEMPOTENCY_KEY);
  const once = takesKey ? ` -H "${IDEMPOTENCY_KEY}: $(openssl rand -hex 16)"` : '';
  const line = `curl ${isDefault ? '' : `-X ${method} `}-H "Authorization: Bearer $API_KEY"${once}${sent} '${EXAMPLE_URL}${target}'`;
  return response === null ? line : `${line}\n# ${response}`;
}

/** What comes before a path of the document: the version in which the URLs of its servers end, or nothing. */
export function prefixOf({ servers, paths }: OpenAPIObject, path: string): string {
  return paths[path]?.servers ? '' : /\/v\d+$/.exec(servers![0]!.url)![0];
}

/** A path with the examples of its parameters: `/v1/ships/:shipId` or `/v1/ships/{shipId}`. */
export function filledIn(path: string, operation: Operation | null): string {
  return path.replace(/:(\w+)|\{(\w+)\}/g, (_, colon: string | undefined, braces: string) => {
    const name = colon ?? braces;
    const parameter = operation && parametersOf(operation).find((one) => one.name === name);
    return parameter?.example ?? `{${name}}`;
  });
}

type Content = Extract<NonNullable<Operation['requestBody']>, { content: unknown }>['content'];

export interface Parameter {
  readonly name: string;
  /** `path`, `query` or `header`. */
  readonly in: string;
  readonly required: boolean;
  /** As a text; null without one. */
  readonly example: string | null;
}

export function parametersOf({ parameters = [] }: Operation): Parameter[] {
  return parameters.flatMap((parameter) => {
    if (!('name' in parameter)) return [];
    const { example } = (parameter.schema ?? {}) as { readonly example?: unknown };
    const text = typeof example === 'string' ? example : toJson(example);
    return [
      { ...parameter, required: parameter.required ?? false, example: example === undefined ? null : text },
    ];
  });
}

/** The JSON of a body, from the example that the document has for each; null without one. */
export function exampleIn(body: object | undefined): string | null {
  const media = body && 'content' in body ? (body.content as Content)['application/json'] : undefined;
  return media?.example === undefined ? null : toJson(media.example);
}
