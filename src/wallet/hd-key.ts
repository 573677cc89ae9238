import { createHmac, pbkdf2Sync } from 'node:crypto';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../primitives/bytes.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../primitives/secp256k1/secp256k1.ts';

const HARDENED = 0x80000000;
const SEED_ROUNDS = 2048;
const SEED_LENGTH = 64;

interface ExtendedKey {
  readonly privateKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

function extendedKey(hmacKey: Uint8Array | string, data: Uint8Array): ExtendedKey {
  const digest = new Uint8Array(createHmac('sha512', hmacKey).update(data).digest());
  return { privateKey: digest.subarray(0, 32), chainCode: digest.subarray(32) };
}

function childKey(parent: ExtendedKey, index: number): ExtendedKey {
  const own =
    index >= HARDENED
      ? concatBytes(Uint8Array.of(0), parent.privateKey)
      : curve.compressedPublicKey(parent.privateKey);
  const tweak = extendedKey(parent.chainCode, concatBytes(own, bigIntToFixedBytes(BigInt(index), 4)));
  const sum = (bytesToBigInt(tweak.privateKey) + bytesToBigInt(parent.privateKey)) % CURVE_ORDER;
  return { privateKey: bigIntToFixedBytes(sum, 32), chainCode: tweak.chainCode };
}

/** Returns the 64-byte seed of a mnemonic phrase without a passphrase (BIP-39). */
export function mnemonicSeed(mnemonic: string): Uint8Array {
  const phrase = mnemonic.normalize('NFKD');
  return new Uint8Array(pbkdf2Sync(phrase, 'mnemonic', SEED_ROUNDS, SEED_LENGTH, 'sha512'));
}

/**
 * Returns the private keys at `path` with the indexes 0 to `count - 1` behind it (BIP-32). The path's form is
 * `m/44'/60'/0'/0`: numbers between slashes, hardened with a tick. Throws a `RangeError` for a path of another form.
 */
export function derivePrivateKeys(seed: Uint8Array, path: string, count: number): Uint8Array[] {
  if (!isDerivationPath(path)) throw new RangeError(`not a derivation path: ${path}`);
  let key = extendedKey('Bitcoin seed', seed);
  for (const step of path.split('/').slice(1)) {
    if (step === '') continue;
    const index = Number.parseInt(step, 10);
    key = childKey(key, step.endsWith("'") ? index + HARDENED : index);
  }
  return Array.from({ length: count }, (_, index) => childKey(key, index).privateKey);
}

/** True for `m/` and numbers below 2^31 between slashes, each with a tick or without; one slash may end it. */
export function isDerivationPath(path: string): boolean {
  if (!/^m(\/\d+'?)*\/?$/.test(path)) return false;
  return path.split('/').every((step) => !/^\d/.test(step) || Number.parseInt(step, 10) < HARDENED);
}
