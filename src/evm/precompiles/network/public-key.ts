import { concatBytes } from '../../../primitives/bytes.ts';
import { curve } from '../../../primitives/secp256k1/curve.ts';
import { PrecompileError } from '../errors.ts';

const UNCOMPRESSED_SIZE = 65;
const HYBRID = 6;

/** The point of 64 bytes as a public key of 33 bytes. */
export function compressedKey(point: Uint8Array): Uint8Array {
  const isOdd = ((point[63] ?? 0) & 1) === 1;
  return concatBytes(Uint8Array.of(isOdd ? 3 : 2), point.subarray(0, 32));
}

/** The point of 64 bytes that a public key of 33 or 65 bytes is. Throws a `PrecompileError` when it is none. */
export function pointOfKey(key: Uint8Array): Uint8Array {
  // The hybrid form (SEC 1, 2.3.3) says in its first byte what the last one says too.
  const isHybrid = key.length === UNCOMPRESSED_SIZE && key[0] === HYBRID + ((key[64] ?? 0) & 1);
  const plain = isHybrid ? concatBytes(Uint8Array.of(4), key.subarray(1)) : key;
  const isPlain = plain.length === UNCOMPRESSED_SIZE ? plain[0] === 4 : plain.length === 33;
  if (!isPlain) throw new PrecompileError('The public key has another form');
  try {
    return curve.pointOf(plain);
  } catch {
    // There is no other reason than that no point has these coordinates.
    throw new PrecompileError('The public key is not on the curve');
  }
}
