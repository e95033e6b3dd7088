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

requireDriver();

/** @throws Error when another version of the driver has another connection */
function requireDriver(): void {
  const needed = ['close', 'parse', 'bind', 'describe', 'execute', 'sync'] as const;
  const connection = pg.Connection.prototype as Partial<pg.Connection>;
  const missing = needed.filter((name) => typeof connection[name] !== 'function');
  if (typeof prepareValue !== 'function') missing.push('prepareValue' as never);
  if (missing.length > 0)
    throw new Error(`the installed version of pg has no ${missing.join(', ')}: use that of package.json`);
}

/** The names of the statements that PostgreSQL has prepared on a connection. */
const prepared = new WeakMap<Connection, Set<string>>();

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

type Parser = (text: string) => unknown;

/** A prepared statement to send, and what PostgreSQL has responded to it. */
export class SentStatement {
  /** Objects by the names of their columns. In the mode `array`, arrays of their values. */
  readonly rows: unknown[] = [];
  /** Such as `COMMIT` or `UPDATE 1`; empty until it has run. */
  command = '';
  /** Why it has failed, or was not run. */
  error: unknown = null;

  /** @param isRead whether anybody wants its rows */
  constructor(
    readonly name: string,
    readonly text: string,
    readonly values: readonly unknown[] = [],
    readonly isRead = true,
    readonly rowMode?: 'array',
  ) {}
}

/** Gives each SQL text a short name, so that every connection parses and plans it once. */
export class StatementNames {
  private readonly names = new Map<string, string>();

  of(sql: string): string {
    let name = this.names.get(sql);
    if (!name) {
      name = `s${this.names.size + 1}`;
      this.names.set(sql, name);
    }
    return name;
  }
}

/**
 * Statements that are sent to PostgreSQL together, with one Sync behind the last. PostgreSQL runs them one after the other,
 * each with a snapshot of its own, and none after one that fails: nothing runs outside a transaction because its BEGIN
 * failed. Each query of the driver has a Sync of its own, which costs more, and lets PostgreSQL go on after an error.
 */
export class RoundTrip implements Submittable {
  /** How many have run. When the trip has failed, the next one has failed, or its connection has broken. */
  doneCount = 0;
  /** The driver replaces it by one that limits the time. */
  callback: (error: unknown) => void = () => undefined;
  private client: ClientBase | null = null;
  private fields: readonly Field[] = [];
  private parsers: readonly Parser[] = [];
  private rowError: DriverFailed | null = null;

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
    return this.statements.map(({ text }) => text).join('; ');
  }

  submit(given: unknown): Error | null {
    const connection = given as Connection;
    let values: unknown[][];
    try {
      values = this.statements.map((statement) => statement.values.map(prepareValue));
    } catch (error) {
      return new DriverFailed(error);
    }
    let names = prepared.get(connection);
    if (names === undefined) prepared.set(connection, (names = new Set()));
    connection.stream.cork();
    for (const [index, { name, text, isRead }] of this.statements.entries()) {
      if (!names.has(name)) {
        names.add(name);
        // A statement that failed may have been prepared.
        connection.close({ type: 'S', name });
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
    this.fields = fields;
    this.parsers = fields.map(({ dataTypeID }) => this.client!.getTypeParser(dataTypeID) as Parser);
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }): void {
    const statement = this.statements[this.doneCount]!;
    const { rows, isRead, rowMode } = statement;
    if (!isRead) return;
    try {
      const values = texts.map((text, index) => (text === null ? null : this.parsers[index]!(text)));
      rows.push(rowMode ? values : this.named(values));
    } catch (error) {
      this.rowError ??= new DriverFailed(error);
      statement.error ??= this.rowError;
    }
  }

  private named(values: readonly unknown[]): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < values.length; index++) row[this.fields[index]!.name] = values[index];
    return row;
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.statements[this.doneCount++]!.command = text;
  }

  handleEmptyQuery(): void {
    this.doneCount++;
  }

  handleReadyForQuery(): void {
    this.callback(this.rowError);
  }

  handleError(error: Error, given: unknown): void {
    const names = prepared.get(given as Connection);
    // PostgreSQL has not read the statements behind the failed one.
    for (const { name } of this.statements.slice(this.doneCount)) names?.delete(name);
    if (!(error instanceof pg.DatabaseError)) return this.callback(error);
    // After most errors PostgreSQL is ready for the next query. After a fatal one it closes the connection, and it is unknown
    // what it has stored. Which one it is, it says in its language only.
    const end = (isReady: boolean) => {
      this.client!.off('drain', ready).off('end', closed);
      this.callback(isReady ? error : new StorageUnavailable(error));
    };
    const ready = () => end(true);
    const closed = () => end(false);
    this.client!.once('drain', ready).once('end', closed);
  }
}
