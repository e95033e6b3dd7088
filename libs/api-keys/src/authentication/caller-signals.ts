import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { inTime, RepeatedTask } from '@animal-store/kernel';
import { type AnyRequest, nodeRequest, nodeResponse } from '@animal-store/kernel/http';
import { InvalidApiKey } from '../api-key.errors.js';
import { callerOf } from '../caller.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { bearerToken } from './bearer.js';

/** How often open responses are checked within the time that a revoked key may still work. */
const CHECKS = 5;

/**
 * Ends responses that stay open for long, such as streams, when the key of their caller does: it was revoked or has
 * expired. That takes at most `maxStalenessMs`. When the store cannot be read for as long, every key may be revoked, so
 * every response ends. A request without a signal costs nothing.
 *
 * @example
 * ```ts
 * @Get('changes')
 * async changes(@Req() request: Request, @Res() response: Response) {
 *   const signal = this.callerSignals.of(request, response);
 *   for await (const change of this.changes.since(now, { signal })) response.write(change);
 *   response.end();
 * }
 * ```
 */
@Injectable()
export class CallerSignals implements OnModuleDestroy {
  /** What ends the open responses to each token. */
  private readonly open = new Map<string, Set<() => void>>();
  private readonly everyMs: number;
  private readonly task: RepeatedTask;
  private confirmedAtMs = 0;

  constructor(private readonly authenticator: ApiKeyAuthenticator) {
    this.everyMs = authenticator.maxStalenessMs / CHECKS;
    this.task = new RepeatedTask({ step: () => this.check(), delayAfterFailureMs: this.everyMs });
  }

  /** Aborted with `InvalidApiKey` as its reason. Without a caller, as on a `@Public()` route, it never is. */
  of(request: AnyRequest, response: ServerResponse | { readonly raw: ServerResponse }): AbortSignal {
    const controller = new AbortController();
    const stop = this.watch(request, () => controller.abort(new InvalidApiKey()));
    nodeResponse(response).once('close', stop);
    return controller.signal;
  }

  /**
   * Calls `end` once when the key of the caller ends.
   * @returns what to call when the response is closed; calling it again does nothing
   */
  watch(request: AnyRequest, end: () => void): () => void {
    const token = callerOf(request) && bearerToken(nodeRequest(request).rawHeaders);
    if (token === null) return () => undefined;
    if (this.open.size === 0) {
      this.confirmedAtMs = this.authenticator.now();
      // Now, as the key may have ended since the request was authenticated.
      this.task.start();
    }
    const ends = this.open.get(token) ?? new Set();
    this.open.set(token, ends);
    // A function of its own for each call.
    const own = (): void => end();
    ends.add(own);
    return () => {
      ends.delete(own);
      if (ends.size === 0 && this.open.get(token) === ends) this.open.delete(token);
    };
  }

  onModuleDestroy(): Promise<void> {
    return this.task.stop();
  }

  private async check(): Promise<number | null> {
    const tokens = [...this.open.keys()];
    try {
      const { everyMs } = this;
      const { invalid, asOfMs } = await inTime(everyMs, this.authenticator.recheck(tokens), 'The store');
      this.confirmedAtMs = asOfMs;
      for (const token of invalid) this.end(token);
    } finally {
      const ageMs = Math.abs(this.authenticator.now() - this.confirmedAtMs);
      // At the next check it would be too late.
      if (ageMs > this.authenticator.maxStalenessMs - this.everyMs)
        for (const token of tokens) this.end(token);
    }
    return this.open.size === 0 ? null : this.everyMs;
  }

  private end(token: string): void {
    const ends = this.open.get(token) ?? [];
    this.open.delete(token);
    for (const end of ends) end();
  }
}
