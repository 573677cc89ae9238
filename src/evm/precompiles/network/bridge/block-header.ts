import { bytesToBigInt } from '../../../../primitives/bytes.ts';
import { fromHex } from '../../../../primitives/hex.ts';
import { doubleSha256 } from '../../../../primitives/sha256.ts';

const VERSION_SIZE = 4;
const HASH_SIZE = 32;
const BITS = 72;

/** The target that every block of a local parent chain has, in its short form: it never changes there. */
const LOCAL_BITS = 0x207fffff;
const LOCAL_TARGET = 0x7fffffn << 232n;
/** Hashes that are to be expected until one meets the target. */
const LOCAL_WORK = (1n << 256n) / (LOCAL_TARGET + 1n);

/** A header of the parent chain, with the hashes as people write them: the last byte of the raw hash first. */
export interface ParentHeader {
  /** 80 bytes. */
  readonly raw: Uint8Array;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** 32 bytes. */
  readonly parentHash: Uint8Array;
  /** 32 bytes. */
  readonly merkleRoot: Uint8Array;
}

/** The bytes in the other direction: raw hashes to written ones and back. */
export function reversed(bytes: Uint8Array): Uint8Array {
  return bytes.slice().reverse();
}

/** The header that 80 bytes spell. */
export function parseHeader(raw: Uint8Array): ParentHeader {
  const merkleStart = VERSION_SIZE + HASH_SIZE;
  return {
    raw,
    hash: reversed(doubleSha256(raw)),
    parentHash: reversed(raw.subarray(VERSION_SIZE, merkleStart)),
    merkleRoot: reversed(raw.subarray(merkleStart, merkleStart + HASH_SIZE)),
  };
}

/** The first block of a local parent chain, which every node knows. */
export const GENESIS_HEADER: ParentHeader = parseHeader(
  fromHex(
    '0x0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f61' +
      '7fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000',
  ),
);

/** The work that a block proves: the same for each, since the target never changes. */
export const BLOCK_WORK = LOCAL_WORK;

/** True when the header names the target of a local parent chain and its hash meets it. */
export function provesWork({ raw, hash }: ParentHeader): boolean {
  const bits = new DataView(raw.buffer, raw.byteOffset).getUint32(BITS, true);
  return bits === LOCAL_BITS && bytesToBigInt(hash) <= LOCAL_TARGET;
}
