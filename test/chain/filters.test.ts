import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockSelector } from '../../src/chain/block-selector.ts';
import { FilterNotFoundError } from '../../src/chain/errors.ts';
import { hexKey } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import { rewind } from '../storage/at-once.ts';
import { addressOf, createScene, EVERYTHING, LATEST, TIMEOUT, takenBack, told } from './filter-scene.ts';
import { NaiveFilter } from './naive-filter.ts';
import { transactionOf } from './pool/samples.ts';

describe('log filter', () => {
  it('returns matching logs of new blocks since the last poll', async () => {
    const { filters, append, changes } = await createScene();
    await append(1);
    const id = filters.addLogs({ ...EVERYTHING, addresses: [addressOf(1)] });
    expect(changes(id)).toEqual([]);
    const second = await append(2, 1);
    const third = await append(1);
    expect(changes(id)).toEqual([told(second, 1), told(third)]);
    expect(changes(id)).toEqual([]);
  });

  it('returns a reported log once as removed, followed by the logs of the new blocks', async () => {
    const { filters, append, rewind, changes } = await createScene();
    const id = filters.addLogs(EVERYTHING);
    const first = await append(1, 2);
    changes(id);
    await rewind(0);
    const other = await append(3);
    expect(changes(id)).toEqual([takenBack(first), takenBack(first, 1), told(other)]);
    expect(changes(id)).toEqual([]);
  });

  it('omits a log that was added and removed between two polls', async () => {
    const { filters, append, rewind, changes } = await createScene();
    const id = filters.addLogs(EVERYTHING);
    await append(1);
    await rewind(0);
    expect(changes(id)).toEqual([]);
  });

  it('returns only logs of blocks in its range', async () => {
    const { filters, append, changes } = await createScene();
    const id = filters.addLogs({ ...EVERYTHING, fromBlock: { number: 2n }, toBlock: { number: 3n } });
    const blocks = [await append(1), await append(1), await append(1), await append(1)];
    expect(changes(id)).toEqual(blocks.slice(1, 3).map((block) => told(block)));
  });

  it('returns an older log only as removed and only if its range includes the log', async () => {
    const { filters, append, rewind, changes } = await createScene();
    const block = await append(1);
    const fromFirst = filters.addLogs({ ...EVERYTHING, fromBlock: { tag: 'earliest' } });
    const fromNow = filters.addLogs(EVERYTHING);
    expect([changes(fromFirst), changes(fromNow)]).toEqual([[], []]);
    await rewind(0);
    expect([changes(fromFirst), changes(fromNow)]).toEqual([[takenBack(block)], []]);
  });

  it('returns each log once over two concurrent polls', async () => {
    const { filters, append, changesInSteps } = await createScene();
    const id = filters.addLogs(EVERYTHING);
    const blocks = [await append(1), await append(2), await append(3)];
    const [first, second] = await Promise.all([changesInSteps(id), changesInSteps(id)]);
    expect([...first, ...second]).toEqual(blocks.map((block) => told(block)));
  });

  it('follows a reorganization during a poll', async () => {
    const { filters, append, rewind, changesInSteps } = await createScene();
    const id = filters.addLogs(EVERYTHING);
    const first = await append(1);
    await append(2);
    await append(3);
    const asked = changesInSteps(id);
    await rewind(1);
    const other = await append(4);
    expect(await asked).toEqual([told(first), told(other)]);
    expect(await changesInSteps(id)).toEqual([]);
  });

  it('returns a block that arrives during a poll in the next poll', async () => {
    const { filters, append, changesInSteps } = await createScene();
    const id = filters.addLogs(EVERYTHING);
    const first = await append(1);
    const asked = changesInSteps(id);
    const second = await append(2);
    expect(await asked).toEqual([told(first)]);
    expect(await changesInSteps(id)).toEqual([told(second)]);
  });

  it('returns logs as soon as their block is final if the range ends with safe or finalized', async () => {
    const { filters, append, rewind, changes } = await createScene();
    const blocks = [await append(1), await append(1), await append(1)];
    const safe = filters.addLogs({ ...EVERYTHING, toBlock: { tag: 'safe' } });
    expect(changes(safe)).toEqual([]);
    blocks.push(await append(1), await append(1));
    // The head is block 5, and an epoch has two slots.
    expect(changes(safe)).toEqual(blocks.slice(1, 3).map((block) => told(block)));
    await rewind(3);
    expect(changes(safe)).toEqual([]);
    await rewind(2);
    const others = [await append(2), await append(2), await append(2)];
    expect(changes(safe)).toEqual([takenBack(blocks[2] as Block), told(others[0] as Block)]);
    expect(changes(safe)).toEqual([]);
  });

  it('starts with the block that is final when the filter is created', async () => {
    const { filters, append, rewind, changes } = await createScene();
    const blocks = [await append(1), await append(1), await append(1), await append(1)];
    const id = filters.addLogs({ ...EVERYTHING, fromBlock: { tag: 'safe' } });
    await rewind(0);
    expect(changes(id)).toEqual(blocks.slice(1).map((block) => takenBack(block)));
  });

  it('returns its range as content without a poll', async () => {
    const { filters, append, changes } = await createScene();
    const id = filters.addLogs(EVERYTHING);
    const block = await append(1);
    expect(filters.content(id)).toEqual({ range: EVERYTHING });
    expect(changes(id)).toEqual([told(block)]);
  });
});

