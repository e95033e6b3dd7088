import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSets } from './data.js';
import { measure, type Run } from './measure.js';
import type { Options } from './options.js';
import { type PeerName, PEERS } from './peers.js';
import { type Result, section, writeReport } from './report.js';
import { differences, responses } from './same-responses.js';
import { scenarios } from './scenarios.js';
import { isPinned, Server } from './servers.js';

export async function bench(options: Options): Promise<void> {
  const all = scenarios(options);
  const names = all.map(({ name }) => name);
  if (options.list) return console.log(names.join('\n'));
  const unknown = options.scenario.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`No scenario is called ${unknown.join(' or ')}. There are: ${names.join(', ')}.`);
  if (!existsSync('/proc/self/stat'))
    throw new Error('The CPU time of a process is read from /proc: run it on Linux.');
  if (spawnSync('wrk', ['--version']).error) throw new Error('wrk is missing: apt-get install wrk.');
  if (!isPinned) console.error('No taskset, or only one core: servers and load share what there is.');

  const folder = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Ends what was started, as every end of this process does.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

  const wanted = all.filter(({ name }) => options.scenario.length === 0 || options.scenario.includes(name));
  const peers = new Set(wanted.flatMap(({ contestants }) => contestants.map(({ peer }) => peer)));
  const dataSets = new DataSets(folder);
  const say = (text: string) => console.error(text);
  const run: Run = {
    options,
    dataSets,
    leftOut: await peersThatDiffer(dataSets, peers, say),
    redis: null,
    say,
  };
  const results: Result[] = [];
  for (const scenario of wanted) {
    const result = await measure(run, { ...options, ...scenario });
    results.push(result);
    console.log(`\n${section(result)}\n`);
  }
  await run.redis?.stop();
  if (options.write) {
    writeReport(results, options);
    say('Written to docs/performance.md.');
  }
}

/** Peers that cannot start or do not respond as the service does, with the reason. */
async function peersThatDiffer(
  dataSets: DataSets,
  peers: Iterable<PeerName>,
  say: (text: string) => void,
): Promise<Map<PeerName, string>> {
  const leftOut = new Map<PeerName, string>();
  const data = await dataSets.of({ animals: 1_000, keys: 100 });
  let reference: Awaited<ReturnType<typeof responses>> = [];
  for (const peer of new Set<PeerName>(['service', ...peers])) {
    say(`Asking ${PEERS[peer].title} …`);
    const databaseUrl = dataSets.copy(data, `same-responses-${peer}`);
    const parts = { peer, databaseUrl, key: data.key, logFile: `${data.file}.log-${peer}` };
    try {
      const server = await Server.start(parts);
      try {
        if (peer === 'service') reference = await responses(server, parts, data);
        const found = peer === 'service' ? [] : await differences(server, parts, data, reference);
        if (found.length > 0)
          leftOut.set(peer, `it does not respond as the service does. ${found.slice(0, 3).join('; ')}`);
      } finally {
        await server.stop();
      }
    } catch (error) {
      if (peer === 'service') throw error;
      leftOut.set(peer, (error as Error).message);
    }
  }
  for (const [peer, reason] of leftOut) say(`Left out: ${PEERS[peer].title}: ${reason}.`);
  return leftOut;
}
