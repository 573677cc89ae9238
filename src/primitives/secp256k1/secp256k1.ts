/** A recoverable ECDSA signature over secp256k1, with `s` in the lower half of the order. */
export interface Signature {
  /** `r` then `s`, 32 bytes each. */
  readonly compact: Uint8Array;
  /** Which of the candidate public keys signed: 0 or 1. */
  readonly recovery: number;
}

/** The curve operations the chain needs, whoever computes them. */
export interface Secp256k1 {
  readonly name: 'native' | 'wasm' | 'javascript';
  /**
   * Signs a 32-byte hash deterministically (RFC 6979). All implementations sign a hash below the order of the curve alike;
   * of one at or above it, libraries make different nonces and so different signatures, each of them valid.
   */
  sign(hash: Uint8Array, privateKey: Uint8Array): Signature;
  /** The signer's uncompressed public key without its prefix byte: 64 bytes. Throws when there is none. */
  recover(hash: Uint8Array, signature: Signature): Uint8Array;
  /** The public key of a private key, 64 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** The public key of a private key, 33 bytes. */
  compressedPublicKey(privateKey: Uint8Array): Uint8Array;
  /** True for 32 bytes between 1 and the order minus one. */
  isPrivateKey(bytes: Uint8Array): boolean;
  /**
   * The point of a public key: x then y, 32 bytes each. The key has 33 bytes, the first of them 2 or 3, or 65, the first
   * of them 4. Throws when it has another form (hybrid keys, which begin with 6 or 7, too) or stands for no point.
   */
  pointOf(publicKey: Uint8Array): Uint8Array;
  /** The sum of two points of 64 bytes; zeros are the point at infinity. Throws when one is not on the curve. */
  addPoints(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** The product of such a point and a number of 32 bytes, which may be any. Throws when it is not on the curve. */
  multiplyPoint(point: Uint8Array, factor: Uint8Array): Uint8Array;
}
