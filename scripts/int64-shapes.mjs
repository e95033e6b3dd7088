// Finds the int64s in the schemas of an OpenAPI document, at any depth. clients/typescript reads and writes JSON by the
// resulting shapes. A construct that a shape cannot express fails with its place in the document.

/** Keywords that do not affect where an int64 is. */
const HARMLESS = new Set(
  `title description example examples default deprecated readOnly writeOnly externalDocs xml discriminator $comment
   minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems
   minProperties maxProperties enum const format type nullable required contentEncoding contentMediaType`.split(
    /\s+/,
  ),
);
const STRUCTURAL = new Set('$ref properties additionalProperties items allOf anyOf oneOf'.split(' '));

/** Whether a number of this schema is an int64. */
export function isInt64({ type = 'integer', format }) {
  return format === 'int64' && [type].flat().includes('integer');
}

export class Int64Shapes {
  /** Shapes by the name of the schema. Numbers other than int64s still have the shape "number". */
  #named = new Map();
  /** The names of schemas that are being read. */
  #reading = new Set();
  /** The names that shapes contain. */
  #used = new Set();

  constructor(document) {
    this.schemas = document.components?.schemas ?? {};
  }

  /**
   * The shape of `schema`; undefined when there is no int64 in it.
   *
   * @param place the name of the schema in errors
   */
  of(schema, place) {
    return this.#pruned(this.#read(schema, place));
  }

  /** The shapes that those returned so far reference by name, and those that these reference. */
  named() {
    const shapes = {};
    // Pruning a shape may add a name, which is then visited too.
    for (const name of this.#used) shapes[name] = this.#pruned(this.#named.get(name));
    return shapes;
  }

  /** The fields of an object, with their schemas. */
  fieldsOf(schema, place) {
    this.#read(schema, place);
    const { $ref, allOf = [], properties = {}, type = 'object' } = schema;
    if ($ref) return this.fieldsOf(this.#target($ref, place), place);
    if (schema.oneOf || schema.anyOf || schema.additionalProperties || type !== 'object') {
      throw new Error(
        `${place}: the client takes one flat object, so this must be an object of known fields.`,
      );
    }
    return Object.assign({}, ...allOf.map((each) => this.fieldsOf(each, place)), properties);
  }

  #read(schema, place) {
    if (typeof schema === 'boolean') return undefined;
    for (const keyword of Object.keys(schema)) {
      if (HARMLESS.has(keyword) || STRUCTURAL.has(keyword) || keyword.startsWith('x-')) continue;
      throw new Error(`${place}: the client does not know "${keyword}".`);
    }
    const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema;
    const parts = [...allOf, ...anyOf, ...oneOf].map((part) => this.#read(part, place));
    if ($ref) parts.push(this.#reference($ref, place));
    parts.push(this.#own(schema, place));
    return parts.filter((part) => part !== undefined).reduce((a, b) => this.#both(a, b, place), undefined);
  }

  /** The shape of a schema itself, without the schemas it combines. */
  #own(schema, place) {
    const { type, items, properties, additionalProperties } = schema;
    if (isInt64(schema)) return 'int64';
    if ([type].flat().some((each) => each === 'integer' || each === 'number')) return 'number';
    if (items !== undefined) {
      const shape = this.#read(items, `${place}[]`);
      return shape && { items: shape };
    }
    const fields = Object.entries(properties ?? {})
      .map(([name, field]) => [name, this.#read(field, `${place}.${name}`)])
      .filter(([, shape]) => shape !== undefined);
    const values = additionalProperties && this.#read(additionalProperties, `${place}.*`);
    if (fields.length === 0 && !values) return undefined;
    return { fields: Object.fromEntries(fields), ...(values && { values }) };
  }

  #reference($ref, place) {
    const target = this.#target($ref, place);
    const schema = $ref.split('/').at(-1);
    if (!this.#named.has(schema)) {
      // A schema may reference itself.
      this.#named.set(schema, undefined);
      this.#reading.add(schema);
      this.#named.set(schema, this.#read(target, schema));
      this.#reading.delete(schema);
    }
    return { schema };
  }

  #target($ref, place) {
    const name = /^#\/components\/schemas\/([^/]+)$/.exec($ref)?.[1];
    if (this.schemas[name] === undefined)
      throw new Error(`${place}: ${$ref} is not a schema of the document.`);
    return this.schemas[name];
  }

  /** The shape of a value that matches one of two schemas, or both. */
  #both(a, b, place) {
    if (a === undefined || JSON.stringify(a) === JSON.stringify(b)) return b;
    if (b === undefined) return a;
    const one = this.#resolved(a, place);
    const other = this.#resolved(b, place);
    if (one === undefined || other === undefined) return one ?? other;
    if (one.items && other.items) return { items: this.#both(one.items, other.items, `${place}[]`) };
    if (one.fields && other.fields) return this.#bothObjects(one, other, place);
    if (!this.#hasInt64(one)) return other;
    if (!this.#hasInt64(other) && one !== 'int64') return one;
    throw new Error(`${place}: an int64 here cannot be distinguished from what else may be here.`);
  }

  #bothObjects(one, other, place) {
    const fields = {};
    for (const name of new Set([...Object.keys(one.fields), ...Object.keys(other.fields)])) {
      const [first, second] = [one, other].map((each) => each.fields[name] ?? each.values);
      fields[name] = this.#both(first, second, `${place}.${name}`);
    }
    const values = this.#both(one.values, other.values, `${place}.*`);
    return { fields, ...(values && { values }) };
  }

  #resolved(shape, place) {
    if (!shape?.schema) return shape;
    if (this.#reading.has(shape.schema)) {
      throw new Error(`${place}: the client cannot combine ${shape.schema}, which refers to itself.`);
    }
    return this.#resolved(this.#named.get(shape.schema), place);
  }

  #hasInt64(shape, seen = new Set()) {
    if (shape === undefined || typeof shape === 'string') return shape === 'int64';
    if (shape.schema) {
      if (seen.has(shape.schema)) return false;
      return this.#hasInt64(this.#named.get(shape.schema), seen.add(shape.schema));
    }
    return [shape.items, shape.values, ...Object.values(shape.fields ?? {})].some((part) =>
      this.#hasInt64(part, seen),
    );
  }

  #pruned(shape) {
    if (!this.#hasInt64(shape)) return undefined;
    if (typeof shape === 'string') return shape;
    if (shape.schema) {
      if (this.#named.get(shape.schema) === 'int64') return 'int64';
      this.#used.add(shape.schema);
      return shape.schema;
    }
    if (shape.items) return { items: this.#pruned(shape.items) };
    const fields = Object.entries(shape.fields)
      .map(([name, field]) => [name, this.#pruned(field)])
      .filter(([, field]) => field !== undefined);
    const values = this.#pruned(shape.values);
    return { ...(fields.length > 0 && { fields: Object.fromEntries(fields) }), ...(values && { values }) };
  }
}
