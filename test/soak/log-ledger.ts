/** The prefix of the id of an honest request. Its number follows. */
const HONEST = 'honest-';
const MAX_PROBLEMS = 10;
/** The warnings that the service may log: before the soak has made its keys, and during the hostile mix. */
const EXPECTED =
  /^(There was no database file |There is no API key yet|A caller is banned|Connections (are closed: |closed before their requests)|New connections are dropped: )/;

interface LogLine {
  readonly level: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly status?: number | null;
  readonly durationMs?: number;
}

/** Compares the log of the service on standard output with the requests and responses of the soak. */
export class LogLedger {
  /** The first few problems in the log. */
  readonly problems: string[] = [];
  /** The number of request lines by status. As in the metrics, a status is a number or `aborted`. */
  readonly linesByStatus = new Map<string, number>();
  /** The number of running requests that the service logs when it shuts down; null until then. */
  runningAtShutdown: number | null = null;
  private readonly responded: number[] = [];
  private readonly logged: number[] = [];
  private rest = '';
  private problemCount = 0;

  /** @param secrets texts that no line may contain */
  constructor(private readonly secrets: readonly string[]) {}

  get requestLines(): number {
    return [...this.linesByStatus.values()].reduce((sum, count) => sum + count, 0);
  }

  get problemsLeftOut(): number {
    return this.problemCount - this.problems.length;
  }

  /** The id for a new honest request. */
  nextRequestId(): string {
    return `${HONEST}${this.responded.push(0) - 1}`;
  }

  respondedWith(requestId: string, status: number): void {
    this.responded[Number(requestId.slice(HONEST.length))] = status;
  }

  /** Reads a piece of standard output, which may end in the middle of a line. */
  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!;
    for (const line of lines) this.addLine(line);
  }

  /** Describes honest requests whose response and log line do not have the same status. */
  mismatches(): string[] {
    const found: string[] = [];
    for (const [number, status] of this.responded.entries()) {
      const logged = this.logged[number] ?? 0;
      if (status === logged) continue;
      found.push(`${HONEST}${number}: response ${said(status)}, log line ${said(logged)}`);
    }
    return found;
  }

  private addLine(line: string): void {
    let entry: LogLine;
    try {
      entry = JSON.parse(line) as LogLine;
    } catch {
      return this.problem(`No JSON: ${line.slice(0, 200)}`);
    }
    if (this.secrets.some((secret) => line.includes(secret))) this.problem('A line has a key in it');
    if (entry.durationMs === undefined) {
      const running = /shutting down\. Running requests: (\d+)/.exec(entry.message ?? '');
      if (running) this.runningAtShutdown = Number(running[1]);
      if (!['info', 'debug'].includes(entry.level) && !EXPECTED.test(entry.message ?? ''))
        this.problem(`${entry.level}: ${line.slice(0, 400)}`);
      return;
    }
    const status = entry.status ?? 'aborted';
    this.linesByStatus.set(String(status), (this.linesByStatus.get(String(status)) ?? 0) + 1);
    if (status !== 'aborted' && status >= 500) this.problem(`A 5xx: ${line}`);
    if (entry.requestId?.startsWith(HONEST)) this.addHonest(entry.requestId, entry.status ?? -1);
  }

  private addHonest(requestId: string, status: number): void {
    const number = Number(requestId.slice(HONEST.length));
    if (this.logged[number] !== undefined) this.problem(`${requestId} is logged twice`);
    this.logged[number] = status;
  }

  private problem(text: string): void {
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }
}

function said(status: number): string {
  return status === 0 ? 'missing' : status === -1 ? 'aborted' : String(status);
}
