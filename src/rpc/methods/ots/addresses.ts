import { toHex } from '../../../primitives/hex.ts';
import { orNull } from '../../../wire/json.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address, hash32 } from '../../codecs/data.ts';
import { index, pageSize, quantity } from '../../codecs/quantity.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { activityAfter, activityBefore } from '../../views/otterscan.ts';

const ACTIVITY_PAGE = {
  description: 'Transactions, receipts, and whether these are the first or the last',
  schema: { type: 'object' },
} as const;

export const OTS_ADDRESSES: readonly Method[] = [
  /** The creator of a contract: an account, or the contract whose code made it. `null` for a contract that no transaction made. */
  defineMethod({
    name: 'ots_getContractCreator',
    summary: 'The creator of a contract, and its transaction',
    params: [param('address', address)],
    fork: { kind: 'search', answer: 'anything' },
    result: {
      description: 'The transaction hash and the creator, or null',
      schema: orNull({ type: 'object' }),
    },
    handler: async ({ chain, checkInterrupt }, contract) => {
      const creation = await chain.history.creationOf(contract, checkInterrupt);
      if (creation === undefined) return null;
      return { hash: toHex(creation.transactionHash), creator: toHex(creation.creator) };
    },
  }),
  /** The hash of the mined transaction of a sender with a nonce; `null` when there is none. */
  defineMethod({
    name: 'ots_getTransactionBySenderAndNonce',
    summary: 'The hash of a transaction, by sender and nonce',
    params: [param('address', address), param('nonce', quantity)],
    fork: { kind: 'search', answer: 'anything' },
    result: { description: 'The hash, or null', schema: orNull(hash32.jsonSchema) },
    handler: ({ chain }, sender, nonce) => {
      const location = chain.history.transactionOf(sender, nonce);
      return location === undefined ? null : toHex(location.transaction.hash);
    },
  }),
  /** True for a contract. */
  defineMethod({
    name: 'ots_hasCode',
    summary: 'Whether an account is a contract',
    params: [param('address', address), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'anything' },
    result: { description: 'True for a contract', schema: { type: 'boolean' } },
    handler: async ({ chain }, account, selector) => {
      const { state } = await chain.view(selector);
      return (state.account(account)?.code.bytes.length ?? 0) > 0;
    },
  }),
  /**
   * The transactions after a block in which an account took part, inner calls included, the newest first: as many as the
   * page has, and the rest of the last block. Block 0 means from the first block on.
   */
  defineMethod({
    name: 'ots_searchTransactionsAfter',
    summary: 'The transactions of an account after a block',
    params: [param('address', address), param('blockNumber', index), param('pageSize', pageSize)],
    fork: { kind: 'own', because: 'an upstream of another make has no such search' },
    result: ACTIVITY_PAGE,
    handler: (context, account, blockNumber, size) =>
      activityAfter(context, { address: account, blockNumber, pageSize: size }),
  }),
  /**
   * The transactions before a block in which an account took part, inner calls included, the newest first: as many as the
   * page has, and the rest of the last block. Block 0 means up to the head.
   */
  defineMethod({
    name: 'ots_searchTransactionsBefore',
    summary: 'The transactions of an account before a block',
    params: [param('address', address), param('blockNumber', index), param('pageSize', pageSize)],
    fork: { kind: 'own', because: 'an upstream of another make has no such search' },
    result: ACTIVITY_PAGE,
    handler: (context, account, blockNumber, size) =>
      activityBefore(context, { address: account, blockNumber, pageSize: size }),
  }),
];
