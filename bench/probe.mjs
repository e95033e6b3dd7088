/**
 * Runs in a server before its program, and measures for the parent process, which sends the first word of a pair and
 * later the second: `watch` and `delay` for the event loop, `start` and `stop` for what it has allocated and needed,
 * `profile` and `profiled` for what each function has allocated.
 */
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { GCProfiler, getHeapStatistics } from 'node:v8';

const RESOLUTION_MS = 1;
const NS_A_MS = 1e6;
/** The interval is the bytes between two samples, on average. */
const SAMPLING = {
  samplingInterval: 256,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};

const usedBytes = () => getHeapStatistics().used_heap_size;
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const collections = new GCProfiler();
const inspector = new Session();
let before;
let cpu;

const measures = {
  watch() {
    loop.enable();
    loop.reset();
  },
  delay() {
    loop.disable();
    return loop.percentile(99) / NS_A_MS - RESOLUTION_MS;
  },
  start() {
    // A whole collection in the middle would sweep while the program goes on, and its sizes would be late.
    globalThis.gc();
    collections.start();
    cpu = process.cpuUsage();
    before = usedBytes();
  },
  stop() {
    const { user, system } = process.cpuUsage(cpu);
    let bytes = usedBytes() - before;
    for (const { beforeGC, afterGC } of collections.stop().statistics)
      bytes += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
    return { bytes, cpuUs: user + system };
  },
  async profile() {
    inspector.connect();
    await inspector.post('HeapProfiler.startSampling', SAMPLING);
  },
  async profiled() {
    const { profile } = await inspector.post('HeapProfiler.stopSampling');
    inspector.disconnect();
    return profile.head;
  },
};

process.on('message', async (name) => process.send((await measures[name]()) ?? {}));
// The parent process decides when this one ends.
process.channel.unref();
