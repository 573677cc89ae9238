import { describe, expect, it } from 'vitest';
import { increaseTime } from '../../src/chain/mining-controls.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const sender = testAccount(0).address;
/** The limits of Rootstock. */
const NETWORK: Partial<ChainOptions> = { poolTimeout: { blocks: 10, seconds: 650 } };
/** A queued transaction with a nonce gap. */
const QUEUED = transfer({ nonce: 5n });

describe('pool with a timeout', () => {
  it('drops a transaction after eleven blocks', async () => {
    const { chain } = await createTestChain(NETWORK);
    await chain.mine({ count: 3 });
    const hash = await chain.sendFrom(sender, QUEUED);
    await chain.mine({ count: 10 });
    expect(chain.pool.byHash(hash)?.hash).toEqual(hash);
    await chain.mine();
    expect(chain.pool.byHash(hash)).toBeUndefined();
    expect([chain.pool.size, chain.pool.queued()]).toEqual([0, []]);
  });

  it('drops a transaction after 650 seconds of real time, not of chain time', async () => {
    const { chain, time } = await createTestChain({ ...NETWORK, automine: false });
    const hash = await chain.sendFrom(sender, transfer());
    await chain.change(increaseTime(1_000));
    time.advance(649_999);
    expect(chain.pool.pending().map((waiting) => waiting.hash)).toEqual([hash]);
    expect(chain.pool.nextNonce(sender)).toBe(1n);
    time.advance(1);
    expect(chain.pool.nextNonce(sender)).toBe(0n);
    expect(chain.pool.pending()).toEqual([]);
    await chain.mine();
    expect(chain.head().transactions).toEqual([]);
  });

  it('accepts a dropped transaction again with a full timeout', async () => {
    const { chain, time } = await createTestChain(NETWORK);
    const hash = await chain.sendFrom(sender, QUEUED);
    time.advance(650_000);
    expect(await chain.sendFrom(sender, QUEUED)).toEqual(hash);
    time.advance(649_999);
    expect(chain.pool.byHash(hash)?.hash).toEqual(hash);
    time.advance(1);
    expect(chain.pool.byHash(hash)).toBeUndefined();
  });

  it('restores the block count of the timeout after a snapshot revert', async () => {
    const { chain, time } = await createTestChain(NETWORK);
    const hash = await chain.sendFrom(sender, QUEUED);
    const snapshot = await chain.snapshots.take();
    await chain.mine({ count: 12 });
    expect(chain.pool.byHash(hash)).toBeUndefined();
    time.advance(100_000);
    await chain.snapshots.revert(snapshot);
    expect(chain.pool.byHash(hash)?.hash).toEqual(hash);
    time.advance(550_000);
    expect(chain.pool.byHash(hash)).toBeUndefined();
  });
});

it('a pool without a timeout keeps a transaction', async () => {
  const { chain, time } = await createTestChain();
  const hash = await chain.sendFrom(sender, QUEUED);
  await chain.mine({ count: 50 });
  time.advance(10 ** 9);
  expect(chain.pool.byHash(hash)?.hash).toEqual(hash);
});
