// A temporary store: the built service on a database in a temporary folder, which is deleted with it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const SERVICE = resolve(import.meta.dirname, '../dist/main.js');
const KEYS = resolve(import.meta.dirname, '../dist/keys.js');

export class ThrowawayStore {
  #folder = mkdtempSync(join(tmpdir(), 'animal-store-throwaway-'));
  #options;
  #service;
  #stopping = false;

  /** @param settings the settings that differ from the defaults, by variable */
  constructor(settings) {
    this.databaseUrl = `sqlite:${join(this.#folder, 'animal-store.db')}`;
    // Settings of the shell and of a .env file in this folder are left out: they belong to another store.
    const env = { PATH: process.env.PATH, ...settings, DATABASE_URL: this.databaseUrl };
    this.#options = { env, cwd: this.#folder };
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Runs one command of `npm run keys` and returns its JSON output. */
  async keys(...args) {
    const { stdout } = await promisify(execFile)(process.execPath, [KEYS, '--json', ...args], this.#options);
    return JSON.parse(stdout);
  }

  /** Resolves with the URL of the running service. Rejects with its output when it does not start. */
  async start() {
    this.#service = spawn(process.execPath, [SERVICE], {
      ...this.#options,
      stdio: ['ignore', 'pipe', 'pipe'],
      // In its own process group: otherwise Ctrl-C would reach the service too, and the second signal, from `stop`,
      // would end it at once.
      detached: true,
    });
    let complaint = '';
    this.#service.stderr.on('data', (text) => (complaint += text));
    for await (const line of createInterface({ input: this.#service.stdout })) {
      const [, port] = /Listening on \S+:(\d+)/.exec(line) ?? [];
      if (port === undefined) {
        complaint += `${line}\n`;
        continue;
      }
      // Unread output would block the service eventually.
      this.#service.stdout.resume();
      return `http://localhost:${port}`;
    }
    throw new Error(complaint);
  }

  /** Resolves when the service has ended. */
  async ended() {
    if (this.#service?.exitCode === null && this.#service.signalCode === null)
      await once(this.#service, 'exit');
  }

  async stop() {
    if (!this.#stopping) this.#service?.kill('SIGTERM');
    this.#stopping = true;
    await this.ended();
  }
}
