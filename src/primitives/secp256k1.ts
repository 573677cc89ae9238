import { createRequire } from 'node:module';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from './bytes.ts';

const ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;
const POINT_SIZE = 64;
const UNCOMPRESSED = 4;

/** A recoverable ECDSA signature over secp256k1, with `s` in the lower half of the order. */
export interface Signature {
  /** `r` then `s`, 32 bytes each. */
  readonly compact: Uint8Array;
  /** Which of the candidate public keys signed: 0 or 1. */
  readonly recovery: number;
}

/** The curve operations the chain needs, whoever computes them. */
export interface Secp256k1 {
  readonly name: 'native' | 'javascript';
  /** Signs a 32-byte hash deterministically (RFC 6979). */
  sign(hash: Uint8Array, privateKey: Uint8Array): Signature;
  /** The signer's uncompressed public key without its prefix byte: 64 bytes. Throws when there is none. */
  recover(hash: Uint8Array, signature: Signature): Uint8Array;
  /** The public key of a private key, 64 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** The public key of a private key, 33 bytes. */
  compressedPublicKey(privateKey: Uint8Array): Uint8Array;
  /** True for 32 bytes between 1 and the order minus one. */
  isPrivateKey(bytes: Uint8Array): boolean;
  /** The point of a public key of 33 or 65 bytes: x then y, 32 bytes each. Throws when it is none. */
  pointOf(publicKey: Uint8Array): Uint8Array;
  /** The sum of two points of 64 bytes; zeros are the point at infinity. Throws when one is not on the curve. */
  addPoints(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** The product of such a point and a number of 32 bytes, which may be any. Throws when it is not on the curve. */
  multiplyPoint(point: Uint8Array, factor: Uint8Array): Uint8Array;
}

interface NativeBinding {
  ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyConvert(key: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCombine(keys: readonly Uint8Array[], compressed: boolean): Uint8Array;
  publicKeyTweakMul(key: Uint8Array, factor: Uint8Array, compressed: boolean): Uint8Array;
}

function isInfinity(point: Uint8Array): boolean {
  return point.every((byte) => byte === 0);
}

/** The bytes of a public key that is this point. */
function keyOfPoint(point: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(UNCOMPRESSED), point);
}

/** The library knows no point at infinity: it refuses it as an operand and as a result. */
function nativePoints(binding: NativeBinding): Pick<Secp256k1, 'pointOf' | 'addPoints' | 'multiplyPoint'> {
  const pointOf = (publicKey: Uint8Array): Uint8Array =>
    binding.publicKeyConvert(publicKey, false).subarray(1);
  const checked = (point: Uint8Array): Uint8Array =>
    isInfinity(point) ? point.slice() : pointOf(keyOfPoint(point));
  return {
    pointOf,
    addPoints(left, right) {
      const [first, second] = [checked(left), checked(right)];
      if (isInfinity(first)) return second;
      if (isInfinity(second)) return first;
      const areInverse =
        equalBytes(first.subarray(0, 32), second.subarray(0, 32)) && !equalBytes(first, second);
      if (areInverse) return new Uint8Array(POINT_SIZE);
      return binding.publicKeyCombine([keyOfPoint(first), keyOfPoint(second)], false).subarray(1);
    },
    multiplyPoint(point, factor) {
      const remainder = bytesToBigInt(factor) % ORDER;
      const isNothing = isInfinity(checked(point)) || remainder === 0n;
      if (isNothing) return new Uint8Array(POINT_SIZE);
      const product = binding.publicKeyTweakMul(keyOfPoint(point), bigIntToFixedBytes(remainder, 32), false);
      return product.subarray(1);
    },
  };
}

/** The native implementation, or `undefined` where its binary is not installed. */
export function nativeSecp256k1(): Secp256k1 | undefined {
  let binding: NativeBinding;
  try {
    // The package's own entry would fall back to a slow library; its bindings alone say whether the binary is there.
    binding = createRequire(import.meta.url)('secp256k1/bindings');
  } catch {
    return undefined;
  }
  return {
    name: 'native',
    sign(hash, privateKey) {
      const { signature, recid } = binding.ecdsaSign(hash, privateKey);
      return { compact: signature, recovery: recid };
    },
    recover: (hash, { compact, recovery }) =>
      binding.ecdsaRecover(compact, recovery, hash, false).subarray(1),
    publicKey: (privateKey) => binding.publicKeyCreate(privateKey, false).subarray(1),
    compressedPublicKey: (privateKey) => binding.publicKeyCreate(privateKey, true),
    isPrivateKey: (bytes) => bytes.length === 32 && binding.privateKeyVerify(bytes),
    ...nativePoints(binding),
  };
}

/** The implementation in plain JavaScript, which works on every platform. */
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
    multiplyPoint: (point, factor) => write(read(point).multiplyUnsafe(bytesToBigInt(factor) % ORDER)),
  };
}

/** An implementation that is looked for when it is first asked: loading the native one takes some ten milliseconds. */
class Secp256k1AtFirstUse implements Secp256k1 {
  #found: Secp256k1 | undefined;

  get #implementation(): Secp256k1 {
    this.#found ??= nativeSecp256k1() ?? javascriptSecp256k1();
    return this.#found;
  }

  /** Looks for the implementation now, so that who asks first need not wait for it. Gives its name. */
  prepare(): Secp256k1['name'] {
    return this.#implementation.name;
  }

  get name(): Secp256k1['name'] {
    return this.#implementation.name;
  }

  sign(hash: Uint8Array, privateKey: Uint8Array): Signature {
    return this.#implementation.sign(hash, privateKey);
  }

  recover(hash: Uint8Array, signature: Signature): Uint8Array {
    return this.#implementation.recover(hash, signature);
  }

  publicKey(privateKey: Uint8Array): Uint8Array {
    return this.#implementation.publicKey(privateKey);
  }

  compressedPublicKey(privateKey: Uint8Array): Uint8Array {
    return this.#implementation.compressedPublicKey(privateKey);
  }

  isPrivateKey(bytes: Uint8Array): boolean {
    return this.#implementation.isPrivateKey(bytes);
  }

  pointOf(publicKey: Uint8Array): Uint8Array {
    return this.#implementation.pointOf(publicKey);
  }

  addPoints(left: Uint8Array, right: Uint8Array): Uint8Array {
    return this.#implementation.addPoints(left, right);
  }

  multiplyPoint(point: Uint8Array, factor: Uint8Array): Uint8Array {
    return this.#implementation.multiplyPoint(point, factor);
  }
}

/** The curve this process computes with: native where it is installed, JavaScript elsewhere. */
export const curve = new Secp256k1AtFirstUse();
