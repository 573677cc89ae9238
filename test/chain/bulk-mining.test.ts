import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { MineOptions } from '../../src/chain/mining/mine-series.ts';
import { increaseTime, setTime, setTimestampInterval } from '../../src/chain/mining-controls.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import { headerHash } from '../../src/protocol/header-encoding.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const [sender, other] = [testAccount(0).address, testAccount(2).address];
const NO_HASH = new Uint8Array(32);

async function blocksOf(chain: Chain): Promise<Block[]> {
  const blocks: Block[] = [];
  for (let number = 0; number <= chain.head().header.number; number++) {
    const block = await chain.block({ number: BigInt(number) });
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

/** The fields that do not depend on hashes. PREVRANDAO and the proof of work depend on the parent hash. */
function withoutHashes(block: Block): unknown {
  const { header } = block;
  const ethereum = { ...header.ethereum, mixHash: NO_HASH };
  const { mergedMining: _, ...rest } = header;
  return { ...block, hash: NO_HASH, header: { ...rest, parentHash: NO_HASH, ethereum } };
}

/** All data of a chain except hashes, including the pending block and the clock. */
async function answers(chain: Chain): Promise<unknown> {
  const blocks = await blocksOf(chain);
  const views = await Promise.all(blocks.map(({ header }) => chain.view({ number: BigInt(header.number) })));
  const pending = await chain.view({ tag: 'pending' });
  return {
    blocks: blocks.map(withoutHashes),
    roots: views.map(({ state }) => state.root),
    pending: withoutHashes(pending.block),
    pool: chain.pool.pending().map(({ hash }) => hash),
    moved: await chain.change(increaseTime(0)),
    hashrate: chain.networkHashrate(),
    settings: chain.settings,
  };
}

function expectChained(blocks: readonly Block[], chain: Chain): void {
  for (const [index, { header, hash }] of blocks.entries()) {
    if (index > 0) expect(header.parentHash).toEqual(blocks[index - 1]?.hash);
    expect(hash).toHaveLength(32);
  }
  const { header, hash } = chain.head();
  expect(hash).toEqual(headerHash(header, chain.ruleSet.encoding));
}

// Half of the series are long enough for reserved blocks.
const count = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 132, max: 160 }));
const series: fc.Arbitrary<MineOptions> = fc.record(
  {
    count,
    interval: fc.record({ seconds: fc.constantFrom(0, 1, 7, 3_600), movesFirst: fc.boolean() }),
  },
  { requiredKeys: ['count'] },
);
const step = fc.oneof(
  fc.record({ kind: fc.constant('mine' as const), options: series, after: fc.constantFrom(0, 0, 1, 50) }),
  fc.record({ kind: fc.constant('send' as const), wei: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('interval' as const), seconds: fc.constantFrom(null, 0, 12) }),
  fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ kind: fc.constant('setTime' as const), after: fc.integer({ min: -300, max: 300 }) }),
  fc.record({ kind: fc.constant('cheat' as const), wei: fc.integer({ min: 1, max: 9 }) }),
);

async function take(
  chain: Chain,
  taken: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
  mine: (options: MineOptions) => Promise<unknown>,
): Promise<unknown> {
  switch (taken.kind) {
    case 'mine': {
      const timestamp = chain.head().header.timestamp + taken.after;
      return mine(taken.after === 0 ? taken.options : { ...taken.options, timestamp });
    }
    case 'send': {
      const price = chain.fees.gasPrice() / 2n + 1n;
      const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price };
      return chain.sendFrom(sender, transfer({ value: BigInt(taken.wei), ...fees })).catch(String);
    }
    case 'interval':
      return chain.change(setTimestampInterval(taken.seconds));
    case 'time':
      return chain.change(increaseTime(taken.seconds));
    case 'setTime':
      return chain.change(setTime(chain.head().header.timestamp + taken.after));
    case 'cheat':
      return chain.cheats.setBalance(other, BigInt(taken.wei));
  }
}

describe.each(['rootstock', 'shanghai'] as const)('mineBulk under %s', (ruleSet) => {
  it.each(
    [null, 0, 3, 12].flatMap((setForAll) =>
      [undefined, 0, 1, 7].flatMap((seconds) => [
        { setForAll, seconds, movesFirst: false },
        { setForAll, seconds, movesFirst: true },
      ]),
    ),
  )('leaves the clock as after single blocks: %j', async ({ setForAll, seconds, movesFirst }) => {
    const times = async (mine: (chain: Chain, options: MineOptions) => Promise<unknown>) => {
      const { chain, time } = await createTestChain({ ruleSet });
      await chain.change(setTimestampInterval(setForAll));
      await mine(chain, {
        count: 140,
        ...(seconds === undefined ? {} : { interval: { seconds, movesFirst } }),
      });
      const last = chain.head().header.timestamp;
      const moved = await chain.change(increaseTime(5));
      await chain.change(setTimestampInterval(null));
      await chain.mine();
      await time.advance(1_000_000);
      const [block] = await chain.mine();
      return { last, moved, next: block?.header.timestamp };
    };
    expect(await times((chain, options) => chain.mineBulk(options))).toEqual(
      await times((chain, options) => chain.mine(options)),
    );
  });

  it('creates the same blocks as single mining, except for hashes', async () => {
    const agree = fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 6, size: 'max' }),
      async (steps) => {
        const options: Partial<ChainOptions> = { ruleSet, automine: false };
        const [{ chain: bulk }, { chain: single }] = [
          await createTestChain(options),
          await createTestChain(options),
        ];
        for (const taken of steps) {
          await take(bulk, taken, (given) => bulk.mineBulk(given));
          await take(single, taken, (given) => single.mine(given));
        }
        expect(await answers(bulk)).toEqual(await answers(single));
        expectChained(await blocksOf(bulk), bulk);
      },
    );
    await fc.assert(agree, { numRuns: 25 });
  });
});

