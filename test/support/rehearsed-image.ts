import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { contextOf, instructionsOf } from './dockerfile.js';
import { Sandbox } from './sandbox.js';

interface Stage {
  readonly sandbox: Sandbox;
  readonly environment: Record<string, string>;
  folder: string;
  user: string;
  command: readonly string[];
  healthCheck: readonly string[];
  volume: string;
}

/**
 * What a Dockerfile makes, without a program that builds images: each stage is a root folder of its own. Its base image
 * is this machine, so it shows that every file is there and every command works, and not that the image of Node is the
 * right one.
 */
export class RehearsedImage {
  private readonly place = mkdtempSync(join(realpathSync(tmpdir()), 'image-'));
  private readonly stages = new Map<string, Stage>();
  private stage: Stage;

  /** @param folder the clone whose Dockerfile is followed */
  constructor(
    private readonly folder: string,
    files: readonly string[],
  ) {
    this.context = contextOf(join(folder, '.dockerignore'), files);
    for (const { keyword, rest } of instructionsOf(join(folder, 'Dockerfile'))) this.follow(keyword, rest);
  }

  private readonly context: readonly string[];

  /** As `docker run --read-only` with a volume. */
  start(environment: NodeJS.ProcessEnv): ChildProcess {
    return this.stage.sandbox.start({ ...this.container(environment), words: this.stage.command });
  }

  /** As `docker exec`. */
  run(words: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
    return this.stage.sandbox.run({ ...this.container(environment), words });
  }

  checkHealth(environment: NodeJS.ProcessEnv): void {
    this.run(this.stage.healthCheck, environment);
  }

  remove(): void {
    rmSync(this.place, { recursive: true });
  }

  private container(environment: NodeJS.ProcessEnv) {
    const { folder, user, volume } = this.stage;
    return { folder, user, writes: volume, environment: { ...this.stage.environment, ...environment } };
  }

  private follow(keyword: string, rest: string): void {
    if (keyword === 'ARG') return;
    if (keyword === 'FROM') return this.begin(/ AS (\w+)$/i.exec(rest)?.[1] ?? String(this.stages.size));
    if (keyword === 'WORKDIR') {
      this.stage.folder = rest;
      mkdirSync(this.inside(rest), { recursive: true });
    } else if (keyword === 'COPY') this.copy(rest.split(/\s+/));
    else if (keyword === 'RUN') {
      const { sandbox, folder, user, environment } = this.stage;
      sandbox.run({ words: ['sh', '-c', rest], folder, user, environment });
    } else if (keyword === 'ENV') {
      for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) this.stage.environment[name!] = value!;
    } else if (keyword === 'USER') this.stage.user = rest;
    else if (keyword === 'VOLUME') this.stage.volume = rest;
    else if (keyword === 'CMD') this.stage.command = JSON.parse(rest) as string[];
    else if (keyword === 'HEALTHCHECK')
      this.stage.healthCheck = JSON.parse(/\[.*\]/.exec(rest)![0]) as string[];
    else if (keyword !== 'EXPOSE') throw new Error(`The rehearsal does not know ${keyword}.`);
  }

  private begin(name: string): void {
    const folder = mkdtempSync(join(this.place, `${name}-`));
    this.stage = {
      sandbox: new Sandbox(folder),
      environment: {},
      folder: '/',
      user: 'root',
      command: [],
      healthCheck: [],
      volume: '',
    };
    this.stages.set(name, this.stage);
  }

  private copy(words: readonly string[]): void {
    const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
    const paths = words.filter((word) => !word.startsWith('--'));
    const to = this.inside(paths.at(-1)!);
    for (const path of paths.slice(0, -1)) {
      if (from === undefined) this.copyFromContext(path, to, paths.at(-1)!.endsWith('/'));
      else copyInto(join(this.stages.get(from)!.sandbox.folder, path), to);
    }
  }

  private copyFromContext(path: string, to: string, isFolder: boolean): void {
    const files = this.context.filter((file) => file === path || file.startsWith(`${path}/`));
    if (files.length === 0) throw new Error(`COPY ${path}: the context has no such file.`);
    for (const file of files) {
      const inFolder =
        file === path
          ? isFolder || to.endsWith(this.stage.folder)
            ? basename(file)
            : ''
          : file.slice(path.length + 1);
      const target = join(to, inFolder);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(this.folder, file), target);
    }
  }

  private inside(path: string): string {
    return join(this.stage.sandbox.folder, resolve(this.stage.folder, path));
  }
}

/** The content of a folder, or a file into a folder. Links stay what they are. */
function copyInto(path: string, to: string): void {
  if (!statSync(path).isDirectory()) {
    cpSync(path, join(to, basename(path)));
    return;
  }
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(path))
    cpSync(join(path, entry), join(to, entry), { recursive: true, verbatimSymlinks: true });
}
