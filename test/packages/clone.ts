import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const PROJECT = resolve(__dirname, '../..');

/** What takes a compiler. */
export const MINUTES_MS = 10 * 60_000;

export interface Result {
  readonly status: number | null;
  readonly output: string;
}

/** A clone of this project, with the changes that are not committed yet. */
export class Clone {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), 'context-'));

  /** @param has whether the packages of the project are installed in it, and whether it is built */
  constructor(has: 'sources' | 'packages' | 'build' = 'build') {
    const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: PROJECT,
      encoding: 'utf8',
    });
    for (const file of stdout.split('\0').filter(Boolean)) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      cpSync(join(PROJECT, file), join(this.folder, file));
    }
    if (has === 'sources') return;
    // The packages of the workspace are links to this folder's own; all others are those of the project.
    const modules = join(this.folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(PROJECT, 'node_modules'))) {
      const installed = join(PROJECT, 'node_modules', name);
      if (name === '@animal-store')
        cpSync(installed, join(modules, name), { recursive: true, verbatimSymlinks: true });
      else symlinkSync(installed, join(modules, name));
    }
    const tools = 'test/tools/node_modules';
    if (existsSync(join(PROJECT, tools))) symlinkSync(join(PROJECT, tools), join(this.folder, tools));
    if (has === 'packages') return;
    for (const built of ['dist', ...readdirSync(join(PROJECT, 'libs')).map((name) => `libs/${name}/dist`)])
      cpSync(join(PROJECT, built), join(this.folder, built), { recursive: true, verbatimSymlinks: true });
  }

  /** Without a terminal, so that a question ends the command. */
  run(...[command, ...args]: readonly string[]): Result {
    const { status, stdout, stderr } = spawnSync(command!, args, {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: undefined },
      maxBuffer: 64 * 1024 * 1024,
    });
    return { status, output: stdout + stderr };
  }

  /** Fails with the end of its output unless the command passes. */
  pass(...command: readonly string[]): void {
    const { status, output } = this.run(...command);
    if (status !== 0) throw new Error(`${command.join(' ')}: ${output.slice(-8_000)}`);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  files(folder: string): string[] {
    const entries = readdirSync(join(this.folder, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.folder.length + 1))
      .sort();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
