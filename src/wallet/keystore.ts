// Private keys encrypted with a passphrase.

import { createCipheriv, createDecipheriv, scrypt, timingSafeEqual } from 'node:crypto';
import { concatBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { RandomSource } from '../primitives/random.ts';

/** A private key encrypted with a passphrase (Web3 Secret Storage, version 3). Bytes are bare lower-case digits. */
export interface Keystore {
  readonly version: 3;
  /** A random UUID. */
  readonly id: string;
  readonly address: string;
  readonly crypto: {
    readonly cipher: 'aes-128-ctr';
    readonly cipherparams: { readonly iv: string };
    readonly ciphertext: string;
    readonly kdf: 'scrypt';
    readonly kdfparams: {
      readonly n: number;
      readonly r: number;
      readonly p: number;
      readonly dklen: number;
      readonly salt: string;
    };
    /** Keccak of the derived key's second half and the ciphertext. It verifies the passphrase. */
    readonly mac: string;
  };
}

/**
 * The parameters of scrypt: about 10 ms and 4 MiB per guess of a passphrase. Keys of a development chain have
 * no value, so the usual cost (n = 262144, nearly a second) would only slow down users.
 */
const COST = { n: 4096, r: 8, p: 1, dklen: 32 } as const;

const CIPHER = 'aes-128-ctr';
const SALT_LENGTH = 32;
const IV_LENGTH = 16;
const UUID_LENGTH = 16;

interface DerivedKey {
  /** Encrypts the private key. */
  readonly cipherKey: Uint8Array;
  /** Verifies the passphrase. */
  readonly macKey: Uint8Array;
}

/** Derives the key off the main thread, so that the node can respond to other requests meanwhile. */
function derivedKey(
  passphrase: string,
  { n, r, p, dklen }: Omit<Keystore['crypto']['kdfparams'], 'salt'>,
  salt: Uint8Array,
): Promise<DerivedKey> {
  return new Promise((resolve, reject) => {
    scrypt(new TextEncoder().encode(passphrase), salt, dklen, { N: n, r, p }, (error, key) => {
      if (error) reject(error);
      else resolve({ cipherKey: key.subarray(0, 16), macKey: key.subarray(16, 32) });
    });
  });
}

function macOf({ macKey }: DerivedKey, ciphertext: Uint8Array): Uint8Array {
  return keccak256(concatBytes(macKey, ciphertext));
}

/** Returns a random UUID (RFC 9562, version 4). */
function randomUuid(random: RandomSource): string {
  const bytes = Uint8Array.from(random(UUID_LENGTH), (byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    return index === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  return hexKey(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Encrypts the private key (32 bytes) of the address with the passphrase, which may be empty. */
export async function encryptKey(
  privateKey: Uint8Array,
  address: Uint8Array,
  passphrase: string,
  random: RandomSource,
): Promise<Keystore> {
  const salt = random(SALT_LENGTH);
  const iv = random(IV_LENGTH);
  const derived = await derivedKey(passphrase, COST, salt);
  const cipher = createCipheriv(CIPHER, derived.cipherKey, iv);
  const ciphertext = concatBytes(cipher.update(privateKey), cipher.final());
  return {
    version: 3,
    id: randomUuid(random),
    address: hexKey(address),
    crypto: {
      cipher: CIPHER,
      cipherparams: { iv: hexKey(iv) },
      ciphertext: hexKey(ciphertext),
      kdf: 'scrypt',
      kdfparams: { ...COST, salt: hexKey(salt) },
      mac: hexKey(macOf(derived, ciphertext)),
    },
  };
}

/** Returns the private key (32 bytes) of the keystore; `undefined` if the passphrase is wrong. */
export async function decryptKey(keystore: Keystore, passphrase: string): Promise<Uint8Array | undefined> {
  const { kdfparams, cipherparams, ciphertext, mac } = keystore.crypto;
  const derived = await derivedKey(passphrase, kdfparams, Buffer.from(kdfparams.salt, 'hex'));
  const encrypted = Buffer.from(ciphertext, 'hex');
  if (!timingSafeEqual(macOf(derived, encrypted), Buffer.from(mac, 'hex'))) return undefined;
  const decipher = createDecipheriv(CIPHER, derived.cipherKey, Buffer.from(cipherparams.iv, 'hex'));
  return concatBytes(decipher.update(encrypted), decipher.final());
}

/** The stored form of a key: its keystore, or the key itself (32 bytes) if its account has no passphrase. */
export type KeyAtRest = { readonly keystore: Keystore } | { readonly privateKey: Uint8Array };

export interface StoredKey {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** True for initial accounts and for accounts of seeds. They are listed first. */
  readonly isInitial: boolean;
  readonly stored: KeyAtRest;
}
