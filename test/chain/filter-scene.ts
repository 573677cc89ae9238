import type { BlockSelector } from '../../src/chain/block-selector.ts';
import type { ForkLink } from '../../src/chain/chain-core.ts';
import { ChainEvents } from '../../src/chain/changes.ts';
import type { LogRange } from '../../src/chain/filters/filters.ts';
import { type FilterItems, Filters } from '../../src/chain/filters/filters.ts';
import { type Awaitable, whenReady } from '../../src/primitives/awaitable.ts';
import { hexKey } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { MemoryStore } from '../../src/storage/key-value-store.ts';
import { locatedLogs } from '../../src/storage/log-search.ts';
import { append, rewind } from '../storage/at-once.ts';
import { blockOf, GENESIS, RULE_SET, stateOf } from '../storage/samples.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createFakeTime, type FakeTime } from '../support/fake-time.ts';

/** In seconds. */
export const TIMEOUT = 300;
export const LATEST: BlockSelector = { tag: 'latest' };
/** All logs of new blocks. */
export const EVERYTHING: LogRange = { addresses: [], topics: [], fromBlock: LATEST, toBlock: LATEST };

export const addressOf = (number: number) => new Uint8Array(20).fill(number);

/** Filters on a chain. The test adds and removes its blocks. */
export interface Scene {
  readonly filters: Filters;
  readonly events: ChainEvents;
  readonly blockchain: Blockchain;
  readonly time: FakeTime;
  /** Adds a block with one log per emitter. */
  append(...emitters: readonly number[]): Promise<Block>;
  rewind(height: number): Promise<readonly Block[]>;
  /** The changes of the filter as text: block, index and `removed` of logs, or hashes. */
  changes(id: bigint): string[];
  /** The same with a yield after every work unit. */
  changesInSteps(id: bigint): Awaitable<string[]>;
}

function shorten(items: FilterItems): string[] {
  if ('hashes' in items) return items.hashes.map(hexKey);
  return [...[...items.removed].flat(), ...locatedLogs(items.found)].map(
    ({ blockHash, logIndex, removed }) => `${removed ? '-' : '+'}${hexKey(blockHash)} ${logIndex}`,
  );
}

export async function createScene(): Promise<Scene> {
  const storage = new BlockStorage(new MemoryStore(), RULE_SET);
  const blockchain = Blockchain.create(storage, GENESIS.block, GENESIS.state);
  const events = new ChainEvents();
  const time = createFakeTime(0);
  const filters = new Filters({
    blockchain,
    events,
    wallClock: time.clock,
    random: countingRandom(),
    fork: { base: null } as ForkLink,
    options: { filterTimeout: TIMEOUT, slotsInAnEpoch: 2 },
  });
  let made = 0;
  return {
    filters,
    events,
    blockchain,
    time,
    async append(...emitters) {
      const logs: Log[] = emitters.map((emitter) => ({
        address: addressOf(emitter),
        topics: [],
        data: new Uint8Array(0),
      }));
      const block = blockOf(blockchain.head.block.header.number + 1, { logs: [logs], time: ++made });
      append(blockchain, block, stateOf(1));
      events.emit('block', block, [], null);
      return block;
    },
    async rewind(height) {
      const removed = rewind(blockchain, height);
      if (removed.length > 0) events.emit('removed', removed, 'none', null);
      return removed;
    },
    changes: (id) => shorten(finish(filters.changes(id))),
    changesInSteps: (id) =>
      whenReady(runTask(filters.changes(id), new TimeSlice(undefined, 1)), (items) => shorten(items)),
  };
}

/** A new log as in {@link Scene.changes}. */
export const told = (block: Block, logIndex = 0) => `+${hexKey(block.hash)} ${logIndex}`;
/** A removed log as in {@link Scene.changes}. */
export const takenBack = (block: Block, logIndex = 0) => `-${hexKey(block.hash)} ${logIndex}`;
