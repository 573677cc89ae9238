import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { concatBytes, EMPTY_BYTES } from '../../src/primitives/bytes.ts';
import { decodeRlp, encodeRlp } from '../../src/primitives/rlp.ts';
import type { Block, MergedMining } from '../../src/protocol/block.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../src/protocol/hardforks/rule-set.ts';
import { LocalWork } from '../../src/protocol/merged-mining/proof-of-work.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import {
  decodeBlockRecord,
  encodeBlockRecord as encodeInSteps,
  logsOfBlockRecord,
} from '../../src/storage/block-record.ts';
import { BlockRecordError } from '../../src/storage/errors.ts';
import { EMPTY_LOG_RECORD_SIZE, encodeLogRecord, LogRecord } from '../../src/storage/log-record.ts';
import { transactionOf } from '../chain/pool/samples.ts';
import { blockHeader, bytes, receipt, signedTransaction, unsigned } from '../protocol/arbitraries.ts';
import { logsOfBlock } from '../support/found-logs.ts';
import { encodeBlockRecord } from './at-once.ts';
import { blockOf, RULE_SET } from './samples.ts';

function randomBlock(ruleSet: RuleSet): fc.Arbitrary<Block> {
  return fc.record({
    header: blockHeader(ruleSet),
    hash: bytes(32),
    transactions: fc.array(signedTransaction(ruleSet.transactionTypes), { maxLength: 4 }),
    receipts: fc.array(receipt, { maxLength: 4 }),
    uncles: fc.array(blockHeader(ruleSet), { maxLength: 2 }),
    totalDifficulty: unsigned(128),
    size: fc.nat(),
  });
}

