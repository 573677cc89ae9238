// The coins of a wallet on the chain.

import { hexKey } from '../../../primitives/hex.ts';
import { ITEMS_PER_STEP, type Steps } from '../../../primitives/steps.ts';
import type { Coin } from '../chain-index.ts';
import { COINBASE_MATURITY } from '../chain-index.ts';
import type { ParentChain } from '../parent-chain.ts';
import type { ParentTransaction } from '../parent-transaction.ts';
import type { ParentWallet, WalletKey, WatchedScript } from './parent-wallet.ts';

/** A script of the wallet: of one of its keys, or watched. */
export type WalletScript =
  | { readonly kind: 'key'; readonly entry: WalletKey }
  | { readonly kind: 'watched'; readonly entry: WatchedScript };

/** Work units to read a coin. */
const COIN_WORK = 2 ** 6;

/** Returns the scripts of a wallet by their digits. */
export function walletScripts(wallet: ParentWallet): Map<string, WalletScript> {
  const scripts = new Map<string, WalletScript>();
  for (const entry of wallet.watched) scripts.set(entry.script, { kind: 'watched', entry });
  for (const entry of wallet.keys) scripts.set(entry.script, { kind: 'key', entry });
  return scripts;
}

export interface WalletCoin extends Coin {
  readonly owner: WalletScript;
  readonly confirmations: number;
  /** False for an unconfirmed coin that somebody else sent. */
  readonly isTrusted: boolean;
  /** False for a coin of a block reward that waits for confirmations. */
  readonly isMature: boolean;
}

/** Returns the unspent coins of a wallet, the oldest of each script first. */
export function* walletCoins(chain: ParentChain, wallet: ParentWallet): Steps<WalletCoin[]> {
  const scripts = walletScripts(wallet);
  for (;;) {
    const { tip, mempool } = chain.state;
    const coins = yield* collectCoins(chain, scripts);
    // Other calls can change the chain between the steps.
    if (chain.state.tip === tip && chain.state.mempool === mempool) return coins;
  }
}

function* collectCoins(chain: ParentChain, scripts: ReadonlyMap<string, WalletScript>): Steps<WalletCoin[]> {
  const coins: WalletCoin[] = [];
  let scanned = 0;
  for (const [script, owner] of scripts) {
    if (++scanned % ITEMS_PER_STEP === 0) yield ITEMS_PER_STEP * COIN_WORK;
    for (const coin of chain.index.coinsOfScript(script)) {
      if (++scanned % ITEMS_PER_STEP === 0) yield ITEMS_PER_STEP * COIN_WORK;
      if (chain.mempool.spender(coin) === undefined) coins.push(toWalletCoin(chain, coin, owner, scripts));
    }
    for (const coin of chain.mempool.coinsOfScript(script)) {
      coins.push(toWalletCoin(chain, coin, owner, scripts));
    }
  }
  return coins;
}

function toWalletCoin(
  chain: ParentChain,
  coin: Coin,
  owner: WalletScript,
  scripts: ReadonlyMap<string, WalletScript>,
): WalletCoin {
  const confirmations = coin.height === null ? 0 : chain.confirmations(coin.height);
  const entry = chain.mempool.entry(coin.txid);
  return {
    ...coin,
    owner,
    confirmations,
    isTrusted: confirmations > 0 || (entry !== undefined && isSentBy(chain, entry.transaction, scripts)),
    // Like bitcoind's wallet, one block later than blocks permit.
    isMature: !coin.isCoinbase || confirmations > COINBASE_MATURITY,
  };
}

/** Returns true if all inputs spend outputs of the wallet's keys. */
function isSentBy(
  chain: ParentChain,
  { inputs }: ParentTransaction,
  scripts: ReadonlyMap<string, WalletScript>,
): boolean {
  return inputs.every((input) => {
    const output = chain.transaction(input.txid)?.transaction.outputs[input.index];
    return output !== undefined && scripts.get(hexKey(output.script))?.kind === 'key';
  });
}

/** The sums of a wallet, in satoshis. */
export interface Balances {
  readonly trusted: bigint;
  readonly pending: bigint;
  readonly immature: bigint;
}

/** Returns the sums of the coins of keys or of watched scripts. */
export function balancesOf(coins: readonly WalletCoin[], kind: WalletScript['kind']): Balances {
  const sums = { trusted: 0n, pending: 0n, immature: 0n };
  for (const coin of coins) {
    if (coin.owner.kind !== kind) continue;
    if (!coin.isMature) sums.immature += coin.value;
    else if (coin.isTrusted) sums.trusted += coin.value;
    else sums.pending += coin.value;
  }
  return sums;
}

/** Returns the coins in a fixed order for selection: confirmed coins first, then the largest. */
export function inOrderOfSelection(coins: readonly WalletCoin[]): WalletCoin[] {
  return coins.toSorted((left, right) => {
    const byState = Number(left.confirmations === 0) - Number(right.confirmations === 0);
    if (byState !== 0) return byState;
    if (left.value !== right.value) return left.value > right.value ? -1 : 1;
    if (left.txid !== right.txid) return left.txid < right.txid ? -1 : 1;
    return left.index - right.index;
  });
}
