import { Every, Job, type JobHandler } from '@animal-store/jobs';
import { TypeOrmVisitLengthRepository } from './typeorm-visit-length.repository.js';

const IDS_A_STEP = 500n;

@Job('visits.fill-lengths', { concurrency: 1, limitMs: 600_000 })
@Every('1m')
export class FillVisitLengthsJob implements JobHandler<null> {
  constructor(private readonly visits: TypeOrmVisitLengthRepository) {}

  async run(_: null, signal: AbortSignal): Promise<void> {
    for (let first = await this.visits.firstUnfilled(0n); first !== null;) {
      signal.throwIfAborted();
      const next = first + IDS_A_STEP;
      // Between two steps others have their turn. The next run continues where one was interrupted.
      await this.visits.fill(first, next);
      first = await this.visits.firstUnfilled(next - 1n);
    }
  }
}
