import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Block } from '../../src/protocol/block.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { MemoryStore } from '../../src/storage/key-value-store.ts';
import { LogRecord } from '../../src/storage/log-record.ts';
import { locatedLogs } from '../../src/storage/log-search.ts';
import { transactionOf } from '../chain/pool/samples.ts';
import { searchLogs } from '../support/found-logs.ts';
import { append, rewind } from './at-once.ts';
import { blockOf, blockWithTransaction, GENESIS, RULE_SET, stateOf } from './samples.ts';

function createBlockchain(): Blockchain {
  const storage = new BlockStorage(new MemoryStore(), RULE_SET);
  return Blockchain.create(storage, GENESIS.block, GENESIS.state);
}

function expectBlock(blockchain: Blockchain, expected: Block): void {
  const { header, hash, transactions } = expected;
  expect(blockchain.block(header.number)).toEqual(expected);
  expect(blockchain.blockByHash(hash)).toEqual(expected);
  expect(blockchain.summary(header.number).hash).toEqual(hash);
  for (const [index, transaction] of transactions.entries()) {
    expect(blockchain.positionOf(transaction.hash)).toEqual({ number: header.number, index });
  }
}

function expectNoBlock(blockchain: Blockchain, gone: Block): void {
  expect(blockchain.block(gone.header.number)).toBeUndefined();
  expect(blockchain.blockByHash(gone.hash)).toBeUndefined();
  expect(() => blockchain.summary(gone.header.number)).toThrow(RangeError);
  for (const { hash } of gone.transactions) expect(blockchain.positionOf(hash)).toBeUndefined();
}

describe('Blockchain', () => {
  it('starts with its first block and the state after it', async () => {
    const blockchain = createBlockchain();
    expect(blockchain.head.block).toBe(GENESIS.block);
    expect(blockchain.head.state).toBe(GENESIS.state);
    expectBlock(blockchain, GENESIS.block);
  });

  it('an appended block becomes the head, with the state after it', async () => {
    const blockchain = createBlockchain();
    const block = blockWithTransaction(1);
    const state = stateOf(1);
    append(blockchain, block, state);
    expect(blockchain.head.block).toBe(block);
    expect(blockchain.head.state).toBe(state);
    expect(blockchain.state(0)).toBe(GENESIS.state);
    expectBlock(blockchain, block);
  });

  it('decodes no logs to read a block that is no longer cached', () => {
    const blockchain = createBlockchain();
    const log = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array(0) };
    append(blockchain, blockOf(1, { logs: [[log, log]] }), stateOf(1));
    for (let number = 2; number < 300; number++) append(blockchain, blockOf(number), stateOf(number));
    const decode = vi.spyOn(LogRecord.prototype, 'ofTransaction');
    try {
      const block = blockchain.block(1);
      blockchain.block(2);
      expect(decode).not.toHaveBeenCalled();
      expect(block?.receipts[0]?.logs).toHaveLength(2);
      expect(decode).toHaveBeenCalledTimes(1);
    } finally {
      decode.mockRestore();
    }
  });

  it('keeps the bloom of a block in memory only if the block has logs', async () => {
    const blockchain = createBlockchain();
    const log = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array(0) };
    const withLogs = blockOf(1, { logs: [[], [log]] });
    append(blockchain, withLogs, stateOf(1));
    append(blockchain, blockOf(2, { logs: [[], []] }), stateOf(2));
    expect(blockchain.summary(1).logsBloom).toEqual(withLogs.header.logsBloom);
    expect(blockchain.summary(2).logsBloom).toBeNull();
  });

  it('a chain has no block above its head or below its first', async () => {
    const blockchain = createBlockchain();
    expect(blockchain.block(1)).toBeUndefined();
    expect(blockchain.block(-1)).toBeUndefined();
    expect(blockchain.blockByHash(new Uint8Array(32))).toBeUndefined();
    expect(() => blockchain.summary(1)).toThrow(RangeError);
  });

  it('an appended block exists immediately, and a rewound block does not', () => {
    const blockchain = createBlockchain();
    const block = blockWithTransaction(1);
    append(blockchain, block, stateOf(1));
    expectBlock(blockchain, block);
    expect(blockchain.head.block).toBe(block);
    expect(rewind(blockchain, 0)).toEqual([block]);
    expect(blockchain.head.block).toBe(GENESIS.block);
    expect(() => blockchain.summary(1)).toThrow(RangeError);
  });

  it('removes no blocks if it is rewound to its head', async () => {
    const blockchain = createBlockchain();
    expect(rewind(blockchain, 0)).toEqual([]);
    expectBlock(blockchain, GENESIS.block);
  });
});

describe('chain with more blocks than are cached', () => {
  const LENGTH = 270;
  const log = { address: new Uint8Array(20).fill(1), topics: [], data: Uint8Array.of(1) };
  const blocks = Array.from({ length: LENGTH }, (_, index) =>
    index === 2 ? blockOf(3, { logs: [[log]] }) : blockWithTransaction(index + 1),
  );
  const states = blocks.map((_, index) => stateOf(index + 1));
  let blockchain: Blockchain;

  beforeEach(async () => {
    blockchain = createBlockchain();
    for (const [index, block] of blocks.entries()) {
      append(blockchain, block, states[index] ?? stateOf(0));
    }
  });

  it('returns every block and the state after it, also the oldest', () => {
    for (const [index, block] of blocks.entries()) {
      expectBlock(blockchain, block);
      expect(blockchain.state(index + 1)).toBe(states[index]);
    }
    expectBlock(blockchain, GENESIS.block);
    expect(blockchain.head.block).toBe(blocks.at(-1));
  });

  it('finds logs in blocks that are no longer cached', () => {
    const found = searchLogs(blockchain, { addresses: [], topics: [], fromBlock: 0, toBlock: LENGTH });
    expect(locatedLogs(found)).toEqual([
      {
        log,
        blockNumber: 3,
        blockHash: blocks[2]?.hash,
        blockTimestamp: blocks[2]?.header.timestamp,
        transactionHash: null,
        transactionIndex: 0,
        logIndex: 0,
        removed: false,
      },
    ]);
  });

  it('returns the removed blocks, highest first, if it is rewound past all the cached blocks', async () => {
    const removed = rewind(blockchain, 5);
    expect(removed).toEqual(blocks.slice(5).toReversed());
    expect(blockchain.head.block).toEqual(blocks[4]);
    expect(blockchain.head.state).toBe(states[4]);
    for (const block of blocks.slice(5)) expectNoBlock(blockchain, block);
    for (const block of blocks.slice(0, 5)) expectBlock(blockchain, block);
  });

  it('continues with other blocks after a rewind', async () => {
    rewind(blockchain, 10);
    // Each block includes the transaction that was one block higher before.
    const others = Array.from({ length: LENGTH }, (_, index) => {
      const number = 11 + index;
      return blockOf(number, {
        time: number + 1_000_000,
        transactions: [transactionOf(0, number + 1)],
        logs: [[]],
      });
    });
    for (const [index, block] of others.entries()) append(blockchain, block, stateOf(1_000 + index));
    for (const block of others) expectBlock(blockchain, block);
    for (const block of blocks.slice(0, 10)) expectBlock(blockchain, block);
    for (const block of blocks.slice(10)) expect(blockchain.blockByHash(block.hash)).toBeUndefined();
    expect(blockchain.head.block).toBe(others.at(-1));
  });
});
