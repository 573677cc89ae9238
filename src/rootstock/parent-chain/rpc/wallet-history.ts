// The transactions of a wallet.

import { hexKey } from '../../../primitives/hex.ts';
import type { MinedTransaction } from '../chain-index.ts';
import type { ParentChain } from '../parent-chain.ts';
import { isCoinbase, type ParentOutput, type ParentTransaction } from '../parent-transaction.ts';
import type { ParentWallet } from '../wallet/parent-wallet.ts';
import { type WalletScript, walletScripts } from '../wallet/wallet-coins.ts';
import { spentOutput } from './views.ts';

export interface WalletTransaction {
  readonly transaction: ParentTransaction;
  /** `null` in the mempool. */
  readonly mined: MinedTransaction | null;
}

/** Returns the ids of the transactions of a wallet. */
export function walletTransactionIds(chain: ParentChain, wallet: ParentWallet): Set<string> {
  const ids = new Set<string>();
  for (const script of walletScripts(wallet).keys()) {
    for (const id of chain.index.historyOfScript(script)) ids.add(id);
    for (const id of chain.mempool.historyOfScript(script)) ids.add(id);
  }
  return ids;
}

/** Returns the transactions of a wallet, the oldest first. */
export function walletHistory(chain: ParentChain, wallet: ParentWallet): WalletTransaction[] {
  const order = new Map(
    Array.from(chain.mempool.entries, ({ transaction }, index) => [transaction.txid, index]),
  );
  const position = ({ mined, transaction }: WalletTransaction): [number, number] =>
    mined === null
      ? [Number.POSITIVE_INFINITY, order.get(transaction.txid) ?? 0]
      : [mined.block.height, mined.position];
  return Array.from(walletTransactionIds(chain, wallet), (id) => chain.transaction(id))
    .filter((found) => found !== undefined)
    .toSorted((left, right) => {
      const [leftHeight, leftIndex] = position(left);
      const [rightHeight, rightIndex] = position(right);
      return leftHeight === rightHeight ? leftIndex - rightIndex : leftHeight - rightHeight;
    });
}

/** The amounts of a transaction for a wallet, in satoshis. */
export interface WalletEffect {
  /** The value of the spent outputs of the wallet. */
  readonly debit: bigint;
  /** The value of the outputs to the wallet. */
  readonly credit: bigint;
  /** The fee that the wallet paid; `null` if the wallet did not send the transaction. */
  readonly fee: bigint | null;
  readonly owners: readonly (WalletScript | undefined)[];
}

/** Returns the amounts of a transaction for the wallet with these scripts. */
export function effectOf(
  chain: ParentChain,
  scripts: ReadonlyMap<string, WalletScript>,
  transaction: ParentTransaction,
  includesWatched: boolean,
): WalletEffect {
  const ownerOf = ({ script }: ParentOutput): WalletScript | undefined => {
    const owner = scripts.get(hexKey(script));
    return owner?.kind === 'watched' && !includesWatched ? undefined : owner;
  };
  let debit = 0n;
  if (!isCoinbase(transaction)) {
    for (const input of transaction.inputs) {
      const output = spentOutput(chain, input);
      if (output !== undefined && ownerOf(output) !== undefined) debit += output.value;
    }
  }
  const owners = transaction.outputs.map(ownerOf);
  const credit = transaction.outputs.reduce(
    (sum, { value }, index) => (owners[index] === undefined ? sum : sum + value),
    0n,
  );
  const valueOut = transaction.outputs.reduce((sum, { value }) => sum + value, 0n);
  return { debit, credit, fee: debit > 0n ? debit - valueOut : null, owners };
}
