// The questions about accounts and slots after the fork block.

import { type Question, stateQuestion } from './upstream/upstream-call.ts';

const ACCOUNT_MEMBERS = [
  { method: 'eth_getTransactionCount', expects: 'quantity' },
  { method: 'eth_getBalance', expects: 'quantity' },
  { method: 'eth_getCode', expects: 'dataOrNull' },
] as const;

/** Returns the questions about nonce, balance and code of an account (hex text). */
export function accountQuestions(address: string): readonly Question[] {
  return ACCOUNT_MEMBERS.map(({ method, expects }) => stateQuestion(method, expects, address));
}

/** Returns the question about a slot of an account. Both are hex text. */
export function slotQuestion(address: string, slot: string): Question {
  return stateQuestion('eth_getStorageAt', 'word', address, slot);
}
