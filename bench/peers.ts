/** What can be requested of a peer; it is measured and compared in nothing else. */
export type Operation = 'list' | 'get' | 'add' | 'once' | 'order' | 'limits';

export interface Peer {
  readonly title: string;
  readonly operations: readonly Operation[];
  /** Whether it may have other headers, refuse in other words, and log less. */
  readonly isLenient?: true;
  readonly isOnlyEmbedded?: true;
}

const ALL: readonly Operation[] = ['list', 'get', 'add', 'once', 'order', 'limits'];
const variant: Omit<Peer, 'title'> = { operations: ['list', 'get', 'add'], isOnlyEmbedded: true };
/** By the name of the program in bench/dist. */
export const PEERS = {
  service: { title: 'Animal Store Service', operations: ALL },
  'node-http': { title: 'bare node:http by hand', operations: ALL },
  fastify: { title: 'Fastify 5 by hand', operations: ALL },
  'without-queue': { title: 'the service without its two queues', ...variant },
  'plain-express': { title: 'the service on the stock ExpressAdapter', ...variant },
  'tutorial-nest': { title: 'Nest from its tutorials', operations: variant.operations, isLenient: true },
} satisfies Record<string, Peer>;
export type PeerName = keyof typeof PEERS;
export const peerOf = (name: PeerName): Peer => PEERS[name];
