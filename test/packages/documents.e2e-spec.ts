import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PostgresServer } from '@animal-store/database/testing';
import { within } from '../support/server-process.js';
import { Clone, MINUTES_MS } from './clone.js';
import { loading, run } from './packed-client.js';

const ROOT = resolve(__dirname, '../..');

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs/operating')).map((name) => `docs/operating/${name}`),
  'docs/incidents.md',
  'docs/adding-a-module.md',
  'clients/typescript/README.md',
  ...readdirSync(join(ROOT, 'libs')).map((name) => `libs/${name}/README.md`),
];

/** What a reader has typed before a page: `keys`, which another page defines, and an account with a key. */
const BEFORE: Readonly<Record<string, string>> = {
  'docs/incidents.md': `keys() { npm run --silent keys -- "$@"; }
keys create --account zoo --name Till --plan pro
`,
};

/**
 * A block of shell in a page, and what its first line declares after `sh`:
 * - `skip="reason"`: it cannot run here
 * - `until="host:port/path"`: it runs on, in a terminal of its own, and what follows waits until that responds with 200
 * - `replace="placeholder=value …"`, `input="value"`: a value is /a pattern/ that what was printed so far has, or the
 *   name of something that a reader has: POSTGRES, an empty database, or APPLICATION, the folder of another project
 */
interface Block {
  readonly text: string;
  readonly skip?: string;
  readonly until?: string;
  readonly replace?: string;
  readonly input?: string;
}

const PRINTS_MS = 20_000;
const DECLARED = ['skip', 'until', 'replace', 'input'];

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(?:sh|bash|shell|console)\b(.*)\n([^]*?)^```/gm)].map(([, line, block]) => {
    const words = [...line!.matchAll(/(\w+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name!, value ?? '']);
    const unknown = words.filter(([name]) => !DECLARED.includes(name!));
    if (unknown.length > 0) throw new Error(`${page}: a block declares ${unknown.join()}.`);
    return { ...(Object.fromEntries(words) as object), text: block! };
  });
}

/** Somebody who reads a page and types its blocks, from top to bottom, in a new clone. */
class Reader {
  private readonly clone: Clone;
  private readonly application: string;
  /** The folder with what a block leaves to the next one. */
  private readonly state: string;
  private readonly going: ChildProcess[] = [];
  private postgres: PostgresServer | undefined;
  private printed = '';

  constructor(isInstalled: boolean) {
    this.clone = new Clone(isInstalled ? 'build' : 'sources');
    this.application = `${this.clone.folder}-application`;
    this.state = `${this.clone.folder}-state`;
    for (const folder of [this.application, this.state]) mkdirSync(folder);
    writeFileSync(join(this.application, 'package.json'), '{ "name": "application", "version": "1.0.0" }\n');
    this.write('folder', this.clone.folder);
    this.write('variables', '');
  }

  async type({ text, until, replace, input }: Block): Promise<void> {
    let typed = text;
    for (const pair of replace?.split(' ') ?? []) {
      const [placeholder, value] = pair.split(/=(.*)/) as [string, string];
      if (!typed.includes(placeholder)) throw new Error(`There is no ${placeholder} to replace in:\n${text}`);
      typed = typed.replaceAll(placeholder, await this.valueOf(value));
    }
    this.write('block.sh', withChecks(typed));
    this.write('input', input === undefined ? '' : `${await this.valueOf(input)}\n`);
    const before = this.printed.length;
    const child = this.start();
    if (until === undefined) {
      const [code] = (await once(child, 'close')) as [number | null];
      const output = this.printed.slice(before);
      if (code !== 0) throw new Error(`Exit code ${code} of:\n${typed}\n${output.slice(-4_000)}`);
      // curl takes an error for a response.
      expect(output).not.toMatch(/^HTTP\/\S+ [45]/m);
      return;
    }
    this.going.push(child);
    await within(MINUTES_MS, async () => {
      if (child.exitCode !== null)
        throw new Error(`It ended:\n${typed}\n${this.printed.slice(before).slice(-4_000)}`);
      return fetch(`http://${until}`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }

  /** Loads, in the other project, what the reader has installed there. */
  async load(library: string): Promise<string> {
    writeFileSync(join(this.application, 'load.mjs'), loading([library]));
    return (await run(this.application, [process.execPath, 'load.mjs'])).stdout;
  }

  modeOf(file: string): string {
    return (statSync(join(this.clone.folder, file)).mode & 0o777).toString(8);
  }

  async leave(): Promise<void> {
    await this.stopGoing();
    await this.postgres?.stop();
    for (const folder of [this.application, this.state]) rmSync(folder, { recursive: true });
    this.clone.remove();
  }

  private async valueOf(value: string): Promise<string> {
    if (value === 'APPLICATION') return this.application;
    if (value === 'POSTGRES') return (this.postgres ??= await PostgresServer.start()).url;
    const pattern = new RegExp(/^\/(.*)\/$/.exec(value)![1]!);
    // A server may respond before what it prints at its start has arrived.
    await within(PRINTS_MS, () => pattern.test(this.printed)).catch(() => undefined);
    const found = pattern.exec(this.printed);
    if (found === null)
      throw new Error(`Nothing that was printed is ${value}:\n${this.printed.slice(-4_000)}`);
    return found[0];
  }

  /** The block, in the folder and with the variables and functions of the one before. */
  private start(): ChildProcess {
    const script = `set -a; . "$STATE/variables"; cd "$(cat "$STATE/folder")"; exec <"$STATE/input"
. "$STATE/block.sh"
pwd >"$STATE/folder"; { export -p; declare -f; echo "umask $(umask)"; } >"$STATE/variables"`;
    const child = spawn('bash', ['-c', script], {
      env: { ...process.env, NODE_ENV: undefined, STATE: this.state, npm_config_audit: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, which ends as a whole.
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.printed += text));
    return child;
  }

  private write(name: string, text: string): void {
    writeFileSync(join(this.state, name), text);
  }

  private async stopGoing(): Promise<void> {
    for (const child of this.going.splice(0)) {
      if (child.exitCode !== null) continue;
      const closed = once(child, 'close');
      process.kill(-child.pid!, 'SIGTERM');
      await closed;
    }
  }
}

