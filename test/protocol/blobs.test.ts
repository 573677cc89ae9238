import { createBlockHeader } from '@ethereumjs/block';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../src/primitives/bytes.ts';
import {
  blobBaseFee,
  blobsFault,
  fakeExponential,
  GAS_PER_BLOB,
  nextBlobBaseFee,
  nextExcessBlobGas,
} from '../../src/protocol/blobs.ts';
import { NO_ETHEREUM_FIELDS } from '../../src/protocol/block.ts';
import { ruleSetOnChain } from '../../src/protocol/hardforks/public-chains.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { ruleSetCommon } from '../../src/reference/rule-set-common.ts';
import { referenceCommon } from './reference-common.ts';

const WITH_BLOBS = ['cancun', 'prague', 'osaka', 'bpo1', 'bpo2'] as const;

function parentOf(excessBlobGas: bigint, blobs: number, baseFeePerGas = 7n) {
  const blobGasUsed = GAS_PER_BLOB * BigInt(blobs);
  return { ethereum: { ...NO_ETHEREUM_FIELDS, excessBlobGas, blobGasUsed, baseFeePerGas } };
}

describe('fakeExponential (EIP-4844)', () => {
  // Test cases of execution clients.
  it.each([
    [1n, 0n, 1n, 1n],
    [38_493n, 0n, 1_000n, 38_493n],
    [0n, 1_234n, 2_345n, 0n],
    [1n, 2n, 1n, 6n],
    [1n, 4n, 2n, 6n],
    [1n, 3n, 1n, 16n],
    [1n, 6n, 2n, 18n],
    [1n, 4n, 1n, 49n],
    [1n, 8n, 2n, 50n],
    [10n, 8n, 2n, 542n],
    [11n, 8n, 2n, 596n],
    [1n, 5n, 1n, 136n],
    [1n, 5n, 2n, 11n],
    [2n, 5n, 2n, 23n],
    [1n, 50_000_000n, 2_225_652n, 5_709_098_764n],
  ])('returns %d * e^(%d / %d) as %d', (factor, numerator, denominator, expected) => {
    expect(fakeExponential(factor, numerator, denominator)).toBe(expected);
  });

  it('is capped at 256 bits for a large excess', () => {
    expect(fakeExponential(1n, 2n ** 256n, 3_338_477n)).toBe(2n ** 256n - 1n);
    expect(fakeExponential(1n, 178n * 3_338_477n - 1n, 3_338_477n)).toBe(2n ** 256n - 1n);
  });
});

describe.each(WITH_BLOBS)('blob gas under %s', (name) => {
  const ruleSet = ruleSetNamed(name);
  const { blobs: rules } = ruleSet;
  if (rules === null) throw new Error(`${name} has no blobs`);

  it('has the base fee and next excess of @ethereumjs/block', () => {
    const common = referenceCommon(name);
    const excess = fc.oneof(fc.bigInt(0n, 2_000_000n), fc.bigInt(0n, 400_000_000n));
    const isSame = fc.property(
      excess,
      fc.nat(rules.maximum),
      fc.bigInt(1n, 10n ** 11n),
      (gas, count, fee) => {
        const parent = parentOf(gas, count, fee);
        const header = createBlockHeader(
          { number: 1, baseFeePerGas: fee, excessBlobGas: gas, blobGasUsed: parent.ethereum.blobGasUsed },
          { common, skipConsensusFormatValidation: true },
        );
        expect(blobBaseFee(gas, rules)).toBe(header.getBlobGasPrice());
        expect(nextExcessBlobGas(parent, rules)).toBe(header.calcNextExcessBlobGas(header.common));
        expect(nextBlobBaseFee(parent, rules)).toBe(header.calcNextBlobGasPrice(header.common));
      },
    );
    fc.assert(isSame, { numRuns: 200 });
  });

  it('keeps its excess if the block meets the target', () => {
    const parent = parentOf(10_000_000n, rules.target, 0n);
    expect(nextExcessBlobGas(parent, rules)).toBe(10_000_000n);
  });

  it('rises in price by 12.5% (Cancun) or 8.2% after a full block', () => {
    const [excess, most] = [10n ** 8n, BigInt(rules.maximum - rules.target) * GAS_PER_BLOB];
    const [now, then] = [blobBaseFee(excess, rules) ?? 0n, blobBaseFee(excess + most, rules) ?? 0n];
    const percent = Number((then * 10_000n) / now) / 100;
    // Cancun: 12.5% by its parameters. From Prague, the fractions give 8.2% (EIP-7691, EIP-7892).
    expect(percent).toBeCloseTo(name === 'cancun' ? 112.5 : 108.17, 1);
  });
});

