// Loaded into the node that is measured: returns its live heap after collection for each message of the parent.
import { getHeapCodeStatistics } from 'node:v8';

const ROUNDS = 3;

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

process.on('message', async () => {
  // The second collection frees objects that a finalizer released.
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc();
    await nextIteration();
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const { code_and_metadata_size: machineCode, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics();
  process.send({ live: heapUsed + arrayBuffers, code: machineCode + bytecode, resident: rss });
});
// The channel to the parent must not keep the node alive.
process.channel.unref();
