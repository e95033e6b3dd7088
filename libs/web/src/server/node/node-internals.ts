import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** What Node has no documented API for. All of it is in this file, but how a response writes its head. */
export interface NodeInternals {
  /** The warning for the operator when this Node is unknown; otherwise null. */
  readonly problem: string | null;
  /**
   * Stops the parser of a connection that accepts no more requests. Node parses all data that it has read, which may
   * contain thousands of small requests.
   */
  stopParsing(socket: Duplex): void;
  /**
   * Lets clients half-close their connections, as `nc -N` does: they still read. Node would close the other half at
   * once, even before the response.
   */
  allowHalfOpen(server: Server): void;
}

/** The parser has this property for each request that it finds. A parser that is reused gets another function. */
type ParsedSocket = Duplex & { parser?: { onIncoming: (() => number) | null } | null };

/** The result of `onIncoming` after which a connection no longer speaks HTTP: its parser ignores the rest. */
const NO_MORE_HTTP = 2;

const KNOWN: NodeInternals = {
  problem: null,
  stopParsing: (socket: ParsedSocket) => {
    if (socket.parser) socket.parser.onIncoming = () => NO_MORE_HTTP;
  },
  allowHalfOpen: (server) => void Object.assign(server, { httpAllowHalfOpen: true }),
};

/** How Node behaves by itself: what follows the last request of a connection is parsed, and ignored. */
export const STOCK_NODE: NodeInternals = {
  problem: `Node ${process.versions.node} is unknown: clients that half-close a connection get no response, and what follows the last request of one costs time.`,
  stopParsing: () => undefined,
  allowHalfOpen: () => undefined,
};

/** The internals of this Node, or those of stock Node where they do not work. */
export function nodeInternals(known = KNOWN, server: Server = createServer()): NodeInternals {
  return 'httpAllowHalfOpen' in server && stops(known) ? known : STOCK_NODE;
}

/** Whether a parser that is stopped at the first of two requests finds no second one. */
function stops(node: NodeInternals): boolean {
  const found: string[] = [];
  const socket = new Duplex({ read: () => undefined, write: (_data, _encoding, done) => done() });
  const server = createServer(({ url }, response) => {
    found.push(url!);
    node.stopParsing(response.req.socket);
  });
  server.emit('connection', socket as Socket);
  socket.emit('data', Buffer.from('GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n'));
  socket.destroy();
  return found.join() === '/1';
}
