import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDump } from '../../src/persistence/dump/dump-file.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../support/test-chain.ts';
import { answers, steps, take } from './random-history.ts';

/** Stores the hash of the block 256 below its own, at the slot of its block number. */
const HASHES_CODE = Uint8Array.from(Buffer.from('610100430340435500', 'hex'));

it('a pruned chain returns the same data for kept blocks as an unpruned chain', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (given, keptBlocks) => {
      const { chain: whole } = await createTestChain();
      const { chain } = await createTestChain({ keptBlocks });
      expect(await take(chain, given)).toEqual(await take(whole, given));
      const { first } = chain.blocks;
      expect(await answers(chain)).toEqual(await answers(whole, first));
      for (let number = 0; number < first; number++)
        await expect((async () => chain.view({ number: BigInt(number) }))()).rejects.toMatchObject({
          code: 4444,
        });
    }),
    { numRuns: 60 },
  );
});

describe('chain with one kept block', () => {
  it('computes block hashes and REMASC fees like an unpruned chain', async () => {
    const chains = [];
    for (const keptBlocks of [1, null]) {
      const { chain } = await createTestChain({ keptBlocks, remasc: true });
      const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
      const create = { ...fees, to: null, data: initCodeOf(HASHES_CODE), gasLimit: 200_000n };
      await chain.sendFrom(testAccount(0).address, transfer(create));
      const [receipt] = chain.head().receipts;
      const to = receipt?.contractAddress ?? null;
      for (let count = 0; count < 450; count++)
        await chain.sendFrom(testAccount(0).address, transfer({ ...fees, to, gasLimit: 100_000n }));
      expect(chain.head().receipts[0]?.succeeded).toBe(true);
      chains.push(chain);
    }
    const [pruned, whole] = chains;
    expect(pruned?.head()).toEqual(whole?.head());
    expect(pruned?.blocks.first).toBe(451);
    expect(whole?.blocks.first).toBe(0);
  });

  it('keeps the blocks of snapshots until they are reverted', async () => {
    const { chain } = await createTestChain({ keptBlocks: 1 });
    await chain.mine({ count: 3 });
    const id = await chain.snapshots.take();
    await chain.mine({ count: 500 });
    expect(chain.blocks.first).toBe(3);
    const later = await chain.snapshots.take();
    expect(await chain.snapshots.revert(later)).toBe(true);
    expect(await chain.snapshots.revert(id)).toBe(true);
    expect(chain.head().header.number).toBe(3);
    await chain.mine();
    expect(chain.blocks.first).toBe(4);
  });

  it('keeps the blocks of snapshots in a loaded dump', async () => {
    const { chain } = await createTestChain();
    await chain.mine({ count: 3 });
    const id = await chain.snapshots.take();
    for (let count = 0; count < 20; count++) await chain.mine();
    const dump = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
    for (const isUnobserved of [true, false]) {
      const { chain: pruned } = await createTestChain({ keptBlocks: 1 });
      await nodeOf(pruned).dump.loadFile(await openDump(dump), { isUnobserved });
      expect(pruned.blocks.first).toBe(3);
      const { chain: copy } = await createTestChain();
      await nodeOf(copy).dump.load(await nodeOf(pruned).dump.write({ isCompressed: false, withKeys: false }));
      expect(await copy.snapshots.revert(id)).toBe(true);
      expect(copy.head()).toEqual(chain.blocks.block(3));
    }
  });

  it('restores its genesis block on a reset', async () => {
    const { chain } = await createTestChain({ keptBlocks: 1 });
    const first = chain.head();
    const removed: number[] = [];
    chain.events.on('removed', (blocks) => removed.push(...blocks.map(({ header }) => header.number)));
    await chain.mine({ count: 600 });
    await chain.snapshots.reset();
    expect(chain.head()).toEqual(first);
    // Pruned blocks are not reported as removed.
    expect(removed).toEqual([600]);
    expect(chain.blocks.isPruned(0)).toBe(false);
  });
});

function initCodeOf(code: Uint8Array): Uint8Array {
  const head = Buffer.from(`60${code.length.toString(16).padStart(2, '0')}80600b6000396000f3`, 'hex');
  return Uint8Array.from([...head, ...code]);
}