describe('mineBulk', () => {
  it('creates a billion readable blocks', async () => {
    const { chain } = await createTestChain();
    await chain.mineBulk({ count: 1_000_000 });
    await chain.mineBulk({ count: 1_000_000_000, interval: { seconds: 60, movesFirst: false } });
    const head = chain.head();
    expect(head.header.number).toBe(1_001_000_000);
    const middle = await chain.block({ number: 500_000_000n });
    expect(await chain.block({ hash: middle?.hash ?? NO_HASH })).toEqual(middle);
    const above = await chain.block({ number: 500_000_001n });
    expect(above?.header.parentHash).toEqual(middle?.hash);
    expect((above?.header.timestamp ?? 0) - (middle?.header.timestamp ?? 0)).toBe(60);
  });

  it('includes pending transactions in the first blocks', async () => {
    const { chain } = await createTestChain({ automine: false, gasLimit: 50_000n });
    for (let sent = 0; sent < 5; sent++) await chain.sendFrom(sender, transfer());
    await chain.mineBulk({ count: 1_000 });
    const blocks = await blocksOf(chain);
    expect(blocks.slice(1, 5).map(({ transactions }) => transactions.length)).toEqual([2, 2, 1, 0]);
    expect(blocks).toHaveLength(1_001);
  });

  it('includes a transaction once the base fee has fallen to its maximum fee', async () => {
    const mined = async (price: bigint) => {
      const { chain } = await createTestChain({ ruleSet: 'london', automine: false });
      const hash = await chain.sendFrom(
        sender,
        transfer({ maxFeePerGas: price, maxPriorityFeePerGas: price }),
      );
      await chain.mineBulk({ count: 100_000 });
      return (await chain.transaction(hash))?.block.header.number;
    };
    expect(await mined(10n ** 9n)).toBe(1);
    expect(await mined(10n ** 8n)).toBe(18);
    expect(await mined(1n)).toBeUndefined();
  });

  it('skips a transaction that can never be mined', async () => {
    const { chain } = await createTestChain({ automine: false });
    const maxFeePerGas = 10n ** 15n - 1n;
    await chain.sendFrom(sender, transfer({ maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas }));
    await chain.cheats.setBalance(sender, 5n);
    await chain.mineBulk({ count: 1_000_000 });
    expect(chain.head().header.number).toBe(1_000_000);
    expect(chain.pool.size).toBe(1);
  });

  it('reports only sealed blocks to listeners and filters', async () => {
    const { chain } = await createTestChain();
    const filter = chain.filters.addBlocks();
    const told: number[] = [];
    chain.events.on('block', ({ header }) => told.push(header.number));
    await chain.mineBulk({ count: 1_000_000 });
    expect(told).toEqual([1, 1_000_000]);
    const hashes = await Promise.all(
      [1n, 1_000_000n].map(async (number) => (await chain.block({ number }))?.hash),
    );
    expect(finish(chain.filters.changes(filter))).toEqual({ hashes, isFull: false });
    expect(finish(chain.filters.changes(filter))).toEqual({ hashes: [], isFull: false });
  });

  it('rejects counts and timestamps beyond exact numbers without a change', async () => {
    const { chain } = await createTestChain();
    const before = await answers(chain);
    const tooLong = [
      { count: 2 ** 48, timestamp: 1_800_000_000 },
      { count: 10 ** 12, interval: { seconds: 2 ** 40, movesFirst: false } },
      { count: 10 ** 12, interval: { seconds: 2 ** 40, movesFirst: true } },
    ];
    for (const options of tooLong) {
      await expect(chain.mineBulk(options)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/params: blocks:/),
      });
    }
    await expect(chain.mineBulk({ count: 1_000, timestamp: 5 })).rejects.toThrow(
      /timestamp: expected more than/,
    );
    await chain.mineBulk({ count: 0, timestamp: 5 });
    expect(await answers(chain)).toEqual(before);
  });

  it('creates blocks that a revert, rollback or reset removes, even partly', async () => {
    const { chain } = await createTestChain();
    await chain.mine({ count: 2 });
    const snapshot = await chain.snapshots.take();
    await chain.mineBulk({ count: 1_000 });
    const kept = await blocksOf(chain);
    await chain.reorganizer.rollback(600);
    expect(await blocksOf(chain)).toEqual(kept.slice(0, 403));
    await chain.cheats.setBalance(other, 7n);
    expect((await chain.view({ number: 401n })).state.account(other)?.balance).not.toBe(7n);
    await chain.sendFrom(sender, transfer());
    await chain.mineBulk({ count: 500 });
    const blocks = await blocksOf(chain);
    expect(blocks).toHaveLength(904);
    expect(blocks.slice(0, 403)).toEqual(kept.slice(0, 403));
    expectChained(blocks, chain);
    expect(await chain.snapshots.revert(snapshot)).toBe(true);
    expect(await blocksOf(chain)).toEqual(kept.slice(0, 3));
    await chain.mineBulk({ count: 1_000 });
    expect(await blocksOf(chain)).toEqual(kept);
    await chain.snapshots.reset();
    expect(chain.head().header.number).toBe(0);
  });
});
