import { compareBytes } from '../../primitives/bytes.ts';
import { PrecompileError } from './errors.ts';
import { withMemory } from './mcl-memory.ts';
import { FIELD_SIZE, type Pointer } from './mcl-module.ts';
import type { PairingCurve } from './pairing-curve.ts';

/** The bytes of a compressed point: its x coordinate, with three flags in the highest bits. */
const COMPRESSED_BYTES = 48;

const IS_COMPRESSED = 0x80;
const IS_INFINITY = 0x40;
const IS_LARGER_Y = 0x20;
const FLAGS = IS_COMPRESSED | IS_INFINITY | IS_LARGER_Y;

/**
 * Reads a compressed point of BLS12-381's G1, as the consensus layer writes it. Throws a `PrecompileError` when it is
 * none, is not written in the one right way, or is not of the group's order.
 */
export function readCompressedPoint(curve: PairingCurve, bytes: Uint8Array, result: Pointer): void {
  const { g1, mcl } = curve;
  const flags = (bytes[0] ?? 0) & FLAGS;
  const x = bytes.slice(0, COMPRESSED_BYTES);
  x[0] = (x[0] ?? 0) & ~FLAGS;
  if ((flags & IS_COMPRESSED) === 0) throw new PrecompileError('The point is not compressed');
  if (flags & IS_INFINITY) {
    if (flags & IS_LARGER_Y || x.some((byte) => byte !== 0)) {
      throw new PrecompileError('The point at infinity has coordinates');
    }
    mcl._mclBnG1_clear(result);
    return;
  }
  const y = result + FIELD_SIZE;
  curve.field.readUnpadded(x, result);
  rootOfEquation(curve, result, y);
  if (isLargerThanNegative(curve, y) !== ((flags & IS_LARGER_Y) !== 0)) mcl._mclBnFp_neg(y, y);
  mcl._mclBnFp_setInt32(y + FIELD_SIZE, 1);
  g1.requireOrder(result);
}

/** One of the two `y` with `y^2 = x^3 + 4`. */
function rootOfEquation({ mcl }: PairingCurve, x: Pointer, y: Pointer): void {
  const hasRoot = withMemory(mcl, FIELD_SIZE, (four) => {
    mcl._mclBnFp_setInt32(four, 4);
    mcl._mclBnFp_sqr(y, x);
    mcl._mclBnFp_mul(y, y, x);
    mcl._mclBnFp_add(y, y, four);
    return mcl._mclBnFp_squareRoot(y, y) === 0;
  });
  if (!hasRoot) throw new PrecompileError('The point is not on the curve');
}

function isLargerThanNegative({ mcl, field }: PairingCurve, y: Pointer): boolean {
  return withMemory(mcl, FIELD_SIZE, (negative) => {
    mcl._mclBnFp_neg(negative, y);
    return compareBytes(field.write(y), field.write(negative)) > 0;
  });
}
