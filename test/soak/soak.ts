import { setTimeout as delay } from 'node:timers/promises';
import { HonestLoad } from './honest-load.js';
import { HostileMix } from './hostile-mix.js';
import type { Actor } from './hostile/actor.js';
import type { DatabaseKind } from '../cluster/cluster.js';
import { Service } from './service.js';

/** After this time all code has run, and everything that is created once or cached for good exists. */
const WARM_UP_MS = 9_000;
/** The time that the run needs after its load: connections close, memory is freed, the service stops. */
const END_MS = 16_000;
const LEAST_LOAD_MS = 5_000;
const PROGRESS_EVERY_MS = 5_000;
const SETTLE_LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 250;
const MEASURES = 3;
const MAX_GROWTH = 0.1;
/** Look-ups per second: the poll of changes, those for new honest keys, and a few for the address that guesses. */
const MAX_LOOK_UPS_A_SECOND = 20;
const STOPS_WITHIN_MS = 40_000;
/** A run that exceeds its time by this much is stopped, which is a finding too. */
const OVERTIME_MS = 120_000;
const MEGABYTE = 1_048_576;

export interface SoakParts {
  readonly database: DatabaseKind;
  readonly actors: readonly Actor[];
  readonly seed: number;
  /** The time from now to the verdict. */
  readonly limitMs: number;
  readonly progress: (line: string) => void;
  /** Called at the start with a function that stops everything. */
  readonly onStart: (stop: () => Promise<void>) => void;
}

/** The result of a run. */
export interface Verdict {
  readonly facts: readonly string[];
  /** The problems that the run has found. The run passes without any. */
  readonly findings: readonly string[];
}

/** Runs one service on one database under honest and hostile load. */
export async function soak(parts: SoakParts): Promise<Verdict> {
  const startedMs = performance.now();
  const service = await Service.start(parts.database);
  parts.onStart(() => service.remove());
  try {
    return await new Run(service, parts, startedMs + parts.limitMs).verdict();
  } finally {
    await service.remove();
  }
}

class Run {
  private readonly honest: HonestLoad;
  private readonly hostile: HostileMix;
  private readonly findings: string[] = [];
  private readonly facts: string[] = [];
  private peakRssBytes = 0;
  private readonly startedMs = performance.now();
  private readonly today = new Date().getUTCDate();

  constructor(
    private readonly service: Service,
    private readonly parts: SoakParts,
    private readonly endAtMs: number,
  ) {
    this.honest = new HonestLoad(service, parts.seed);
    this.hostile = new HostileMix(service, parts.actors, parts.seed);
  }

  async verdict(): Promise<Verdict> {
    await this.honest.prepare();
    const reporting = setInterval(() => void this.progress(), PROGRESS_EVERY_MS);
    const givingUp = setTimeout(
      () => {
        this.findings.push('The run did not come to its end, and was given up');
        void this.service.stop('SIGKILL');
      },
      this.endAtMs + OVERTIME_MS - performance.now(),
    );
    try {
      await this.phases();
    } finally {
      clearInterval(reporting);
      clearTimeout(givingUp);
      this.honest.close();
    }
    return { facts: this.facts, findings: this.findings };
  }

  private async phases(): Promise<void> {
    try {
      await this.load('warm-up', WARM_UP_MS);
      const before = await this.settledBytes();
      await this.load('soak', Math.max(LEAST_LOAD_MS, this.endAtMs - END_MS - performance.now()));
      await this.checkMemory(before);
      await this.checkRequests();
    } catch (error) {
      // `checkEnd` reports a process that has ended.
      if (!(await this.service.isGone())) throw error;
    }
    await this.checkEnd();
    this.checkLog();
    this.note(this.honest.problems, this.honest.problemsLeftOut);
    this.note(this.hostile.problems, this.hostile.problemsLeftOut);
    this.facts.push(this.honestFact(), this.hostileFact());
  }

  private async load(phase: string, durationMs: number): Promise<void> {
    const { honest, hostile, service } = this;
    this.parts.progress(`${phase} for ${Math.round(durationMs / 1_000)} s`);
    const lookUpsBefore = await service.keyLookUps();
    const startedMs = performance.now();
    const hostileDone = hostile.run(phase);
    const honestDone = Promise.all([honest.run(), honest.welcome()]);
    await Promise.race([delay(durationMs), service.end]);
    hostile.stop();
    // The last hostile rounds take some seconds to finish. Honest customers continue until then.
    await hostileDone;
    honest.stop();
    await honestDone;
    const lookUps = ((await service.keyLookUps()) ?? 0) - (lookUpsBefore ?? 0);
    const perSecond = lookUps / ((performance.now() - startedMs) / 1_000);
    if (perSecond > MAX_LOOK_UPS_A_SECOND) {
      this.findings.push(
        `${Math.round(perSecond)} look-ups of keys a second (at most ${MAX_LOOK_UPS_A_SECOND})`,
      );
    }
  }

