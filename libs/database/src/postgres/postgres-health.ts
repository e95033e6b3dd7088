import type { Logger } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { Circuit, inTime, StorageUnavailable } from '@animal-store/kernel';
import type { Database } from '../database.js';
import type { Connections } from './connections/connections.js';
import { type Primary, requirePrimary } from './connections/primary.js';
import { rethrowUnavailable } from './postgres-errors.js';
import { LOOK_EVERY_MS, requireFinished, UnfinishedMigration } from './unfinished-migration.js';

/** How long the server may take to respond to a check. */
const CHECK_LIMIT_MS = 1_000;

export interface HealthParts {
  /** Checks the server for requests. Without it there are none. */
  readonly background?: Database;
  readonly primary: Primary;
  /** Those of a database and of its background database. */
  readonly connections: Connections;
  /** How long a statement may wait for a connection. */
  readonly connectTimeoutMs: number;
  readonly isMigrationTarget?: boolean;
}

/** Whether PostgreSQL can be used. Requests fail at once while it cannot. */
export class PostgresHealth {
  /** Only for requests: background work and checks continue whatever its state is. */
  private readonly circuit: Circuit | null;
  private looking: NodeJS.Timeout | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly parts: HealthParts,
    private readonly logger: Logger,
  ) {
    const { background } = parts;
    this.circuit = background ? new Circuit({ probe: () => background.check() }) : null;
  }

  /** @throws StorageUnavailable at once while PostgreSQL cannot be used */
  requireUsable(): void {
    this.circuit?.requireClosed();
  }

  /** Has the server checked. */
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
      await this.askServer();
    } catch (error) {
      const { primary } = this.parts;
      if (!primary.isAmongSeveral) throw error;
      await primary.find().catch(rethrowUnavailable);
      await this.askServer();
    }
  }

  /** From now on looks for an unfinished move of data to this database. */
  start(): void {
    const { background } = this.parts;
    if (background) this.looking ??= setInterval(() => void this.look(background), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.looking ?? undefined);
    this.circuit?.stop();
  }

  private async askServer(): Promise<void> {
    const { connectTimeoutMs, connections, isMigrationTarget } = this.parts;
    const limitMs = Math.min(CHECK_LIMIT_MS, connectTimeoutMs);
    const ask = async (client: PoolClient) => {
      await requirePrimary(client);
      if (!isMigrationTarget) await requireFinished(client);
    };
    await connections.run(this.pool, (client) =>
      inTime(limitMs, ask(client), 'The check of PostgreSQL').catch(rethrowUnavailable),
    );
  }

  private async look(background: Database): Promise<void> {
    try {
      await background.check();
    } catch (error) {
      const { cause } = error as StorageUnavailable;
      // Requests notice anything else themselves.
      if (!(cause instanceof UnfinishedMigration) || this.circuit!.isOpen) return;
      this.logger.error(`Nothing is read or stored any more: ${cause.message}.`);
      this.circuit!.open(cause);
    }
  }
}
