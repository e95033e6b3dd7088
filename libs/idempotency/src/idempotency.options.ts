import type { IncomingMessage } from 'node:http';
import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { IdempotencyStore } from './idempotency.store.js';

/** The part of the requests of Express and Fastify that differs. */
export interface SentRequest extends IncomingMessage {
  readonly originalUrl: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface IdempotencyOptions {
  /** Where first responses are stored. */
  store: IdempotencyStore;
  /**
   * Who sent the request, such as an account, which stays the same when an API key is replaced. An `Idempotency-Key` is
   * unique within its caller, who alone gets the response again. For null the header is ignored.
   */
  callerOf: (request: SentRequest) => string | null;
  /** Which API key of the caller sent the request, for `replayTo: 'key'`. Default: `callerOf`. */
  apiKeyOf?: (request: SentRequest) => string | null;
  /** The operation and what it is done to, which a retry must repeat. Default: the method and the URL. */
  addressOf?: (request: SentRequest, handler: string) => string;
  /** How bodies are stored. Default: JSON. */
  json?: { write: (resource: unknown) => string; read: (text: string) => unknown };
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: IDEMPOTENCY_OPTIONS } =
  new ConfigurableModuleBuilder<IdempotencyOptions>({ moduleName: 'Idempotency' })
    .setClassMethodName('forRoot')
    // Every controller with `@Idempotent()` injects it. With false, its module imports this one.
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();
