import type { INestApplication } from '@nestjs/common';
import { CreateFirstKey } from './access/application/create-first-key.use-case.js';
import { HasKeys } from './access/application/has-keys.use-case.js';
import type { Settings } from './platform/config/settings.js';
import type { JsonLogger } from './platform/operations/logging/json-logger.js';

export interface AdviceParts {
  readonly app: Pick<INestApplication, 'get'>;
  readonly settings: Settings;
  /** Where the server listens. */
  readonly port: number;
  readonly logger: Pick<JsonLogger, 'log' | 'warn'>;
  /** Prints to standard output. */
  readonly print: (text: string) => void;
}

/**
 * Says at start what to do next. On an empty embedded database outside production it creates a key and prints it with a
 * request to try; production gets a warning when there is no key.
 */
export async function adviseOperator({ app, settings, port, logger, print }: AdviceParts): Promise<void> {
  if (settings.mode === 'production') {
    if (await app.get(HasKeys).execute()) return;
    logger.warn(
      'There is no API key yet, so every request is 401. Create one: node dist/keys.js create --name NAME --plan free',
      'Server',
    );
    return;
  }
  const url = `http://localhost:${port}`;
  const first = settings.database.kind === 'sqlite' ? await app.get(CreateFirstKey).execute() : null;
  if (first) {
    print(`
Your first API key (Free plan), shown only now:

  ${first.text}

Try it:

  curl -i ${url}/v1/pets -H 'Authorization: Bearer ${first.text}'

Explore it: ${url}/docs

`);
    return;
  }
  logger.log(
    `Explore the API at ${url}/docs. Another key: npm run --silent keys -- create --name NAME --plan free`,
    'Server',
  );
}
