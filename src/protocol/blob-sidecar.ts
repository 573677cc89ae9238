// Transactions with blobs as they are sent, with their blobs, commitments and proofs: the network form (EIP-4844, EIP-7594).

import { concatBytes } from '../primitives/bytes.ts';
import { encodeRlp, RlpError, type RlpItem, viewRlp } from '../primitives/rlp.ts';
import { InvalidTransactionError } from './errors.ts';
import type { RuleSet } from './hardforks/rule-set.ts';

/** The blobs, commitments and proofs that are sent along with a transaction but do not become part of a block. */
export interface BlobSidecar {
  readonly proofKind: 'blob proofs' | 'cell proofs';
  /** 131,072 bytes each. */
  readonly blobs: readonly Uint8Array[];
  /** 48 bytes each, one for each blob. */
  readonly commitments: readonly Uint8Array[];
  /** 48 bytes each: one for each blob, or 128, one for each of its cells. */
  readonly proofs: readonly Uint8Array[];
}

/** A transaction without its sidecar, and that; `null` where there is none. */
export interface SplitTransaction {
  readonly raw: Uint8Array;
  readonly sidecar: BlobSidecar | null;
}

const BLOB_TYPE = 3;
const BLOB_SIZE = 131_072;
const POINT_SIZE = 48;
const CELLS_PER_BLOB = 128;
/** The number in front of the blobs where the proofs are those of cells (EIP-7594). */
const CELL_PROOFS_VERSION = 1;
/** The most items of a transaction, its sidecar counted in. */
const MOST_ITEMS = 2 ** 17;

function listIn(item: RlpItem | undefined, name: string, size: number): Uint8Array[] {
  if (item === undefined || item instanceof Uint8Array) {
    throw new InvalidTransactionError(`the ${name} of the blob sidecar are not a list`);
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
    throw new InvalidTransactionError('the version of the blob sidecar is none of 0 and 1');
  }
  const [blobs, commitments, proofs, ...rest] = hasVersion ? items.slice(1) : items;
  if (rest.length > 0) throw new InvalidTransactionError('the blob sidecar has fields too many');
  return {
    proofKind: hasVersion ? 'cell proofs' : 'blob proofs',
    blobs: listIn(blobs, 'blobs', BLOB_SIZE),
    commitments: listIn(commitments, 'commitments', POINT_SIZE),
    proofs: listIn(proofs, 'proofs', POINT_SIZE),
  };
}

/**
 * Returns the transaction of the bytes as it stands in blocks, and its sidecar where it has one. Bytes that are no transaction
 * with a sidecar are returned as they are. Throws {@link InvalidTransactionError} for a sidecar that is not formed as it must be.
 */
export function splitNetworkForm(raw: Uint8Array): SplitTransaction {
  if (raw[0] !== BLOB_TYPE) return { raw, sidecar: null };
  let item: RlpItem;
  try {
    item = viewRlp(raw.subarray(1), MOST_ITEMS);
  } catch (error) {
    // The reader of transactions says what is wrong with it.
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

/** Returns the network form of a transaction, given as it stands in blocks, with its sidecar. */
export function joinNetworkForm(raw: Uint8Array, sidecar: BlobSidecar): Uint8Array {
  const { proofKind, blobs, commitments, proofs } = sidecar;
  const version = proofKind === 'cell proofs' ? [Uint8Array.of(CELL_PROOFS_VERSION)] : [];
  const items = [viewRlp(raw.subarray(1), MOST_ITEMS), ...version, blobs, commitments, proofs];
  return concatBytes(raw.subarray(0, 1), encodeRlp(items));
}

/**
 * Throws {@link InvalidTransactionError} unless the parts of the sidecar go together, have a kind of proofs that the rules take,
 * and there is a blob for each of the hashes. Proofs of blobs are taken where those of cells are asked for too, since nodes
 * make the one of the other.
 */
export function checkSidecarForm(
  { proofKind, blobs, commitments, proofs }: BlobSidecar,
  hashes: readonly Uint8Array[],
  ruleSet: RuleSet,
): void {
  if (proofKind === 'cell proofs' && ruleSet.blobs?.sidecar !== 'cell proofs') {
    throw new InvalidTransactionError(
      `the blob sidecar has proofs of cells (version 1, EIP-7594), which the rule set ${ruleSet.name} does not know; it takes one proof for each blob (version 0)`,
    );
  }
  const proofCount = blobs.length * (proofKind === 'cell proofs' ? CELLS_PER_BLOB : 1);
  if (blobs.length !== hashes.length) {
    throw new InvalidTransactionError(
      `the blob sidecar has ${blobs.length} blobs for ${hashes.length} blob versioned hashes`,
    );
  }
  if (commitments.length !== blobs.length || proofs.length !== proofCount) {
    throw new InvalidTransactionError(
      `the blob sidecar has ${commitments.length} commitments and ${proofs.length} proofs for ${blobs.length} blobs, expected ${blobs.length} and ${proofCount}`,
    );
  }
}
