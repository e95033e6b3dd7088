import type { Body, DocumentedHeader } from './api-document.js';
import type { FuzzRequest } from './fuzz-request.js';
import { problemsOf as problemsOfValue, problemsOfJson, type Schema } from './schemas.js';
import type { WireResponse } from './wire.js';

/** Codes for errors in the request itself. Other codes depend on the state of the service. */
const INPUT_REFUSALS = [
  'invalid_json',
  'validation_failed',
  'invalid_parameter',
  'bad_request',
  'unsupported_media_type',
  'payload_too_large',
  'missing_api_key',
  'invalid_api_key',
  'insufficient_scope',
  'route_not_found',
  'method_not_allowed',
];

/** Headers that the document leaves out: OpenAPI excludes Content-Type, and HTTP defines the rest. */
const TRANSPORT_HEADERS = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
];

/** The problems of a response: differences from the document, and from what the request must get. */
export function problemsOf(
  { operation, method, expectation }: FuzzRequest,
  response: WireResponse,
): string[] {
  const { status, headers, body } = response;
  if (status >= 500) return [`${status}: nothing that is sent may bring this about`];
  const documented = operation.responses.get(status);
  if (!documented) return [`${status} is not documented for ${operation.id}`];

  const problems = documented.headers.flatMap((header) =>
    headerProblems(header, headers[header.name.toLowerCase()]),
  );
  const known = [...TRANSPORT_HEADERS, ...documented.headers.map(({ name }) => name.toLowerCase())];
  for (const name of Object.keys(headers))
    if (!known.includes(name)) problems.push(`${name} is not documented`);
  if (method === 'HEAD' || documented.body === undefined) {
    if (body.length > 0) problems.push('there is a body');
  } else {
    problems.push(...bodyProblems(documented.body, headers['content-type'], body));
  }
  const refusal = method !== 'HEAD' && status >= 400 ? errorCode(body) : '';
  if (expectation === 'refused' && status < 400) problems.push('it should have been refused');
  if (expectation === 'accepted' && INPUT_REFUSALS.includes(refusal))
    problems.push(
      `refused, though the document allows it: ${body.toString()}. Say the rule in @ApiProperty(), as pattern or ` +
        "maximum; one over several fields is the jointRule of the operation's requests",
    );
  return problems;
}

function headerProblems({ name, required, schema }: DocumentedHeader, value: string | undefined): string[] {
  if (value === undefined) return required ? [`${name} is missing`] : [];
  const isNumber = schema['type'] === 'integer' && /^\d+$/.test(value);
  return problemsOfValue(schema, isNumber ? Number(value) : value).map(
    (problem) => `${name}: ${value}${problem}`,
  );
}

function bodyProblems(documented: Body, contentType: string | undefined, body: Buffer): string[] {
  if (documented.kind === 'bytes') {
    const { types, maxBytes } = documented;
    const problems = body.length > maxBytes ? [`the body has ${body.length} bytes`] : [];
    return types.includes(contentType!) ? problems : [...problems, `Content-Type is ${contentType}`];
  }
  if (documented.kind === 'events') return eventProblems(documented.schema, contentType, body.toString());
  if (contentType !== 'application/json; charset=utf-8') return [`Content-Type is ${contentType}`];
  try {
    return problemsOfJson(documented.schema, body.toString()).map((problem) => `body${problem}`);
  } catch (error) {
    return [`the body is no JSON: ${String(error)}`];
  }
}

/** Of the events that came at once. */
function eventProblems(schema: Schema, contentType: string | undefined, text: string): string[] {
  const data = [...text.matchAll(/^data: (.*)\n/gm)];
  return [
    ...(contentType === 'text/event-stream' ? [] : [`Content-Type is ${contentType}`]),
    ...data.flatMap(([, json]) => problemsOfJson(schema, json!).map((problem) => `event${problem}`)),
  ];
}

function errorCode(body: Buffer): string {
  return String((JSON.parse(body.toString()) as { code?: unknown }).code);
}
