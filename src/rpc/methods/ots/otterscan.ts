import type { BlockSelector } from '../../../chain/block-selector.ts';
import { LATEST } from '../../../chain/block-selector.ts';
import { toHex } from '../../../primitives/hex.ts';
import { orNull } from '../../../wire/values.ts';
import { baseEventOf, requireBlock } from '../../block-answers.ts';
import { blockNumberSelector, blockSelector } from '../../codecs/block-selector.ts';
import { address, data, hash32, index, pageSize, quantity } from '../../codecs/hex-values.ts';
import { fromBlocks, fromSearches, fromState } from '../../fork/derivations.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import type { OtterscanView } from '../../views/otterscan.ts';

/** The API level that Otterscan requests first. */
const API_LEVEL = 8;

const ACTIVITY_PAGE = {
  description: 'Transactions, receipts, and whether the page is the first or the last',
  schema: { type: 'object' },
} as const;

/** Loads the code with the first call. */
function views(): Promise<typeof import('../../views/otterscan.ts')> {
  return import('../../views/otterscan.ts');
}

/** Resolves to a block without its transactions, with their gas fees. */
async function blockDetails(context: RpcContext, selector: BlockSelector): Promise<OtterscanView> {
  const block = await requireBlock(context, selector);
  const baseEvent = await baseEventOf(context, selector, block);
  const { blockDetailsView, otterscanOptions } = await views();
  return blockDetailsView(block, { ...otterscanOptions(context), baseEvent });
}

