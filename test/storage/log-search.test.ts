import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { hexKey } from '../../src/primitives/hex.ts';
import type { Block } from '../../src/protocol/block.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { MemoryStore } from '../../src/storage/key-value-store.ts';
import { LogRecord } from '../../src/storage/log-record.ts';
import { type LogQuery, locatedLogs } from '../../src/storage/log-search.ts';
import type { LocatedLog } from '../../src/wire/log.ts';
import { logsOfBlock, searchLogs } from '../support/found-logs.ts';
import { append, rewind } from './at-once.ts';
import { blockOf, GENESIS, RULE_SET, stateOf } from './samples.ts';

/** Zeros except for the ends. Some of these bytes differ only in the first byte, others only in the last. */
function bytesOf(length: number, number: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set([number >> 1]);
  bytes.set([number & 1], length - 1);
  return bytes;
}

const addressOf = (number: number) => bytesOf(20, number);
const topicOf = (number: number) => bytesOf(32, number);

/** Few addresses and topics, so that many logs match. Some queries use values that no log has. */
const log: fc.Arbitrary<Log> = fc.record({
  address: fc.integer({ min: 1, max: 3 }).map(addressOf),
  topics: fc.array(fc.integer({ min: 1, max: 3 }).map(topicOf), { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 2 }),
});
const logsOfBlocks = fc.array(fc.array(fc.array(log, { maxLength: 3 }), { maxLength: 3 }), { maxLength: 8 });
const query: fc.Arbitrary<LogQuery> = fc.record({
  addresses: fc.array(fc.integer({ min: 1, max: 4 }).map(addressOf), { maxLength: 2 }),
  topics: fc.array(
    fc.option(fc.array(fc.integer({ min: 1, max: 4 }).map(topicOf), { maxLength: 2 }), { freq: 2 }),
    { maxLength: 4 },
  ),
  fromBlock: fc.nat(9),
  toBlock: fc.nat(12),
});

function search(blockchain: Blockchain, asked: LogQuery): LocatedLog[] {
  return locatedLogs(searchLogs(blockchain, asked));
}

async function chainWith(blocks: readonly Block[]): Promise<Blockchain> {
  const storage = new BlockStorage(new MemoryStore(), RULE_SET);
  const blockchain = Blockchain.create(storage, GENESIS.block, GENESIS.state);
  for (const block of blocks) append(blockchain, block, stateOf(block.header.number));
  return blockchain;
}

/** Whether a log matches the criteria by their definition, without any bloom. */
function isAskedFor({ address, topics }: Log, asked: LogQuery): boolean {
  const isAmong = (value: Uint8Array | undefined, wanted: readonly Uint8Array[]) =>
    wanted.length === 0 || (value !== undefined && wanted.map(hexKey).includes(hexKey(value)));
  return (
    isAmong(address, asked.addresses) &&
    asked.topics.every((wanted, position) => isAmong(topics[position], wanted ?? []))
  );
}

function naiveSearch(blocks: readonly Block[], asked: LogQuery): LocatedLog[] {
  return blocks
    .filter(({ header }) => header.number >= asked.fromBlock && header.number <= asked.toBlock)
    .flatMap((block) =>
      block.receipts
        .flatMap((receipt, transactionIndex) =>
          receipt.logs.map((found) => ({ log: found, transactionIndex })),
        )
        .map((located, logIndex) => ({
          ...located,
          blockNumber: block.header.number,
          blockHash: block.hash,
          blockTimestamp: block.header.timestamp,
          transactionHash: block.transactions[located.transactionIndex]?.hash ?? null,
          logIndex,
          removed: false,
        })),
    )
    .filter((located) => isAskedFor(located.log, asked));
}

