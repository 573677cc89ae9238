import { describe, expect, it } from 'vitest';
import { type AnswerKind, isAnswerTo } from '../../../src/fork/upstream/upstream-call.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'cd'.repeat(20)}`;

describe('isAnswerTo', () => {
  it('accepts values that other node implementations omit or set to null', () => {
    const header = { hash: HASH, number: '0x1', parentHash: HASH, timestamp: '0x1', transactions: [] };
    const log = { address: ADDRESS, topics: [], data: null };
    const receipt = { transactionHash: HASH, blockHash: null, blockNumber: null, logs: null };
    const answers: [expects: AnswerKind, params: unknown[], answer: unknown][] = [
      ['blockOfNumber', ['0x1', false], header],
      ['blockOfNumber', ['0x1', true], { ...header, gasLimit: null }],
      ['receiptOfHash', [HASH], receipt],
      ['receiptOfHash', [HASH], { ...receipt, logs: [log] }],
      [
        'feeHistory',
        ['0x1', '0x1', []],
        { baseFeePerGas: [null, '0x1'], gasUsedRatio: [null], reward: [null] },
      ],
      ['feeHistory', ['0x1', '0x1', []], { gasUsedRatio: null }],
      ['anything', [HASH], 'what a tracer makes of it'],
    ];
    for (const [expects, params, answer] of answers)
      expect(isAnswerTo({ expects, params }, answer)).toBe(true);
  });

  it('rejects values of another type, block or transaction', () => {
    const answers: [expects: AnswerKind, params: unknown[], answer: unknown][] = [
      ['quantity', [ADDRESS, '0x1'], '0xzz'],
      ['blockOfNumber', ['0x1', false], { number: '0x1' }],
      ['receiptOfHash', [HASH], { transactionHash: `0x${'ee'.repeat(32)}`, logs: [] }],
      ['receiptOfHash', [HASH], { transactionHash: HASH, logs: 'none' }],
      ['logs', [{}], null],
    ];
    for (const [expects, params, answer] of answers)
      expect(isAnswerTo({ expects, params }, answer)).toBe(false);
  });
});
