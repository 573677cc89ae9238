import { expect, it } from 'vitest';
import { start } from './support/started-node.ts';

const TO = `0x${'0b'.repeat(20)}`;

it('the log warns about a queued transaction below its request, and only then', async () => {
  const node = await start();
  const [from] = (await node.call('eth_accounts')) as string[];
  await node.call('eth_sendTransaction', { from, to: TO });
  await node.call('eth_sendTransaction', { from, to: TO, nonce: '0x5' });
  await node.call('evm_setAutomine', false);
  await node.call('eth_sendTransaction', { from, to: TO });
  await node.call('eth_sendTransaction', { from, to: TO });
  await node.end();
  const lines = node.host.written.output.split('\n');
  const at = lines.findIndex((line) => line.includes('is queued'));
  expect(lines.slice(at - 1, at + 1)).toEqual([
    'eth_sendTransaction',
    "  Warning: the transaction is queued: its nonce is 5, but the sender's next nonce is 1; send the missing transactions first",
  ]);
  expect(lines.filter((line) => line.includes('is queued'))).toHaveLength(1);
});

it('the log warns about a bundle for a block after the next one', async () => {
  const node = await start(['--no-mining']);
  const [from] = (await node.call('eth_accounts')) as string[];
  const fields = { from, to: TO, gas: '0x5208', gasPrice: '0x0', nonce: '0x0' };
  const raw = await node.call('eth_signTransaction', fields);
  for (const blockNumber of ['0x1', '0x3']) await node.call('eth_sendBundle', { txs: [raw], blockNumber });
  await node.end();
  expect(node.host.written.output.match(/Warning: the bundle.*/g)).toEqual([
    'Warning: the bundle waits for block 3; the next block is 1',
  ]);
});

it('the warning about a queued transaction is part of the JSON log entry', async () => {
  const node = await start(['--json', '--no-mining']);
  const [from] = (await node.call('eth_accounts')) as string[];
  await node.call('eth_sendTransaction', { from, to: TO, nonce: '0x1', vaule: '0x5' });
  await node.end();
  const line = node.host.written.output.split('\n').find((text) => text.includes('"eth_sendTransaction"'));
  expect(JSON.parse(line ?? '')).toMatchObject({
    warnings: [
      'ignored unknown field transaction.vaule; did you mean value?',
      "the transaction is queued: its nonce is 1, but the sender's next nonce is 0; send the missing transactions first",
    ],
  });
});