describe('blob parameters', () => {
  it.each([
    ['cancun', 3, 6, 6, 3_338_477n],
    ['prague', 6, 9, 9, 5_007_716n],
    ['osaka', 6, 9, 6, 5_007_716n],
    ['bpo1', 10, 15, 6, 8_346_193n],
    ['bpo2', 14, 21, 6, 11_684_671n],
  ] as const)(
    'blob parameters of %s match the EIPs',
    (name, target, maximum, maximumInTransaction, fraction) => {
      expect(ruleSetNamed(name).blobs).toMatchObject({
        target,
        maximum,
        maximumInTransaction,
        baseFeeUpdateFraction: fraction,
      });
    },
  );

  it('blob parameters keep the price up from Osaka if a blob is cheaper than 2^13 gas (EIP-7918)', () => {
    const { blobs: rules } = ruleSetNamed('osaka');
    // 9 blobs at the reserve price: the excess grows by a third, (maximum - target) / maximum.
    expect(nextExcessBlobGas(parentOf(0n, 9, 17n), rules)).toBe(3n * GAS_PER_BLOB);
    expect(nextExcessBlobGas(parentOf(5n * GAS_PER_BLOB, 1, 17n), rules)).toBe(
      5n * GAS_PER_BLOB + GAS_PER_BLOB / 3n,
    );
    // At a base fee of 16 wei, a blob costs exactly the reserve price, so the price changes as before.
    expect(nextExcessBlobGas(parentOf(5n * GAS_PER_BLOB, 2, 16n), rules)).toBe(GAS_PER_BLOB);
    expect(nextExcessBlobGas(parentOf(5n * GAS_PER_BLOB, 2, 17n), ruleSetNamed('prague').blobs)).toBe(
      GAS_PER_BLOB,
    );
  });

  it('blob parameters are different on Gnosis, also in the reference library', () => {
    for (const name of ['cancun', 'prague', 'osaka'] as const) {
      const gnosis = ruleSetOnChain(ruleSetNamed(name), 100);
      expect(gnosis.blobs).toMatchObject({ target: 1, maximum: 2, maximumInTransaction: 2 });
      expect(blobBaseFee(0n, gnosis.blobs)).toBe(10n ** 9n);
      // With the excess of 100 blobs: 1 gwei * e^(100 * 131072 / 1112826), rounded down.
      const excess = 100n * GAS_PER_BLOB;
      const common = ruleSetCommon(gnosis, 100, 24_576);
      const [least, fraction] = ['minBlobGas', 'blobGasPriceUpdateFraction'].map((key) => common.param(key));
      expect(blobBaseFee(excess, gnosis.blobs)).toBe(fakeExponential(least ?? 0n, excess, fraction ?? 1n));
      expect(common.getBlobGasSchedule()).toMatchObject({
        targetBlobGasPerBlock: GAS_PER_BLOB,
        maxBlobGasPerBlock: 2n * GAS_PER_BLOB,
      });
      expect(ruleSetOnChain(ruleSetNamed(name), 1)).toBe(ruleSetNamed(name));
    }
    expect(ruleSetOnChain(ruleSetNamed('shanghai'), 100)).toBe(ruleSetNamed('shanghai'));
  });

  it('blob parameters are null before Cancun', () => {
    for (const name of ['rootstock', 'istanbul', 'london', 'shanghai'] as const) {
      expect(ruleSetNamed(name).blobs).toBeNull();
      expect(nextExcessBlobGas(parentOf(0n, 0), ruleSetNamed(name).blobs)).toBeNull();
    }
  });

  it('too many blobs and unknown hash versions are rejected with standard messages', () => {
    const hash = (version: number) => concatBytes(Uint8Array.of(version), new Uint8Array(31));
    const seven = Array.from({ length: 7 }, () => hash(1));
    expect(blobsFault(seven, ruleSetNamed('prague'))).toBeNull();
    expect(blobsFault(seven, ruleSetNamed('osaka'))).toBe(
      'too many blobs in transaction: have 7, permitted 6',
    );
    expect(blobsFault([hash(1), hash(2)], ruleSetNamed('cancun'))).toBe(
      'blob 1 hash version mismatch: have 2, supported 1',
    );
    expect(blobsFault([], ruleSetNamed('rootstock'))).toBeNull();
  });
});
