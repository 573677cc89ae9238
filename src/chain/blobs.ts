// Blobs (EIP-4844): storage, validation of sidecars, and the commitments and proofs that the node computes
// for clients.

import { BlobNumberError, type Pieces } from '../evm/kzg/blob-polynomial.ts';
import type { Kzg } from '../evm/kzg/kzg.ts';
import { versionedHash } from '../evm/precompiles/point-evaluation.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import { BLOB_SIZE, type BlobSidecar, checkSidecarForm } from '../protocol/blobs.ts';
import { InvalidTransactionError } from '../protocol/errors.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { runTask } from '../scheduling/task.ts';
import type { TimeSlice } from '../scheduling/time-slice.ts';

/** Maximum number of stored blobs: 64 MiB if all are full. */
const MAX_BLOBS = 512;

/** A blob and its versioned hash. */
export interface NamedBlob {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly blob: Uint8Array;
}

/** Returns a copy without trailing zeros, which often fill most of a blob. */
function withoutZeros(blob: Uint8Array): Uint8Array {
  let length = blob.length;
  while (length > 0 && blob[length - 1] === 0) length--;
  return blob.slice(0, length);
}

/**
 * The blobs of the newest transactions. Blobs are not part of blocks, so dumps, snapshots and data
 * directories do not contain them.
 */
export class BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #most: number;

  constructor(most = MAX_BLOBS) {
    this.#most = most;
  }

  /** Stores blobs and evicts the oldest above the maximum. */
  add(named: readonly NamedBlob[]): void {
    for (const { hash, blob } of named) {
      const key = hexKey(hash);
      this.#blobs.delete(key);
      this.#blobs.set(key, withoutZeros(blob));
    }
    for (const key of this.#blobs.keys()) {
      if (this.#blobs.size <= this.#most) break;
      this.#blobs.delete(key);
    }
  }

  blob(hash: Uint8Array): Uint8Array | undefined {
    const kept = this.#blobs.get(hexKey(hash));
    if (kept === undefined) return undefined;
    const blob = new Uint8Array(BLOB_SIZE);
    blob.set(kept);
    return blob;
  }
}

/** Work units between two yields: a few milliseconds. */
const PIECE_WORK = 2 ** 18;
const CELLS_PER_BLOB = 128;

/** Runs work that pauses, and yields to the event loop at each pause. Ends the work if a wait is rejected. */
function* withTurns<Result>(work: Pieces<Result>): Steps<Result> {
  try {
    while (true) {
      const step = work.next();
      if (step.done === true) return step.value;
      yield PIECE_WORK;
    }
  } finally {
    work.return(undefined as Result);
  }
}

/** Validates blobs and computes proofs. The KZG library is loaded on first use. */
export class BlobProofs {
  readonly #load: () => Promise<Kzg>;
  #loading: Promise<Kzg> | undefined;

  constructor(load: () => Promise<Kzg> = async () => (await import('../evm/kzg/kzg.ts')).loadKzg()) {
    this.#load = load;
  }

  #kzg(): Promise<Kzg> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /**
   * Resolves to the blobs of a sidecar. Rejects with {@link InvalidTransactionError} if the rules forbid its
   * form, the commitments do not match the hashes, or a proof is invalid.
   */
  async check(
    sidecar: BlobSidecar,
    hashes: readonly Uint8Array[],
    ruleSet: RuleSet,
    slice: TimeSlice,
  ): Promise<NamedBlob[]> {
    checkSidecarForm(sidecar, hashes, ruleSet);
    const { blobs, commitments, proofs, proofKind } = sidecar;
    const kzg = await this.#kzg();
    const named: NamedBlob[] = [];
    for (const [index, blob] of blobs.entries()) {
      const [hash, commitment] = [hashes[index], commitments[index]];
      if (hash === undefined || commitment === undefined)
        throw new RangeError(`blob ${index} does not exist`);
      if (!equalBytes(versionedHash(commitment), hash)) {
        throw new InvalidTransactionError(
          `commitments[${index}] of the blob sidecar does not match blobVersionedHashes[${index}]`,
        );
      }
      const [first, proof] = [index * CELLS_PER_BLOB, proofs[index]];
      const check =
        proofKind === 'cell proofs'
          ? kzg.areCellProofsRight(blob, commitment, proofs.slice(first, first + CELLS_PER_BLOB))
          : kzg.isBlobProofRight(blob, commitment, proof ?? new Uint8Array(0));
      if (!(await runTask(withTurns(check), slice))) {
        throw new InvalidTransactionError(`the proof of blob ${index} of the blob sidecar is invalid`);
      }
      named.push({ hash, blob });
    }
    return named;
  }

  /** Resolves to the blobs' commitments. Rejects with {@link InvalidTransactionError} for an invalid blob. */
  async commitments(blobs: readonly Uint8Array[], slice: TimeSlice): Promise<Uint8Array[]> {
    const kzg = await this.#kzg();
    const commitments: Uint8Array[] = [];
    for (const [index, blob] of blobs.entries()) {
      commitments.push(await this.#made(index, kzg.commitment(blob), slice));
    }
    return commitments;
  }

  /**
   * Resolves to a sidecar with the given kind of proofs. Cell proofs take about 1.5 seconds per blob. Rejects
   * as {@link commitments} does.
   */
  async sidecar(
    blobs: readonly Uint8Array[],
    commitments: readonly Uint8Array[],
    proofKind: BlobSidecar['proofKind'],
    slice: TimeSlice,
  ): Promise<BlobSidecar> {
    const kzg = await this.#kzg();
    const proofs: Uint8Array[] = [];
    for (const [index, blob] of blobs.entries()) {
      const commitment = commitments[index] ?? new Uint8Array(0);
      if (proofKind === 'cell proofs') proofs.push(...(await this.#made(index, kzg.cellProofs(blob), slice)));
      else proofs.push(await this.#made(index, kzg.blobProof(blob, commitment), slice));
    }
    return { proofKind, blobs, commitments, proofs };
  }

  async #made<Result>(index: number, work: Pieces<Result>, slice: TimeSlice): Promise<Result> {
    try {
      return await runTask(withTurns(work), slice);
    } catch (error) {
      if (error instanceof BlobNumberError) {
        throw new InvalidTransactionError(`blobs[${index}]: ${error.message}`);
      }
      throw error;
    }
  }
}

export function versionedHashes(commitments: readonly Uint8Array[]): Uint8Array[] {
  return commitments.map(versionedHash);
}
