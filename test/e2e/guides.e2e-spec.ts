import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { databases, temporaryPostgresOptions } from '@animal-store/database/testing';
import { TestApp } from '../support/test-app.js';

const FOLDER = resolve(__dirname, '../../docs/api');
const ADDRESS = 'http://localhost:3000';
const END = '--- end of an example ---';

/** What runs an example, by its language. The client's examples are compiled and run by the suite of its README. */
const PROGRAMS: Readonly<Record<string, string>> = { sh: 'bash', py: 'python3' };

interface Example {
  readonly language: string;
  readonly code: string;
  /** Some of the lines that it prints, in their order. `…` matches anything. */
  readonly printed: readonly string[];
}

const guides = readdirSync(FOLDER).map((name) => ({ name, page: readFileSync(join(FOLDER, name), 'utf8') }));

function examplesOf(page: string): Example[] {
  return [...page.matchAll(/^ *```(sh|py)\n([^]*?)^ *```/gm)].map(([, language, block]) => {
    const lines = block!.trimEnd().split('\n');
    const printed = lines.filter((line) => line.startsWith('# ')).map((line) => line.slice(2));
    return { language: language!, code: lines.filter((line) => !line.startsWith('# ')).join('\n'), printed };
  });
}

function patternOf(line: string): RegExp {
  const parts = line.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^\\s*${parts.join('.*')}\\s*$`);
}

/** What was expected and did not come after the lines before it. */
function missing(printed: readonly string[], output: string): string | undefined {
  const lines = output.split('\n');
  return printed.find((expected) => {
    const at = lines.findIndex((line) => patternOf(expected).test(line));
    lines.splice(0, at + 1);
    return at < 0;
  });
}

describe('Guides', () => {
  it.each(guides)('have at most 500 words outside of their examples: $name', ({ page }) => {
    const words = page.replace(/^ *```[^]*?^ *```/gm, '').match(/[^\s|]*\w[^\s|]*/g)!;
    expect(words.length).toBeLessThanOrEqual(500);
  });
});

describe.each(databases)('What a guide says to type, on %s', (database) => {
  let store: TestApp;
  /** Waits for a shell: the clock of the service moves, and nobody sleeps. */
  let clock: Server;
  let folder: string;

  beforeAll(async () => {
    const isPostgres = database === 'PostgreSQL';
    store = await TestApp.start(isPostgres ? { DATABASE_URL: (await temporaryPostgresOptions()).url } : {});
    clock = createServer(({ url }, response) => {
      store.clock.advance(Number(url!.slice(1)) * 1_000);
      response.end();
    });
    await new Promise<void>((done) => clock.listen(0, '127.0.0.1', done));
    folder = mkdtempSync(join(tmpdir(), 'guide-'));
    const key = await store.key();
    // More than a page.
    const others = Array.from({ length: 117 }, () => ({ name: 'Fifi' }));
    for (const animal of [{ name: 'Rex' }, { name: 'Ada' }, { name: 'Bo', status: 'sold' }, ...others])
      await store
        .send('POST', '/v1/pets', key)
        .send({ ...animal, categoryId: 7 })
        .expect(201);
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true });
    clock.close();
    await store.stop();
  });

  /** The examples of one language, one after the other in one program. */
  async function type(page: string, key: string): Promise<string[]> {
    const port = (clock.address() as AddressInfo).port;
    const code = page.replaceAll(ADDRESS, await store.app.getUrl());
    const outputs: string[] = [];
    for (const [language, program] of Object.entries(PROGRAMS)) {
      const examples = examplesOf(code).filter((example) => example.language === language);
      if (examples.length === 0) continue;
      const isShell = language === 'sh';
      const end = isShell ? `\necho; echo '${END}'\n` : `\nprint('${END}')\n`;
      const before = isShell
        ? `sleep() { curl -sS "http://127.0.0.1:${port}/$1"; }\n`
        : `import time, urllib.request\ntime.sleep = lambda s: urllib.request.urlopen(f"http://127.0.0.1:${port}/{s}")\n`;
      const child = spawn(program, ['-'], { cwd: folder, env: { ...process.env, API_KEY: key } });
      child.stdin.end(before + examples.map((example) => example.code + end).join(''));
      const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const parts = output.split(END).slice(0, -1);
      if (parts.length !== examples.length) throw new Error(complaints);
      outputs.push(...parts);
    }
    return outputs;
  }

  async function requireShown(page: string, key: string): Promise<void> {
    const outputs = await type(page, key);
    const ordered = Object.keys(PROGRAMS).flatMap((language) =>
      examplesOf(page).filter((example) => example.language === language),
    );
    const wrong = ordered.flatMap(({ printed, code }, at) => {
      const line = missing(printed, outputs[at]!);
      return line === undefined ? [] : [{ code, line, output: outputs[at] }];
    });
    expect(wrong).toEqual([]);
    expect(ordered.filter(({ printed }) => printed.length === 0)).toEqual([]);
  }

  it.each(guides)('prints what it shows: $name', async ({ name, page }) => {
    await requireShown(page, await store.key('free', `reader of ${name}`));
  });

  it.each(guides.filter(({ page }) => /^def read_all|^find_pet/m.test(page)))(
    'waits when the limit is reached between two pages: $name',
    async ({ page }) => {
      const examples = page.match(/^```(?:sh|py)\n[^]*?^```$/gm)!;
      const lists = examples.filter((example) => /read_all|find_pet|rel="next"\/\\1/.test(example));
      await requireShown(lists.join('\n'), await store.limitedKey(1, 1_000));
    },
  );
});
