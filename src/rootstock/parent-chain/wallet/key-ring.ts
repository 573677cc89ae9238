// The keys and scripts that a signer has.

import { hexKey } from '../../../primitives/hex.ts';
import { curve } from '../../../primitives/secp256k1/curve.ts';
import { hash160, sha256 } from '../../bitcoin/script.ts';
import { p2wpkhScript } from '../script/templates.ts';
import { digitBytes, type ParentWallet, privateKeyOf, type WalletKey } from './parent-wallet.ts';

/** The digits of the output scripts of keys. */
const SCRIPT_DIGITS = { p2wpkh: 44, p2pkh: 50 } as const;

/** Finds keys and scripts by their hashes. */
export class KeyRing {
  /** By public key. A private key is derived at its first use. */
  readonly #privateKeys = new Map<string, () => Uint8Array | undefined>();
  /** Public keys and scripts by RIPEMD-160 of SHA-256, and scripts also by SHA-256. */
  readonly #preimages = new Map<string, Uint8Array>();

  /** Adds a public key with a function that returns its private key. */
  addKey(publicKey: Uint8Array, privateKey: () => Uint8Array | undefined): void {
    this.#privateKeys.set(hexKey(publicKey), privateKey);
    this.#preimages.set(hexKey(hash160(publicKey)), publicKey);
    const program = p2wpkhScript(publicKey);
    this.#preimages.set(hexKey(hash160(program)), program);
  }

  /** Adds a key of a wallet. Most hashes are read from its script, because hashing all keys of a wallet takes long. */
  addWalletKey({ script, publicKey }: WalletKey, privateKey: () => Uint8Array | undefined): void {
    const key = digitBytes(publicKey);
    this.#privateKeys.set(publicKey, privateKey);
    const { length } = script;
    if (length === SCRIPT_DIGITS.p2wpkh) this.#preimages.set(script.slice(4), key);
    else if (length === SCRIPT_DIGITS.p2pkh) this.#preimages.set(script.slice(6, 46), key);
    else {
      const program = p2wpkhScript(key);
      this.#preimages.set(script.slice(4, 44), program);
      this.#preimages.set(hexKey(program).slice(4), key);
    }
  }

  addPrivateKey(privateKey: Uint8Array, isCompressed: boolean): void {
    const publicKey = isCompressed
      ? curve.compressedPublicKey(privateKey)
      : Uint8Array.of(4, ...curve.publicKey(privateKey));
    this.addKey(publicKey, () => privateKey);
  }

  /** Adds a redeem or witness script. */
  addScript(script: Uint8Array): void {
    this.#preimages.set(hexKey(hash160(script)), script);
    this.#preimages.set(hexKey(sha256(script)), script);
    const program = Uint8Array.of(0, 32, ...sha256(script));
    this.#preimages.set(hexKey(hash160(program)), program);
  }

  privateKey(publicKey: Uint8Array): Uint8Array | undefined {
    const key = hexKey(publicKey);
    const found = this.#privateKeys.get(key)?.();
    if (found !== undefined) this.#privateKeys.set(key, () => found);
    return found;
  }

  /** Returns the public key or script with this hash. */
  preimage(hash: Uint8Array): Uint8Array | undefined {
    return this.#preimages.get(hexKey(hash));
  }
}

/** Returns the keys and scripts of a wallet. */
export function keyRingOf(wallet: ParentWallet): KeyRing {
  const ring = new KeyRing();
  for (const key of wallet.keys) ring.addWalletKey(key, () => privateKeyOf(wallet, key));
  for (const { publicKey } of wallet.watched) {
    if (publicKey !== null) ring.addKey(digitBytes(publicKey), () => undefined);
  }
  for (const script of wallet.scripts) ring.addScript(digitBytes(script));
  return ring;
}