export const OTTERSCAN: readonly Method[] = [
  /** Returns the version of the `ots_…` methods. Otterscan detects the node by this method. */
  defineMethod({
    name: 'ots_getApiLevel',
    summary: 'The API version for the explorer Otterscan',
    priority: 'high',
    result: { description: 'The version', schema: { type: 'integer' } },
    handler: () => API_LEVEL,
  }),
  defineMethod({
    name: 'ots_getBlockDetails',
    summary: 'A block by number, with its transaction count and fees',
    params: [param('block', blockNumberSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything', derive: fromBlocks('otterscanDetails') },
    result: { description: 'The block, its issuance and its fees', schema: { type: 'object' } },
    handler: blockDetails,
  }),
  defineMethod({
    name: 'ots_getBlockDetailsByHash',
    summary: 'A block by hash, with its transaction count and fees',
    params: [param('blockHash', hash32)],
    fork: { kind: 'block', at: 0, answer: 'anything', derive: fromBlocks('otterscanDetails') },
    result: { description: 'The block, its issuance and its fees', schema: { type: 'object' } },
    handler: (context, hash) => blockDetails(context, { hash }),
  }),
  /**
   * Returns a page of a block's transactions with receipts. Page 0 ends with the last transaction (in compat
   * mode `anvil`, it starts with the first one). Inputs are
   * cut to the selector, and logs are omitted.
   */
  defineMethod({
    name: 'ots_getBlockTransactions',
    summary: 'A page of the transactions of a block, with receipts',
    priority: 'low',
    params: [param('block', blockNumberSelector), param('page', index), param('pageSize', pageSize)],
    fork: { kind: 'block', at: 0, answer: 'anything', derive: fromBlocks('otterscanTransactions') },
    result: { description: 'The block in `fullblock`, and the receipts', schema: { type: 'object' } },
    handler: async (context, selector, number, size) => {
      const block = await requireBlock(context, selector);
      const { blockTransactionsView, otterscanOptions } = await views();
      return context.deadline.run(blockTransactionsView(block, { number, size }, otterscanOptions(context)));
    },
  }),
  /** Returns permanent effects only: transfers (0), self-destructs (1), creations (2 and 3). */
  defineMethod({
    name: 'ots_getInternalOperations',
    summary: 'The transfers and creations inside a transaction',
    differs:
      'With `--compat anvil`, the list includes the transaction itself. In other modes, as in Erigon, it does not',
    priority: 'low',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: {
      description: 'Type, sender, recipient and value of each operation',
      schema: { type: 'array', items: { type: 'object' } },
    },
    handler: async (context, hash) => {
      const { internalOperationViews, requireFrames } = await views();
      return internalOperationViews(await requireFrames(context, hash), context.settings.compat);
    },
  }),
  /** Returns `0x` if the transaction did not revert. */
  defineMethod({
    name: 'ots_getTransactionError',
    summary: 'The revert data of a failed transaction',
    priority: 'low',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: { description: 'The data', schema: data.jsonSchema },
    handler: async (context, hash) => {
      const { requireFrames } = await views();
      const { end } = await requireFrames(context, hash);
      return end.outcome === 'revert' ? toHex(end.output) : '0x';
    },
  }),
  /** In the order of the start of calls and creations, each with its depth. */
  defineMethod({
    name: 'ots_traceTransaction',
    summary: 'The calls of a transaction as a flat list',
    differs: 'As in Erigon, the list starts with the transaction itself',
    priority: 'low',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: { description: 'The calls', schema: { type: 'array', items: { type: 'object' } } },
    handler: async (context, hash) => {
      const { callEntryViews, requireFrames } = await views();
      return context.deadline.run(
        callEntryViews(await requireFrames(context, hash), context.settings.compat),
      );
    },
  }),
  /** The creator is an account or a contract. Returns `null` if no transaction created the contract. */
  defineMethod({
    name: 'ots_getContractCreator',
    summary: 'The creator and creation transaction of a contract',
    priority: 'low',
    params: [param('address', address)],
    fork: { kind: 'search', answer: 'anything', derive: fromSearches('contractCreator') },
    result: {
      description: 'The transaction hash and the creator, or null',
      schema: orNull({ type: 'object' }),
    },
    handler: async ({ node: { chain }, deadline }, contract) => {
      const creation = await chain.history.creationOf(contract, deadline);
      if (creation === undefined) return null;
      return { hash: toHex(creation.transactionHash), creator: toHex(creation.creator) };
    },
  }),
  defineMethod({
    name: 'ots_getTransactionBySenderAndNonce',
    summary: 'The hash of a transaction, by sender and nonce',
    params: [param('address', address), param('nonce', quantity)],
    fork: { kind: 'search', answer: 'anything', derive: fromSearches('transactionHashOfSender') },
    result: { description: 'The hash, or null', schema: orNull(hash32.jsonSchema) },
    handler: ({ node: { chain } }, sender, nonce) => {
      const location = chain.history.transactionOf(sender, nonce);
      return location === undefined ? null : toHex(location.transaction.hash);
    },
  }),
  defineMethod({
    name: 'ots_hasCode',
    summary: 'Whether an account is a contract',
    priority: 'high',
    params: [param('address', address), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'anything', derive: fromState('hasCode') },
    result: { description: 'true for a contract', schema: { type: 'boolean' } },
    handler: async ({ node: { chain } }, account, selector) => {
      const { state } = await chain.view(selector);
      return (state.account(account)?.code.bytes.length ?? 0) > 0;
    },
  }),
  /**
   * Returns the transactions of an account after a block, including internal calls, newest first: one page,
   * and the rest of its last block. Block 0 starts at the first block.
   */
  defineMethod({
    name: 'ots_searchTransactionsAfter',
    summary: 'The transactions of an account after a block',
    priority: 'low',
    params: [param('address', address), param('blockNumber', index), param('pageSize', pageSize)],
    fork: { kind: 'own', because: 'only some upstream nodes support this search' },
    result: ACTIVITY_PAGE,
    handler: async (context, account, blockNumber, size) =>
      (await views()).activityAfter(context, { address: account, blockNumber, pageSize: size }),
  }),
  /**
   * Returns the transactions of an account before a block, including internal calls, newest first: one page,
   * and the rest of its last block. Block 0 starts at the head.
   */
  defineMethod({
    name: 'ots_searchTransactionsBefore',
    summary: 'The transactions of an account before a block',
    priority: 'low',
    params: [param('address', address), param('blockNumber', index), param('pageSize', pageSize)],
    fork: { kind: 'own', because: 'only some upstream nodes support this search' },
    result: ACTIVITY_PAGE,
    handler: async (context, account, blockNumber, size) =>
      (await views()).activityBefore(context, { address: account, blockNumber, pageSize: size }),
  }),
];
