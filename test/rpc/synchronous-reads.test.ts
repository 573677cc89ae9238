import { createHook } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { createExampleChain, EXAMPLE } from './example-chain.ts';

const READS: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_blockNumber', []],
  ['eth_getBalance', [EXAMPLE.sender]],
  ['eth_getBalance', [EXAMPLE.sender, '0x1']],
  ['eth_getTransactionCount', [EXAMPLE.sender]],
  ['eth_getTransactionCount', [EXAMPLE.sender, 'pending']],
  ['eth_getCode', [EXAMPLE.counter, 'latest']],
  ['eth_getStorageAt', [EXAMPLE.counter, '0x0', 'latest']],
  ['eth_getProof', [EXAMPLE.counter, ['0x0'], 'latest']],
  ['eth_getAccount', [EXAMPLE.sender, 'latest']],
  ['eth_call', [{ to: EXAMPLE.counter, data: '0x06661abd' }, 'latest']],
  ['eth_getBlockByNumber', ['0x1', true]],
  ['eth_getBlockByHash', [EXAMPLE.blockHashes[1], false]],
  ['eth_getHeaderByNumber', ['0x1']],
  ['eth_getBlockTransactionCountByNumber', ['0x1']],
  ['eth_getTransactionByHash', [EXAMPLE.transferHash]],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0']],
  ['eth_getTransactionReceipt', [EXAMPLE.transferHash]],
  ['eth_getBlockReceipts', ['0x1']],
  ['eth_getUncleCountByBlockNumber', ['0x1']],
];

/** A call that is answered while the event loop has been held for long lets others go first, which makes promises too. */
const ATTEMPTS = 20;

/** The example chain; gives how many promises are made while a call on it is answered, at least. */
async function createCounter() {
  const { call } = await createExampleChain();
  return async (method: string, params: readonly unknown[] = []): Promise<number> => {
    const counts: number[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await new Promise((resolve) => setImmediate(resolve));
      let promises = 0;
      const hook = createHook({
        init: (_id, type) => {
          if (type === 'PROMISE') promises++;
        },
      });
      hook.enable();
      try {
        await call(method, params);
      } finally {
        hook.disable();
      }
      counts.push(promises);
    }
    return Math.min(...counts);
  };
}

describe('the answer to a read of what is in memory', () => {
  it.each(READS)('is there at once: %s', async (method, params) => {
    const promisesOf = await createCounter();
    expect(await promisesOf(method, params)).toBe(await promisesOf('eth_chainId'));
  });

  it('is waited for where a block has to be made for it', async () => {
    const promisesOf = await createCounter();
    const ofChainId = await promisesOf('eth_chainId');
    expect(await promisesOf('eth_getBalance', [EXAMPLE.sender, 'pending'])).toBeGreaterThan(ofChainId);
  });
});
