import { InsufficientScope } from '@animal-store/api-keys';
import { OperationRemoved } from '@animal-store/deprecation';
import { CODED_STATUSES, httpErrorOf, MalformedPath } from '@animal-store/http-errors';
import type { ErrorClass } from '@animal-store/kernel';
import {
  BODY_ERRORS,
  describeError,
  type ErrorDescription,
  EVERY_OPERATION,
  LIST_ERRORS,
  NO_OPERATION,
} from '@animal-store/web';
import { NotReady } from '@animal-store/operations';

const OF_HTTP: readonly ErrorClass[] = [
  MalformedPath,
  ...NO_OPERATION,
  ...BODY_ERRORS,
  ...LIST_ERRORS,
  InsufficientScope,
  OperationRemoved,
  ...EVERY_OPERATION,
  NotReady,
];

/** Errors are grouped by what the caller can do about them, which follows from the status. */
const CHAPTERS: readonly { title: string; has: (status: number) => boolean }[] = [
  { title: 'Correct the request', has: (status) => ![408, 409, 412, 429].includes(status) && status < 500 },
  { title: 'The state has changed', has: (status) => status === 409 || status === 412 },
  { title: 'Slow down', has: (status) => status === 429 },
  { title: 'Try again', has: (status) => status === 408 || status >= 500 },
];

/** What a request may take, for the errors that say it. */
export interface RequestLimits {
  readonly bodyLimitBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** The text of docs/errors.md: every error with the description in its class, and the guide that explains it. */
export function errorsPage(
  ofOperations: readonly ErrorClass[],
  {
    limits,
    guideOfError,
  }: { readonly limits: RequestLimits; readonly guideOfError: (code: string) => string | null },
): string {
  const texts: Readonly<Record<string, string>> = {
    bodyLimit: `${limits.bodyLimitBytes.toLocaleString('en-US')} bytes`,
    headersTimeout: `${limits.headersTimeoutMs / 1_000} s`,
    requestTimeout: `${limits.requestTimeoutMs / 1_000} s`,
  };
  const rows = rowsOf([...OF_HTTP, ...ofOperations]).map((row) => ({
    ...row,
    fix: withGuide(
      row.fix.replace(/\{(\w+)\}/g, (token, name: string) => texts[name] ?? token),
      guideOfError(row.code),
    ),
  }));
  const codes = new Set(rows.map(({ code }) => code));
  const byStatus = CODED_STATUSES.map(httpErrorOf).filter(({ code }) => !codes.has(code));
  return `# Errors

<!-- Generated from the error classes. -->

Every response of 400 and above has this body. Only a browser gets a page for an unknown path outside \`/v1\`.

\`\`\`json
{ "code": "route_not_found", "message": "The path does not exist.", "status": 404 }
\`\`\`

- Programs use \`code\`, whose meaning never changes; the wording of \`message\` may.
- Headers say more: \`Retry-After\`, \`Allow\`, \`WWW-Authenticate\`, \`X-RateLimit-*\`. \`Link; rel="help"\` leads to the
  code on this page, \`/docs/errors\`.
- Send the operator the \`X-Request-Id\` of the response, which the log has.
- A response reports the first error found: the rate limit, the key, its scopes, a removed operation, the path and method, the type and size
  of the body, its JSON, its fields. So without a valid key it is 401 (or 429), with two exceptions: input that is not a complete HTTP
  request is 400, 408 or 431, and counts against its address (behind a proxy against nobody); while a key cannot be looked up, it is 503.
${CHAPTERS.map(({ title, has }) =>
  chapter(
    title,
    rows.filter(({ status }) => has(status)),
  ),
).join('')}
## By status alone

No operation returns these today. Any other status has its name as the code: \`payment_required\` is 402, \`gateway_timeout\` is 504.

${byStatus.map(({ code, status, message }) => `- \`${code}\` ${status}: ${message}\n`).join('')}`;
}

function withGuide(fix: string, guide: string | null): string {
  return guide === null ? fix : `${fix} ${guide}`;
}

function chapter(title: string, rows: readonly ErrorDescription[]): string {
  const lines = rows.map(({ code, status, when, fix }) => `- \`${code}\` ${status}: ${when} ${fix}\n`);
  return `\n## ${title}\n\n${lines.join('')}`;
}

/** One row for each description, sorted by status. Classes that share a code are adjacent. */
function rowsOf(errors: readonly ErrorClass[]): ErrorDescription[] {
  const rows = new Map<string, Map<string, ErrorDescription>>();
  for (const error of errors.map(describeError)) {
    const ofCode = rows.get(error.code) ?? new Map<string, ErrorDescription>();
    rows.set(error.code, ofCode.set(`${error.when} ${error.fix}`, error));
  }
  return [...rows.values()].flatMap((ofCode) => [...ofCode.values()]).sort((a, b) => a.status - b.status);
}
