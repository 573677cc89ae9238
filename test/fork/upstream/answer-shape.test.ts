import { describe, expect, it } from 'vitest';
import { isAnswerTo } from '../../../src/fork/upstream/answer-shape.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'cd'.repeat(20)}`;

describe('what can be an answer', () => {
  it('is what nodes of other makes leave out or have null for', () => {
    const header = { hash: HASH, number: '0x1', parentHash: HASH, timestamp: '0x1', transactions: [] };
    const log = { address: ADDRESS, topics: [], data: null };
    const receipt = { transactionHash: HASH, blockHash: null, blockNumber: null, logs: null };
    const answers: [method: string, params: unknown[], answer: unknown][] = [
      ['eth_getBlockByNumber', ['0x1', false], header],
      ['eth_getBlockByNumber', ['0x1', true], { ...header, gasLimit: null }],
      ['eth_getTransactionReceipt', [HASH], receipt],
      ['eth_getTransactionReceipt', [HASH], { ...receipt, logs: [log] }],
      [
        'eth_feeHistory',
        ['0x1', '0x1', []],
        { baseFeePerGas: [null, '0x1'], gasUsedRatio: [null], reward: [null] },
      ],
      ['eth_feeHistory', ['0x1', '0x1', []], { gasUsedRatio: null }],
      ['debug_traceTransaction', [HASH], 'what a tracer makes of it'],
    ];
    for (const [method, params, answer] of answers) expect(isAnswerTo({ method, params }, answer)).toBe(true);
  });

  it('is not what has another form, or is of another block or transaction', () => {
    const answers: [method: string, params: unknown[], answer: unknown][] = [
      ['eth_getBalance', [ADDRESS, '0x1'], '0xzz'],
      ['eth_getBlockByNumber', ['0x1', false], { number: '0x1' }],
      ['eth_getTransactionReceipt', [HASH], { transactionHash: `0x${'ee'.repeat(32)}`, logs: [] }],
      ['eth_getTransactionReceipt', [HASH], { transactionHash: HASH, logs: 'none' }],
      ['eth_getLogs', [{}], null],
    ];
    for (const [method, params, answer] of answers)
      expect(isAnswerTo({ method, params }, answer)).toBe(false);
  });
});
