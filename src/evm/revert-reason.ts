import { bytesToBigInt } from '../primitives/bytes.ts';
import { type Hex, toHex } from '../primitives/hex.ts';

/** The decoded revert data (Solidity documentation, "Panic via assert and Error via require"). */
export type RevertReason =
  | { readonly kind: 'none' }
  /** `Error(string)`: the result of `require` and `revert` with a message. */
  | { readonly kind: 'text'; readonly text: string }
  /** `Panic(uint256)`: a failed check of the compiler. */
  | { readonly kind: 'panic'; readonly panicCode: bigint; readonly words: string }
  /** A custom error or other data; `data` is cut at {@link MAX_QUOTED} bytes. */
  | { readonly kind: 'custom'; readonly selector: Hex; readonly data: Hex };

const ERROR_SELECTOR: string = '0x08c379a0';
const PANIC_SELECTOR: string = '0x4e487b71';
const SELECTOR_SIZE = 4;
const WORD = 32;
/** Maximum length in bytes of quoted text or data, because decoding megabytes would block the event loop. */
const MAX_QUOTED = 2 ** 16;

const PANIC_WORDS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic compiler panic'],
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'value out of range of its enum'],
  [0x22n, 'storage byte array encoded incorrectly'],
  [0x31n, 'pop on an empty array'],
  [0x32n, 'array index out of bounds'],
  [0x41n, 'too much memory allocated or array too large'],
  [0x51n, 'call of a zero-initialized function'],
]);

/** Decodes the ABI string whose head is at the start of the bytes; `undefined` if invalid. */
function abiString(bytes: Uint8Array): string | undefined {
  if (bytes.length < 2 * WORD) return undefined;
  const offset = bytesToBigInt(bytes.subarray(0, WORD));
  if (offset > BigInt(bytes.length - WORD)) return undefined;
  const start = Number(offset) + WORD;
  const length = bytesToBigInt(bytes.subarray(start - WORD, start));
  if (length > BigInt(bytes.length - start)) return undefined;
  const text = bytes.subarray(start, start + Number(length));
  if (text.length <= MAX_QUOTED) return new TextDecoder().decode(text);
  // `stream` omits an incomplete character at the end.
  return `${new TextDecoder().decode(text.subarray(0, MAX_QUOTED), { stream: true })}…`;
}

/** Decodes revert data. Malformed `Error` and `Panic` data counts as custom. */
export function revertReason(data: Uint8Array): RevertReason {
  if (data.length === 0) return { kind: 'none' };
  const selector = toHex(data.subarray(0, SELECTOR_SIZE));
  const body = data.subarray(SELECTOR_SIZE);
  if (selector === ERROR_SELECTOR) {
    const text = abiString(body);
    if (text !== undefined) return { kind: 'text', text };
  }
  if (selector === PANIC_SELECTOR && body.length === WORD) {
    const panicCode = bytesToBigInt(body);
    return { kind: 'panic', panicCode, words: PANIC_WORDS.get(panicCode) ?? 'unknown panic code' };
  }
  return { kind: 'custom', selector, data: toHex(data.subarray(0, MAX_QUOTED)) };
}

/** Returns the message of `require` or the meaning of a panic; `null` for other revert data. */
export function revertText(data: Uint8Array): string | null {
  const reason = revertReason(data);
  if (reason.kind === 'text') return reason.text;
  return reason.kind === 'panic' ? reason.words : null;
}
