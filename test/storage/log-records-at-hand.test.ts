import { describe, expect, it } from 'vitest';
import { LogRecordCache } from '../../src/storage/block-storage.ts';
import { encodeLogRecord, LogRecord } from '../../src/storage/log-record.ts';
import { blockOf } from './samples.ts';

const MEBIBYTE = 2 ** 20;

function recordOf(number: number): LogRecord {
  return new LogRecord(encodeLogRecord(blockOf(number)), number);
}

describe('LogRecordCache', () => {
  it('keeps the latest records within its size limit, and removes the oldest first', () => {
    const atHand = new LogRecordCache();
    const records = [0, 1, 2].map(recordOf);
    for (const [number, record] of records.entries()) atHand.set(number, record, 30 * MEBIBYTE);
    expect([0, 1, 2].map((number) => atHand.get(number))).toEqual([undefined, records[1], records[2]]);
  });

  it('replaces the record of a block, and frees its size when it is deleted', () => {
    const atHand = new LogRecordCache();
    const [first, second, third] = [recordOf(1), recordOf(1), recordOf(2)];
    atHand.set(1, first, 40 * MEBIBYTE);
    atHand.set(1, second, 40 * MEBIBYTE);
    expect(atHand.get(1)).toBe(second);
    atHand.delete(1);
    atHand.delete(1);
    atHand.set(2, third, 40 * MEBIBYTE);
    atHand.set(3, first, 20 * MEBIBYTE);
    expect([1, 2, 3].map((number) => atHand.get(number))).toEqual([undefined, third, first]);
  });
});
