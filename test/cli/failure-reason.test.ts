import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../src/evm/engine.ts';
import { errorArgumentCount, errorArguments, failureReason } from '../../src/log/describe-block.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { hexWord } from '../support/words.ts';

function result(changes: Partial<ExecutionResult>): ExecutionResult {
  return {
    outcome: 'revert',
    haltReason: null,
    gasUsed: 1n,
    gasPaid: 1n,
    gasBeforeRefund: 1n,
    stateGas: 0n,
    executionGas: 1n,
    effectiveGasPrice: 0n,
    returnData: new Uint8Array(0),
    logs: [],
    createdAddress: null,
    ...changes,
  };
}

describe('failureReason', () => {
  it('returns null for a success', () => {
    expect(failureReason(result({ outcome: 'success' }))).toBeNull();
  });

  it('returns the reason of a halt', () => {
    expect(failureReason(result({ outcome: 'halt', haltReason: 'out of gas' }))).toBe('out of gas');
  });

  it('decodes a reason string', () => {
    const text = Buffer.from('not yours').toString('hex').padEnd(64, '0');
    const returnData = fromHex(`0x08c379a0${hexWord(32)}${hexWord(9)}${text}`);
    expect(failureReason(result({ returnData }))).toBe("reverted with reason string 'not yours'");
  });

  it('decodes a panic', () => {
    const returnData = fromHex(`0x4e487b71${hexWord(0x11)}`);
    expect(failureReason(result({ returnData }))).toBe(
      'reverted with panic code 0x11 (arithmetic underflow or overflow)',
    );
  });

  it('splits the data of a custom error into selector and words', () => {
    const returnData = fromHex(`0x12345678${hexWord(5)}${hexWord(0xabc)}ff`);
    expect(failureReason(result({ returnData }))).toBe('reverted with custom error 0x12345678');
    expect(errorArguments(result({ returnData }))).toEqual([
      `0x${hexWord(5)}`,
      `0x${hexWord(0xabc)}`,
      '0xff',
    ]);
    expect(errorArguments(result({ returnData: fromHex('0x12345678') }))).toEqual([]);
    expect(errorArguments(result({ returnData: fromHex(`0x4e487b71${hexWord(0x11)}`) }))).toEqual([]);
    expect(errorArguments(result({ outcome: 'success', returnData }))).toEqual([]);
  });

  it('counts all words, although only the first ones are returned', () => {
    const returnData = new Uint8Array(4 + 32 * 10_000).fill(7);
    expect(errorArguments(result({ returnData })).length).toBeLessThan(10_000);
    expect(errorArgumentCount(result({ returnData }))).toBe(10_000);
    expect(errorArgumentCount(result({}))).toBe(0);
  });

  it('returns the selector of a custom error, or reports a missing reason', () => {
    expect(failureReason(result({ returnData: fromHex('0x12345678') }))).toBe(
      'reverted with custom error 0x12345678',
    );
    expect(failureReason(result({}))).toBe('reverted without a reason string');
  });
});
