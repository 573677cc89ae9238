// The code that accounts of the node delegate to (EIP-7702) for several calls in one transaction.

import { bigIntToFixedBytes, concatBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';

export interface BatchCall {
  /** 20 bytes, not the zero address, because ERC-7821 uses it for the account itself. */
  readonly to: Uint8Array;
  /** Wei. */
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** The code of `fixtures/contracts/BatchAccount.sol` in Base64. */
const CODE = [
  'YIBgQFJgBDYQYQBsV181YOAcgGO8GXyBEWEASleAY7wZfIEUYQEFV4Bj0Dx5FBRhATNXgGPprlxTFGEBYFeAY/I6bmEUYQFz',
  'VwBbgGMB/8mnFGEAbleAYxULegIUYQCiV4BjFia6fhRhAOZXWwBbNIAVYQB5V19f/VtQYQCNYQCINmAEYQQ2VlthAZ9WW2BA',
  'UZAVFYFSYCABW2BAUYCRA5DzWzSAFWEArVdfX/1bUGEAzWEAvDZgBGEEvFZbYwqFvQFg4RuVlFBQUFBQVltgQFFgAWABYOAb',
  'AxmQkRaBUmAgAWEAmVZbNIAVYQDxV19f/VtQYQDNYQEANmAEYQUlVlthAgtWWzSAFWEBEFdfX/1bUGEAzWEBHzZgBGEFrFZb',
  'Y7wZfIFg4BuYl1BQUFBQUFBQVls0gBVhAT5XX1/9W1BhAI1hAU02YARhBmhWW2ABYAFgsBsDGRZgAWD4GxSQVlthAGxhAW42',
  'YARhBSVWW2EC/1ZbNIAVYQF+V19f/VtQYQDNYQGNNmAEYQZ/Vltj8jpuYWDgG5aVUFBQUFBQVltfYwH/yadg4BtgAWABYOAb',
  'AxmDFhSAYQHPV1BjCoW9AWDhG2ABYAFg4BsDGYMWFFuAYQHqV1BjAnEYl2DlG2ABYAFg4BsDGYMWFFuAYQIFV1BjCxNdP2Dh',
  'G2ABYAFg4BsDGYMWFFuSkVBQVltfYEGCFGECI1dQYAFgAWDgGwMZYQL4VltfYQIxYCCChYdhBvFWW2ECOpFhBxhWW5BQX2EC',
  'S2BAYCCGiGEG8VZbYQJUkWEHGFZbkFBfYAGHh4dgQIGBEGECbVdhAm1hBzVWW2BAgFFfgVJgIIEBgINSlZCVUpIBNWD4HJGD',
  'AZGQkVJQYGCBAYWQUmCAgQGEkFJgoAFgIGBAUWAggQOQgIQDkIVa+hWAFWECvlc9X18+PV/9W1BQYEBRYB8ZAVGRUFBgAWAB',
  'YKAbA4EWMBRhAulXYAFgAWDgGwMZYQLyVltjCxNdP2DhG1uTUFBQUFuTklBQUFZbMzAUYQMfV2BAUWOhMA6FYOAbgVJgBAFg',
  'QFGAkQOQ/VtgAWABYLAbAxmDFmABYPgbFGEDTVdgQFFjrW5AVWDgG4FSYAQBYEBRgJEDkP1bX2EDWoKEAYRhB7VWW5BQX1uB',
  'UYEQFWEEL1dfgoKBUYEQYQN6V2EDemEHNVZbYCACYCABAVGQUF9fYAFgAWCgGwMWgl8BUWABYAFgoBsDFhRhA6hXgVFhA6pW',
  'WzBbkFBfX4JgAWABYKAbAxaEYCABUYVgQAFRYEBRYQPPkZBhCTFWW19gQFGAgwOBhYda8ZJQUFA9gF+BFGEECVdgQFGRUGAf',
  'GWA/PQEWggFgQFI9glI9X2AghAE+YQQOVltgYJFQW1CRUJFQgWEEIFeAUWAgggH9W1BQUFCAYAEBkFBhA15WW1BQUFBQVltf',
  'YCCChAMSFWEERldfX/1bgTVgAWABYOAbAxmBFoEUYQL4V19f/VuANWABYAFgoBsDgRaBFGEEc1dfX/1bkZBQVltfX4NgH4QB',
  'EmEEiFdfX/1bUIE1YAFgAWBAGwOBERVhBJ5XX1/9W2AggwGRUINgIIKFAQERFWEEtVdfX/1bklCSkFBWW19fX19fYICGiAMS',
  'FWEE0FdfX/1bYQTZhmEEXVZblFBhBOdgIIcBYQRdVluTUGBAhgE1klBgYIYBNWABYAFgQBsDgREVYQUIV19f/VthBRSIgokB',
  'YQR4VluWmZWYUJOWUJKUk5JQUFBWW19fX2BAhIYDEhVhBTdXX1/9W4M1klBgIIQBNWABYAFgQBsDgREVYQVTV19f/VthBV+G',
  'gocBYQR4VluUl5CWUJOUUFBQUFZbX1+DYB+EARJhBXxXX1/9W1CBNWABYAFgQBsDgREVYQWSV19f/VtgIIMBkVCDYCCCYAUb',
  'hQEBERVhBLVXX1/9W19fX19fX19fYKCJiwMSFWEFw1dfX/1bYQXMiWEEXVZbl1BhBdpgIIoBYQRdVluWUGBAiQE1YAFgAWBA',
  'GwOBERVhBfRXX1/9W2EGAIuCjAFhBWxWW5CXUJVQUGBgiQE1YAFgAWBAGwOBERVhBh5XX1/9W2EGKouCjAFhBWxWW5CVUJNQ',
  'UGCAiQE1YAFgAWBAGwOBERVhBkhXX1/9W2EGVIuCjAFhBHhWW5mcmJtQlplQlJeTlpKVlFBQUFZbX2AggoQDEhVhBnhXX1/9',
  'W1A1kZBQVltfX19fX19goIeJAxIVYQaUV19f/VthBp2HYQRdVluVUGEGq2AgiAFhBF1WW5RQYECHATWTUGBghwE1klBggIcB',
  'NWABYAFgQBsDgREVYQbTV19f/VthBt+JgooBYQR4VluXmpaZUJSXUJKVk5SSUFBQVltfX4WFERVhBv9XX1/9W4OGERVhBwtX',
  'X1/9W1BQggGTkZCSA5FQVluANWAggxAVYQIFV18ZYCCEkANgAxsbFpKRUFBWW2NOSHtxYOAbX1JgMmAEUmAkX/1bY05Ie3Fg',
  '4BtfUmBBYARSYCRf/VtgQFFgYIEBYAFgAWBAGwOBEYKCEBcVYQd/V2EHf2EHSVZbYEBSkFZbYEBRYB+CAWAfGRaBAWABYAFg',
  'QBsDgRGCghAXFWEHrVdhB61hB0lWW2BAUpGQUFZbX2AggoQDEhVhB8VXX1/9W4E1YAFgAWBAGwOBERVhB9pXX1/9W4IBYB+B',
  'AYQTYQfqV19f/VuANWABYAFgQBsDgREVYQgDV2EIA2EHSVZbgGAFG2EIE2AgggFhB4VWW5GCUmAggYQBgQGSkIEBkIeEERVh',
  'CC5XX1/9W2AghQGSUFuDgxAVYQkmV4I1YAFgAWBAGwOBERVhCFJXX1/9W4UBYGCBigNgHxkBEhVhCGdXX1/9W2EIb2EHXVZb',
  'YQh7YCCDAWEEXVZbgVJgQIIBNWAgggFSYGCCATVgAWABYEAbA4ERFWEIn1dfX/1bYCCBhAEBklBQiWAfgwESYQi2V19f/VuB',
  'NWABYAFgQBsDgREVYQjPV2EIz2EHSVZbYQjiYB+CAWAfGRZgIAFhB4VWW4GBUotgIIOGAQERFWEI9ldfX/1bgWAghQFgIIMB',
  'N19gIIODAQFSgGBAhAFSUFCAhFJQUGAgggGRUGAggwGSUGEINVZbl5ZQUFBQUFBQVltfglGAYCCFAYReX5IBkYJSUJGQUFY=',
].join('');

/** The address from the deterministic deployer (`0x4e59…956C`) with salt 0. */
export const BATCH_ACCOUNT_ADDRESS: Uint8Array = fromHex('0x08464725f6595b50b0bd866a2a4582af663e35c6');

/** Returns the code that must be at {@link BATCH_ACCOUNT_ADDRESS}. */
export function batchAccountCode(): Uint8Array {
  return new Uint8Array(Buffer.from(CODE, 'base64'));
}

/** `execute(bytes32,bytes)` of ERC-7821. */
const EXECUTE = fromHex('0xe9ae5c53');
/** A single batch that reverts completely if a call fails (ERC-7821). */
const MODE = fromHex('0x0100000000000000000000000000000000000000000000000000000000000000');

const WORD = 32;

function word(value: number | bigint): Uint8Array {
  return bigIntToFixedBytes(BigInt(value), WORD);
}

/** Returns the bytes with a length prefix, padded with zeros to full words. */
function encodedBytes(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD);
  padded.set(bytes);
  return concatBytes(word(bytes.length), padded);
}

/** Returns the ABI encoding of a call's tuple. The data start after a head of three words. */
function encodedCall({ to, value, data }: BatchCall): Uint8Array {
  return concatBytes(padLeft(to, WORD), word(value), word(3 * WORD), encodedBytes(data));
}

/** Returns the call data for an account that delegates to the contract. It runs the calls in order. */
export function batchData(calls: readonly BatchCall[]): Uint8Array {
  const encoded = calls.map(encodedCall);
  const places: Uint8Array[] = [];
  let place = WORD * calls.length;
  for (const call of encoded) {
    places.push(word(place));
    place += call.length;
  }
  const list = concatBytes(word(WORD), word(calls.length), ...places, ...encoded);
  return concatBytes(EXECUTE, MODE, word(2 * WORD), encodedBytes(list));
}
