import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { DocumentedHeader, Schema } from './api-document.js';
import { exactJson } from './exact-json.js';
import type { FuzzRequest } from './fuzz-request.js';
import type { WireAnswer } from './wire.js';

/** Refusals of the request itself, as against those of what it asks for. */
const INPUT_REFUSALS = [
  'invalid_json',
  'validation_failed',
  'invalid_parameter',
  'bad_request',
  'unsupported_media_type',
  'payload_too_large',
  'missing_api_key',
  'invalid_api_key',
  'route_not_found',
  'method_not_allowed',
];

/** Says what is wrong with an answer: against the document, and against what the request deserved. */
export class AnswerCheck {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly compiled = new Map<Schema, ValidateFunction>();

  constructor() {
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.ajv);
    // `exactJson` makes every whole number a bigint, and Ajv's own `integer` knows only numbers.
    this.ajv.addKeyword({
      keyword: 'wholeNumber',
      validate: ({ minimum, maximum }: { minimum: string; maximum: string }, value: unknown) =>
        typeof value === 'bigint' && value >= BigInt(minimum) && value <= BigInt(maximum),
    });
  }

  problemsOf({ operation, method, expectation }: FuzzRequest, answer: WireAnswer): string[] {
    const { status, headers, body } = answer;
    if (status >= 500) return [`${status}: nothing that is sent may bring this about`];
    const documented = operation.answers.get(status);
    if (!documented) return [`${status} is not documented for ${operation.id}`];

    const problems = documented.headers.flatMap((header) =>
      this.headerProblems(header, headers[header.name.toLowerCase()]),
    );
    if (method === 'HEAD' || documented.body === undefined) {
      if (body !== '') problems.push('there is a body');
    } else {
      problems.push(...this.bodyProblems(documented.body, headers['content-type'], body));
    }
    const refusal = method !== 'HEAD' && status >= 400 ? errorCode(body) : '';
    if (expectation === 'refused' && status < 400) problems.push('it should have been refused');
    if (expectation === 'accepted' && INPUT_REFUSALS.includes(refusal)) problems.push(`refused: ${refusal}`);
    return problems;
  }

  private headerProblems({ name, required, schema }: DocumentedHeader, value: string | undefined): string[] {
    if (value === undefined) return required ? [`${name} is missing`] : [];
    const isNumber = schema.type === 'integer' && /^\d+$/.test(value);
    return this.problems(`${name}: ${value}`, schema, isNumber ? BigInt(value) : value);
  }

  private bodyProblems(schema: Schema, contentType: string | undefined, body: string): string[] {
    if (contentType !== 'application/json; charset=utf-8') return [`Content-Type is ${contentType}`];
    try {
      return this.problems('body', schema, exactJson(body));
    } catch (error) {
      return [`the body is no JSON: ${String(error)}`];
    }
  }

  private problems(what: string, schema: Schema, value: unknown): string[] {
    let validate = this.compiled.get(schema);
    if (!validate) {
      validate = this.ajv.compile(exact(schema) as object);
      this.compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message }) => `${what}${instancePath}: ${message}`);
  }
}

/** The schema for a value whose whole numbers are bigints, which has no fields that the document does not show. */
function exact(node: unknown): unknown {
  if (typeof node === 'bigint') return Number(node);
  if (Array.isArray(node)) return node.map(exact);
  if (typeof node !== 'object' || node === null) return node;
  const schema = node as Schema;
  if (schema.type === 'integer') {
    return { wholeNumber: { minimum: String(schema.minimum), maximum: String(schema.maximum) } };
  }
  const fields = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, exact(value)]));
  return schema.type === 'object' ? { additionalProperties: false, ...fields } : fields;
}

function errorCode(body: string): string {
  return String((JSON.parse(body) as { code?: unknown }).code);
}
