import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/protocol/block.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import type { WorldState } from '../../src/state/world-state.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { MemoryStore } from '../../src/storage/key-value-store.ts';
import { locatedLogs } from '../../src/storage/log-search.ts';
import { transactionOf } from '../chain/pool/samples.ts';
import { searchLogs } from '../support/found-logs.ts';
import { append, restart, rewind } from './at-once.ts';
import { blockOf, GENESIS, RULE_SET, rangeOf, stateOf } from './samples.ts';

const LOG: Log = { address: new Uint8Array(20).fill(1), topics: [], data: Uint8Array.of(1) };
const EVERYTHING = { addresses: [], topics: [] };

/** A chain with ranges, and the list of blocks that it must contain. */
async function createScene() {
  const store = new MemoryStore();
  const blockchain = Blockchain.create(new BlockStorage(store, RULE_SET), GENESIS.block, GENESIS.state);
  const blocks: Block[] = [GENESIS.block];
  const states: WorldState[] = [GENESIS.state];
  let time = 0;
  const nextBlock = (number: number): Block => {
    const parts = { time: ++time, transactions: [transactionOf(0, time)], logs: [[LOG]] };
    return blockOf(number, parts);
  };
  return {
    store,
    blockchain,
    blocks,
    states,
    async append(): Promise<void> {
      const block = nextBlock(blocks.length);
      const state = stateOf(time);
      blocks.push(block);
      states.push(state);
      append(blockchain, block, state);
    },
    async appendRange(length: number): Promise<void> {
      const below = blockchain.head.block.hash;
      const range = rangeOf(blocks.length, blocks.length + length - 1, {
        state: blockchain.head.state,
        below,
      });
      for (let number = range.first; number <= range.last; number++) {
        blocks.push(range.block(number));
        states.push(range.state);
      }
      const block = nextBlock(blocks.length);
      blocks.push(block);
      states.push(stateOf(time));
      append(blockchain, block, stateOf(time), range);
    },
    async rewind(number: number): Promise<readonly Block[]> {
      blocks.length = number + 1;
      states.length = number + 1;
      return rewind(blockchain, number);
    },
  };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

function expectModel({ blockchain, blocks, states }: Scene): void {
  const head = blocks.length - 1;
  expect(blockchain.head.block).toEqual(blocks[head]);
  expect(blockchain.head.state.root).toEqual(states[head]?.root);
  for (const [number, block] of blocks.entries()) {
    expect(blockchain.block(number)).toEqual(block);
    expect(blockchain.blockByHash(block.hash)).toEqual(block);
    const [{ hash }, state] = [blockchain.summary(number), blockchain.state(number)];
    expect([hash, state.root]).toEqual([block.hash, states[number]?.root]);
  }
  expect(blockchain.block(blocks.length)).toBeUndefined();
  expect(() => blockchain.summary(blocks.length)).toThrow(RangeError);
  const query = { addresses: [LOG.address], topics: [], fromBlock: 0, toBlock: head };
  const withLogs = blocks.filter(({ receipts }) => receipts.length > 0).map(({ header }) => header.number);
  for (const found of [searchLogs(blockchain, query), searchLogs(blockchain, { ...query, ...EVERYTHING })]) {
    expect(locatedLogs(found).map(({ blockNumber }) => blockNumber)).toEqual(withLogs);
  }
}

describe('chain with reserved blocks', () => {
  it('the chain has the same blocks as if each were stored separately, after any changes', async () => {
    const step = fc.oneof(
      fc.constant({ kind: 'append' as const }),
      fc.record({ kind: fc.constant('range' as const), length: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ kind: fc.constant('rewind' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    );
    const reads = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const scene = await createScene();
      for (const taken of steps) {
        const before = [...scene.blocks];
        if (taken.kind === 'append') await scene.append();
        else if (taken.kind === 'range') await scene.appendRange(taken.length);
        else {
          const number = Math.floor(taken.share * (before.length - 1));
          const removed = await scene.rewind(number);
          const gone = before.slice(number + 1);
          expect(removed.at(-1)).toEqual(gone[0]);
          expect(removed.filter((block) => block.receipts.length > 0)).toEqual(
            gone.filter((block) => block.receipts.length > 0).toReversed(),
          );
          for (const { hash } of gone) expect(scene.blockchain.blockByHash(hash)).toBeUndefined();
        }
      }
      expectModel(scene);
    });
    await fc.assert(reads, { numRuns: 60 });
  });

  it('the chain keeps a million reserved blocks in one record', async () => {
    const { store, blockchain } = await createScene();
    const before = store.keys();
    append(blockchain, blockOf(1_000_001), stateOf(1), rangeOf(1, 1_000_000));
    expect(store.keys()).toHaveLength(before.length + 3);
    const block = blockchain.block(765_432);
    expect(block?.header.number).toBe(765_432);
    expect(blockchain.blockByHash(block?.hash ?? new Uint8Array(32))).toEqual(block);
    expect(blockchain.block(765_433)?.header.parentHash).toEqual(block?.hash);
    expect(blockchain.rangeAt(765_432)?.last).toBe(1_000_000);
    expect(Array.from(blockchain.unreserved(0, 2_000_000))).toEqual([0, 1_000_001]);
  });

  it('the state after the head can change if the head is a reserved block', async () => {
    const scene = await createScene();
    await scene.appendRange(9);
    await scene.rewind(5);
    scene.blockchain.replaceHeadState(stateOf(99));
    expect(scene.blockchain.head.state.root).toEqual(stateOf(99).root);
    expect(scene.blockchain.state(4).root).toEqual(GENESIS.state.root);
  });

  it('the chain lists its ranges and blocks', async () => {
    const scene = await createScene();
    await scene.appendRange(4);
    await scene.append();
    await scene.appendRange(3);
    await scene.rewind(8);
    const entries = Array.from(scene.blockchain.entries(), (entry) =>
      'range' in entry ? [entry.range.first, entry.range.last] : entry.block.header.number,
    );
    expect(entries).toEqual([0, [1, 4], 5, 6, [7, 7], 8]);
  });

  it('the chain contains no reserved blocks after a restart', async () => {
    const scene = await createScene();
    await scene.appendRange(4);
    const other = blockOf(0, { time: 77 });
    const removed = restart(scene.blockchain, other, stateOf(5));
    expect(removed.map(({ header }) => header.number)).toEqual([5, 1, 0]);
    expect(scene.blockchain.head.block).toBe(other);
    expect(scene.blockchain.blockByHash(scene.blocks[3]?.hash ?? other.hash)).toBeUndefined();
    expect(scene.store.keys()).toEqual(['b000000000000', scene.store.keyOf('h', other.hash)]);
  });
});
