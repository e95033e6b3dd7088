import { markdownTable } from 'markdown-table';
import { generateApiKey } from '@animal-store/api-keys';
import { type Contestant, costsOf, get, POST } from './costs.js';

const CONNECTIONS = 64;
const KEY = generateApiKey('acme_');
const WITH_KEY = get('/hello', `Authorization: Bearer ${KEY}\r\n`);

/** Each is one request to one application. The first of a group is what the others of it are compared with. */
const GROUPS: readonly (readonly Contestant[])[] = [
  [
    { label: 'a text on ExpressAdapter', variant: 'nest', request: get('/hello') },
    { label: '… on FastExpressAdapter', variant: 'fast-express', request: get('/hello') },
    { label: '… on FastifyAdapter', variant: 'fastify', request: get('/hello') },
    { label: '… with the guards of api-keys', variant: 'api-keys', request: WITH_KEY },
    { label: '… with passport-http-bearer', variant: 'passport', request: WITH_KEY },
    { label: '… with rate-limiting', variant: 'rate-limiting', request: get('/hello') },
    { label: '… with @Deprecated', variant: 'nest', request: get('/deprecated') },
    { label: '… with three @Header', variant: 'nest', request: get('/by-hand') },
  ],
  [
    { label: 'a validated body on ExpressAdapter', variant: 'nest', request: POST },
    { label: '… on FastExpressAdapter', variant: 'fast-express', request: POST },
    { label: '… on FastifyAdapter', variant: 'fastify', request: POST },
  ],
  [
    { label: 'a 404 by Nest’s own filter', variant: 'nest', request: get('/missing'), status: '404' },
    { label: '… by http-errors', variant: 'http-errors', request: get('/missing'), status: '404' },
  ],
];

/** What each library costs in a small application of Nest, beside what does the same: CPU time and bytes a request. */
export async function main(): Promise<void> {
  const costOf = await costsOf(GROUPS.flat(), [CONNECTIONS], { KEY });
  const rows = GROUPS.flatMap((group) => {
    const [base, ...costs] = [group[0]!, ...group].map((contestant) => costOf(contestant, CONNECTIONS));
    return costs.map(({ cpuUs, bytes }, index) => [
      group[index]!.label,
      cpuUs.toFixed(1),
      (cpuUs / base!.cpuUs).toFixed(2),
      (bytes / 1_000).toFixed(1),
    ]);
  });
  const titles = ['', 'CPU µs', '× the first', 'kB a request'];
  console.log(markdownTable([titles, ...rows], { align: titles.map((title) => (title ? 'r' : 'l')) }));
}
