import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from 'markdown-table';
import { type Contestant, costsOf, get, POST } from './costs.js';

const CONNECTIONS = [1, 8, 64];
const FILE_BYTES = 100_000;

const REQUESTS = {
  'a text': get('/hello'),
  'a validated body': POST,
  'JSON of 10 kB': get('/list'),
  'a file of 100 kB': get('/file'),
};

/** The first is what the others are compared with. */
const VARIANTS: readonly Omit<Contestant, 'request'>[] = [
  { label: "Nest's ExpressAdapter", variant: 'nest' },
  { label: 'FastExpressAdapter', variant: 'fast-express' },
  { label: "Nest's FastifyAdapter", variant: 'fastify' },
  { label: 'Express 5 without Nest', variant: 'express', peer: 'bare' },
  { label: 'Hono on its server for Node', variant: 'hono', peer: 'bare' },
];

/** CPU time of a request on each adapter of Nest, and without Nest, as a share of that on the first. */
export async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'adapters-'));
  const file = join(folder, 'file.bin');
  writeFileSync(file, Buffer.alloc(FILE_BYTES, 'ship'));
  const rows = VARIANTS.map((variant) =>
    Object.values(REQUESTS).map((request): Contestant => ({ ...variant, request })),
  );
  const costOf = await costsOf(rows.flat(), CONNECTIONS, { FILE: file });
  rmSync(folder, { recursive: true });
  for (const count of CONNECTIONS) {
    const table = rows.map((contestants, index) => [
      VARIANTS[index]!.label,
      ...contestants.flatMap((contestant, request) => {
        const { cpuUs } = costOf(contestant, count);
        return [cpuUs.toFixed(0), (cpuUs / costOf(rows[0]![request]!, count).cpuUs).toFixed(2)];
      }),
    ]);
    const titles = [
      `connections: ${count}`,
      ...Object.keys(REQUESTS).flatMap((name) => [`${name}: CPU µs`, '×']),
    ];
    console.log(`${markdownTable([titles, ...table], { align: titles.map((_, at) => (at ? 'r' : 'l')) })}\n`);
  }
}
