/** What a peer can be asked; it is measured and compared in nothing else. */
export type Operation = 'list' | 'get' | 'add' | 'once' | 'order' | 'limits';

export interface Peer {
  readonly title: string;
  /** What `node` is given, from the repository's root. */
  readonly entry: string;
  readonly operations: readonly Operation[];
  /** Whether it may have other headers, refuse in other words, and log less. */
  readonly isLenient?: true;
  readonly isOnlyEmbedded?: true;
}

const ALL: readonly Operation[] = ['list', 'get', 'add', 'once', 'order', 'limits'];
const SOME: readonly Operation[] = ['list', 'get', 'add'];
export const PEERS = {
  service: { title: 'Animal Store Service', entry: 'dist/main.js', operations: ALL },
  'node-http': { title: 'bare node:http by hand', entry: 'bench/dist/node-http.js', operations: ALL },
  fastify: { title: 'Fastify 5 by hand', entry: 'bench/dist/fastify.js', operations: ALL },
  'without-queue': {
    ...{ title: 'the service without its response queue', entry: 'bench/dist/without-queue.js' },
    ...{ operations: SOME, isOnlyEmbedded: true },
  },
  'plain-express': {
    ...{ title: 'the service on the stock ExpressAdapter', entry: 'bench/dist/plain-express.js' },
    ...{ operations: SOME, isOnlyEmbedded: true },
  },
  'tutorial-nest': {
    ...{ title: 'Nest from its tutorials', entry: 'bench/dist/tutorial-nest.js' },
    ...{ operations: SOME, isLenient: true },
  },
} satisfies Record<string, Peer>;
export type PeerName = keyof typeof PEERS;
export const peerOf = (name: PeerName): Peer => PEERS[name];
