import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Block } from '../../../src/protocol/block.ts';
import type { Log } from '../../../src/protocol/receipt.ts';
import { ResultTooLongError } from '../../../src/rpc/errors.ts';
import { LogListJson } from '../../../src/rpc/views/log-list.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { TimeSlice } from '../../../src/scheduling/time-slice.ts';
import { encodeLogRecord, LogRecord } from '../../../src/storage/log-record.ts';
import type { FoundLogs } from '../../../src/storage/log-search.ts';
import { logViews } from '../../../src/wire/log.ts';
import { transactionOf } from '../../chain/pool/samples.ts';
import { blockOf } from '../../storage/samples.ts';
import { logsOfBlock } from '../../support/found-logs.ts';

const UNLIMITED = Number.POSITIVE_INFINITY;
const EVERYTHING = { addresses: [], topics: [] };

function bytes(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

const log: fc.Arbitrary<Log> = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 70 }),
});

/** Some receipts have no transaction, like receipts of REMASC. Numbers have any size. */
const block: fc.Arbitrary<Block> = fc
  .record({
    number: fc.oneof(fc.nat(20), fc.maxSafeNat()),
    time: fc.oneof(fc.nat(20), fc.maxSafeNat()),
    logs: fc.array(fc.array(log, { maxLength: 20 }), { maxLength: 20 }),
    transactions: fc.nat(20),
  })
  .map(({ number, time, logs, transactions }) =>
    blockOf(number, {
      time,
      logs,
      transactions: Array.from({ length: transactions }, (_, nonce) => transactionOf(0, nonce)),
    }),
  );

/** The list as bytes, encoded without a yield. */
function bytesOf(list: LogListJson, before: string, after: string, limit: number): Buffer {
  const bytes = runTask(list.toBytes(before, after, limit), new TimeSlice(undefined, UNLIMITED));
  if (!Buffer.isBuffer(bytes)) throw new TypeError('the list took a turn of the event loop');
  return bytes;
}

function foundIn(of: Block, choice: readonly boolean[]): FoundLogs {
  const record = new LogRecord(encodeLogRecord(of), of.header.timestamp);
  const logIndexes = record.select(null).filter((logIndex) => choice[logIndex] ?? true);
  return { blockNumber: of.header.number, blockHash: of.hash, record, logIndexes };
}

describe('LogListJson', () => {
  it('encodes the same JSON as the logs of each block', () => {
    let written = 0;
    const chosen = fc.record({ of: block, choice: fc.array(fc.boolean()) });
    const isSame = fc.property(fc.array(chosen, { maxLength: 4 }), (blocks) => {
      const expected = blocks.flatMap(({ of, choice }) =>
        logsOfBlock(of, EVERYTHING).filter(({ logIndex }) => choice[logIndex] ?? true),
      );
      const found = blocks.map(({ of, choice }) => foundIn(of, choice));
      const list = new LogListJson(found.filter(({ logIndexes }) => logIndexes.length > 0));
      expect(list.toJSON()).toEqual(logViews(expected));
      const json = JSON.stringify(logViews(expected));
      const bytes = bytesOf(list, '<', '>', json.length);
      expect(bytes.toString()).toBe(`<${json}>`);
      // The buffer has the exact size.
      expect(bytes.buffer.byteLength).toBe(bytes.length);
      expect(() => bytesOf(list, '<', '>', json.length - 1)).toThrow(ResultTooLongError);
      written += expected.length;
    });
    fc.assert(isSame, { numRuns: 100 });
    expect(written).toBeGreaterThan(1_000);
  });

  it('encodes the largest numbers', () => {
    const largest = blockOf(Number.MAX_SAFE_INTEGER, {
      logs: [[{ address: new Uint8Array(20), topics: [], data: new Uint8Array(0) }]],
      transactions: [transactionOf(0, 0)],
    });
    // The field with the transaction index of the log.
    const bytesOfRecord = encodeLogRecord(largest);
    new DataView(bytesOfRecord.buffer, bytesOfRecord.byteOffset).setUint32(8 + 32 + 4, 0xffff_ffff);
    const record = new LogRecord(bytesOfRecord, Number.MAX_SAFE_INTEGER);
    const found = { blockNumber: Number.MAX_SAFE_INTEGER, blockHash: largest.hash, record, logIndexes: [0] };
    expect(JSON.parse(bytesOf(new LogListJson([found]), '', '', UNLIMITED).toString())).toMatchObject([
      {
        blockNumber: '0x1fffffffffffff',
        blockTimestamp: '0x1fffffffffffff',
        transactionIndex: '0xffffffff',
        transactionHash: null,
      },
    ]);
  });

  it('the list is written between a prefix and a suffix', () => {
    expect(bytesOf(new LogListJson([]), '{"é":', '}', 2).toString()).toBe('{"é":[]}');
  });

  it('allocates no memory for a list above the limit', () => {
    const data = new Uint8Array(2 ** 20);
    const found = foundIn(
      blockOf(1, {
        logs: [[{ address: new Uint8Array(20), topics: [], data }]],
        transactions: [transactionOf(0, 0)],
      }),
      [],
    );
    const taken = vi.spyOn(Buffer, 'allocUnsafeSlow');
    expect(() => bytesOf(new LogListJson([found]), '', '', 2 ** 20)).toThrow(ResultTooLongError);
    expect(taken).not.toHaveBeenCalled();
    taken.mockRestore();
  });
});
