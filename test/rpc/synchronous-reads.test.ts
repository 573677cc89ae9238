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

/**
 * A call yields, and creates extra promises, if the event loop was blocked for long. Further attempts avoid
 * this.
 */
const ATTEMPTS = 20;

/** An example chain. Returns the minimum number of promises created during a call. */
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

describe('synchronous reads from memory', () => {
  it.each(READS)('%s returns without waiting', async (method, params) => {
    const promisesOf = await createCounter();
    expect(await promisesOf(method, params)).toBe(await promisesOf('eth_chainId'));
  });

  it('eth_getBalance at pending waits for the pending block', async () => {
    const promisesOf = await createCounter();
    const ofChainId = await promisesOf('eth_chainId');
    expect(await promisesOf('eth_getBalance', [EXAMPLE.sender, 'pending'])).toBeGreaterThan(ofChainId);
  });
});
