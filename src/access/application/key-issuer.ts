import { KeyIssuer } from '@animal-store/api-keys/issuing';
import type { Clock, Transaction } from '@animal-store/kernel';
import type { ApiKey, KeyGenerator } from '../domain/api-key.js';
import type { ApiKeyRepository } from '../domain/api-key.repository.js';
import { changeOf, type KeyHistory, type Operator } from '../domain/key-history.js';

interface KeyIssuerParts {
  readonly keys: ApiKeyRepository;
  readonly generator: KeyGenerator;
  readonly clock: Clock;
  readonly history: KeyHistory;
  readonly operator: Operator;
  readonly prefix: string;
}

/** Issues and changes keys. Each change adds a row to the history in its transaction, which must be given. */
export function keyIssuer(parts: KeyIssuerParts): KeyIssuer<ApiKey, Transaction> {
  const { keys, generator, clock, history, operator, prefix } = parts;
  return new KeyIssuer<ApiKey, Transaction>({
    store: keys,
    prefix,
    now: clock.now,
    generate: () => generator.generate(),
    onChange: async ({ before, after, by = operator.name, atMs }, transaction) => {
      const entry = changeOf(before, after, by, atMs);
      if (entry) await history.add(entry, transaction!);
    },
  });
}
