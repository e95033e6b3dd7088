import { Inject, Injectable } from '@nestjs/common';
import { SystemClock } from '@animal-store/kernel';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from '../api-keys.options.js';
import { KeyChanges } from '../issuing/key-changes.js';
import { storedKeyOf } from '../issuing/managed-key.js';
import { ManagedKeyStore } from '../issuing/managed-key.store.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { ChangesPoller } from './changes-poller.js';

/** Reads the changes of a ManagedKeyStore. Changes of another store are for the application to apply. */
@Injectable()
export class StoredKeyChanges extends ChangesPoller {
  private readonly isNeeded: boolean;

  constructor(
    @Inject(API_KEYS_OPTIONS) { store, pollsChanges = true }: ApiKeysOptions,
    authenticator: ApiKeyAuthenticator,
  ) {
    const changes = new KeyChanges(store as ManagedKeyStore, authenticator, authenticator.now, storedKeyOf);
    super('Changes of API keys', () => changes.read(), new SystemClock());
    this.isNeeded = store instanceof ManagedKeyStore && pollsChanges;
  }

  override async onModuleInit(): Promise<void> {
    if (this.isNeeded) await this.poll();
  }
}
