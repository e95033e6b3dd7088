import type { ObjectLiteral } from 'typeorm';
import { type Page, pageOf, type PageRequest } from '@animal-store/kernel';
import type { Args } from './argument.js';
import type { CompiledStatement } from './compiled-statement.js';
import { pageArguments } from './list-statement.js';
import type { SelectStatement } from './statement.js';

interface Validated {
  readonly validator: string | null;
}

/**
 * The pages of a list, and the validator of each: text that PostgreSQL makes of everything in the page, so that equal
 * validators mean equal pages. A cached page can be used when its validator is the current one, which costs less to
 * read than the page.
 */
export class ValidatedListStatement<A extends object, Row extends ObjectLiteral> {
  constructor(
    private readonly validators: SelectStatement<Args, Validated>,
    private readonly pages: SelectStatement<Args, Row & Validated>,
  ) {}

  async getValidator(args: A, request: PageRequest): Promise<string> {
    const [row] = await this.validators.getMany({ ...args, ...pageArguments(request) });
    return row!.validator ?? '';
  }

  /** The page, and the validator of these very rows. */
  async getPage(args: A, request: PageRequest): Promise<{ page: Page<Row>; validator: string }> {
    const rows = await this.pages.getMany({ ...args, ...pageArguments(request) });
    const page = pageOf(rows as readonly (Row & Validated & { id: bigint })[], request.limit);
    return { page, validator: rows[0]?.validator ?? '' };
  }
}

/** Turns the statement of a list into that of the validators of its pages. */
export function validatorOf(list: CompiledStatement): CompiledStatement {
  return list.withText(validatorSql(list, `(${list.sql})`), {
    names: ['validator'],
    order: [],
    isShareable: true,
  });
}

/** Adds the validator to each row of a list. */
export function withValidator(list: CompiledStatement): CompiledStatement {
  const { names, order } = requireSelected(list);
  const sql = `WITH page AS MATERIALIZED (${list.sql}) SELECT page.*, whole.validator
    FROM page CROSS JOIN (${validatorSql(list, 'page')}) AS whole ORDER BY ${order.join(', ')}`;
  return list.withText(sql, { ...list.groupable!, names: [...names, 'validator'] });
}

/** A row as text is unambiguous: PostgreSQL puts its values in quotes where they need them. */
function validatorSql(list: CompiledStatement, rows: string): string {
  const order = requireSelected(list).order.map((by) => `line.${by}`);
  return `SELECT string_agg(line::text, ',' ORDER BY ${order.join(', ')}) AS "validator" FROM ${rows} AS line`;
}

function requireSelected({ groupable }: CompiledStatement): NonNullable<CompiledStatement['groupable']> {
  if (!groupable)
    throw new TypeError('Only PostgreSQL makes validators, and only of the columns of a record.');
  return groupable;
}
