import { createHash, randomUUID } from 'node:crypto';
import pg, { type ClientBase, type Submittable } from 'pg';
import { StorageUnavailable } from '@animal-store/kernel';
import { DriverFailed } from './postgres-errors.js';

/** What a round trip uses of the driver's connection. Its types require arguments that it does not have. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  close(statement: { type: 'S'; name: string }): void;
  parse(statement: { name: string; text: string }): void;
  bind(statement: { statement: string; values: readonly unknown[] }): void;
  describe(portal: { type: 'P' }): void;
  execute(): void;
  sync(): void;
}

/** What the driver uses for the values of its own queries. Its types do not have it. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** An array's JSON differs from PostgreSQL's text of it by what else has a backslash. */
const OTHER_ESCAPE = /\\[^"\\]/;

/** Enough for no two texts to have the same one. */
const NAME_LENGTH = 16;

/** The names of the statements that PostgreSQL has prepared on a connection; null when none of them gets a name. */
const prepared = new WeakMap<ClientBase, Set<string> | null>();

/** Makes PostgreSQL prepare each statement of the connection for one use only. */
export function prepareWithoutNames(client: ClientBase): void {
  prepared.set(client, null);
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The values of a row as PostgreSQL sent them. */
export type Texts = readonly (string | null)[];

/** A column of the rows of a statement. */
export interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** An SQL text, and how it is prepared. */
export interface NamedText {
  readonly sql: string;
  /** Empty when it is prepared for one use. */
  readonly name: string;
  /** What PostgreSQL gets. */
  readonly text: string;
}

/** A prepared statement to send, and what PostgreSQL has responded to it. */
export class SentStatement {
  /** Objects by the names of their columns; Texts in the mode `texts`. */
  readonly rows: unknown[] = [];
  columns: readonly Column[] = [];
  /** Such as `COMMIT` or `UPDATE 1`; empty until it has run. */
  command = '';
  /** Why it has failed, or was not run. */
  error: unknown = null;

  /** @param isRead whether its rows are needed */
  constructor(
    readonly named: NamedText,
    readonly values: readonly unknown[] = [],
    readonly isRead = true,
    readonly rowMode?: 'texts',
  ) {}
}

/** Sets something for the transaction. */
export class SettingsStatement extends SentStatement {}

/**
 * Gives each SQL text a name, so that every connection parses and plans it once. The name follows from the text: should
 * a session of PostgreSQL have a statement of that name from another process, it is the same statement.
 */
export class StatementNames {
  private readonly named = new Map<string, NamedText>();
  private mark = '';

  of(sql: string): NamedText {
    let named = this.named.get(sql);
    if (!named) {
      const text = sql + this.mark;
      const name = createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);
      this.named.set(sql, (named = { sql, name, text }));
    }
    return named;
  }

  /** A prepared statement is useless here: a pooler prepares each text on its own connections. */
  renew(): void {
    this.named.clear();
    this.mark = ` /* ${randomUUID()} */`;
  }
}

/**
 * Statements that are sent to PostgreSQL together, with one Sync after the last. PostgreSQL runs them one after the
 * other, each with a snapshot of its own, and none after one that fails: nothing runs outside a transaction because its
 * BEGIN failed. Each query of the driver has a Sync of its own, which costs more, and lets PostgreSQL continue after an
 * error.
 */
export class RoundTrip implements Submittable {
  /** How many have run. When the trip has failed, the next one has failed, or its connection has broken. */
  doneCount = 0;
  /** The driver replaces it by one that limits the time. */
  callback: (error: unknown) => void = () => undefined;
  private client: ClientBase | null = null;

  constructor(readonly statements: readonly SentStatement[]) {}

  /**
   * Resolves when all have run.
   * @throws DriverFailed for a value that cannot be sent or read, and the error of the driver or of PostgreSQL
   */
  send(client: ClientBase): Promise<void> {
    return new Promise((resolve, reject) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is what the driver gives
      this.callback = (error) => (error === null ? resolve() : reject(error));
      this.client = client;
      client.query(this);
    });
  }

  // The rest is called by the driver, and `text` by tracers.

  get text(): string {
    const seen = this.statements.filter((statement) => !(statement instanceof SettingsStatement));
    return seen.map(({ named }) => named.sql).join('; ');
  }

  submit(driverConnection: unknown): Error | null {
    const connection = driverConnection as Connection;
    let values: unknown[][];
    try {
      values = this.statements.map((statement) => statement.values.map(textOf));
    } catch (error) {
      return new DriverFailed(error);
    }
    let names = prepared.get(this.client!);
    if (names === undefined) prepared.set(this.client!, (names = new Set()));
    connection.stream.cork();
    for (const [index, { named, isRead }] of this.statements.entries()) {
      const { text } = named;
      const name = names === null ? '' : named.name;
      if (name === '' || !names!.has(name)) {
        // A statement that failed may have been prepared.
        if (name !== '' && names!.add(name)) connection.close({ type: 'S', name });
        connection.parse({ name, text });
      }
      connection.bind({ statement: name, values: values[index]! });
      if (isRead) connection.describe({ type: 'P' });
      connection.execute();
    }
    connection.sync();
    connection.stream.uncork();
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const parserOf = (type: number) => this.client!.getTypeParser(type) as Column['parse'];
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    this.statements[this.doneCount]!.columns = columns;
  }

  handleDataRow({ fields: texts }: { fields: Texts }): void {
    const statement = this.statements[this.doneCount]!;
    const { rows, columns, isRead, rowMode } = statement;
    if (!isRead) return;
    try {
      if (rowMode === 'texts') rows.push(texts);
      else rows.push(rowOf(columns, texts));
    } catch (error) {
      statement.error ??= new DriverFailed(error);
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.statements[this.doneCount++]!.command = text;
  }

  handleEmptyQuery(): void {
    this.doneCount++;
  }

  handleReadyForQuery(): void {
    this.callback(this.statements.find(({ error }) => error !== null)?.error ?? null);
  }

  handleError(error: Error): void {
    const names = prepared.get(this.client!);
    // PostgreSQL has not read the statements after the failed one.
    for (const { named } of this.statements.slice(this.doneCount)) names?.delete(named.name);
    if (!(error instanceof pg.DatabaseError)) return this.callback(error);
    // After most errors PostgreSQL is ready for the next query. After a fatal one it closes the connection, and it is
    // unknown what it has stored. Only its message says which, in the language of the server.
    const end = (isReady: boolean) => {
      this.client!.off('drain', ready).off('end', closed);
      this.callback(isReady ? error : new StorageUnavailable(error));
    };
    const ready = () => end(true);
    const closed = () => end(false);
    this.client!.once('drain', ready).once('end', closed);
  }
}

/** What PostgreSQL reads as the value. The driver makes the text of an array in several times the time. */
function textOf(value: unknown): unknown {
  if (!Array.isArray(value)) return prepareValue(value);
  if (value.every((item) => typeof item === 'bigint' || typeof item === 'number')) return `{${value.join()}}`;
  if (!value.every((item) => typeof item === 'string' || item === null)) return prepareValue(value);
  const json = JSON.stringify(value);
  return OTHER_ESCAPE.test(json) ? prepareValue(value) : `{${json.slice(1, -1)}}`;
}

/** The row as an object. Its columns begin at `first`. */
export function rowOf(columns: readonly Column[], texts: Texts, first = 0): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++)
    row[columns[index]!.name] = valueOf(columns[index]!, texts[index + first]!);
  return row;
}

function valueOf({ parse }: Column, text: string | null): unknown {
  return text === null ? null : parse(text);
}
