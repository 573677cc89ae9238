import type { Transaction } from '../protocol/transaction.ts';
import type { Message } from './engine.ts';
import { signerKey } from './signer-key.ts';

/** What contracts of the network can see of the transaction that they are called in. */
export interface SignedMessage {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** The public key that signed (64 bytes); `undefined` when it is not the sender's, who is impersonated. */
  publicKey(): Uint8Array | undefined;
}

function isTransaction(message: Message): message is Transaction {
  return 'hash' in message && 'raw' in message;
}

/** The message as a signed one; `undefined` when nobody signed it. */
export function signedMessageOf(message: Message): SignedMessage | undefined {
  if (!isTransaction(message)) return undefined;
  return { hash: message.hash, publicKey: () => signerKey(message) };
}
