// The blob gas market, and the network form of transactions with blobs, commitments and proofs (EIP-4844,
// EIP-7594).

import { concatBytes } from '../primitives/bytes.ts';
import { encodeRlp, RlpError, type RlpItem, viewRlp } from '../primitives/rlp.ts';
import type { BlockHeader, EthereumHeaderFields } from './block.ts';
import { InvalidTransactionError } from './errors.ts';
import type { BlobRules, RuleSet } from './hardforks/rule-set.ts';
import type { BlobFields } from './transaction.ts';

/** The size of a blob in bytes (EIP-4844). */
export const BLOB_SIZE = 131_072;

export const GAS_PER_BLOB = 131_072n;

/** The version byte of a blob's versioned hash. */
const KZG_VERSION = 1;

const HIGHEST_WORD = 2n ** 256n - 1n;
/** e^x exceeds 256 bits from this exponent on: 256 * ln 2 is 177.4. */
const HIGHEST_EXPONENT = 178n;

/** Returns `factor * e^(numerator / denominator)` by a Taylor series (EIP-4844), at most 2^256 - 1. */
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

/** Returns the blob base fee of a block in wei per blob gas; `null` without blob gas. */
export function blobBaseFee(excessBlobGas: bigint | null, rules: BlobRules | null): bigint | null {
  if (excessBlobGas === null || rules === null) return null;
  return fakeExponential(rules.minBaseFee, excessBlobGas, rules.baseFeeUpdateFraction);
}

/** The header fields that the next excess blob gas depends on. */
export type BlobParent = {
  readonly ethereum: Pick<EthereumHeaderFields, 'baseFeePerGas' | 'blobGasUsed' | 'excessBlobGas'>;
};

/** Returns the excess blob gas after `parent` (EIP-4844, EIP-7918); `null` without blobs. */
export function nextExcessBlobGas({ ethereum }: BlobParent, rules: BlobRules | null): bigint | null {
  if (rules === null) return null;
  const { blobGasUsed, excessBlobGas, baseFeePerGas } = ethereum;
  const [used, excess] = [blobGasUsed ?? 0n, excessBlobGas ?? 0n];
  const target = GAS_PER_BLOB * BigInt(rules.target);
  if (excess + used < target) return 0n;
  const fee = blobBaseFee(excess, rules) ?? rules.minBaseFee;
  const isBelowReserve =
    rules.reserveGas !== null && rules.reserveGas * (baseFeePerGas ?? 0n) > GAS_PER_BLOB * fee;
  if (!isBelowReserve) return excess + used - target;
  return excess + (used * BigInt(rules.maximum - rules.target)) / BigInt(rules.maximum);
}

/** Returns the blob base fee after `parent` in wei per blob gas; `null` without blobs. */
export function nextBlobBaseFee(
  parent: Pick<BlockHeader, 'ethereum'>,
  rules: BlobRules | null,
): bigint | null {
  return blobBaseFee(nextExcessBlobGas(parent, rules), rules);
}

/** Returns the blob gas of a transaction. */
export function blobGasOf({ blobVersionedHashes }: Pick<BlobFields, 'blobVersionedHashes'>): bigint {
  return blobVersionedHashes.length === 0 ? 0n : GAS_PER_BLOB * BigInt(blobVersionedHashes.length);
}

/** Returns the maximum wei that a transaction pays for its blobs. */
export function blobCost(fields: BlobFields): bigint {
  return fields.blobVersionedHashes.length === 0 ? 0n : blobGasOf(fields) * fields.maxFeePerBlobGas;
}

/**
 * Returns the reason why the rule set rejects blobs with these hashes, with messages that clients recognise;
 * `null` if it accepts them (EIP-4844, EIP-7594).
 */
export function blobsFault(hashes: readonly Uint8Array[], { blobs, name }: RuleSet): string | null {
  if (hashes.length === 0) return null;
  if (blobs === null) return `blobs do not exist in hardfork ${name}`;
  const { maximumInTransaction } = blobs;
  if (hashes.length > maximumInTransaction) {
    return `too many blobs in transaction: have ${hashes.length}, permitted ${maximumInTransaction}`;
  }
  const foreign = hashes.findIndex((hash) => hash[0] !== KZG_VERSION);
  if (foreign < 0) return null;
  return `blob ${foreign} hash version mismatch: have ${hashes[foreign]?.[0]}, supported ${KZG_VERSION}`;
}

/** The blobs, commitments and proofs sent with a transaction. They are not part of a block. */
export interface BlobSidecar {
  readonly proofKind: 'blob proofs' | 'cell proofs';
  /** 131,072 bytes each. */
  readonly blobs: readonly Uint8Array[];
  /** 48 bytes each, one per blob. */
  readonly commitments: readonly Uint8Array[];
  /** 48 bytes each: one per blob, or 128 per blob (one per cell). */
  readonly proofs: readonly Uint8Array[];
}

