// Measures a test that creates a chain in its own process: node test/bench/library.mjs prints milliseconds as
// JSON.
const begin = performance.now();
const { createNode } = await import('../../bin/index.mjs');
const imported = performance.now();
const node = await createNode();
const created = performance.now();
const [from, to] = await node.request({ method: 'eth_accounts' });
const transfer = { from, to, value: '0x1' };
const hash = await node.request({ method: 'eth_sendTransaction', params: [transfer] });
await node.request({ method: 'eth_getTransactionReceipt', params: [hash] });
const sent = performance.now();
const second = await createNode();
const createdSecond = performance.now();
await Promise.all([node.close(), second.close()]);
process.stdout.write(
  JSON.stringify({
    imported: imported - begin,
    created: created - imported,
    sent: sent - created,
    second: createdSecond - sent,
  }),
);
