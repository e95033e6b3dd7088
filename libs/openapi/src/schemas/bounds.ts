import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from '../operation-description.js';

export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

export interface Schema {
  type?: string | readonly string[];
  format?: string;
  pattern?: string;
  readonly $ref?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  minimum?: number;
  maximum?: number;
  readonly exclusiveMinimum?: unknown;
  readonly exclusiveMaximum?: unknown;
  readonly minLength?: number;
  maxLength?: number;
  maxItems?: number;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Place {
  readonly name: string;
  /** Whether class-validator checks it. */
  readonly isValidated: boolean;
}

const INT32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };
/** The longest text of a format. */
const LONGEST: Readonly<Record<string, number>> = {
  'date-time': '2027-01-31T12:00:00.123456789+05:30'.length,
  date: '2027-01-31'.length,
  uuid: 36,
  email: 64 + '@'.length + 254,
};
const DECORATORS = {
  minimum: '@Min()',
  maximum: '@Max()',
  maxLength: '@MaxLength()',
  maxItems: '@ArrayMaxSize()',
};

/**
 * Gives each text, list and whole number of the document bounds, where its class has none: those of what a request can
 * bring, and of an int32.
 *
 * @returns a sentence for each, with the decorator to add
 */
export function addBounds(
  schemas: Schemas,
  operations: readonly Operation[],
  bodyLimitBytes: number,
): string[] {
  const added: string[] = [];
  const bound = (schema: Schema, place: Place, keyword: keyof typeof DECORATORS, value: number): void => {
    if (schema[keyword] !== undefined) return;
    schema[keyword] = value;
    // What @nestjs/swagger says of an input, nothing enforces.
    const line = place.isValidated
      ? DECORATORS[keyword]
      : `"${keyword}" to its schema in @nestjs/swagger's decorator`;
    added.push(`${place.name} has no ${keyword}, so the document says ${value}: add ${line}.`);
  };
  const visit = (schema: Schema, place: Place): void => {
    const types = [schema.type].flat();
    const { format, items, properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema;
    if (types.includes('string') && schema.enum === undefined && schema.const === undefined) {
      const longest = LONGEST[format ?? ''];
      if (longest === undefined) bound(schema, place, 'maxLength', bodyLimitBytes);
      else schema.maxLength ??= longest;
      // No text of a request has U+0000.
      if (format === undefined) schema.pattern ??= '^[^\\x00]*$';
    }
    if (types.includes('integer') && format !== 'int64') {
      if (schema.exclusiveMinimum === undefined) bound(schema, place, 'minimum', INT32.minimum);
      if (schema.exclusiveMaximum === undefined) bound(schema, place, 'maximum', INT32.maximum);
      const { minimum = 0, maximum = 0 } = schema;
      schema.format ??= minimum < INT32.minimum || maximum > INT32.maximum ? 'int64' : 'int32';
    }
    if (types.includes('array')) bound(schema, place, 'maxItems', bodyLimitBytes);
    if (items) visit(items, { ...place, name: `Each of ${place.name}` });
    for (const [name, property] of Object.entries(properties))
      visit(property, { ...place, name: `${place.name}.${name}` });
    for (const part of [...allOf, ...anyOf, ...oneOf]) visit(part, place);
  };
  for (const [name, one] of Object.entries(schemas)) {
    const schema = one as Schema;
    visit(schema, { name, isValidated: schema.additionalProperties === false });
  }
  for (const { operationId, parameters = [], requestBody, responses } of operations) {
    for (const parameter of parameters)
      if ('in' in parameter && parameter.schema)
        visit(parameter.schema, {
          name: `"${parameter.name}" of ${operationId}`,
          isValidated: parameter.in === 'query',
        });
    for (const body of [requestBody, ...Object.values(responses)]) {
      const media = body && 'content' in body ? Object.values(body.content ?? {}) : [];
      const what = body === requestBody ? 'body' : 'response';
      for (const { schema } of media)
        if (schema) visit(schema, { name: `The ${what} of ${operationId}`, isValidated: false });
    }
  }
  return added;
}