/** A transaction without its sidecar, and the sidecar; `null` if there is none. */
export interface SplitTransaction {
  readonly raw: Uint8Array;
  readonly sidecar: BlobSidecar | null;
}

const BLOB_TYPE = 3;
const POINT_SIZE = 48;
const CELLS_PER_BLOB = 128;
/** The version before the blobs of a sidecar with cell proofs (EIP-7594). */
const CELL_PROOFS_VERSION = 1;
/** Maximum number of RLP items of a transaction with its sidecar. */
const MAX_ITEMS = 2 ** 17;

function listIn(item: RlpItem | undefined, name: string, size: number): Uint8Array[] {
  if (item === undefined || item instanceof Uint8Array) {
    throw new InvalidTransactionError(`${name} of the blob sidecar: expected a list`);
  }
  return item.map((bytes, index) => {
    if (bytes instanceof Uint8Array && bytes.length === size) return bytes;
    throw new InvalidTransactionError(`${name}[${index}] of the blob sidecar is not ${size} bytes`);
  });
}

function sidecarOf(items: readonly RlpItem[]): BlobSidecar {
  const [version] = items;
  const hasVersion = version instanceof Uint8Array;
  if (hasVersion && (version.length !== 1 || version[0] !== CELL_PROOFS_VERSION)) {
    throw new InvalidTransactionError(
      'the version byte of the blob sidecar must be 1 (version 0 has no version byte)',
    );
  }
  const [blobs, commitments, proofs, ...rest] = hasVersion ? items.slice(1) : items;
  if (rest.length > 0) throw new InvalidTransactionError('the blob sidecar has too many fields');
  return {
    proofKind: hasVersion ? 'cell proofs' : 'blob proofs',
    blobs: listIn(blobs, 'blobs', BLOB_SIZE),
    commitments: listIn(commitments, 'commitments', POINT_SIZE),
    proofs: listIn(proofs, 'proofs', POINT_SIZE),
  };
}

/**
 * Splits a transaction with a sidecar. Returns other bytes unchanged. Throws {@link InvalidTransactionError}
 * for a malformed sidecar.
 */
export function splitNetworkForm(raw: Uint8Array): SplitTransaction {
  if (raw[0] !== BLOB_TYPE) return { raw, sidecar: null };
  let item: RlpItem;
  try {
    item = viewRlp(raw.subarray(1), MAX_ITEMS);
  } catch (error) {
    // The transaction decoder reports the error.
    if (error instanceof RlpError) return { raw, sidecar: null };
    throw error;
  }
  const body = item instanceof Uint8Array ? undefined : item[0];
  if (item instanceof Uint8Array || body === undefined || body instanceof Uint8Array) {
    return { raw, sidecar: null };
  }
  const inBlock = concatBytes(Uint8Array.of(BLOB_TYPE), encodeRlp(body));
  return { raw: inBlock, sidecar: sidecarOf(item.slice(1)) };
}

/** Returns the network form of a transaction (given as in blocks) with its sidecar. */
export function joinNetworkForm(raw: Uint8Array, sidecar: BlobSidecar): Uint8Array {
  const { proofKind, blobs, commitments, proofs } = sidecar;
  const version = proofKind === 'cell proofs' ? [Uint8Array.of(CELL_PROOFS_VERSION)] : [];
  const items = [viewRlp(raw.subarray(1), MAX_ITEMS), ...version, blobs, commitments, proofs];
  return concatBytes(raw.subarray(0, 1), encodeRlp(items));
}

/**
 * Throws {@link InvalidTransactionError} if the sidecar is inconsistent, the rules do not accept its kind of
 * proofs, or its blobs do not match the hashes. Blob proofs are also accepted if cell proofs are required,
 * because nodes convert them.
 */
export function checkSidecarForm(
  { proofKind, blobs, commitments, proofs }: BlobSidecar,
  hashes: readonly Uint8Array[],
  ruleSet: RuleSet,
): void {
  if (proofKind === 'cell proofs' && ruleSet.blobs?.sidecar !== 'cell proofs') {
    throw new InvalidTransactionError(
      `the blob sidecar has cell proofs (version 1, EIP-7594), but hardfork ${ruleSet.name} requires one proof per blob (version 0)`,
    );
  }
  const proofCount = blobs.length * (proofKind === 'cell proofs' ? CELLS_PER_BLOB : 1);
  if (blobs.length !== hashes.length) {
    throw new InvalidTransactionError(
      `blobs of the blob sidecar: expected ${hashes.length} (one per blob versioned hash), got ${blobs.length}`,
    );
  }
  if (commitments.length !== blobs.length || proofs.length !== proofCount) {
    throw new InvalidTransactionError(
      `blob sidecar: expected ${blobs.length} (commitments) and ${proofCount} (proofs), got ${commitments.length} and ${proofs.length}`,
    );
  }
}
