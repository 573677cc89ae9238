import { createBlockHeader } from '@ethereumjs/block';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EthereumHeaderFields } from '../../src/protocol/block.ts';
import { effectiveGasPrice, nextBaseFee } from '../../src/protocol/fees.ts';
import { unsigned } from './arbitraries.ts';
import { referenceCommon } from './reference-common.ts';

function fieldsWith(baseFeePerGas: bigint | null): EthereumHeaderFields {
  return {
    baseFeePerGas,
    mixHash: new Uint8Array(32),
    withdrawalsRoot: null,
    blobGasUsed: null,
    excessBlobGas: null,
    parentBeaconBlockRoot: null,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
  };
}

describe('nextBaseFee', () => {
  it('returns the same base fee as @ethereumjs/block', () => {
    const common = referenceCommon('london');
    const fullness = fc.oneof(fc.constantFrom(0n, 500_000n, 1_000_000n), fc.bigInt(0n, 1_000_000n));
    const baseFee = fc.oneof(unsigned(4), unsigned(100));
    const isSame = fc.property(
      fc.bigInt(5_000n, 10n ** 9n),
      fullness,
      baseFee,
      (gasLimit, millionths, fee) => {
        const gasUsed = (gasLimit * millionths) / 1_000_000n;
        const parent = createBlockHeader(
          { number: 1, gasLimit, gasUsed, baseFeePerGas: fee },
          { common, skipConsensusFormatValidation: true },
        );
        expect(nextBaseFee({ gasLimit, gasUsed, ethereum: fieldsWith(fee) })).toBe(parent.calcNextBaseFee());
      },
    );
    fc.assert(isSame, { numRuns: 300 });
  });

  it.each([
    [15_000_000n, 1_000_000_000n],
    [30_000_000n, 1_125_000_000n],
    [0n, 875_000_000n],
  ])('after %s of 30 million gas at one gwei returns %s wei', (gasUsed, expected) => {
    const ethereum = fieldsWith(1_000_000_000n);
    expect(nextBaseFee({ gasLimit: 30_000_000n, gasUsed, ethereum })).toBe(expected);
  });

  it('raises the base fee by at least one wei after a block more than half full', () => {
    expect(nextBaseFee({ gasLimit: 30_000_000n, gasUsed: 15_000_001n, ethereum: fieldsWith(1n) })).toBe(2n);
  });

  it('returns one gwei if the parent has no base fee', () => {
    expect(nextBaseFee({ gasLimit: 1n, gasUsed: 1n, ethereum: fieldsWith(null) })).toBe(10n ** 9n);
  });

  it('keeps the base fee if the gas limit is 1', () => {
    expect(nextBaseFee({ gasLimit: 1n, gasUsed: 1n, ethereum: fieldsWith(9n) })).toBe(9n);
  });
});

describe('effectiveGasPrice', () => {
  it('returns base fee plus priority fee, capped at the maximum fee', () => {
    expect(effectiveGasPrice({ maxFeePerGas: 100n, maxPriorityFeePerGas: 3n }, 50n)).toBe(53n);
    expect(effectiveGasPrice({ maxFeePerGas: 53n, maxPriorityFeePerGas: 3n }, 50n)).toBe(53n);
    expect(effectiveGasPrice({ maxFeePerGas: 52n, maxPriorityFeePerGas: 3n }, 50n)).toBe(52n);
  });

  it('returns the gas price for legacy transactions and without a base fee', () => {
    expect(effectiveGasPrice({ maxFeePerGas: 7n, maxPriorityFeePerGas: 7n }, null)).toBe(7n);
    expect(effectiveGasPrice({ maxFeePerGas: 70n, maxPriorityFeePerGas: 70n }, 50n)).toBe(70n);
  });
});
