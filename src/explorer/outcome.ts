/** Reads the outcome of mined transactions without their logs. There can be thousands of logs. */

import { client } from './chain.ts';

export interface Outcome {
  readonly hash: string;
  readonly failed: boolean;
  /** QUANTITY. */
  readonly gasUsed: string;
  readonly contractAddress: string | null;
}

/** The used members of a receipt. */
export interface Receipt {
  readonly transactionHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly contractAddress: string | null;
}

export function outcomeOfReceipt({ transactionHash, status, ...facts }: Receipt): Outcome {
  return { hash: transactionHash, failed: status === '0x0', ...facts };
}

/** Resolves to the outcome in a transaction's receipt; `null` without a receipt. */
export async function receivedOutcome(hash: string): Promise<Outcome | null> {
  const receipt = await client.read<Receipt | null>('eth_getTransactionReceipt', [hash]);
  return receipt === null ? null : outcomeOfReceipt(receipt);
}

/** Resolves to the outcome of a transaction; `null` if it is not mined. */
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
  // The list omits REMASC payments and blocks from before a fork.
  return found?.hash === hash ? found : receivedOutcome(hash);
}
