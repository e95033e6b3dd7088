import { RepeatedTask } from '../async/repeated-task.js';

/** A unit of background work ends within as many turns of the event loop. */
const TURNS = 4;

type Tasks = { startTimer(ms: number, run: () => void): () => void };

/** The timers of all RepeatedTasks, which run only when a test says so, until the mocks are restored. */
export class ManualTimers {
  private readonly waiting: { readonly ms: number; readonly run: () => void }[] = [];

  constructor() {
    const tasks = RepeatedTask.prototype as unknown as Tasks;
    jest.spyOn(tasks, 'startTimer').mockImplementation((ms, run) => {
      const timer = { ms, run };
      this.waiting.push(timer);
      return () => {
        const place = this.waiting.indexOf(timer);
        if (place >= 0) this.waiting.splice(place, 1);
      };
    });
  }

  /** The rests of the timers that wait, in milliseconds. */
  get restsMs(): number[] {
    return this.waiting.map(({ ms }) => ms);
  }

  /** Runs every timer that waits, and then everything that is ready to continue. */
  async fire(): Promise<void> {
    for (const { run } of this.waiting.splice(0)) run();
    for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
  }
}
