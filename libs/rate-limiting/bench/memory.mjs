/**
 * What counters cost in memory, and that idle ones are evicted. After `npm run build`:
 *
 *   node --expose-gc libs/rate-limiting/bench/memory.mjs [subjects, 1000000 by default]
 */
import { performance } from 'node:perf_hooks';
import { MemoryRateLimitStore, perDay, perMinute } from '@animal-store/rate-limiting';

const subjects = Number(process.argv[2] ?? 1_000_000);
const MINUTE = 60_000;
const DAY = 86_400_000;
const NOON = Date.UTC(2030, 2, 1, 12);
const plan = [perMinute(60), perDay(1_000)];
const address = [perMinute(60)];

const rows = [];

function heapBytes() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Runs `work` on a store that is kept alive until it was measured. */
function measure(what, store, work) {
  let slowestMs = 0;
  let requests = 0;
  const startedMs = performance.now();
  work((subject, requestPlan, nowMs) => {
    const beforeMs = performance.now();
    store.consume({ id: subject, plan: requestPlan }, nowMs);
    slowestMs = Math.max(slowestMs, performance.now() - beforeMs);
    requests++;
  });
  const tookMs = performance.now() - startedMs;
  const bytes = heapBytes() - emptyBytes;
  rows.push({
    what,
    counters: store.size,
    'heap MB': (bytes / 1e6).toFixed(1),
    'bytes each': store.size > 1 ? Math.round(bytes / store.size) : '',
    'µs/request': ((tookMs * 1e3) / requests).toFixed(2),
    'slowest ms': slowestMs.toFixed(1),
  });
}

/** A request every quarter of a second lets the store check its counters. */
function pass(consume, fromMs, toMs) {
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 250) consume('visitor', [perMinute(1_000)], nowMs);
}

let emptyBytes = heapBytes();
const keys = new MemoryRateLimitStore();
measure('every key called once', keys, (consume) => {
  for (let i = 0; i < subjects; i++) consume(`key_${i.toString(36).padStart(12, '0')}`, plan, NOON);
});
measure('every key called again', keys, (consume) => {
  for (let i = 0; i < subjects; i++) consume(`key_${i.toString(36).padStart(12, '0')}`, plan, NOON + MINUTE);
});
measure('some minutes after their day', keys, (consume) => {
  pass(consume, NOON + DAY, NOON + DAY + 5 * MINUTE);
});

const WINDOWS = [
  { name: 'hour', limit: 1_000, seconds: 3_600 },
  { name: 'burst', limit: 1_000, seconds: 10 },
  { name: 'week', limit: 1_000, seconds: 604_800 },
];
/** A function, so that nothing references the store when the next one is measured. */
function measureWindows(count) {
  emptyBytes = heapBytes();
  const listed = WINDOWS.slice(0, count);
  measure(`every key called once, windows of a list: ${count}`, new MemoryRateLimitStore(), (consume) => {
    for (let i = 0; i < subjects; i++) consume(`key_${i.toString(36).padStart(12, '0')}`, listed, NOON);
  });
}
measureWindows(1);
measureWindows(3);

emptyBytes = heapBytes();
const addresses = new MemoryRateLimitStore();
measure('every address called once', addresses, (consume) => {
  for (let i = 0; i < subjects; i++)
    consume(`2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::/64`, address, NOON);
});
measure('some minutes later', addresses, (consume) => {
  pass(consume, NOON + MINUTE, NOON + 6 * MINUTE);
});

emptyBytes = heapBytes();
const banned = new MemoryRateLimitStore({ bans: { minRefusals: 1 } });
measure('a tenth as many, all banned', banned, (consume) => {
  for (let i = 0; i < subjects / 10; i++) {
    for (let request = 0; request < 3; request++)
      consume(`key_${i.toString(36).padStart(12, '0')}`, [perMinute(1), perDay(9)], NOON);
  }
});

console.table(rows);
