import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@animal-store/kernel/testing';
import { within } from './server-process.js';

const LIMIT_MS = 120_000;

/** In CI a missing Prometheus must fail the tests. */
export const hasPrometheus =
  spawnSync('prometheus', ['--version']).status === 0 || process.env['CI'] !== undefined;

interface Alert {
  readonly labels: { readonly alertname: string; readonly severity: string; readonly instance?: string };
  readonly state: 'pending' | 'firing';
}

export interface PrometheusParts {
  readonly targets: readonly string[];
  /** The text of a file with rules. */
  readonly rules: string;
  /** How often it scrapes and evaluates. */
  readonly everyMs: number;
}

/** Debian's Prometheus, which watches servers. */
export class Prometheus {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly process: ChildProcess,
  ) {}

  static async start({ targets, rules, everyMs }: PrometheusParts): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const port = await freePort();
    const others = [`127.0.0.1:${port}`, '127.0.0.1:1'];
    const every = `${everyMs}ms`;
    writeFileSync(join(folder, 'alerts.yml'), rules);
    writeFileSync(
      join(folder, 'prometheus.yml'),
      // JSON is YAML.
      JSON.stringify({
        global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
        rule_files: ['alerts.yml'],
        // The usual job of Kubernetes, in which there are other services too: Prometheus itself, and one that is down.
        scrape_configs: [
          { job_name: 'kubernetes-pods', static_configs: [{ targets: [...targets, ...others] }] },
        ],
      }),
    );
    const words = [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const prometheus = new Prometheus(folder, port, spawn('prometheus', words, { stdio: 'ignore' }));
    await within(LIMIT_MS, () => prometheus.sees(targets.length + 1).catch(() => false));
    return prometheus;
  }

  private async get<Data>(path: string): Promise<Data> {
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1/${path}`);
    return ((await response.json()) as { data: Data }).data;
  }

  /** The number of series that an expression has now. @throws Error when Prometheus cannot evaluate it */
  async count(expression: string): Promise<number> {
    const found = await this.get<{ result: readonly unknown[] } | undefined>(
      `query?query=${encodeURIComponent(expression)}`,
    );
    if (!found) throw new Error(`Prometheus cannot evaluate ${expression}.`);
    return found.result.length;
  }

  private async sees(count: number): Promise<boolean> {
    const { activeTargets } = await this.get<{ activeTargets: { health: string }[] }>('targets');
    return activeTargets.filter(({ health }) => health === 'up').length === count;
  }

  /** The alerts that fire, by name. */
  async firing(severity?: string): Promise<string[]> {
    const { alerts } = await this.get<{ alerts: Alert[] }>('alerts');
    const firing = alerts.filter(
      ({ state, labels }) => state === 'firing' && [undefined, labels.severity].includes(severity),
    );
    return [...new Set(firing.map(({ labels }) => labels.alertname))].sort();
  }

  async until(firing: (names: readonly string[]) => boolean): Promise<void> {
    await within(LIMIT_MS, async () => firing(await this.firing()));
  }

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.kill();
    await exited;
    rmSync(this.folder, { recursive: true });
  }
}
