import type { OpenAPIObject } from '@nestjs/swagger';
import { type DeprecatedOperation, deprecatedOperation } from '@animal-store/deprecation';
import type { Route } from '@animal-store/http-errors';
import { toJson } from '@animal-store/kernel';
import { VERSION_PREFIX } from '@animal-store/web';
import { EXAMPLE_URL } from '../page-origin.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

interface Schema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const INTRODUCTION = `# Deprecations

Every response of a deprecated operation has the headers \`Deprecation\` (since when), \`Sunset\` (when it is removed) and \`Link\` (to
this page and to the replacement). Until its removal an operation works as before. From then on its response is 410
\`operation_removed\`.
`;

/** The page that `Link; rel="deprecation"` and `rel="sunset"` point to, in Markdown. */
export function deprecationsPage(routes: readonly Route[], document: OpenAPIObject): string {
  const sections = routes.flatMap((route) => {
    const deprecation = deprecatedOperation(route.handler);
    return deprecation ? [section(route, deprecation, document)] : [];
  });
  return [INTRODUCTION, ...(sections.length > 0 ? sections : ['No operation is deprecated.\n'])].join('\n');
}

function section(
  route: Route,
  { name, sinceMs, sunsetMs, successor }: DeprecatedOperation,
  document: OpenAPIObject,
): string {
  const operation = operationAt(document, route.method, route.path);
  return `## ${name}

${operation?.description?.replace(REMOVAL, '') ?? ''}

| Operation | Deprecated since | Removed on | Replacement |
| --- | --- | --- | --- |
| \`${route.method} ${documentPath(route.path)}\` | ${dayOf(sinceMs)} | ${sunsetMs === null ? 'not decided' : dayOf(sunsetMs)} | ${successor === null ? 'none' : `\`GET ${successor}\``} |

**Before**

${example(document, operation, filledIn(route.path, operation))}
${successor === null ? '' : `\n**After**\n\n${example(document, operationAt(document, 'GET', successor), successor)}`}`;
}

/** What the document says first about the removal: the table says it too. */
const REMOVAL = /^\*\*Will be removed.*?410\. /;

/** A request and its response. */
function example(document: OpenAPIObject, operation: OperationObject | null, target: string): string {
  const response = operation && responseExample(document, operation);
  return `\`\`\`sh
curl -H "Authorization: Bearer $API_KEY" '${EXAMPLE_URL}${target}'
${response === null ? '' : `# ${response}\n`}\`\`\`
`;
}

function filledIn(path: string, operation: OperationObject | null): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const parameter = operation?.parameters?.find((one) => 'name' in one && one.name === name);
    const schema = parameter && 'schema' in parameter ? parameter.schema : undefined;
    const { example = `{${name}}` } = (schema ?? {}) as { example?: unknown };
    return typeof example === 'string' ? example : toJson(example);
  });
}

function documentPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The operation of the document at a path of the service: `/v1/ships/:shipId`, or `/v1/ships?status=afloat`. */
function operationAt({ paths }: OpenAPIObject, method: string, target: string): OperationObject | null {
  const path = documentPath(target.slice(VERSION_PREFIX.length).replace(/\?.*/, ''));
  return paths[path]?.[method.toLowerCase() as 'get'] ?? null;
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
