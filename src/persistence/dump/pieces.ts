// Compressed dumps consist of pieces: gzip members of whole lines. The header of each contains its length, so
// that a reader decompresses one piece at a time. For other programs it is an ordinary gzip file.

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { InvalidDumpError } from '../../wire/errors.ts';
import { invalidGzip } from './dump-bytes.ts';

/** Minimum bytes of text in a piece, except for the last one. A save writes the last piece again. */
export const PIECE_SIZE = 2 ** 20;

/** Level 3 takes two thirds of the time of the default, for 3 % more bytes. */
const LEVEL = 3;

/** Bytes per chunk of zlib's output. Each chunk is a call from another thread. */
const CHUNK_SIZE = 2 ** 18;

// The header of a gzip member (RFC 1952).
const HEADER_SIZE = 10;
const FLAGS_INDEX = 3;
const HAS_EXTRA_FIELD = 4;
/** The byte index and value for an unknown operating system. */
const SYSTEM_INDEX = 9;
const UNKNOWN_SYSTEM = 0xff;

/** The extra field: its length, then one subfield with an id, its length, and two lengths of a piece. */
const SUBFIELD_SIZE = 12;
const SUBFIELD_ID = 0x636e;
const LENGTHS_SIZE = 8;
const EXTRA_SIZE = 2 + SUBFIELD_SIZE;

/** Compresses with gzip on another thread. The output has no time stamp and no operating system name. */
export async function compress(bytes: Uint8Array): Promise<Buffer> {
  const compressed = await promisify(gzip)(bytes, { level: LEVEL, chunkSize: CHUNK_SIZE });
  compressed[SYSTEM_INDEX] = UNKNOWN_SYSTEM;
  return compressed;
}

/** Compresses like {@link compress}, with the lengths in the header. */
export async function compressPiece(text: Uint8Array): Promise<Uint8Array> {
  const compressed = await compress(text);
  const extra = Buffer.alloc(EXTRA_SIZE);
  const lengths = [SUBFIELD_SIZE, SUBFIELD_ID, LENGTHS_SIZE];
  for (const [index, value] of lengths.entries()) extra.writeUInt16LE(value, 2 * index);
  extra.writeUInt32LE(compressed.length + EXTRA_SIZE, EXTRA_SIZE - LENGTHS_SIZE);
  extra.writeUInt32LE(text.length, EXTRA_SIZE - LENGTHS_SIZE / 2);
  compressed[FLAGS_INDEX] = HAS_EXTRA_FIELD;
  return Buffer.concat([compressed.subarray(0, HEADER_SIZE), extra, compressed.subarray(HEADER_SIZE)]);
}

/** A piece in the bytes of a dump. */
export interface Piece {
  /** The gzip member. */
  readonly bytes: Uint8Array;
  /** The bytes of its text. */
  readonly textLength: number;
  /** The offset of its end in the bytes of the dump. */
  readonly end: number;
}

/** Returns the pieces of the bytes; `null` if another program compressed any of them. */
export function piecesIn(bytes: Uint8Array): readonly Piece[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pieces: Piece[] = [];
  for (let start = 0; start < bytes.length; ) {
    const lengthsAt = start + HEADER_SIZE + EXTRA_SIZE - LENGTHS_SIZE;
    const isPiece =
      lengthsAt + LENGTHS_SIZE <= bytes.length &&
      view.getUint16(start) === 0x1f8b &&
      view.getUint8(start + FLAGS_INDEX) === HAS_EXTRA_FIELD &&
      view.getUint16(start + HEADER_SIZE, true) === SUBFIELD_SIZE &&
      view.getUint16(start + HEADER_SIZE + 2, true) === SUBFIELD_ID;
    if (!isPiece) return null;
    const end = start + view.getUint32(lengthsAt, true);
    if (end <= lengthsAt || end > bytes.length) return null;
    const textLength = view.getUint32(lengthsAt + LENGTHS_SIZE / 2, true);
    pieces.push({ bytes: bytes.subarray(start, end), textLength, end });
    start = end;
  }
  return pieces.length === 0 ? null : pieces;
}

/** Rejects with an {@link InvalidDumpError} for invalid gzip or another length than the header's. */
export async function decompressPiece({ bytes, textLength }: Piece): Promise<Uint8Array> {
  let text: Uint8Array;
  try {
    // Zlib rejects a limit of 0.
    text = await promisify(gunzip)(bytes, {
      maxOutputLength: Math.max(1, textLength),
      chunkSize: CHUNK_SIZE,
    });
  } catch (error) {
    throw invalidGzip(error);
  }
  if (text.length === textLength) return text;
  throw new InvalidDumpError(`a piece has ${text.length} bytes, expected ${textLength}`);
}