  /** The memory of the process without connections: the smallest of several measurements. */
  private async settledBytes(): Promise<number> {
    const open = await this.connectionsLeft();
    if (open > 0) this.findings.push(`${open} connections are open at the server though no client has one`);
    let least = Infinity;
    for (let measure = 0; measure < MEASURES; measure++) {
      least = Math.min(least, (await this.service.probe(true)).usedBytes);
    }
    return least;
  }

  private async connectionsLeft(): Promise<number> {
    const deadlineMs = performance.now() + SETTLE_LIMIT_MS;
    for (;;) {
      const { size } = await this.service.openConnections();
      if (size === 0 || performance.now() > deadlineMs) return size;
      await delay(LOOK_EVERY_MS);
    }
  }

  private async checkMemory(before: number): Promise<void> {
    const after = await this.settledBytes();
    const growth = after / before - 1;
    const percent = `${growth < 0 ? '' : '+'}${(growth * 100).toFixed(1)} %`;
    this.facts.push(
      `memory ${megabytes(before)} MB after the warm-up, ${megabytes(after)} MB at the end (${percent}); ` +
        `resident at most ${megabytes(this.peakRssBytes)} MB`,
    );
    if (growth > MAX_GROWTH) this.findings.push(`Memory is not given back: ${percent} after collection`);
  }

  private async checkRequests(): Promise<void> {
    const { honest, service } = this;
    for (const problem of await honest.missing()) this.findings.push(problem);
    const isSameDay = new Date().getUTCDate() === this.today;
    // The counts of a day restart at midnight.
    if (isSameDay) for (const problem of await honest.miscounted()) this.findings.push(problem);
    honest.close();
    await this.connectionsLeft();
    const metrics = await service.metrics();
    const allowed = metrics.sum(
      'animal_store_rate_limit_decisions_total',
      'outcome="allowed"',
      'plan="enterprise"',
    );
    if (allowed !== honest.counted) {
      this.findings.push(`${honest.counted} honest requests are counted as ${allowed} in the metrics`);
    }
    // The service buffers its log, so the last lines come a moment later.
    await delay(LOOK_EVERY_MS);
    const counted = metrics.by('animal_store_http_requests_total', 'status');
    for (const status of new Set([...counted.keys(), ...service.ledger.linesByStatus.keys()])) {
      const inMetrics = counted.get(status) ?? 0;
      const inLog = service.ledger.linesByStatus.get(status) ?? 0;
      if (inMetrics !== inLog) {
        this.findings.push(
          `Status ${status}: ${inMetrics} requests in the metrics, ${inLog} lines in the log`,
        );
      }
    }
  }

  private async checkEnd(): Promise<void> {
    const { service } = this;
    const endedItself = service.hasEnded;
    const killing = setTimeout(() => void service.stop('SIGKILL'), STOPS_WITHIN_MS);
    const { code, stderr } = await service.stop('SIGTERM');
    clearTimeout(killing);
    if (endedItself) this.findings.push(`The process ended by itself, with ${code}`);
    else if (code !== 0) this.findings.push(`The process ended with ${code} after SIGTERM`);
    if (stderr !== '') this.findings.push(`On stderr: ${stderr.slice(0, 2_000)}`);
    const { runningAtShutdown } = service.ledger;
    if (!endedItself && runningAtShutdown !== 0) {
      this.findings.push(`${runningAtShutdown} requests are running without a client`);
    }
  }

  private checkLog(): void {
    const { ledger } = this.service;
    this.note(ledger.problems, ledger.problemsLeftOut);
    const mismatches = ledger.mismatches();
    this.note(mismatches.slice(0, 5), Math.max(0, mismatches.length - 5));
  }

  private note(problems: readonly string[], leftOut: number): void {
    this.findings.push(...problems);
    if (leftOut > 0) this.findings.push(`… and ${leftOut} more of the kind`);
  }

  private honestFact(): string {
    const sorted = this.honest.durationsMs.sort((one, other) => one - other);
    const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
    return `${sorted.length} honest requests: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms, slowest ${at(1)} ms`;
  }

  private hostileFact(): string {
    const rounds = [...this.hostile.rounds].map(([name, count]) => `${name} ${count}`);
    const { ledger, dropsFact } = this.service;
    return `hostile rounds: ${rounds.join(', ')}; ${dropsFact}; ${ledger.requestLines} requests in the log`;
  }

  private async progress(): Promise<void> {
    if (this.service.hasEnded) return;
    const report = await this.service.probe(false).catch(() => null);
    if (report === null) return;
    const { rssBytes, connections } = report;
    this.peakRssBytes = Math.max(this.peakRssBytes, rssBytes);
    const seconds = Math.round((performance.now() - this.startedMs) / 1_000);
    const rounds = [...this.hostile.rounds.values()].reduce((sum, count) => sum + count, 0);
    this.parts.progress(
      `${seconds} s: ${this.honest.durationsMs.length} honest requests, ${rounds} hostile rounds, ` +
        `${connections.length} connections, ${megabytes(rssBytes)} MB resident`,
    );
  }
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
