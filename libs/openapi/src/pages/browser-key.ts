import { BlockList } from 'node:net';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { httpErrorOf } from '@animal-store/http-errors';
import { refuse } from '@animal-store/web';

/** Issues a Free key for the explorer, and returns its text. */
export type IssueKey = () => Promise<string>;

/** Bounds the keys that one start of the server makes for browsers. */
const MAX_KEYS = 20;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/**
 * Whether a request comes from the machine that the server runs on, and is addressed to it. A proxy on this machine
 * forwards requests of others; a page of another site may have a name that resolves to this machine.
 */
export function isFromThisMachine({ socket, headers }: Request): boolean {
  const { remoteAddress = '' } = socket;
  return (
    loopback.check(remoteAddress, remoteAddress.includes(':') ? 'ipv6' : 'ipv4') &&
    LOCAL_HOST.test(headers.host ?? '') &&
    headers.forwarded === undefined &&
    headers['x-forwarded-for'] === undefined
  );
}

/**
 * Makes a key for the explorer in the browser of a developer. Anything else gets the response of a path that does not
 * exist: another machine, and a page of another origin, which the browser names in `Origin`.
 */
export function browserKey(issue: IssueKey): RequestHandler {
  let made = 0;
  return async (request: Request, response: Response, next: NextFunction) => {
    const { origin, host } = request.headers;
    if (!isFromThisMachine(request) || origin !== `http://${host}`) return next();
    if (made >= MAX_KEYS) {
      const message = `This server has made ${MAX_KEYS} keys for browsers. Make more with "npm run keys -- create".`;
      return refuse(response, { ...httpErrorOf(403), message });
    }
    made++;
    const key = await issue();
    response.status(201).setHeader('Cache-Control', 'no-store').json({ key });
  };
}
