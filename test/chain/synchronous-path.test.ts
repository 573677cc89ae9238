import { createHook } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { SendRequest } from '../../src/chain/mining/transaction-submitter.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const SENDER = testAccount(0).address;

/** Sends a transaction. Returns the number of promises between its pool entry and its block. */
async function promisesUntilMined(chain: Chain, request: SendRequest): Promise<number> {
  let promises = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') promises++;
    },
  });
  const head = chain.head().header.number;
  const stop = [
    chain.events.on('pendingTransaction', () => void hook.enable()),
    chain.events.on('block', () => void hook.disable()),
  ];
  await chain.sendFrom(SENDER, request);
  for (const off of stop) off();
  hook.disable();
  expect(chain.head().header.number).toBe(head + 1);
  return promises;
}

describe('automine of a transaction', () => {
  it.each([
    ['a transfer', transfer()],
    [
      'a creation',
      transfer({
        to: null,
        data: Buffer.from('6001600055600a600c600039600a6000f3', 'hex'),
        gasLimit: 200_000n,
      }),
    ],
  ])('creates no promise for %s', async (_name, request) => {
    const { chain } = await createTestChain();
    expect(await promisesUntilMined(chain, request)).toBe(0);
  });

  it('creates no promise with REMASC', async () => {
    const { chain } = await createTestChain({ remasc: true });
    expect(await promisesUntilMined(chain, transfer())).toBe(0);
  });

  it('creates promises with the reference engine', async () => {
    const { chain } = await createTestChain({ engine: 'reference' });
    expect(await promisesUntilMined(chain, transfer())).toBeGreaterThan(0);
  });
});
