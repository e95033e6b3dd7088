import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess, within } from './server-process.js';

const MANY = '1000000';
const STARTED_WITHIN_MS = 20_000;

/** The built service in its own process on a new SQLite file, with the key that its first start prints. */
export class FirstServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'server-'));
  readonly file = join(this.folder, 'store.db');
  /** The process that was started last. */
  process: ServerProcess;
  /** A key of the Free plan, which no suite uses up unless its settings say so. */
  key: string;

  static async start(settings: NodeJS.ProcessEnv = {}): Promise<FirstServer> {
    const server = new FirstServer();
    await server.restart(settings);
    server.key = await within(STARTED_WITHIN_MS, () => /ask_live_\w+/.exec(server.process.stdout)?.[0]);
    return server;
  }

  /** Starts again on the same file, when the process has ended. */
  async restart(settings: NodeJS.ProcessEnv = {}): Promise<void> {
    const environment = {
      DATABASE_URL: `sqlite:${this.file}`,
      FREE_PER_MINUTE: MANY,
      FREE_PER_DAY: MANY,
      ...settings,
    };
    this.process = await ServerProcess.start({ folder: this.folder, environment });
  }

  async remove(): Promise<void> {
    await this.process.stop('SIGKILL');
    rmSync(this.folder, { recursive: true });
  }
}
