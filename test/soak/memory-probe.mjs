// Loaded into the node that is measured: answers each message of the parent with the live heap, after collection.
const ROUNDS = 3;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

process.on('message', async () => {
  // Objects that a finalizer lets go of are collected the next time.
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc();
    await nextTurn();
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  process.send({ live: heapUsed + arrayBuffers, resident: rss });
});
// The parent's end of the channel must not keep the node alive.
process.channel.unref();
