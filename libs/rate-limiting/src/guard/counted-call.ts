import type { ExecutionContext } from '@nestjs/common';
import type { AnyResponse } from '@animal-store/kernel/http';
import type { RateLimitExceeded } from '../rate-limit.errors.js';
import type { RoutedRequest } from './rate-limit.decorator.js';

/** What is counted: a request over HTTP, a root field of a GraphQL operation, or a message of a WebSocket. */
export type CallKind = 'http' | 'graphql' | 'ws';

interface CountedCall {
  readonly request: RoutedRequest;
  /** Null when there are no headers to set. */
  readonly response: AnyResponse | null;
}

/** The context of a GraphQL operation: of Apollo, of Mercurius with the reply of Fastify, or of graphql-ws. */
interface GraphQLContext {
  readonly req?: RoutedRequest;
  readonly res?: AnyResponse;
  readonly reply?: AnyResponse & { readonly request: RoutedRequest };
  readonly extra?: { readonly request?: RoutedRequest };
}

/** A client of Socket.IO has the request that it connected with. */
interface WsClient {
  readonly request?: RoutedRequest;
}

/** @throws Error when nothing says which request it came with */
export function countedCall(context: ExecutionContext, kind: Exclude<CallKind, 'http'>): CountedCall {
  if (kind === 'ws') {
    const { request } = context.getArgByIndex<WsClient>(0);
    if (request) return { request, response: null };
    throw new Error(
      'Nobody knows the request of this WebSocket. Set it in the gateway: handleConnection(client, request) { client.request = request }',
    );
  }
  const { req, res, reply, extra } = context.getArgByIndex<GraphQLContext>(2);
  const request = req ?? reply?.request ?? extra?.request;
  if (request) return { request, response: res ?? reply ?? null };
  throw new Error('Nobody knows the request of this GraphQL operation. Put it into the context as `req`.');
}

type WsExceptionType = new (error: object) => Error;
let WsException: WsExceptionType;

/** Loads what gateways throw, before the first message. */
export async function loadWsException(): Promise<void> {
  // Not every application has it, so the compiler does not look for it.
  const name: string = '@nestjs/websockets';
  ({ WsException } = (await import(name)) as { WsException: WsExceptionType });
}

/** The refusal as the kind reports errors: the `extensions` of GraphQL, the exception of a gateway. */
export function refusalIn(kind: Exclude<CallKind, 'http'>, refusal: RateLimitExceeded): Error {
  const { code, message } = refusal;
  const { retryAfterSeconds } = refusal.decision;
  if (kind === 'ws') return new WsException({ status: 'error', code, message, retryAfterSeconds });
  return Object.assign(refusal, { extensions: { code, retryAfterSeconds } });
}
