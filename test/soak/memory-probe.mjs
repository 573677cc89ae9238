// Loaded into the node that is measured: returns its live heap after collection for each message of the parent.
import { getHeapCodeStatistics } from 'node:v8';

const ROUNDS = 3;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

process.on('message', async () => {
  // Objects that a finalizer lets go of are collected the next time.
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc();
    await nextTurn();
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const { code_and_metadata_size: machineCode, bytecode_and_metadata_size: bytecode } =
    getHeapCodeStatistics();
  process.send({ live: heapUsed + arrayBuffers, code: machineCode + bytecode, resident: rss });
});
// The parent's end of the channel must not keep the node alive.
process.channel.unref();
