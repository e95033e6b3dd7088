import pg, { type ClientBase, type Submittable } from 'pg';

/** What the driver uses for the values of its own queries. Its types do not have it. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** What a round trip uses of the driver's connection. Its types require arguments that it does not have. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  /** The texts of the prepared statements, by name: those that PostgreSQL has, and those that it may not have yet. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(statement: { statement: string; values: readonly unknown[] }): void;
  describe(portal: { type: 'P' }): void;
  execute(): void;
  sync(): void;
}

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
  callback: (error: Error | null) => void = () => undefined;
  private isUnderWay = false;
  private parserOf: (oid: number) => Parser = () => String;
  private fields: readonly Field[] = [];
  private parsers: readonly Parser[] = [];
  private rowError: Error | null = null;

  constructor(readonly statements: readonly SentStatement[]) {}

  /** Resolves when all have run. @throws the error of the driver */
  send(client: ClientBase): Promise<void> {
    return new Promise((resolve, reject) => {
      this.callback = (error) => (error === null ? resolve() : reject(error));
      this.parserOf = (oid) => client.getTypeParser(oid) as Parser;
      client.query(this);
    });
  }

  // The rest is called by the driver.

  /** The prepared statement that PostgreSQL runs now. */
  get name(): string | undefined {
    return this.statements[this.doneCount]?.name;
  }

  /** Its text; before and after the trip those of all, for traces. */
  get text(): string | undefined {
    if (this.isUnderWay) return this.statements[this.doneCount]?.text;
    return this.statements.map(({ text }) => text).join('; ');
  }

  submit(given: unknown): Error | null {
    const connection = given as Connection;
    const { parsedStatements, submittedNamedStatements } = connection;
    let values: unknown[][];
    try {
      values = this.statements.map((statement) => statement.values.map(prepareValue));
    } catch (error) {
      return error as Error;
    }
    this.isUnderWay = true;
    connection.stream.cork();
    for (const [index, { name, text, isRead }] of this.statements.entries()) {
      if (!(name in parsedStatements || name in submittedNamedStatements)) {
        connection.parse({ name, text });
        submittedNamedStatements[name] = text;
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
    this.parsers = fields.map(({ dataTypeID }) => this.parserOf(dataTypeID));
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }): void {
    const statement = this.statements[this.doneCount]!;
    const { rows, isRead, rowMode } = statement;
    if (!isRead) return;
    try {
      const values = texts.map((text, index) => (text === null ? null : this.parsers[index]!(text)));
      rows.push(rowMode ? values : this.named(values));
    } catch (error) {
      this.rowError ??= error as Error;
      statement.error ??= error;
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
    this.isUnderWay = false;
    this.callback(this.rowError);
  }

  handleError(error: Error, connection: Connection): void {
    this.isUnderWay = false;
    // PostgreSQL has not read the statements behind the failed one.
    for (const { name } of this.statements.slice(this.doneCount))
      delete connection.submittedNamedStatements[name];
    this.callback(error);
  }
}
