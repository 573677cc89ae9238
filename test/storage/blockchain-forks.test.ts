import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexKey } from '../../src/primitives/hex.ts';
import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import type { WorldState } from '../../src/state/world-state.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { isUncalled } from '../../src/storage/blocks-without-calls.ts';
import { MemoryStore, numberKey } from '../../src/storage/key-value-store.ts';
import { locatedLogs } from '../../src/storage/log-search.ts';
import { transactionOf } from '../chain/pool/samples.ts';
import { searchLogs } from '../support/found-logs.ts';
import { append, become, restart, rewind } from './at-once.ts';
import { blockOf, blockWithTransaction, GENESIS, RULE_SET, rangeOf, stateOf } from './samples.ts';

const FIRST = 1_000;
const LOG: Log = { address: new Uint8Array(20).fill(1), topics: [], data: Uint8Array.of(1) };

/** A chain, and the list of blocks and states that it must contain. */
interface Model {
  readonly blockchain: Blockchain;
  first: number;
  blocks: Block[];
  states: WorldState[];
  /** The blocks at the time of the fork. */
  readonly origin?: Pick<Model, 'blockchain' | 'blocks' | 'states'>;
}

function createBlockchain(first: Block): Blockchain {
  return Blockchain.create(new BlockStorage(new MemoryStore(), RULE_SET), first, stateOf(0));
}

/** Looks up the highest block and its state in the layers. */
function highestEntry(blockchain: Blockchain): unknown {
  const entry = [...blockchain.entries()].at(-1);
  if (entry === undefined || 'range' in entry) return entry;
  return { block: entry.block, isHeadState: entry.state === blockchain.head.state };
}

function expectModel({ blockchain, first, blocks, states }: Model, everSeen: ReadonlySet<Block>): void {
  const last = first + blocks.length - 1;
  expect(blockchain.first).toBe(first);
  expect(blockchain.head.block).toEqual(blocks.at(-1));
  expect(blockchain.head.state).toBe(states.at(-1));
  expect(highestEntry(blockchain)).toEqual({ block: blockchain.head.block, isHeadState: true });
  for (const [index, block] of blocks.entries()) {
    const number = first + index;
    expect(blockchain.block(number)).toEqual(block);
    const [{ hash }, state] = [blockchain.summary(number), blockchain.state(number)];
    expect(hash).toEqual(block.hash);
    // States have private fields, and toEqual() cannot compare these.
    expect(state).toBe(states[index]);
    const [transaction] = block.transactions;
    if (transaction !== undefined)
      expect(blockchain.positionOf(transaction.hash)).toEqual({ number, index: 0 });
  }
  const hashes = new Set(blocks.map(({ hash }) => hexKey(hash)));
  for (const block of everSeen) {
    const isHere = hashes.has(hexKey(block.hash));
    expect(blockchain.blockByHash(block.hash)).toEqual(isHere ? block : undefined);
    const [transaction] = block.transactions;
    if (transaction !== undefined && !isHere) expect(blockchain.positionOf(transaction.hash)).toBeUndefined();
  }
  expect(blockchain.block(first - 1)).toBeUndefined();
  expect(blockchain.block(last + 1)).toBeUndefined();
  expect(() => blockchain.summary(last + 1)).toThrow(RangeError);
  const withLogs = blocks.filter(({ receipts }) => receipts.length > 0).map(({ header }) => header.number);
  for (const addresses of [[], [LOG.address]]) {
    const found = searchLogs(blockchain, { addresses, topics: [], fromBlock: first, toBlock: last });
    expect(locatedLogs(found).map(({ blockNumber }) => blockNumber)).toEqual(withLogs);
  }
  const entries = Array.from(blockchain.entries()).flatMap((entry) =>
    'block' in entry
      ? [entry.block.hash]
      : Array.from({ length: entry.range.last - entry.range.first + 1 }, (_, index) =>
          entry.range.hashOf(entry.range.first + index),
        ),
  );
  expect(entries).toEqual(blocks.map(({ hash }) => hash));
}

/** Chains that were forked from each other, and every block that any of them ever had. */
class Family {
  readonly models: Model[];
  readonly everSeen = new Set<Block>();
  #time = 0;

  private constructor(origin: Model) {
    this.models = [origin];
    for (const block of origin.blocks) this.everSeen.add(block);
  }

  static async create(): Promise<Family> {
    const first = blockOf(FIRST);
    const blockchain = createBlockchain(first);
    return new Family({ blockchain, first: FIRST, blocks: [first], states: [blockchain.head.state] });
  }

  pick(share: number): Model {
    const model = this.models[Math.floor(share * this.models.length)];
    if (model === undefined) throw new RangeError('no such chain');
    return model;
  }

