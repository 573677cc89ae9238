import { type Hex, hexKey, toHex } from './hex.ts';
import type { Task } from './task.ts';
import type { WorkPieces } from './work-pieces.ts';

/** Bytes that are written at once. */
const WRITTEN_AT_ONCE = 2 ** 16;

/** The bytes as DATA, as `toHex` gives them; in pieces where they are long. */
export function* hexInPieces(bytes: Uint8Array, pieces: WorkPieces): Task<Hex> {
  if (bytes.length <= WRITTEN_AT_ONCE) return toHex(bytes);
  const parts = ['0x'];
  for (let start = 0; start < bytes.length; start += WRITTEN_AT_ONCE) {
    parts.push(hexKey(bytes.subarray(start, start + WRITTEN_AT_ONCE)));
    const turn = pieces.spend(WRITTEN_AT_ONCE);
    if (turn !== undefined) yield turn;
  }
  // Gives one text, where adding texts gives a chain of them that is joined when it is first read.
  const text = parts.join('') as Hex;
  const turn = pieces.spend(text.length);
  if (turn !== undefined) yield turn;
  return text;
}