describe('log search', () => {
  it('finds the same logs as a check of every log, in chain order', async () => {
    let found = 0;
    const isSame = fc.asyncProperty(
      logsOfBlocks,
      fc.array(query, { minLength: 5, maxLength: 10 }),
      async (lists, queries) => {
        const blocks = lists.map((logs, index) => blockOf(index + 1, { logs }));
        const blockchain = await chainWith(blocks);
        for (const asked of queries) {
          const expected = naiveSearch(blocks, asked);
          expect(search(blockchain, asked)).toEqual(expected);
          found += expected.length;
        }
      },
    );
    await fc.assert(isSame, { numRuns: 60 });
    expect(found).toBeGreaterThan(100);
  });

  it('finds the same logs after rewinds and with other blocks in place of the removed ones', async () => {
    const step = fc.record({ height: fc.nat(10), lists: logsOfBlocks });
    let found = 0;
    const isSame = fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 5 }),
      fc.array(query, { minLength: 4, maxLength: 8 }),
      async (steps, queries) => {
        const blockchain = await chainWith([]);
        let blocks: Block[] = [];
        for (const [time, { height, lists }] of steps.entries()) {
          rewind(blockchain, height);
          blocks = blocks.slice(0, height);
          const first = blocks.length + 1;
          const added = lists.map((logs, index) => blockOf(first + index, { logs, time }));
          for (const block of added) append(blockchain, block, stateOf(block.header.number));
          blocks.push(...added);
          for (const asked of queries) {
            const expected = naiveSearch(blocks, asked);
            expect(search(blockchain, asked)).toEqual(expected);
            found += expected.length;
          }
        }
      },
    );
    await fc.assert(isSame, { numRuns: 60 });
    expect(found).toBeGreaterThan(100);
  });

  it('finds the same logs in long chains with few logs, also after rewinds', async () => {
    const noLogs = fc.constant<Log[][]>([]);
    const few = fc.oneof(
      { weight: 40, arbitrary: noLogs },
      { weight: 1, arbitrary: fc.array(fc.array(log)) },
    );
    const part = fc.record({ height: fc.nat(600), lists: fc.array(few, { minLength: 150, maxLength: 300 }) });
    const laterTopics = fc.record({
      addresses: fc.constant([]),
      topics: fc.tuple(
        fc.constant(null),
        fc.integer({ min: 1, max: 4 }).map((number) => [topicOf(number)]),
      ),
    });
    const longQuery = fc.record({
      long: fc.oneof(query, laterTopics),
      fromBlock: fc.oneof(fc.constant(0), fc.nat(600)),
      toBlock: fc.integer({ min: 200, max: 700 }),
    });
    let found = 0;
    const isSame = fc.asyncProperty(
      fc.array(part, { minLength: 2, maxLength: 3 }),
      fc.array(longQuery, { minLength: 20, maxLength: 30 }),
      async (parts, queries) => {
        const blockchain = await chainWith([]);
        let blocks: Block[] = [];
        for (const [time, { height, lists }] of parts.entries()) {
          rewind(blockchain, Math.min(height, blocks.length));
          blocks = blocks.slice(0, height);
          for (const logs of lists) {
            const block = blockOf(blocks.length + 1, { logs, time });
            append(blockchain, block, stateOf(block.header.number));
            blocks.push(block);
          }
          for (const { long, ...range } of queries) {
            const expected = naiveSearch(blocks, { ...long, ...range });
            expect(search(blockchain, { ...long, ...range })).toEqual(expected);
            found += expected.length;
          }
        }
      },
    );
    await fc.assert(isSame, { numRuns: 15 });
    expect(found).toBeGreaterThan(100);
  });

  it('finds each log of a long chain by its unique second topic, also after rewinds', async () => {
    const logOf = (number: number): Log => ({
      address: addressOf(1),
      topics: [topicOf(1), bytesOf(32, number)],
      data: new Uint8Array(0),
    });
    const blocksFrom = (first: number, last: number, every: number): Block[] =>
      Array.from({ length: last - first + 1 }, (_, index) => {
        const number = first + index;
        return blockOf(number, { logs: number % every === 0 ? [[logOf(number)]] : [], time: every });
      });
    const blockchain = await chainWith([]);
    const appendAll = (blocks: readonly Block[]): void => {
      for (const block of blocks) append(blockchain, block, stateOf(block.header.number));
    };
    const expectEach = (blocks: readonly Block[]): void => {
      const height = blocks.length;
      const withLogs = blocks.filter(({ receipts }) => receipts.length > 0);
      expect(withLogs.length).toBeGreaterThan(5);
      for (const { header } of withLogs) {
        for (const addresses of [[], [addressOf(1)]]) {
          const asked = {
            addresses,
            topics: [null, [bytesOf(32, header.number)]],
            fromBlock: 1,
            toBlock: height,
          };
          expect(search(blockchain, asked).map(({ blockNumber }) => blockNumber)).toEqual([header.number]);
        }
      }
    };
    const first = blocksFrom(1, 1_100, 97);
    appendAll(first);
    expectEach(first);
    rewind(blockchain, 600);
    const second = [...first.slice(0, 600), ...blocksFrom(601, 1_400, 53)];
    appendAll(second.slice(600));
    expectEach(second);
  });

  it('reads only as many blocks as are needed for the requested logs', async () => {
    const logs = [{ address: addressOf(1), topics: [], data: new Uint8Array(0) }];
    const blockchain = await chainWith([1, 2, 3].map((number) => blockOf(number, { logs: [logs] })));
    const readBlocks = vi.spyOn(blockchain, 'logs');
    const [first] = searchLogs(blockchain, { addresses: [], topics: [], fromBlock: 0, toBlock: 3 });
    expect(first).toMatchObject({ blockNumber: 1 });
    expect(readBlocks.mock.calls).toEqual([[1]]);
  });

  it('reads only the logs with the requested address and first topic', async () => {
    const logs = [1, 2, 1, 2].map((number, index) => ({
      address: addressOf(number),
      topics: [topicOf(index < 2 ? 1 : 2)],
      data: new Uint8Array(0),
    }));
    const blockchain = await chainWith([1, 2].map((number) => blockOf(number, { logs: [logs] })));
    const looks = vi.spyOn(LogRecord.prototype, 'select');
    const asked = { addresses: [addressOf(2)], topics: [[topicOf(2)]], fromBlock: 0, toBlock: 2 };
    const found = Array.from(searchLogs(blockchain, asked), ({ logIndexes }) => logIndexes);
    expect(found).toEqual([[3], [3]]);
    expect(looks.mock.calls.map(([positions]) => positions)).toEqual([[3], [3]]);
    looks.mockRestore();
  });

  it('reads no block if its bloom excludes a later topic', async () => {
    const logs = [{ address: addressOf(1), topics: [topicOf(1), topicOf(2)], data: new Uint8Array(0) }];
    const blockchain = await chainWith([blockOf(1, { logs: [logs] })]);
    const readBlocks = vi.spyOn(blockchain, 'logs');
    for (const addresses of [[], [addressOf(1)]]) {
      expect(
        search(blockchain, { addresses, topics: [null, [topicOf(9)]], fromBlock: 0, toBlock: 1 }),
      ).toEqual([]);
    }
    expect(readBlocks).not.toHaveBeenCalled();
  });

  it('finds each log by its own address and topics, so that no bloom hides a log', async () => {
    const isFound = fc.asyncProperty(logsOfBlocks, async (lists) => {
      const blocks = lists.map((logs, index) => blockOf(index + 1, { logs }));
      const blockchain = await chainWith(blocks);
      for (const block of blocks) {
        const { number } = block.header;
        for (const own of block.receipts.flatMap(({ logs }) => logs)) {
          const found = search(blockchain, {
            addresses: [own.address],
            topics: own.topics.map((topic) => [topic]),
            fromBlock: number,
            toBlock: number,
          });
          expect(found.map((located) => located.log)).toContainEqual(own);
        }
      }
    });
    await fc.assert(isFound, { numRuns: 40 });
  });

  const everything = { addresses: [], topics: [] };
  const logs: Log[] = [1, 2, 3].map((number) => ({
    address: addressOf(number),
    topics: [topicOf(number)],
    data: Uint8Array.of(number),
  }));
  const [first, second, third] = logs;

  it('ends at the head and finds no logs above it', async () => {
    const blockchain = await chainWith([blockOf(1, { logs: [logs] })]);
    expect(search(blockchain, { ...everything, fromBlock: 0, toBlock: 1_000 })).toHaveLength(3);
    expect(search(blockchain, { ...everything, fromBlock: 2, toBlock: 1_000 })).toEqual([]);
    expect(search(blockchain, { ...everything, fromBlock: 1, toBlock: 0 })).toEqual([]);
  });

  it('numbers logs within their block, and also gives the transaction index', () => {
    if (!first || !second || !third) throw new Error('three logs were made');
    const block = blockOf(1, { logs: [[first], [], [second, third]] });
    const positions = logsOfBlock(block, everything).map(({ transactionIndex, logIndex }) => [
      transactionIndex,
      logIndex,
    ]);
    expect(positions).toEqual([
      [0, 0],
      [2, 1],
      [2, 2],
    ]);
    const [found] = logsOfBlock(block, { addresses: [addressOf(3)], topics: [] });
    expect(found).toMatchObject({ log: third, transactionIndex: 2, logIndex: 2 });
  });

  it('marks the logs of a removed block', () => {
    const found = logsOfBlock(blockOf(1, { logs: [logs] }), everything, true);
    expect(found.map(({ removed }) => removed)).toEqual([true, true, true]);
  });
});
