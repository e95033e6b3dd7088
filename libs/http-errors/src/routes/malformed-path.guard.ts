import type { IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { nodeRequest } from '@animal-store/kernel/http';
import { MalformedPath } from './route.errors.js';

/** Express has the target as sent, and `escapeMalformedPath` leaves it. */
type SentRequest = IncomingMessage & { originalUrl?: string };

/**
 * Escapes a path with a malformed percent-escape so that the router finds its route, where MalformedPathGuard refuses
 * it. Otherwise the router fails to decode the path before any guard runs, and the response has no headers of the
 * caller or the operation. It must run before the router. Express's `request.originalUrl` stays as sent. The query
 * string and the authority are not checked.
 *
 * @example
 * ```ts
 * app.getHttpServer().prependListener('request', escapeMalformedPath);
 * ```
 */
export function escapeMalformedPath(request: SentRequest): void {
  const url = request.url!;
  if (!isMalformed(url)) return;
  const { authority, path, rest } = partsOf(url);
  request.originalUrl = url;
  request.url = authority + path.replaceAll('%', '%25') + rest;
}

/**
 * Refuses a path that `escapeMalformedPath` has escaped. Bind it after all other guards, so that callers without access
 * see their own error first.
 *
 * @throws MalformedPath
 */
@Injectable()
export class MalformedPathGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() === 'http') refuseMalformedPath(context.getArgByIndex<IncomingMessage>(0));
    return true;
  }
}

/**
 * What MalformedPathGuard does, for a guard of the application with conditions of its own.
 *
 * @throws MalformedPath
 */
export function refuseMalformedPath(request: IncomingMessage): void {
  const { originalUrl }: SentRequest = nodeRequest(request);
  if (originalUrl !== undefined && isMalformed(originalUrl)) throw new MalformedPath();
}

/** The parts of a request target: the authority in absolute form (RFC 9112, section 3.2.2), the path, and the rest. */
const TARGET = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(.*)$/is;

export function partsOf(target: string): { authority: string; path: string; rest: string } {
  const [, authority = '', path = '', rest = ''] = TARGET.exec(target)!;
  return { authority, path, rest };
}

function isMalformed(target: string): boolean {
  if (!target.includes('%')) return false;
  try {
    decodeURIComponent(partsOf(target).path);
    return false;
  } catch {
    return true;
  }
}
