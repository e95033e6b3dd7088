/** Runs in a server before its program, and counts for the parent process: `start`, then `stop` with what it cost. */
import { GCProfiler, getHeapStatistics } from 'node:v8';

const usedBytes = () => getHeapStatistics().used_heap_size;
let collections;
let before;
let cpu;

process.on('message', (message) => {
  if (message === 'start') {
    // A whole collection in the middle would sweep while the program goes on, and its sizes would be late.
    globalThis.gc();
    collections = new GCProfiler();
    collections.start();
    cpu = process.cpuUsage();
    before = usedBytes();
    process.send({});
  } else if (message === 'stop') {
    const { user, system } = process.cpuUsage(cpu);
    let bytes = usedBytes() - before;
    for (const { beforeGC, afterGC } of collections.stop().statistics)
      bytes += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
    process.send({ bytes, cpuUs: user + system });
  }
});
// The parent process decides when this one ends.
process.channel.unref();
