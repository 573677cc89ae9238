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

describe('the next base fee', () => {
  it('is that of @ethereumjs/block', () => {
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
  ])('is, after %s of 30 million gas at one gwei, %s wei', (gasUsed, expected) => {
    const ethereum = fieldsWith(1_000_000_000n);
    expect(nextBaseFee({ gasLimit: 30_000_000n, gasUsed, ethereum })).toBe(expected);
  });

  it('rises by one wei at least when the parent was more than half full', () => {
    expect(nextBaseFee({ gasLimit: 30_000_000n, gasUsed: 15_000_001n, ethereum: fieldsWith(1n) })).toBe(2n);
  });

  it('begins at one gwei after a parent without one', () => {
    expect(nextBaseFee({ gasLimit: 1n, gasUsed: 1n, ethereum: fieldsWith(null) })).toBe(10n ** 9n);
  });

  it('stays when the gas limit is too small to be halved', () => {
    expect(nextBaseFee({ gasLimit: 1n, gasUsed: 1n, ethereum: fieldsWith(9n) })).toBe(9n);
  });
});

describe('the effective gas price', () => {
  it('is the base fee and the priority fee, up to the most the sender pays', () => {
    expect(effectiveGasPrice({ maxFeePerGas: 100n, maxPriorityFeePerGas: 3n }, 50n)).toBe(53n);
    expect(effectiveGasPrice({ maxFeePerGas: 53n, maxPriorityFeePerGas: 3n }, 50n)).toBe(53n);
    expect(effectiveGasPrice({ maxFeePerGas: 52n, maxPriorityFeePerGas: 3n }, 50n)).toBe(52n);
  });

  it('is the gas price where there is no base fee, and for a legacy transaction', () => {
    expect(effectiveGasPrice({ maxFeePerGas: 7n, maxPriorityFeePerGas: 7n }, null)).toBe(7n);
    expect(effectiveGasPrice({ maxFeePerGas: 70n, maxPriorityFeePerGas: 70n }, 50n)).toBe(70n);
  });
});
