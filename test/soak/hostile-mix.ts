import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, CutShort } from './hostile/actor.js';
import { Random } from '../support/random.js';
import type { Service } from './service.js';

/** The pause between two rounds of an actor. The mix is hostile by what it sends, not by its amount. */
const PAUSE_MS = { least: 5, most: 60 };
const MAX_PROBLEMS_EACH = 3;

/** Runs all hostile actors at the same time, each in its own rounds. */
export class HostileMix {
  readonly rounds = new Map<string, number>();
  readonly problems: string[] = [];
  private readonly problemCounts = new Map<string, number>();
  private isOver = false;

  constructor(
    private readonly service: Service,
    private readonly actors: readonly Actor[],
    private readonly seed: number,
  ) {}

  /** Resolves after `stop`, when the last rounds have ended. */
  async run(phase: string): Promise<void> {
    this.isOver = false;
    const strands = this.actors.flatMap((actor) =>
      Array.from({ length: actor.strands ?? 1 }, (_, strand) =>
        this.runActor(actor, new Random(this.seed, `${actor.name} ${phase} ${strand}`)),
      ),
    );
    await Promise.all(strands);
  }

  stop(): void {
    this.isOver = true;
  }

  get problemsLeftOut(): number {
    return [...this.problemCounts.values()].reduce((sum, count) => sum + count, -this.problems.length);
  }

  private async runActor(actor: Actor, random: Random): Promise<void> {
    while (!this.isOver && !this.service.hasEnded) {
      const drops = this.service.drops();
      try {
        await actor.act(this.service, random);
      } catch (error) {
        const isFair = error instanceof CutShort && (await drops.excuse(error.connections));
        // Failures after the end of the process are not findings of the actor.
        if (!isFair && !(await this.service.isGone())) this.problem(actor, error as Error);
      }
      this.rounds.set(actor.name, (this.rounds.get(actor.name) ?? 0) + 1);
      await delay(random.between(PAUSE_MS.least, PAUSE_MS.most));
    }
  }

  private problem({ name }: Actor, error: Error): void {
    const count = (this.problemCounts.get(name) ?? 0) + 1;
    this.problemCounts.set(name, count);
    const round = (this.rounds.get(name) ?? 0) + 1;
    if (count <= MAX_PROBLEMS_EACH) this.problems.push(`${name}, round ${round}: ${error.message}`);
  }
}