  #nextBlock(number: number): Block {
    const time = ++this.#time;
    return this.#seen(blockOf(number, { time, transactions: [transactionOf(0, time)], logs: [[LOG]] }));
  }

  #seen(block: Block): Block {
    this.everSeen.add(block);
    return block;
  }

  async append(model: Model, rangeLength: number): Promise<void> {
    const { blockchain, blocks, states } = model;
    const number = model.first + blocks.length;
    const state = stateOf(++this.#time);
    if (rangeLength === 0) {
      const block = this.#nextBlock(number);
      blocks.push(block);
      append(blockchain, block, state);
    } else {
      const below = blockchain.head.block.hash;
      const range = rangeOf(number, number + rangeLength - 1, { state: blockchain.head.state, below });
      for (let at = range.first; at <= range.last; at++) {
        blocks.push(this.#seen(range.block(at)));
        states.push(range.state);
      }
      const block = this.#nextBlock(range.last + 1);
      blocks.push(block);
      append(blockchain, block, state, range);
    }
    states.push(state);
  }

  async rewind(model: Model, share: number): Promise<void> {
    const kept = Math.floor(share * model.blocks.length) + 1;
    const gone = model.blocks.slice(kept);
    model.blocks.length = Math.min(kept, model.blocks.length);
    model.states.length = model.blocks.length;
    const removed = rewind(model.blockchain, model.first + kept - 1);
    expect(removed.at(-1)).toEqual(gone[0]);
    const withTransactions = (blocks: readonly Block[]): Block[] =>
      blocks.filter(({ transactions }) => transactions.length > 0);
    expect(withTransactions(removed)).toEqual(withTransactions(gone).toReversed());
  }

  replaceState(model: Model, share: number): void {
    const index = Math.floor(share * model.blocks.length);
    if (model.blockchain.rangeAt(model.first + index) !== undefined) return;
    const state = stateOf(++this.#time);
    model.states[index] = state;
    model.blockchain.replaceState(model.first + index, state);
  }

  async restart(model: Model, first: number): Promise<void> {
    const block = this.#nextBlock(first);
    const state = stateOf(++this.#time);
    Object.assign(model, { first, blocks: [block], states: [state] });
    restart(model.blockchain, block, state);
  }

  async fork(model: Model, share: number): Promise<void> {
    const { first } = model;
    const kept = Math.ceil(share * model.blocks.length);
    const [blocks, states] = [model.blocks.slice(0, kept), model.states.slice(0, kept)];
    const blockchain = model.blockchain.fork(first + kept - 1);
    const origin = { blockchain: blockchain.fork(), blocks, states };
    this.models.push({ blockchain, first, blocks: [...blocks], states: [...states], origin });
  }

  async goBack(model: Model): Promise<void> {
    if (model.origin === undefined) return;
    const { blockchain, blocks, states } = model.origin;
    // Two ranges on the same block have the same hashes.
    const hashes = new Set(blocks.map(({ hash }) => hexKey(hash)));
    const gone = model.blocks.filter(({ hash }) => !hashes.has(hexKey(hash)));
    const removed = become(model.blockchain, blockchain);
    expect(removed.at(-1)?.hash).toEqual(gone[0]?.hash);
    Object.assign(model, { first: blocks[0]?.header.number, blocks: [...blocks], states: [...states] });
  }

  /** The first remaining block is never one that is or was in a range. */
  prune(model: Model, share: number): void {
    const newest = Math.max(1, Math.ceil(share * model.blocks.length));
    let index = model.blocks.length - newest;
    const wasReserved = (block: Block | undefined): boolean => block !== undefined && isUncalled(block);
    while (wasReserved(model.blocks[index])) index--;
    model.blocks.splice(0, index);
    model.states.splice(0, index);
    model.first += index;
    model.blockchain.prune(newest, Number.POSITIVE_INFINITY, { ancestors: 2, minLayer: 3 });
  }

  /** Closes the chain and the one that it was forked from. One chain always remains. */
  async close(model: Model): Promise<void> {
    if (this.models.length === 1) return;
    this.models.splice(this.models.indexOf(model), 1);
    await model.blockchain.close();
    await model.origin?.blockchain.close();
  }

  expectAll(): void {
    for (const model of this.models) expectModel(model, this.everSeen);
  }
}

describe('forked chains', () => {
  const share = fc.double({ min: 0, max: 0.999, noNaN: true });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('append' as const), of: share }),
    fc.record({ kind: fc.constant('append' as const), of: share, range: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('rewind' as const), of: share, to: share }),
    fc.record({ kind: fc.constant('replaceState' as const), of: share, at: share }),
    fc.record({ kind: fc.constant('restart' as const), of: share, first: fc.constantFrom(0, 7, FIRST) }),
    fc.record({ kind: fc.constant('fork' as const), of: share, share: fc.constant(1) }),
    fc.record({
      kind: fc.constant('fork' as const),
      of: share,
      share: fc.double({ min: 0.01, max: 1, noNaN: true }),
    }),
    fc.record({ kind: fc.constant('goBack' as const), of: share }),
    fc.record({ kind: fc.constant('prune' as const), of: share, share }),
    fc.record({ kind: fc.constant('close' as const), of: share }),
  );

  it('forks have the same blocks as independent chains, after any changes to each', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 32 }), async (steps) => {
      const family = await Family.create();
      for (const taken of steps) {
        const model = family.pick(taken.of);
        if (taken.kind === 'append') await family.append(model, 'range' in taken ? taken.range : 0);
        else if (taken.kind === 'rewind') await family.rewind(model, taken.to);
        else if (taken.kind === 'replaceState') family.replaceState(model, taken.at);
        else if (taken.kind === 'restart') await family.restart(model, taken.first);
        else if (taken.kind === 'goBack') await family.goBack(model);
        else if (taken.kind === 'prune') family.prune(model, taken.share);
        else if (taken.kind === 'close') await family.close(model);
        else await family.fork(model, taken.share);
      }
      family.expectAll();
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('forks accept another state after any block, also in a fork of a fork', async () => {
    const blocks = 6;
    for (let replaced = 0; replaced < blocks; replaced++) {
      const family = await Family.create();
      const last = (): Model => family.pick(0.999);
      for (let count = 1; count < 4; count++) await family.append(last(), 0);
      await family.fork(last(), 0.5);
      for (let count = 2; count < blocks; count++) await family.append(last(), 0);
      await family.fork(last(), 1);
      family.replaceState(last(), replaced / blocks);
      family.expectAll();
    }
  });

  it('forks know the changes of old blocks, relative to the state before each of them', () => {
    const blockchain = createBlockchain(blockOf(0));
    const blocks = 1_100;
    for (let number = 1; number < blocks; number++) append(blockchain, blockOf(number), stateOf(number));
    blockchain.replaceHeadState(stateOf(77_777));
    for (let number = blocks; number < 2 * blocks; number++)
      append(blockchain, blockOf(number), stateOf(number));
    const fork = blockchain.fork(2 * blocks - 20);
    fork.replaceState(30, stateOf(88_888));
    for (const [chain, replaced] of [
      [blockchain, 1_099],
      [fork, 30],
    ] as const) {
      let below: WorldState | undefined;
      let known = 0;
      for (const entry of chain.entries()) {
        if ('range' in entry) throw new Error('there are no ranges');
        const { header } = entry.block;
        if (entry.hasRootOfHeader === true) expect(entry.state.root).toEqual(header.stateRoot);
        const changesOf = entry.changes?.bind(entry);
        const changes = changesOf === undefined ? null : finish(changesOf());
        if (changes !== null) {
          known++;
          expect(changes).toEqual(Array.from(entry.state.differencesFrom(below ?? entry.state)));
        }
        if (header.number === replaced) expect(entry.state.root).not.toEqual(stateOf(replaced).root);
        below = entry.state;
      }
      expect(known).toBeGreaterThan(1_000);
    }
  });

  it('frequent forks continue in the same storage', async () => {
    const store = new MemoryStore();
    const base = Blockchain.create(new BlockStorage(store, RULE_SET), GENESIS.block, GENESIS.state);
    for (let number = 1; number <= 20; number++) {
      append(base, blockWithTransaction(number), stateOf(number));
      base.fork();
    }
    const blocks = store.keys().filter((key) => key.startsWith('b'));
    expect(blocks).toHaveLength(21);
  });

  it('forks keep the records that other chains read when one of them is rewound', async () => {
    const store = new MemoryStore();
    const base = Blockchain.create(new BlockStorage(store, RULE_SET), GENESIS.block, GENESIS.state);
    for (let number = 1; number <= 3; number++) append(base, blockWithTransaction(number), stateOf(number));
    const lane = base.fork();
    rewind(base, 1);
    append(base, blockWithTransaction(2, 99), stateOf(99));
    rewind(lane, 2);
    expect(lane.head.block).toEqual(blockWithTransaction(2));
    expect(base.head.block).toEqual(blockWithTransaction(2, 99));
    expect(base.positionOf(transactionOf(0, 3).hash)).toBeUndefined();
  });

  it('a rewind removes the records that no other chain reads', async () => {
    const store = new MemoryStore();
    const base = Blockchain.create(new BlockStorage(store, RULE_SET), GENESIS.block, GENESIS.state);
    append(base, blockWithTransaction(1), stateOf(1));
    const keys = store.keys();
    base.fork();
    for (let number = 2; number <= 4; number++) append(base, blockWithTransaction(number), stateOf(number));
    rewind(base, 1);
    expect(store.keys()).toEqual(keys);
  });

  it.each(['before', 'after'])(
    'a closed fork releases its blocks if the base is rewound %s',
    async (order) => {
      const store = new MemoryStore();
      const base = Blockchain.create(new BlockStorage(store, RULE_SET), GENESIS.block, GENESIS.state);
      append(base, blockWithTransaction(1), stateOf(1));
      const keys = store.keys();
      const forks: Blockchain[] = [];
      for (const last of [20, 10]) {
        while (base.head.block.header.number < last) {
          const number = base.head.block.header.number + 1;
          append(base, blockWithTransaction(number), stateOf(number));
        }
        forks.push(base.fork(last));
      }
      if (order === 'before') rewind(base, 1);
      const [upTo20, upTo10] = forks;
      await upTo20?.close();
      if (order === 'before') expect(store.keys()).not.toContain(numberKey('b', 11));
      expect(store.keys()).toContain(numberKey('b', 10));
      expect(upTo10?.block(10)).toEqual(blockWithTransaction(10));
      await upTo10?.close();
      if (order === 'after') rewind(base, 1);
      expect(store.keys()).toEqual(keys);
      expect(base.head.block).toEqual(blockWithTransaction(1));
    },
  );

  it('chains have the same blocks after many layers are joined, and so do forks of each layer', async () => {
    const family = await Family.create();
    const base = family.pick(0);
    for (let round = 0; round < 30; round++) {
      await family.append(base, round % 4);
      await family.append(base, 0);
      await family.fork(base, 1);
      await family.rewind(base, 0.999 - 1 / base.blocks.length);
      if (round % 7 === 3) family.replaceState(base, 0.5);
      if (round % 3 === 0) await family.close(family.pick(0.5));
    }
    family.expectAll();
  });

  it('a chain keeps only the layers with the remaining blocks and with the blocks for BLOCKHASH', () => {
    const base = Blockchain.create(
      new BlockStorage(new MemoryStore(), RULE_SET),
      GENESIS.block,
      GENESIS.state,
    );
    for (let number = 1; number <= 1_000; number++) {
      append(base, blockWithTransaction(number), stateOf(number));
      base.prune(40);
      expect(base.first).toBe(Math.max(0, number - 39));
      expect(base.lowest).toBeGreaterThanOrEqual(number - 40 - 257 - 128);
      expect(base.lowest).toBeLessThanOrEqual(Math.max(0, number - 257));
    }
    expect(base.isPruned(960)).toBe(true);
    expect(base.isPruned(961)).toBe(false);
    expect(base.summary(960).hash).toEqual(blockWithTransaction(960).hash);
  });

  it('a fork has its pruned blocks again after a revert to the point of the fork', async () => {
    const family = await Family.create();
    const [base] = family.models;
    if (base === undefined) throw new RangeError('no chain');
    for (let count = 0; count < 9; count++) await family.append(base, 0);
    await family.fork(base, 1);
    const lane = family.pick(0.999);
    for (let count = 0; count < 4; count++) await family.append(lane, 0);
    family.prune(lane, 0.3);
    family.expectAll();
    await family.goBack(lane);
    family.expectAll();
    expect(lane.blockchain.isPruned(FIRST)).toBe(false);
  });

  it('a chain keeps the required blocks regardless of their age', () => {
    const base = createBlockchain(blockOf(FIRST));
    for (let number = FIRST + 1; number <= FIRST + 500; number++)
      append(base, blockOf(number), stateOf(number));
    base.prune(10, FIRST + 3);
    expect(base.first).toBe(FIRST + 3);
    expect(base.isPruned(FIRST + 2)).toBe(true);
    // The chain never had these blocks.
    expect(base.isPruned(FIRST - 1)).toBe(false);
    base.prune(10, FIRST);
    expect(base.first).toBe(FIRST + 3);
  });

  it('a chain cannot be rewound below its first block', async () => {
    const base = createBlockchain(blockOf(FIRST));
    append(base, blockOf(FIRST + 1), stateOf(1));
    expect(() => rewind(base, FIRST - 1)).toThrow(RangeError);
    expect(() => rewind(base.fork(), FIRST - 1)).toThrow(RangeError);
    expect(base.head.block.header.number).toBe(FIRST + 1);
  });
});
