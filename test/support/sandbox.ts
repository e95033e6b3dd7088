import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** What a base image brings: programs and their libraries, never written to. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc'];
/** How the network is reached. */
const PASSED_ON = /^(https?_proxy|no_proxy|node_extra_ca_certs)$/i;
/** Where npm of this machine finds packages, and what compiles an addon finds Node. */
const NPM_SETTINGS = ['registry', 'cafile', 'nodedir'];
const NPM_CACHE = '/root/.npm';
/** What the installations of a run share, if there is a ccache: an addon is compiled once. */
const COMPILED = '_ccache';
const USERS: Readonly<Record<string, number>> = { root: 0, node: 1000 };

const SCRIPT = `
  set -e
  root=$1 writes=$2 cache=$3; shift 3
  mount --bind "$root" "$root"
  for place in $SYSTEM; do if [ -d "$place" ] && [ ! -L "$place" ]; then mount --rbind "$place" "$root$place"; fi; done
  for file in passwd group; do mount --bind "$root/.users" "$root/etc/$file"; done
  if [ -n "$cache" ]; then mount --bind "$cache" "$root/root/.npm"; fi
  if [ -n "$writes" ]; then
    mount --bind "$root$writes" "$root$writes"
    mount -o remount,bind,ro "$root"
  fi
  exec chroot "$root" "$@"
`;

export interface Command {
  readonly words: readonly string[];
  readonly user?: string;
  readonly folder?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** The only folder that can be written to. Without it, everything can. */
  readonly writes?: string;
}

/** Whether this process may mount and change the root: as root, in most containers. */
export function hasSandbox(): boolean {
  return (
    spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs none /mnt && chroot / true']).status === 0
  );
}

/** A root folder with nothing but the programs of this machine, as a container has it. */
export class Sandbox {
  /** @param folder is empty, or is what another sandbox had */
  constructor(readonly folder: string) {
    // Other users have to get in.
    chmodSync(folder, 0o755);
    const node = dirname(dirname(process.execPath));
    this.system = node.startsWith('/usr') ? SYSTEM : [...SYSTEM, node];
    for (const place of this.system.filter((one) => existsSync(one))) {
      const inside = join(folder, place);
      mkdirSync(dirname(inside), { recursive: true });
      if (lstatSync(place).isSymbolicLink()) symlinkSync(readlinkSync(place), inside);
      else mkdirSync(inside);
    }
    for (const place of ['tmp', 'root/.npm'])
      mkdirSync(join(folder, place), { recursive: true, mode: 0o777 });
    const lines = Object.entries(USERS).map(([name, id]) => `${name}:x:${id}:${id}::/${name}:/bin/sh\n`);
    // As a group it has no members.
    writeFileSync(join(folder, '.users'), lines.join(''));
  }

  private readonly system: readonly string[];
  private readonly npmCache = npmSetting('cache') ?? '';

  /** Fails with the end of its output unless the command passes. */
  run(command: Command): string {
    const { status, stdout, stderr } = spawnSync('unshare', this.words(command), {
      encoding: 'utf8',
      env: this.environment(command),
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`${command.words.join(' ')}: ${(stdout + stderr).slice(-8_000)}`);
    return stdout;
  }

  /** The process of the command itself, so signals reach it. */
  start(command: Command): ChildProcess {
    return spawn('unshare', this.words(command), {
      env: this.environment(command),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  private words({ words, user = 'root', folder = '/', writes = '' }: Command): string[] {
    const id = String(USERS[user]);
    const as = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups'];
    const inFolder = ['sh', '-c', 'cd "$0" && exec "$@"', folder];
    return [
      '--mount',
      'sh',
      '-c',
      SCRIPT,
      'sh',
      this.folder,
      writes,
      this.npmCache,
      ...as,
      ...inFolder,
      ...words,
    ];
  }

  private environment({ environment, user = 'root' }: Command): NodeJS.ProcessEnv {
    const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
    return {
      PATH: `/usr/lib/ccache:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
      CCACHE_DIR: join(NPM_CACHE, COMPILED),
      HOME: `/${user}`,
      SYSTEM: this.system.join(' '),
      ...Object.fromEntries(passedOn),
      ...Object.fromEntries(NPM_SETTINGS.map((name) => [`npm_config_${name}`, npmSetting(name)])),
      ...environment,
    };
  }
}

function npmSetting(name: string): string | undefined {
  const value = spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim();
  return ['', 'null', 'undefined'].includes(value) ? undefined : value;
}