describe('block record', () => {
  it.each(RULE_SET_NAMES)('a record contains every block of %s completely', (name) => {
    const ruleSet = ruleSetNamed(name);
    const roundTrip = fc.property(randomBlock(ruleSet), (block) => {
      expect(decodeBlockRecord(encodeBlockRecord(block), ruleSet)).toEqual(block);
    });
    fc.assert(roundTrip, { numRuns: 25 });
  });

  it('an empty block has the same log record as a block with transactions but no logs', () => {
    const block = blockOf(7);
    const logs = encodeLogRecord(block);
    expect(block.receipts).toEqual([]);
    expect(logs).toHaveLength(EMPTY_LOG_RECORD_SIZE);
    expect(logsOfBlockRecord(encodeBlockRecord(block)).bytes).toEqual(logs);
  });

  it('a record returns the logs at any positions alone, with their transaction hashes', () => {
    let read = 0;
    const isSame = fc.property(randomBlock(RULE_SET), fc.array(fc.boolean()), (block, choice) => {
      const all = logsOfBlock(block, { addresses: [], topics: [] }).map((located) => {
        const { log, transactionHash, transactionIndex, logIndex } = located;
        return { log, transactionHash, transactionIndex, logIndex };
      });
      const record = encodeBlockRecord(block);
      expect(logsOfBlockRecord(record).read(null)).toEqual(all);
      const chosen = all.filter(({ logIndex }) => choice[logIndex] ?? false);
      const positions = chosen.map(({ logIndex }) => logIndex);
      expect(logsOfBlockRecord(record).read(positions)).toEqual(chosen);
      read += chosen.length;
    });
    fc.assert(isSame, { numRuns: 50 });
    expect(read).toBeGreaterThan(20);
  });

  it('yields between the logs of a large block', () => {
    const log = { address: new Uint8Array(20).fill(1), topics: [], data: Uint8Array.of(7) };
    const block = blockOf(1, { logs: [Array.from({ length: 1_000 }, () => log)] });
    const steps = encodeInSteps(block);
    let yields = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yields++;
    expect(yields).toBeGreaterThan(20);
    expect(step.value).toEqual(encodeBlockRecord(block));
  });

  it('a record decodes only the logs of the requested receipt', () => {
    const decoded = vi.spyOn(LogRecord.prototype, 'place');
    const log = { address: new Uint8Array(20).fill(1), topics: [], data: Uint8Array.of(7) };
    const logs = Array.from({ length: 100 }, (_, index) => Array.from({ length: index % 3 }, () => log));
    const block = blockOf(1, { logs });
    const { receipts } = decodeBlockRecord(encodeBlockRecord(block), RULE_SET);
    expect(decoded).not.toHaveBeenCalled();
    expect(receipts[50]?.logs).toEqual(block.receipts[50]?.logs);
    expect(decoded).toHaveBeenCalledTimes(2);
    expect(receipts[50]?.logsBloom).toEqual(block.receipts[50]?.logsBloom);
    expect(decoded).toHaveBeenCalledTimes(2);
    decoded.mockRestore();
  });

  it('a record contains the index of the first log of each transaction, and the block time', () => {
    const log = { address: new Uint8Array(20), topics: [], data: new Uint8Array(0) };
    const block = blockOf(1, { time: 1_700_000_000, logs: [[], [log, log], [], [log]] });
    const record = logsOfBlockRecord(encodeBlockRecord(block));
    expect([0, 1, 2, 3, 4].map((index) => record.firstLogOf(index))).toEqual([0, 0, 2, 2, 3]);
    expect(record.blockTimestamp).toBe(1_700_000_000);
    expect(decodeBlockRecord(encodeBlockRecord(block), RULE_SET)).toEqual(block);
  });

  it('a record keeps the sender of an impersonated transaction, which has no valid signature', () => {
    const block = blockOf(1, { transactions: [transactionOf(7, 0)], logs: [[]] });
    const [transaction] = decodeBlockRecord(encodeBlockRecord(block), RULE_SET).transactions;
    expect(transaction).toEqual(transactionOf(7, 0));
  });

  it('a record stores a local proof of work in few bytes, and returns it unchanged', () => {
    const block = blockOf(1, { transactions: [transactionOf(7, 0)], logs: [[]] });
    const { header } = block;
    const withProof = (mergedMining: MergedMining) => {
      const record = encodeBlockRecord({ ...block, header: { ...header, mergedMining } });
      expect(decodeBlockRecord(record, RULE_SET).header.mergedMining).toEqual(mergedMining);
      return record.length;
    };
    const made = new LocalWork(new Uint8Array(32).fill(7), 1n).search(1_000);
    if (made === null) throw new Error('easy work is done by few attempts');
    const usual = withProof(made);
    expect(usual).toBeLessThan(500);
    for (const part of ['header', 'coinbaseTransaction', 'merkleProof'] as const) {
      const longer = withProof({ ...made, [part]: concatBytes(made[part], Uint8Array.of(0)) });
      expect(longer).toBeGreaterThan(usual + 80);
    }
    for (const [part, at] of [
      ['header', 0],
      ['header', 74],
      ['coinbaseTransaction', 0],
      ['coinbaseTransaction', 96],
    ] as const) {
      const bytes = made[part].slice();
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(withProof({ ...made, [part]: bytes })).toBeGreaterThan(usual + 80);
    }
  });

  it('a record contains the transaction hashes only if the block has logs', () => {
    const { hash, raw } = transactionOf(7, 0);
    const countOf = (logs: readonly Log[]) => {
      const block = blockOf(1, { transactions: [transactionOf(7, 0)], logs: [logs] });
      const record = encodeBlockRecord(block);
      expect(decodeBlockRecord(record, RULE_SET)).toEqual(block);
      expect(Buffer.from(record).includes(Buffer.from(raw))).toBe(true);
      return Buffer.from(record).includes(Buffer.from(hash));
    };
    expect(countOf([])).toBe(false);
    expect(countOf([{ address: new Uint8Array(20), topics: [], data: EMPTY_BYTES }])).toBe(true);
  });

  it('a record distinguishes a missing field from a field of zero', () => {
    const ruleSet = ruleSetNamed('cancun');
    const { header, ...rest } = blockOf(1);
    const withBaseFee = (baseFeePerGas: bigint | null) => {
      const block = { ...rest, header: { ...header, ethereum: { ...header.ethereum, baseFeePerGas } } };
      return decodeBlockRecord(encodeBlockRecord(block), ruleSet).header.ethereum.baseFeePerGas;
    };
    expect(withBaseFee(0n)).toBe(0n);
    expect(withBaseFee(null)).toBeNull();
  });

  it('a damaged record is decoded as a block or rejected as damaged', () => {
    const damage = fc.record({ at: fc.nat(), byte: fc.nat(255) });
    const damaged = fc.tuple(randomBlock(RULE_SET), fc.array(damage, { minLength: 1, maxLength: 3 }));
    let refusals = 0;
    const isRejected = fc.property(damaged, ([block, changes]) => {
      const record = encodeBlockRecord(block);
      for (const { at, byte } of changes) record[at % record.length] = byte;
      try {
        decodeBlockRecord(record, RULE_SET);
      } catch (error) {
        refusals++;
        expect(error).toBeInstanceOf(BlockRecordError);
      }
    });
    fc.assert(isRejected, { numRuns: 200 });
    expect(refusals).toBeGreaterThan(0);
  });

  /** The length of a log record without hashes and logs, followed by the record. */
  const NO_LOGS = Uint8Array.of(0, 0, 0, 8, ...new Array(8).fill(0));

  it.each([
    ['an empty list', encodeRlp([])],
    ['a byte string', encodeRlp(Uint8Array.of(1, 2))],
    ['a list of byte strings', encodeRlp(new Array(7).fill(EMPTY_BYTES))],
  ])('a record with %s after the logs is rejected', (_, rest) => {
    expect(() => decodeBlockRecord(concatBytes(NO_LOGS, rest), RULE_SET)).toThrow(BlockRecordError);
  });

  it('a record with logs that extend past its end is rejected', () => {
    expect(() => decodeBlockRecord(NO_LOGS.subarray(0, 11), RULE_SET)).toThrow(BlockRecordError);
    expect(() => logsOfBlockRecord(Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0))).toThrow(BlockRecordError);
  });

  it('a record with an invalid transaction is rejected', () => {
    const rest = decodeRlp(encodeBlockRecord(blockOf(1)).subarray(NO_LOGS.length));
    if (rest instanceof Uint8Array) throw new Error('what follows the logs is a list');
    const changed = concatBytes(
      NO_LOGS,
      encodeRlp(rest.with(2, [[Uint8Array.of(0xc1, 1), new Uint8Array(20)]])),
    );
    expect(() => decodeBlockRecord(changed, RULE_SET)).toThrow(BlockRecordError);
    expect(() => decodeBlockRecord(changed, RULE_SET)).toThrow('has 1 fields, expected 9');
  });
});
