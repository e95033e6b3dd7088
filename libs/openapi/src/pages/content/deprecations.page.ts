import type { OpenAPIObject } from '@nestjs/swagger';
import { deprecatedOperation } from '@animal-store/deprecation';
import type { Route } from '@animal-store/http-errors';
import type { Operation } from '../../operation-description.js';
import { exampleRequest, filledIn, prefixOf } from './example-request.js';

const INTRODUCTION = `# Deprecations

Every response of a deprecated operation has the headers \`Deprecation\` (since when), \`Sunset\` (when it is removed) and \`Link\` (to
this page and to the replacement). Until its removal an operation works as before. From then on its response is 410
\`operation_removed\`.
`;

/** What a guide says under "Instead of getShip". */
function replacement(name: string, guides: readonly string[]): string | null {
  const [, text = null] =
    new RegExp(`^## Instead of ${name}\n([^]*?)^## `, 'm').exec(guides.join('\n')) ?? [];
  return text;
}

/** The page that `Link; rel="deprecation"` and `rel="sunset"` point to, in Markdown. */
export function deprecationsPage(
  routes: readonly Route[],
  document: OpenAPIObject,
  guides: readonly string[],
): string {
  const sections = routes.flatMap((route) => {
    const deprecation = deprecatedOperation(route.handler);
    return deprecation ? [section(route, deprecation, document, replacement(deprecation.name, guides))] : [];
  });
  return [INTRODUCTION, ...(sections.length > 0 ? sections : ['No operation is deprecated.\n'])].join('\n');
}

function section(
  route: Route,
  { name, sinceMs, sunsetMs, successor }: NonNullable<ReturnType<typeof deprecatedOperation>>,
  document: OpenAPIObject,
  replaced: string | null,
): string {
  const operation = operationAt(document, route.method, route.path);
  const after = replaced ?? (successor && example(operationAt(document, 'GET', successor), 'GET', successor));
  return `## ${name}

${operation?.description?.replace(REMOVAL, '') ?? ''}

| Operation | Deprecated since | Removed on | Replacement |
| --- | --- | --- | --- |
| \`${route.method} ${documentPath(route.path)}\` | ${dayOf(sinceMs)} | ${sunsetMs === null ? 'not decided' : dayOf(sunsetMs)} | ${successor === null ? 'none' : `\`GET ${successor}\``} |

**Before**

${example(operation, route.method, filledIn(route.path, operation))}
${after === null ? '' : `\n**After**\n\n${after}`}`;
}

/** What the document says first about the removal: the table says it too. */
const REMOVAL = /^\*\*Will be removed.*?410\. /;

function example(operation: Operation | null, method: string, target: string): string {
  return `\`\`\`sh\n${exampleRequest(operation, method, target)}\n\`\`\`\n`;
}

function documentPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The operation of the document at a path of the service: `/v1/ships/:shipId`, or `/v1/ships?status=afloat`. */
function operationAt(document: OpenAPIObject, method: string, target: string): Operation | null {
  const { paths } = document;
  const path = documentPath(target.replace(/\?.*/, ''));
  const found = Object.keys(paths).find((one) => prefixOf(document, one) + one === path);
  return paths[found ?? '']?.[method.toLowerCase() as 'get'] ?? null;
}