describe('block filter', () => {
  it('returns hashes of new blocks and omits blocks removed before the poll', async () => {
    const { filters, append, rewind, changes } = await createScene();
    const id = filters.addBlocks();
    const first = await append();
    await append();
    await rewind(1);
    const second = await append();
    expect(filters.content(id)).toEqual({ hashes: [first.hash, second.hash] });
    expect(changes(id)).toEqual([first, second].map(({ hash }) => hexKey(hash)));
    await rewind(0);
    const third = await append();
    expect(changes(id)).toEqual([hexKey(third.hash)]);
    expect(changes(id)).toEqual([]);
  });
});

describe('pending transaction filter', () => {
  it('returns hashes of new pending transactions', async () => {
    const { filters, events, append, changes } = await createScene();
    events.emit('pendingTransaction', transactionOf(0, 0));
    const id = filters.addPendingTransactions();
    for (const nonce of [1, 2]) events.emit('pendingTransaction', transactionOf(0, nonce));
    await append();
    const hashes = [1, 2].map((nonce) => transactionOf(0, nonce).hash);
    expect(filters.content(id)).toEqual({ hashes });
    expect(changes(id)).toEqual(hashes.map(hexKey));
    expect(changes(id)).toEqual([]);
  });
});

describe('filters', () => {
  it('returns a distinct id from the random source for each filter', async () => {
    const { filters } = await createScene();
    const ids = [filters.addBlocks(), filters.addLogs(EVERYTHING), filters.addPendingTransactions()];
    expect(ids).toEqual(['01', '02', '03'].map((byte) => BigInt(`0x${byte.repeat(16)}`)));
  });

  it('rejects removed and unknown filters', async () => {
    const { filters } = await createScene();
    const id = filters.addBlocks();
    expect(filters.remove(id)).toBe(true);
    expect(filters.remove(id)).toBe(false);
    for (const unknown of [id, 0n, 2n ** 256n - 1n]) {
      expect(() => finish(filters.changes(unknown))).toThrow(FilterNotFoundError);
      expect(() => filters.content(unknown)).toThrow(FilterNotFoundError);
    }
  });

  it('removes each filter that is not polled for the timeout', async () => {
    const { filters, time } = await createScene();
    const idle = filters.addBlocks();
    const polled = filters.addBlocks();
    const looked = filters.addBlocks();
    await time.advance(TIMEOUT * 1000 - 1);
    finish(filters.changes(polled));
    filters.content(looked);
    await time.advance(1);
    expect(filters.remove(idle)).toBe(false);
    await time.advance(TIMEOUT * 1000 - 2);
    expect(finish(filters.changes(polled))).toEqual({ hashes: [], isFull: false });
    expect(finish(filters.changes(looked))).toEqual({ hashes: [], isFull: false });
    await time.advance(TIMEOUT * 1000);
    expect(() => finish(filters.changes(polled))).toThrow('filter not found');
  });
});

describe('log filters under random steps', () => {
  const end = fc.oneof(
    fc.constant(LATEST),
    fc.constant<BlockSelector>({ tag: 'earliest' }),
    fc.nat(9).map((number): BlockSelector => ({ number: BigInt(number) })),
  );
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ emitters: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 2 }) }),
    },
    { weight: 3, arbitrary: fc.record({ height: fc.nat(8) }) },
    { weight: 4, arbitrary: fc.record({ poll: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ fromBlock: end, toBlock: end }) },
  );

  it('return the same changes as a naive queue of events', async () => {
    let items = 0;
    let removals = 0;
    const isSame = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const { filters, blockchain, append, rewind, changes } = await createScene();
      const pairs: { readonly id: bigint; readonly naive: NaiveFilter }[] = [];
      let blocks: Block[] = [];
      for (const taken of steps) {
        if ('emitters' in taken) {
          const block = await append(...taken.emitters);
          blocks.push(block);
          for (const { naive } of pairs) naive.append(block);
        } else if ('height' in taken) {
          // Filters list the removed logs with the oldest block first.
          const gone = blocks.slice(taken.height);
          await rewind(taken.height);
          blocks = blocks.slice(0, taken.height);
          for (const { naive } of pairs) for (const block of gone) naive.remove(block);
        } else if ('poll' in taken) {
          const pair = pairs[taken.poll % Math.max(pairs.length, 1)];
          if (pair === undefined) continue;
          const found = changes(pair.id);
          expect(found).toEqual(pair.naive.poll());
          items += found.length;
          removals += found.filter((item) => item.startsWith('-')).length;
        } else {
          const range = { ...taken, addresses: [addressOf(1)], topics: [] };
          pairs.push({ id: filters.addLogs(range), naive: new NaiveFilter(range, blocks) });
        }
      }
      expect(blockchain.head.block.header.number).toBe(blocks.length);
    });
    await fc.assert(isSame, { numRuns: 200 });
    expect(items).toBeGreaterThan(50);
    expect(removals).toBeGreaterThan(5);
  });
});

describe('removal of blocks', () => {
  it('reads each removed block once for 50 filters', async () => {
    const { filters, events, blockchain, append, changes } = await createScene();
    const ids = Array.from({ length: 50 }, () => filters.addLogs(EVERYTHING));
    const block = await append(1);
    for (const id of ids) expect(changes(id)).toEqual([told(block)]);
    let looks = 0;
    const removed = rewind(blockchain, 0).map((gone) => ({
      ...gone,
      get receipts() {
        looks++;
        return gone.receipts;
      },
    }));
    events.emit('removed', removed, 'none', null);
    expect(looks).toBe(1);
    for (const id of ids) expect(changes(id)).toEqual([takenBack(block)]);
  });
});
