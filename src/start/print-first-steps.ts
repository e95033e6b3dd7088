import type { INestApplication } from '@nestjs/common';
import type { JsonLogger } from '@animal-store/operations';
import { FirstKey } from '../access/application/first-key.use-case.js';
import type { Settings } from '../settings/settings.js';

export interface FirstStepsParts {
  readonly app: Pick<INestApplication, 'get'>;
  readonly settings: Settings;
  readonly port: number;
  readonly logger: Pick<JsonLogger, 'log' | 'warn'>;
  readonly print: (text: string) => void;
}

/**
 * Says at start what to do next. On an empty SQLite database outside production it creates a key and prints it with a
 * request to try; production gets a warning when there is no key. It never rejects, because the server already runs.
 */
export async function printFirstSteps(parts: FirstStepsParts): Promise<void> {
  const { settings, logger } = parts;
  try {
    await (settings.mode === 'production' ? warnWithoutKeys(parts) : offerKey(parts));
  } catch (error) {
    logger.warn(
      `API keys could not be read, so the first steps are not shown. A key: ${createCommand(settings)}`,
      error,
      'Server',
    );
  }
}

async function warnWithoutKeys({ app, settings, logger }: FirstStepsParts): Promise<void> {
  if ((await app.get(FirstKey).execute(false)) !== 'missing') return;
  logger.warn(
    `There is no API key yet, so every request is 401. Create one: ${createCommand(settings)}`,
    'Server',
  );
}

async function offerKey({ app, settings, port, logger, print }: FirstStepsParts): Promise<void> {
  const url = `http://localhost:${port}`;
  const first = settings.database.kind === 'sqlite' ? await app.get(FirstKey).execute(true) : null;
  if (first === null || first === 'missing') {
    logger.log(`Explore the API at ${url}/docs. Create a key: ${createCommand(settings)}`, 'Server');
    return;
  }
  print(`
Your first API key (Free plan), shown only now:

  ${first.text}

Try it:

  curl -i ${url}/v1/pets -H 'Authorization: Bearer ${first.text}'

Explore it: ${url}/docs

`);
}

/** A production image has no npm. */
function createCommand({ mode }: Settings): string {
  const command = mode === 'production' ? 'node dist/keys.js' : 'npm run --silent keys --';
  return `${command} create --name NAME --plan free`;
}
