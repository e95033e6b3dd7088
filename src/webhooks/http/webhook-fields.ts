import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { EnumField, TextField } from '@animal-store/openapi';
import { Follows } from '@animal-store/web';
import { events } from '../../events.js';

/** The names of all events that contexts declare. */
export const EVENT_NAMES: readonly string[] = events.map(({ name }) => name);
export const EXAMPLE_ID = 'evt_5b0f3c1e-7a54-4a3e-9d5f-2c8a1b6f4e70';

/** Some of the events that contexts declare. */
export const EventTypesField = (facts: Omit<Parameters<typeof EnumField>[1], 'name'>) =>
  EnumField(EVENT_NAMES, {
    name: 'WebhookEvent',
    each: { minItems: 1, maxItems: EVENT_NAMES.length },
    ...facts,
  });

export const EventIdField = (description: string) =>
  TextField({ maxLength: 40, pattern: '^evt_[0-9a-f-]{36}$', description, example: EXAMPLE_ID });

const URL_FACTS = { maxLength: 2_048, pattern: '^https?://[!-~]+$' };

/** What a URL may lead to is a rule of the domain. */
export const ReceiverUrlField = (description?: string) =>
  applyDecorators(
    Follows('isReceiverUrl', urlProblem),
    ApiProperty({ type: 'string', ...URL_FACTS, description, example: 'https://shop.example/webhooks' }),
  );

function urlProblem(value: unknown): string | null {
  const { maxLength, pattern } = URL_FACTS;
  const isUrl = typeof value === 'string' && value.length <= maxLength && new RegExp(pattern).test(value);
  return isUrl
    ? null
    : `must be a URL such as https://shop.example/webhooks, of at most ${maxLength} visible ASCII characters`;
}
