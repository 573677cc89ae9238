import { hexKey } from '../../primitives/hex.ts';

/** The size of a blob in bytes. */
const BLOB_SIZE = 131_072;
/** The blobs that are kept: 64 MiB, where they are full. */
const MOST_BLOBS = 512;

/** A blob and the hash by which transactions name it. */
export interface NamedBlob {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly blob: Uint8Array;
}

/** Returns the bytes without the zeros at their end, which most of a blob often is, copied. */
function withoutZeros(blob: Uint8Array): Uint8Array {
  let length = blob.length;
  while (length > 0 && blob[length - 1] === 0) length--;
  return blob.slice(0, length);
}

/**
 * The blobs of the transactions that a chain took last. They are no part of blocks, so that no dump, snapshot or data directory
 * has them; networks keep them for some weeks.
 */
export class BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #most: number;

  constructor(most = MOST_BLOBS) {
    this.#most = most;
  }

  /** Keeps blobs, and forgets the oldest where they are too many. */
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

  /** Returns the blob with that hash; `undefined` for one that is not kept. */
  blob(hash: Uint8Array): Uint8Array | undefined {
    const kept = this.#blobs.get(hexKey(hash));
    if (kept === undefined) return undefined;
    const blob = new Uint8Array(BLOB_SIZE);
    blob.set(kept);
    return blob;
  }
}
