import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(__dirname, '../..');
/** The time limit for npm and the compiler, with a margin for a busy machine. */
export const INSTALL_WITHIN_MS = 180_000;

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** An ES module that loads packages as such and as CommonJS, and says so. */
export const loading = (packages: readonly string[]): string => `import { createRequire } from 'node:module';
  for (const name of ${JSON.stringify(packages)}) {
    const required = Object.keys(createRequire(import.meta.url)(name));
    const imported = await import(name);
    if (required.length === 0 || !required.every((key) => key in imported)) throw new Error(name);
  }
  console.log('loaded');`;

type Words = readonly [program: string, ...words: string[]];

/** Runs a program to its end. Rejects with its output unless it exits with 0. */
export async function run(
  folder: string,
  [program, ...words]: Words,
  environment: Readonly<Record<string, string>> = {},
): Promise<Printed> {
  // The settings that npm passes to its scripts are left out, because they contain the folder of the repository.
  const { PATH, HOME } = process.env;
  try {
    return await promisify(execFile)(program, words, { cwd: folder, env: { PATH, HOME, ...environment } });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as Partial<Printed>;
    throw new Error(`${program} ${words.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** The tarball of the client, and projects outside the repository that install it. */
export class PackedClient {
  static readonly FOLDER = join(ROOT, 'clients/typescript');

  private constructor(
    private readonly place: string,
    readonly tarball: string,
  ) {}

  static async make(): Promise<PackedClient> {
    const place = mkdtempSync(join(tmpdir(), 'animal-store-projects-'));
    await run(ROOT, ['npm', 'run', 'dev', '--', 'client:pack', '--pack-destination', place]);
    return new PackedClient(place, join(place, readdirSync(place)[0]!));
  }

  /** Creates a project with these files and installs only `what`, without a network. */
  async project(
    name: string,
    files: Readonly<Record<string, string>>,
    what = this.tarball,
  ): Promise<PlainProject> {
    const project = new PlainProject(join(this.place, name));
    for (const [path, text] of Object.entries({ 'package.json': '{}', ...files })) project.write(path, text);
    const words = ['install', '--offline', '--no-audit', '--no-fund', what] as const;
    project.warnings = (await project.run(['npm', ...words])).stderr;
    return project;
  }

  remove(): void {
    rmSync(this.place, { recursive: true, force: true });
  }
}

export class PlainProject {
  /** The warnings that npm printed for the package. */
  warnings = '';

  constructor(readonly folder: string) {}

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  run(words: Words, environment?: Readonly<Record<string, string>>): Promise<Printed> {
    return run(this.folder, words, environment);
  }

  /** Compiles the project with the compiler and the Node types of the repository. */
  async compile(options: Readonly<Record<string, unknown>>): Promise<void> {
    const compilerOptions = { target: 'es2022', strict: true, types: ['node'], outDir: 'out', ...options };
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['app.ts'] }));
    mkdirSync(join(this.folder, 'node_modules/@types'));
    symlinkSync(join(ROOT, 'node_modules/@types/node'), join(this.folder, 'node_modules/@types/node'));
    await this.run([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc')]);
  }

  /** Requires a module like a CommonJS module of this project. */
  require(id: string): unknown {
    return createRequire(join(this.folder, 'index.js'))(id);
  }
}
