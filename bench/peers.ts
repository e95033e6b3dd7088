/** What a peer can be asked; it is measured and compared in nothing else. */
export type Operation = 'list' | 'get' | 'add' | 'order' | 'limits';

export interface Peer {
  readonly title: string;
  /** What `node` is given, from the repository's root. */
  readonly entry: string;
  readonly operations: readonly Operation[];
  /** Whether it must refuse what the service refuses in the same way, send its headers, and log and count everything. */
  readonly strict: boolean;
}

const ALL: readonly Operation[] = ['list', 'get', 'add', 'order', 'limits'];

const strict = (title: string, entry: string, operations = ALL): Peer => ({
  ...{ title, entry, operations, strict: true },
});

export type PeerName =
  'service' | 'node-http' | 'fastify' | 'without-queue' | 'plain-express' | 'tutorial-nest';

export const PEERS: Readonly<Record<PeerName, Peer>> = {
  service: strict('Animal Store Service', 'dist/main.js'),
  'node-http': strict('bare node:http by hand', 'bench/dist/node-http.js'),
  fastify: strict('Fastify 5 by hand', 'bench/dist/fastify.js'),
  'without-queue': strict('the service without its response queue', 'bench/dist/without-queue.js', [
    'list',
    'add',
  ]),
  'plain-express': strict('the service on the stock ExpressAdapter', 'bench/dist/plain-express.js', [
    'list',
    'get',
    'add',
  ]),
  'tutorial-nest': {
    title: 'Nest from its tutorials',
    entry: 'bench/dist/tutorial-nest.js',
    operations: ['list', 'get', 'add'],
    strict: false,
  },
};
