import { StreamableFile } from '@nestjs/common';
import type { Express, Response } from 'express';
import { FastExpressAdapter } from '#libs/fast-express';
import { sendJson } from './json-reply.js';

/** How often connections are held against the time-outs; Node's own default of 30 s would make 10 s mean 40. */
const TIMEOUT_CHECK_MS = 1_000;

/**
 * Express as this service uses it: what handlers return is JSON text with an entity tag, written in one piece with its
 * headers and not passed through content negotiation, and a bigint in it is an exact JSON number.
 */
export class JsonExpressAdapter extends FastExpressAdapter {
  constructor() {
    super({
      // src/platform/http/message-rules.ts refuses requests without a Host with an Error object.
      server: { connectionsCheckingInterval: TIMEOUT_CHECK_MS, requireHostHeader: false },
      responseQueue: true,
    });
    this.getInstance<Express>().disable('x-powered-by').disable('etag');
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const isJson =
      typeof body === 'object' &&
      body !== null &&
      !(body instanceof StreamableFile) &&
      // What Nest's own filter sends.
      !(body instanceof Error || (statusCode ?? 0) >= 400);
    if (!isJson) return super.reply(response, body, statusCode);
    if (statusCode) response.status(statusCode);
    return sendJson(response, body);
  }
}
