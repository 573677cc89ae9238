import { keccak256 } from '../primitives/keccak.ts';
import type { DevAccount } from './dev-account.ts';
import { derivePrivateKeys, mnemonicSeed } from './hd-key.ts';
import { addressOfPrivateKey } from './key-address.ts';
import { DEFAULT_ACCOUNTS } from './well-known-accounts.ts';

/** The phrase that developer nodes share, so that scripts find the same accounts on each. */
export const DEFAULT_MNEMONIC = 'test test test test test test test test test test test junk';

/** The path below which the accounts lie. */
export const DEFAULT_DERIVATION_PATH = "m/44'/60'/0'/0/";

/** The accounts of a mnemonic phrase in the order of their index. */
export function deriveDevAccounts(options: {
  readonly mnemonic: string;
  readonly derivationPath: string;
  readonly count: number;
}): DevAccount[] {
  const { mnemonic, derivationPath, count } = options;
  const isDefault = mnemonic === DEFAULT_MNEMONIC && derivationPath === DEFAULT_DERIVATION_PATH;
  if (isDefault && count <= DEFAULT_ACCOUNTS.length) return DEFAULT_ACCOUNTS.slice(0, count);
  return derivePrivateKeys(mnemonicSeed(mnemonic), derivationPath, count).map((privateKey) => ({
    address: addressOfPrivateKey(privateKey),
    privateKey,
  }));
}

/** The account whose key is the Keccak of a seed text. */
export function accountOfSeed(seed: string): DevAccount {
  const privateKey = keccak256(new TextEncoder().encode(seed));
  return { address: addressOfPrivateKey(privateKey), privateKey };
}
