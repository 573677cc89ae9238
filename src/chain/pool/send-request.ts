import type { TransactionRequest } from '../../protocol/transaction.ts';
import type { HashSigner } from '../../wallet/wallet.ts';

/** What an account wants to send, its nonce perhaps left to the chain. */
export type SendRequest = Omit<TransactionRequest, 'nonce'> & { readonly nonce: bigint | null };

/** How a transaction is sent. */
export interface SendOptions {
  /** Signs in the place of the wallet. */
  readonly signHash?: HashSigner | undefined;
  /** The life of the chain (see `ChainIdentity`) that it is for; for any when nothing is said. */
  readonly life?: number;
}
