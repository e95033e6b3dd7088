import type { Pool } from 'pg';
import { Circuit, type Clock, inTime, StorageUnavailable } from '@animal-store/kernel';
import type { Database } from '../database.js';
import type { Connections } from './connections/connections.js';
import { type Primary, requirePrimary } from './connections/primary.js';
import { rethrowUnavailable } from './postgres-errors.js';

/** How long the server may take to respond to a check. */
const CHECK_LIMIT_MS = 1_000;

export interface HealthParts {
  /** Checks the server for requests. Without it there are none. */
  readonly background?: Database;
  readonly primary: Primary;
  /** The connections of a database and of its background database. */
  readonly connections: Connections;
  /** How long a statement may wait for a connection. */
  readonly connectTimeoutMs: number;
  /** The clock of the host. */
  readonly clock: Clock;
}

/** Whether PostgreSQL can be used. Requests fail at once while it cannot. */
export class PostgresHealth {
  /** Only for requests: background work and checks continue whatever its state is. */
  private readonly circuit: Circuit | null;
  /** How far the clock of this host was ahead of the server's at the last check. */
  private aheadMs = 0;

  constructor(
    private readonly pool: Pool,
    private readonly parts: HealthParts,
  ) {
    const { background } = parts;
    this.circuit = background ? new Circuit({ probe: () => background.check() }) : null;
  }

  get clockAheadMs(): number {
    return this.parts.background?.clockAheadMs ?? this.aheadMs;
  }

  /** @throws StorageUnavailable at once while PostgreSQL cannot be used */
  requireUsable(): void {
    this.circuit?.requireClosed();
  }

  /** Starts a check of the server. */
  suspect(): void {
    void this.circuit?.suspect();
  }

  readonly rethrowNoticed = (error: unknown): never => {
    if (error instanceof StorageUnavailable) this.suspect();
    throw error;
  };

  /** Also looks for the primary among several hosts when the one in use is not, or no longer, the primary. */
  async check(): Promise<void> {
    if (this.circuit) return this.circuit.check();
    try {
      await this.queryServer();
    } catch (error) {
      const { primary } = this.parts;
      if (!primary.isAmongSeveral) throw error;
      await primary.find().catch(rethrowUnavailable);
      await this.queryServer();
    }
  }

  stop(): void {
    this.circuit?.stop();
  }

  private async queryServer(): Promise<void> {
    const { connectTimeoutMs, connections } = this.parts;
    const limitMs = Math.min(CHECK_LIMIT_MS, connectTimeoutMs);
    const { nowMs } = await connections.run(this.pool, (client) =>
      inTime(limitMs, requirePrimary(client), 'The check of PostgreSQL').catch(rethrowUnavailable),
    );
    this.aheadMs = this.parts.clock.now() - nowMs;
  }
}
