import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { RepeatedTask } from '@animal-store/kernel';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from '../api-keys.options.js';
import { KeyChanges } from '../issuing/key-changes.js';
import { storedKeyOf } from '../issuing/managed-key.js';
import { ManagedKeyStore } from '../issuing/managed-key.store.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';

const INTERVAL_MS = 1_000;

/** Reads the changes of a ManagedKeyStore every second. Changes of another store are for the application to apply. */
@Injectable()
export class StoredKeyChanges implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('ApiKeys');
  private readonly task: RepeatedTask | null = null;

  constructor(
    @Inject(API_KEYS_OPTIONS) { store, pollsChanges = true }: ApiKeysOptions,
    authenticator: ApiKeyAuthenticator,
  ) {
    if (!(store instanceof ManagedKeyStore) || !pollsChanges) return;
    const changes = new KeyChanges(store, authenticator, authenticator.now, storedKeyOf);
    this.task = new RepeatedTask({
      step: async () => {
        await changes.read();
        return INTERVAL_MS;
      },
      delayAfterFailureMs: INTERVAL_MS,
      onFailing: (cause) =>
        this.logger.error('Changes of API keys cannot be read. Trying again every second.', cause),
      onWorking: () => this.logger.log('Changes of API keys can be read again.'),
    });
  }

  async onModuleInit(): Promise<void> {
    await this.task?.run();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task?.stop();
  }
}
