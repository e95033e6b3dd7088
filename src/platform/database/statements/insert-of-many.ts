import type { Driver, EntityMetadata } from 'typeorm';

/** `INSERT … VALUES (…)` of one row, with nothing but defaults and parameters. */
const OF_ONE =
  /^(INSERT INTO \S+)\(("[^"]+"(?:, "[^"]+")*)\) VALUES \(((?:DEFAULT|\$\d+)(?:, (?:DEFAULT|\$\d+))*)\) (RETURNING .+)$/;

/** Types whose values PostgreSQL reads from an array exactly as it reads them from a parameter. */
const UNCHANGED_IN_ARRAYS = new Set([
  'bigint',
  'boolean',
  'character varying',
  'double precision',
  'integer',
  'smallint',
  'text',
  'timestamp with time zone',
  'timestamp without time zone',
  'uuid',
]);

/**
 * PostgreSQL's INSERT of one row, for any number of rows: each parameter becomes an array with its value for each row.
 * The ids come back in the order of the rows. Null when a value is an expression, or of a type that an array may change.
 */
export function insertOfMany(
  ofOne: string,
  { columns }: Pick<EntityMetadata, 'columns'>,
  driver: Pick<Driver, 'escape' | 'normalizeType'>,
): string | null {
  const [, into, names, values, returning] = OF_ONE.exec(ofOne) ?? [];
  if (!into) return null;
  const types = new Map(
    columns.map((column) => [
      driver.escape(column.databaseName),
      column.isArray ? 'array' : driver.normalizeType(column),
    ]),
  );
  const parameters = values!.split(', ');
  const written = names!
    .split(', ')
    .map((name, index) => ({ name, type: types.get(name)!, parameter: parameters[index]! }))
    .filter(({ parameter }) => parameter !== 'DEFAULT');
  const typeOf = new Map(written.map(({ parameter, type }) => [parameter, type]));
  const isSafe = written.every(
    ({ parameter, type }) => UNCHANGED_IN_ARRAYS.has(type) && typeOf.get(parameter) === type,
  );
  if (!isSafe || written.length === 0) return null;

  const alias = (parameter: string) => parameter.replace('$', 'value_');
  const numbered = [...typeOf].sort(([one], [other]) => Number(one.slice(1)) - Number(other.slice(1)));
  return [
    `${into}(${written.map(({ name }) => name).join(', ')})`,
    `SELECT ${written.map(({ parameter }) => alias(parameter)).join(', ')}`,
    `FROM unnest(${numbered.map(([parameter, type]) => `${parameter}::${type}[]`).join(', ')})`,
    `WITH ORDINALITY AS given(${numbered.map(([parameter]) => alias(parameter)).join(', ')}, position)`,
    // The ids are generated in this order.
    'ORDER BY position',
    returning,
  ].join(' ');
}
