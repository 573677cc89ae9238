import type { TransactionRequest } from '../rules/transaction.ts';

/** What an account wants to send, its nonce perhaps left to the chain. */
export type SendRequest = Omit<TransactionRequest, 'nonce'> & { readonly nonce: bigint | null };
