import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToBigInt } from '../bytes.ts';
import type { Secp256k1 } from './secp256k1.ts';
import { CURVE_ORDER, isInfinity, keyOfPoint, POINT_SIZE } from './secp256k1.ts';

/** Returns the implementation in plain JavaScript. It works on every platform. */
export function javascriptSecp256k1(): Secp256k1 {
  const raw = { prehash: false } as const;
  const { Point } = secp256k1;
  type CurvePoint = ReturnType<typeof Point.fromBytes>;
  const read = (point: Uint8Array): CurvePoint =>
    isInfinity(point) ? Point.ZERO : Point.fromBytes(keyOfPoint(point));
  const write = (point: CurvePoint): Uint8Array =>
    point.is0() ? new Uint8Array(POINT_SIZE) : point.toBytes(false).subarray(1);
  return {
    name: 'javascript',
    sign(hash, privateKey) {
      const recovered = secp256k1.sign(hash, privateKey, { ...raw, format: 'recovered' });
      return { compact: recovered.subarray(1), recovery: recovered[0] ?? 0 };
    },
    recover(hash, { compact, recovery }) {
      const point = secp256k1.Signature.fromBytes(compact, 'compact')
        .addRecoveryBit(recovery)
        .recoverPublicKey(hash);
      return point.toBytes(false).subarray(1);
    },
    publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, false).subarray(1),
    compressedPublicKey: (privateKey) => secp256k1.getPublicKey(privateKey, true),
    isPrivateKey: (bytes) => secp256k1.utils.isValidSecretKey(bytes),
    pointOf: (publicKey) => write(Point.fromBytes(publicKey)),
    addPoints: (left, right) => write(read(left).add(read(right))),
    multiplyPoint: (point, factor) => write(read(point).multiplyUnsafe(bytesToBigInt(factor) % CURVE_ORDER)),
  };
}
