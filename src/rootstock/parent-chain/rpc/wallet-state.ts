// Changes of wallets in the state of the chain.

import type { ParentChain } from '../parent-chain.ts';
import {
  ADDRESS_TYPES,
  type AddressType,
  type ParentWallet,
  type WalletKey,
  withNewKey,
} from '../wallet/parent-wallet.ts';
import { shown } from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';

/** Replaces the wallet of the same name. */
export function updateWallet(chain: ParentChain, wallet: ParentWallet): void {
  chain.setWallets(
    chain.state.wallets.map((existing) => (existing.name === wallet.name ? wallet : existing)),
  );
}

/** Returns the newest state of a wallet. Other calls can change it between the steps of a call. */
export function newestState(chain: ParentChain, wallet: ParentWallet): ParentWallet {
  return chain.state.wallets.find(({ name }) => name === wallet.name) ?? wallet;
}

/** Returns the type of addresses with this name. */
export function addressTypeOf(name: string | undefined): AddressType {
  if (name === undefined) return 'bech32';
  const type = ADDRESS_TYPES.find((candidate) => candidate === name);
  if (type !== undefined) return type;
  throw new BitcoinRpcError(CODES.addressOrKey, `Unknown address type '${shown(name)}'`);
}

/** Adds a key to the wallet of the chain and returns it. */
export function takeKey(
  chain: ParentChain,
  wallet: ParentWallet,
  type: AddressType,
  isChange: boolean,
  label = '',
): WalletKey {
  if (!wallet.hasPrivateKeys) {
    throw new BitcoinRpcError(CODES.wallet, 'Error: This wallet has no available keys');
  }
  const { wallet: updated, key } = withNewKey(wallet, { type, isChange, label });
  updateWallet(chain, updated);
  return key;
}
