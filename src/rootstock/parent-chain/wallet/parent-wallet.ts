// The state of a wallet: its keys and addresses. Balances are derived from the chain.

import { createHash } from 'node:crypto';

export type AddressType = 'legacy' | 'p2sh-segwit' | 'bech32';

/** A key with the address that the wallet gave out for it. */
export interface WalletKey {
  /** 33 bytes as digits. */
  readonly publicKey: string;
  /** The private key of an imported key as digits; `null` for a key that is derived from the seed. */
  readonly privateKey: string | null;
  /** The derivation path of the key; `null` for an imported key. */
  readonly path: string | null;
  readonly type: AddressType;
  readonly isChange: boolean;
  readonly label: string;
}

/** A script that the wallet watches. */
export interface WatchedScript {
  /** The output script as digits. */
  readonly script: string;
  readonly label: string;
  /** The redeem and witness scripts as digits, if they are known. */
  readonly innerScripts: readonly string[];
  /** 33 or 65 bytes as digits; `null` for an imported address or script. */
  readonly publicKey: string | null;
}

/** The state of a wallet. Immutable. */
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
}

/** The name of the wallet that exists from the start. */
export const DEFAULT_WALLET = '';

/** Creates an empty wallet. Its seed depends on the seed of the chain and on its name. */
export function createWallet(chainSeed: string, name: string, hasPrivateKeys: boolean): ParentWallet {
  const seed = createHash('sha256').update(`parent chain wallet ${chainSeed} ${name}`).digest('hex');
  return { name, isLoaded: true, hasPrivateKeys, seed, keys: [], watched: [] };
}
