import { expect, it } from 'vitest';
import { createRpcHarness } from './rpc-harness.ts';

const HASH = `0x${'12'.repeat(32)}`;

it.each([
  ['eth_getBlockByHash', [HASH, false]],
  ['eth_getTransactionByHash', [HASH]],
  ['inspect_transaction', [HASH]],
])('%s on a closed chain is rejected without an internal error', async (method, params) => {
  const { chain, call } = await createRpcHarness();
  await chain.close();
  await expect(call(method, params)).rejects.toMatchObject({ code: -32000, message: 'the chain is closed' });
});
