import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { addressOfPrivateKey } from '../../wallet/key-address.ts';
import type { Keystore } from '../../wallet/keystore.ts';
import type { KeyAtRest, StoredKey } from '../../wallet/stored-key.ts';
import type { DumpValue } from './dump-value.ts';

/** An account of the wallet as JSON. A keystore keeps its key under its passphrase; other keys stand there as they are. */
export function keyJson({ address, isInitial, stored }: StoredKey): Readonly<Record<string, unknown>> {
  const secret =
    'keystore' in stored ? { keystore: stored.keystore } : { privateKey: toHex(stored.privateKey) };
  return { address: toHex(address), isInitial, ...secret };
}

/** The account that {@link keyJson} wrote. Throws an `InvalidDumpError`. */
export function readKey(value: DumpValue): StoredKey {
  const address = value.field('address').bytes(20);
  return { address, isInitial: value.field('isInitial').flag(), stored: readStored(value, address) };
}

function readStored(value: DumpValue, address: Uint8Array): KeyAtRest {
  const keystore = value.field('keystore');
  if (!keystore.isNothing) return { keystore: readKeystore(keystore) };
  // What stands there is a secret, so no error shows it.
  const place = value.field('privateKey');
  if (!place.isData(32)) value.field('address').refuse('a private key of 32 bytes beside it');
  const privateKey = place.bytes(32);
  const isOwn = curve.isPrivateKey(privateKey) && equalBytes(addressOfPrivateKey(privateKey), address);
  return isOwn ? { privateKey } : value.field('address').refuse('the address of the private key beside it');
}

/** Bounds what opening a foreign keystore may cost: 256 MiB. */
const MOST_COST = 2 ** 18;

function readKeystore(value: DumpValue): Keystore {
  const crypto = value.field('crypto');
  const parameters = crypto.field('kdfparams');
  const parameter = (name: string, most: number): number => {
    const place = parameters.field(name);
    const number = place.count();
    return number >= 1 && number <= most ? number : place.refuse(`a number from 1 to ${most}`);
  };
  return {
    version: exactly(value.field('version'), 3),
    id: value.field('id').text(),
    address: digits(value.field('address'), 20),
    crypto: {
      cipher: exactly(crypto.field('cipher'), 'aes-128-ctr'),
      cipherparams: { iv: digits(crypto.field('cipherparams').field('iv'), 16) },
      ciphertext: digits(crypto.field('ciphertext'), 32),
      kdf: exactly(crypto.field('kdf'), 'scrypt'),
      kdfparams: {
        n: parameter('n', MOST_COST),
        r: parameter('r', 8),
        p: parameter('p', 8),
        dklen: exactly(parameters.field('dklen'), 32),
        salt: digits(parameters.field('salt'), 32),
      },
      mac: digits(crypto.field('mac'), 32),
    },
  };
}

function exactly<const T>(value: DumpValue, wanted: T): T {
  return value.json === wanted ? wanted : value.refuse(JSON.stringify(wanted));
}

function digits(value: DumpValue, size: number): string {
  const text = value.text();
  return /^[0-9a-f]*$/.test(text) && text.length === 2 * size
    ? text
    : value.refuse(`${2 * size} hexadecimal digits`);
}
