import { createRequire } from 'node:module';
import { secp256k1 } from '@noble/curves/secp256k1.js';

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
}

interface NativeBinding {
  ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  privateKeyVerify(key: Uint8Array): boolean;
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
  };
}

/** The implementation in plain JavaScript, which works on every platform. */
export function javascriptSecp256k1(): Secp256k1 {
  const raw = { prehash: false } as const;
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
  };
}

/** An implementation that is looked for when it is first asked: loading the native one takes some ten milliseconds. */
class Secp256k1AtFirstUse implements Secp256k1 {
  #found: Secp256k1 | undefined;

  get #implementation(): Secp256k1 {
    this.#found ??= nativeSecp256k1() ?? javascriptSecp256k1();
    return this.#found;
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
}

/** The curve this process computes with: native where it is installed, JavaScript elsewhere. */
export const curve: Secp256k1 = new Secp256k1AtFirstUse();
