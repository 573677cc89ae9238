/** The outcome of mined transactions without their logs, of which there can be thousands. */

import { client } from './chain.ts';

/** The outcome of a mined transaction. */
export interface Outcome {
  readonly hash: string;
  readonly failed: boolean;
  /** A quantity. */
  readonly gasUsed: string;
  readonly contractAddress: string | null;
}

/** The members of a receipt that are read. */
export interface Receipt {
  readonly transactionHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly contractAddress: string | null;
}

/** Returns what a receipt says of the outcome. */
export function outcomeOfReceipt({ transactionHash, status, ...facts }: Receipt): Outcome {
  return { hash: transactionHash, failed: status === '0x0', ...facts };
}

/** Resolves to the outcome that is in the receipt of a transaction; `null` where there is none. */
export async function receivedOutcome(hash: string): Promise<Outcome | null> {
  const receipt = await client.read<Receipt | null>('eth_getTransactionReceipt', [hash]);
  return receipt === null ? null : outcomeOfReceipt(receipt);
}

/** Resolves to the outcome of a transaction; `null` for one that is not mined. */
export async function outcomeOf(hash: string): Promise<Outcome | null> {
  const transaction = await client.read<{
    readonly blockNumber: string | null;
    readonly transactionIndex: string | null;
  } | null>('eth_getTransactionByHash', [hash]);
  if (transaction?.blockNumber == null || transaction.transactionIndex === null) return null;
  const { blockNumber, transactionIndex } = transaction;
  const { transactions } = await client.read<{ readonly transactions: readonly Outcome[] }>(
    'inspect_transactions',
    [{}, { blockNumber, transactionIndex }, 1],
  );
  const [found] = transactions;
  // The list leaves out payments of REMASC, and blocks from before a fork.
  return found?.hash === hash ? found : receivedOutcome(hash);
}
