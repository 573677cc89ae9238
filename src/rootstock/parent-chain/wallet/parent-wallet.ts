// The state of a wallet: its keys and addresses. Balances are derived from the chain.

import { createHash } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { hexKey, readDigits } from '../../../primitives/hex.ts';
import { curve } from '../../../primitives/secp256k1/curve.ts';
import { hash160, p2pkhScript } from '../../bitcoin/script.ts';
import { p2shP2wpkhScript, p2wpkhScript } from '../script/templates.ts';

export type AddressType = 'legacy' | 'p2sh-segwit' | 'bech32';

export const ADDRESS_TYPES: readonly AddressType[] = ['legacy', 'p2sh-segwit', 'bech32'];

/** A key with the output script that the wallet gave out for it. */
export interface WalletKey {
  /** The output script as digits. */
  readonly script: string;
  /** 33 bytes as digits. */
  readonly publicKey: string;
  /** The private key of an imported key as digits; `null` for a key that is derived from the seed. */
  readonly privateKey: string | null;
  /** The derivation path of the key; `null` for an imported key. */
  readonly path: string | null;
  readonly isChange: boolean;
  readonly label: string;
}

/** A script that the wallet watches. */
export interface WatchedScript {
  /** The output script as digits. */
  readonly script: string;
  readonly label: string;
  /** 33 or 65 bytes as digits; `null` for an imported address or script. */
  readonly publicKey: string | null;
}

/** The state of a wallet. Immutable, and fit for JSON. */
export interface ParentWallet {
  readonly name: string;
  readonly isLoaded: boolean;
  /** False for a wallet that only watches. */
  readonly hasPrivateKeys: boolean;
  /** 32 bytes as digits. */
  readonly seed: string;
  /** In the order of creation. */
  readonly keys: readonly WalletKey[];
  readonly watched: readonly WatchedScript[];
  /** Imported redeem and witness scripts, as digits. */
  readonly scripts: readonly string[];
}

/** The name of the wallet that exists from the start. */
export const DEFAULT_WALLET = '';

/** Creates an empty wallet. Its seed depends on the seed of the chain and on its name. */
export function createWallet(chainSeed: string, name: string, hasPrivateKeys: boolean): ParentWallet {
  const seed = createHash('sha256').update(`parent chain wallet ${chainSeed} ${name}`).digest('hex');
  return { name, isLoaded: true, hasPrivateKeys, seed, keys: [], watched: [], scripts: [] };
}

/** The purposes in derivation paths (BIP-44, BIP-49, BIP-84). */
const PURPOSES: Readonly<Record<AddressType, number>> = { legacy: 44, 'p2sh-segwit': 49, bech32: 84 };

/** Returns the output script of a public key for an address of this type. */
function scriptOfKey(publicKey: Uint8Array, type: AddressType): Uint8Array {
  if (type === 'legacy') return p2pkhScript(hash160(publicKey));
  return type === 'bech32' ? p2wpkhScript(publicKey) : p2shP2wpkhScript(publicKey);
}

/** Returns the bytes of digits that the wallet wrote. */
export function digitBytes(digits: string): Uint8Array {
  const bytes = readDigits(digits);
  if (bytes === undefined) throw new RangeError(`not hexadecimal digits: ${digits.slice(0, 80)}`);
  return bytes;
}

function derivedKey({ seed }: ParentWallet, path: string): HDKey {
  return HDKey.fromMasterSeed(digitBytes(seed)).derive(path);
}

/** The fingerprint of the wallet's master key, as digits. */
export function masterFingerprint({ seed }: ParentWallet): string {
  return HDKey.fromMasterSeed(digitBytes(seed)).fingerprint.toString(16).padStart(8, '0');
}

interface NewKeyOptions {
  readonly type: AddressType;
  readonly isChange: boolean;
  readonly label: string;
}

/** Returns the wallet with the next key of this type. */
export function withNewKey(
  wallet: ParentWallet,
  { type, isChange, label }: NewKeyOptions,
): { wallet: ParentWallet; key: WalletKey } {
  const branch = `m/${PURPOSES[type]}'/1'/0'/${isChange ? 1 : 0}/`;
  const index = wallet.keys.filter(({ path }) => path?.startsWith(branch) === true).length;
  const path = `${branch}${index}`;
  const { publicKey } = derivedKey(wallet, path);
  if (publicKey === null) throw new RangeError(`no public key for the path ${path}`);
  const script = hexKey(scriptOfKey(publicKey, type));
  const key = { script, publicKey: hexKey(publicKey), privateKey: null, path, isChange, label };
  return { wallet: { ...wallet, keys: [...wallet.keys, key] }, key };
}

/** Returns the wallet with an imported private key, and its addresses of all types. */
export function withPrivateKey(wallet: ParentWallet, privateKey: Uint8Array, label: string): ParentWallet {
  const publicKey = curve.compressedPublicKey(privateKey);
  const known = new Set(wallet.keys.map(({ script }) => script));
  const keys = ADDRESS_TYPES.map((type) => ({
    script: hexKey(scriptOfKey(publicKey, type)),
    publicKey: hexKey(publicKey),
    privateKey: hexKey(privateKey),
    path: null,
    isChange: false,
    label,
  }));
  return { ...wallet, keys: [...wallet.keys, ...keys.filter(({ script }) => !known.has(script))] };
}

/** Returns the wallet with more watched scripts. A script that the wallet already contains is not added. */
export function withWatched(wallet: ParentWallet, watched: readonly WatchedScript[]): ParentWallet {
  const known = new Set([...wallet.keys, ...wallet.watched].map(({ script }) => script));
  const added = watched.filter(({ script }) => !known.has(script));
  return { ...wallet, watched: [...wallet.watched, ...added] };
}

/** Returns the wallet with more redeem and witness scripts. */
export function withScripts(wallet: ParentWallet, scripts: readonly string[]): ParentWallet {
  return { ...wallet, scripts: [...new Set([...wallet.scripts, ...scripts])] };
}

/** Returns the private key of a key; `undefined` for a wallet that only watches. */
export function privateKeyOf(wallet: ParentWallet, { privateKey, path }: WalletKey): Uint8Array | undefined {
  if (!wallet.hasPrivateKeys) return undefined;
  if (privateKey !== null) return digitBytes(privateKey);
  return path === null ? undefined : (derivedKey(wallet, path).privateKey ?? undefined);
}
