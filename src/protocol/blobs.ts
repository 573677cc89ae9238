// The market of blob gas, which transactions pay for their blobs (EIP-4844).

import type { BlockHeader, EthereumHeaderFields } from './block.ts';
import type { BlobRules, RuleSet } from './hardforks/rule-set.ts';
import type { BlobFields } from './transaction.ts';

/** Blob gas of one blob. */
export const GAS_PER_BLOB = 131_072n;

/** Wei per blob gas below which its base fee does not fall. */
const LEAST_BLOB_BASE_FEE = 1n;

/** The first byte of the hash of a blob whose commitment is a KZG commitment. */
const KZG_VERSION = 1;

const HIGHEST_WORD = 2n ** 256n - 1n;
/** The exponents from which on e^x is above 256 bits: 256 * ln 2 is 177.4. */
const HIGHEST_EXPONENT = 178n;

/** Returns `factor * e^(numerator / denominator)` by its Taylor series in integers (EIP-4844), at most 2^256 - 1. */
export function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  if (numerator >= HIGHEST_EXPONENT * denominator) return HIGHEST_WORD;
  let sum = 0n;
  let term = factor * denominator;
  for (let index = 1n; term > 0n; index++) {
    sum += term;
    term = (term * numerator) / (denominator * index);
  }
  const result = sum / denominator;
  return result > HIGHEST_WORD ? HIGHEST_WORD : result;
}

/** Returns the base fee of a block in wei per blob gas; `null` where there is no blob gas. */
export function blobBaseFee(excessBlobGas: bigint | null, rules: BlobRules | null): bigint | null {
  if (excessBlobGas === null || rules === null) return null;
  return fakeExponential(LEAST_BLOB_BASE_FEE, excessBlobGas, rules.baseFeeUpdateFraction);
}

/** The fields of a header that the excess of blob gas in the next block follows from. */
export type BlobParent = {
  readonly ethereum: Pick<EthereumHeaderFields, 'baseFeePerGas' | 'blobGasUsed' | 'excessBlobGas'>;
};

/** Returns the excess of blob gas in the block after `parent`; `null` under rules without blobs (EIP-4844, EIP-7918). */
export function nextExcessBlobGas({ ethereum }: BlobParent, rules: BlobRules | null): bigint | null {
  if (rules === null) return null;
  const { blobGasUsed, excessBlobGas, baseFeePerGas } = ethereum;
  const [used, excess] = [blobGasUsed ?? 0n, excessBlobGas ?? 0n];
  const target = GAS_PER_BLOB * BigInt(rules.target);
  if (excess + used < target) return 0n;
  const fee = blobBaseFee(excess, rules) ?? LEAST_BLOB_BASE_FEE;
  const isBelowReserve =
    rules.reserveGas !== null && rules.reserveGas * (baseFeePerGas ?? 0n) > GAS_PER_BLOB * fee;
  if (!isBelowReserve) return excess + used - target;
  return excess + (used * BigInt(rules.maximum - rules.target)) / BigInt(rules.maximum);
}

/** Returns the base fee of the block after `parent` in wei per blob gas; `null` under rules without blobs. */
export function nextBlobBaseFee(
  parent: Pick<BlockHeader, 'ethereum'>,
  rules: BlobRules | null,
): bigint | null {
  return blobBaseFee(nextExcessBlobGas(parent, rules), rules);
}

/** Returns the blob gas of a transaction with those blobs. */
export function blobGasOf({ blobVersionedHashes }: Pick<BlobFields, 'blobVersionedHashes'>): bigint {
  return GAS_PER_BLOB * BigInt(blobVersionedHashes.length);
}

/** Returns the most wei that a transaction pays for its blobs. */
export function blobCost(fields: BlobFields): bigint {
  return blobGasOf(fields) * fields.maxFeePerBlobGas;
}

/**
 * Returns why a transaction cannot have blobs with those hashes under the rules, in the words that clients know; `null` when it
 * can (EIP-4844, EIP-7594).
 */
export function blobsFault(hashes: readonly Uint8Array[], { blobs, name }: RuleSet): string | null {
  if (hashes.length === 0) return null;
  if (blobs === null) return `blobs do not exist under the rule set ${name}`;
  const { maximumInTransaction } = blobs;
  if (hashes.length > maximumInTransaction) {
    return `too many blobs in transaction: have ${hashes.length}, permitted ${maximumInTransaction}`;
  }
  const foreign = hashes.findIndex((hash) => hash[0] !== KZG_VERSION);
  if (foreign < 0) return null;
  return `blob ${foreign} hash version mismatch: have ${hashes[foreign]?.[0]}, supported ${KZG_VERSION}`;
}