/** A reader looks after each line whether it has worked. */
function withChecks(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() === '' || line.endsWith('\\') ? line : `${line}\n[ $? -eq 0 ] || exit 1`))
    .join('\n');
}

const pages = PAGES.map((page) => ({ page, blocks: blocksOf(page) })).filter(
  ({ blocks }) => blocks.length > 0,
);
const skipped = pages.flatMap(({ page, blocks }) =>
  blocks.flatMap(({ skip, text }) =>
    skip === undefined ? [] : [`${page}: ${text.split('\n')[0]} (${skip})`],
  ),
);

describe('What a page says to type', () => {
  let reader: Reader | undefined;

  afterEach(async () => {
    await reader?.leave();
    reader = undefined;
  });
  afterAll(() => process.stdout.write(`Blocks of shell that do not run here:\n  ${skipped.join('\n  ')}\n`));

  it.each(pages.filter(({ blocks }) => blocks.some(({ skip }) => skip === undefined)))(
    'works from top to bottom: $page',
    async ({ page, blocks }) => {
      const own = blocks.filter(({ skip }) => skip === undefined);
      reader = new Reader(!own.some(({ text }) => /^npm ci/m.test(text)));
      for (const block of [{ text: BEFORE[page] ?? '' }, ...own]) await reader.type(block);
      if (page === 'docs/operating/run.md') expect(reader.modeOf('backup.db')).toBe('600');
      const [, library] = /^libs\/(.*)\/README/.exec(page) ?? [];
      if (library) expect(await reader.load(`@animal-store/${library}`)).toBe('loaded\n');
    },
    3 * MINUTES_MS,
  );

  it('says why a block cannot run here', () => {
    expect(skipped.filter((line) => line.endsWith('()'))).toEqual([]);
    expect(pages.length).toBeGreaterThan(8);
  });
});
