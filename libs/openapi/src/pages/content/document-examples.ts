import type { OpenAPIObject } from '@nestjs/swagger';
import { toJson } from '@animal-store/kernel';
import { VERSION_PREFIX } from '@animal-store/web';

export type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The operation of the document at a path of the service: `/v1/pets/:petId`, or `/v1/pets?status=available`. */
export function operationAt(
  { paths }: OpenAPIObject,
  method: string,
  target: string,
): OperationObject | null {
  const path = target
    .slice(VERSION_PREFIX.length)
    .replace(/\?.*/, '')
    .replace(/:(\w+)/g, '{$1}');
  return paths[path]?.[method.toLowerCase() as 'get'] ?? null;
}

/** The JSON of a successful response, put together from the examples of its schema; null without a body. */
export function responseExample(document: OpenAPIObject, { responses }: OperationObject): string | null {
  const success = responses['200'] ?? responses['201'];
  if (!success || !('content' in success)) return null;
  const schema = success.content?.['application/json']?.schema as Schema | undefined;
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
