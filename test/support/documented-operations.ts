import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { contentOf, type DocumentContent } from '../../scripts/document-content.mjs';

export interface DocumentedOperation {
  readonly operationId: string;
  readonly method: string;
  /** The path with its version, and with parameters in braces: `/v1/pets/{petId}`. */
  readonly path: string;
  /** The scopes that a key needs for it. */
  readonly scopes: readonly string[];
  /** What its requests have in their bodies. */
  readonly body?: DocumentContent;
  readonly hasLimit: boolean;
  /** The day on which the operation is removed. */
  readonly sunset?: string;
  readonly errors: readonly { readonly status: number; readonly code: string }[];
}

interface Item {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly parameters?: readonly { readonly name: string }[];
  readonly 'x-sunset'?: string;
  readonly security?: readonly { readonly apiKey?: readonly string[] }[];
  readonly responses: Record<string, { readonly content?: Content }>;
}

type Content = Readonly<
  Record<string, { readonly schema?: unknown; readonly examples?: Record<string, unknown> }>
>;

export interface OpenApiDocument {
  /** A path with servers of its own has its version itself. */
  readonly paths: Readonly<Record<string, { readonly servers?: never } & Readonly<Record<string, Item>>>>;
}

/** docs/openapi.json, which `npm run openapi:accept` writes. */
export function acceptedDocument(): OpenApiDocument {
  return JSON.parse(readFileSync(resolve(__dirname, '../../docs/openapi.json'), 'utf8')) as OpenApiDocument;
}

/** The operations of a document with all their documented errors. */
export function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, { servers, ...item }]) =>
    Object.entries(item as Record<string, Item>).map(
      ([method, { operationId, requestBody, parameters = [], security = [], responses, ...more }]) => ({
        operationId,
        method: method.toUpperCase(),
        path: servers ? path : `/v1${path}`,
        scopes: security.flatMap(({ apiKey = [] }) => apiKey),
        body: contentOf(requestBody?.content, operationId),
        hasLimit: parameters.some(({ name }) => name === 'limit'),
        sunset: more['x-sunset'],
        errors: Object.entries(responses).flatMap(([status, { content }]) =>
          Object.keys(content?.['application/json']?.examples ?? {}).map((code) => ({
            status: Number(status),
            code,
          })),
        ),
      }),
    ),
  );
}

/** The media type of a request with this body. */
export function mediaTypeOf(body: DocumentContent | undefined): string {
  return body?.kind === 'bytes' ? body.types[0]! : 'application/json';
}

let routes: readonly { readonly pattern: RegExp; readonly operation: DocumentedOperation }[] | null = null;

/** @throws Error when docs/openapi.json has the operation, but not this error of it. */
export function requireDocumentedError(method: string, path: string, status: number, body: unknown): void {
  const { code } = (body ?? {}) as { code?: string };
  if (status < 400 || code === undefined) return;
  routes ??= operationsOf(acceptedDocument()).map((operation) => ({
    pattern: new RegExp(`^${operation.method} ${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  }));
  const route = `${method.toUpperCase()} ${path.split('?')[0]}`;
  const found = routes.find(({ pattern }) => pattern.test(route));
  if (found && !found.operation.errors.some((error) => error.status === status && error.code === code))
    throw new Error(
      `docs/openapi.json does not have ${status} ${code} of ${found.operation.operationId}. ` +
        'Run "npm run openapi:accept". If it stays away, list it in the errors of the @Operation.',
    );
}
