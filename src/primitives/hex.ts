// Hex strings of the JSON-RPC wire format, and keys for maps.

declare const hexBrand: unique symbol;

/** A lower-case hex string with `0x`: DATA or QUANTITY on the wire. */
export type Hex = `0x${string}` & { readonly [hexBrand]: true };

/** Returns the bytes as DATA: two digits per byte, `0x` for no bytes. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${hexKey(bytes)}` as Hex;
}

/** Returns the integer as QUANTITY: no leading zeros, `0x0` for zero. */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}` as Hex;
}

// Only buffers convert to hex, and an allocation costs more than converting a few bytes. 256 bytes fit a
// bloom, the longest value in most responses.
const workspace = Buffer.alloc(256);

const HEX_DATA = /^0x(?:[0-9a-fA-F]{2})*$/;

/** True for `0x` and an even number of hex digits of either case. */
export function isHexData(text: string): boolean {
  return HEX_DATA.test(text);
}

/**
 * Hex digits that Node decodes per step. In each step, it copies the digits to memory of four times the size
 * of the result.
 */
const DECODED_AT_ONCE = 2 ** 16;

/** Returns the bytes of a DATA string; `undefined` if it is not `0x` and an even number of digits. */
export function readHex(text: string): Uint8Array | undefined {
  return text.startsWith('0x') ? readDigits(text, 2) : undefined;
}

/** Returns the bytes of the digits from `start`; `undefined` for an odd number or other characters. */
export function readDigits(text: string, start = 0): Uint8Array | undefined {
  const length = (text.length - start) / 2;
  if (!Number.isInteger(length)) return undefined;
  const isShort = length <= workspace.length;
  const bytes = isShort ? workspace : Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length; ) {
    const digits = text.slice(start + 2 * at, start + 2 * at + DECODED_AT_ONCE);
    // `write` stops at the first character that is not a hex digit.
    const written = bytes.write(digits, at, 'hex');
    if (2 * written !== digits.length) return undefined;
    at += written;
  }
  return isShort ? new Uint8Array(workspace.subarray(0, length)) : new Uint8Array(bytes.buffer);
}

/** Returns the bytes of a DATA string. Throws a `RangeError` if it is not `0x` and an even digit count. */
export function fromHex(text: string): Uint8Array {
  const bytes = readHex(text);
  if (bytes === undefined) throw new RangeError(`not hexadecimal data: ${text.slice(0, 80)}`);
  return bytes;
}

/** Returns a map key: the bytes as lower-case digits without `0x`. */
export function hexKey(bytes: Uint8Array): string {
  if (bytes.length > workspace.length)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  workspace.set(bytes);
  return workspace.toString('hex', 0, bytes.length);
}

/** Returns a map key: one character per byte, at most 256. Twice as fast as {@link hexKey}. */
export function bytesKey(bytes: Uint8Array): string {
  workspace.set(bytes);
  return workspace.toString('latin1', 0, bytes.length);
}
