import { EXAMPLE } from './example-chain.ts';
import { exampleOf } from './method-examples.ts';

const COUNT_CALL = { to: EXAMPLE.counter, data: '0x06661abd' };
const COUNTER_CODE_HASH = '0x3d7e9b83aea5f80e9d9a1c25a7758039695aaa696215909cd351d1a70b990793';
const INCREMENT_CALL = { from: EXAMPLE.sender, to: EXAMPLE.counter, data: '0xd09de08a' };

/** A method with a block parameter, on the example chain. */
export interface Taker {
  readonly method: string;
  readonly params: (block: unknown) => readonly unknown[];
  /** The response for an unknown block. */
  readonly unknown: 'null' | 'error';
  /** The name of the block parameter. */
  readonly parameter?: string;
  /** Returns the same for every block, because there are no uncles. */
  readonly isSameEverywhere?: true;
  /** `pending` is rejected unless the compat mode accepts it (service document, the five flagged methods). */
  readonly rejectsPending?: true;
  /** The response for the pending block of the example chain is `null`, because the block is empty. */
  readonly pendingIsNull?: true;
}

/** Methods that return no data under the rules of the example chain. */
export const OTHER_RULES: readonly string[] = [
  'debug_getRawBlockAccessList',
  'eth_getBlockAccessList',
  'eth_getBlockAccessListByBlockHash',
  'eth_getBlockAccessListByBlockNumber',
  'eth_getBlockAccessListRaw',
];

/** Methods that accept a number, a tag, a hash or an object. */
export const SELECTOR_TAKERS: readonly Taker[] = [
  { method: 'eth_getBalance', params: (block) => [EXAMPLE.receiver, block], unknown: 'error' },
  { method: 'eth_getStorageAt', params: (block) => [EXAMPLE.counter, '0x0', block], unknown: 'error' },
  {
    method: 'chain_getStorageBytesAt',
    params: (block) => [EXAMPLE.counter, '0x0', block],
    unknown: 'error',
  },
  { method: 'eth_getTransactionCount', params: (block) => [EXAMPLE.sender, block], unknown: 'error' },
  {
    method: 'eth_getCode',
    params: (block) => [EXAMPLE.counter, block],
    unknown: 'error',
    rejectsPending: true,
  },
  { method: 'eth_getProof', params: (block) => [EXAMPLE.counter, ['0x0'], block], unknown: 'error' },
  { method: 'eth_call', params: (block) => [COUNT_CALL, block], unknown: 'error' },
  { method: 'eth_estimateGas', params: (block) => [INCREMENT_CALL, block], unknown: 'error' },
  { method: 'chain_getRawBlockHeaderByNumber', params: (block) => [block], unknown: 'null' },
  { method: 'debug_traceCall', params: (block) => [COUNT_CALL, block], unknown: 'error' },
  { method: 'inspect_call', params: (block) => [COUNT_CALL, block], unknown: 'error' },
  {
    method: 'inspect_compare',
    params: (block) => [COUNT_CALL, ['prague', 'osaka'], block],
    unknown: 'error',
  },
  { method: 'inspect_storage', params: (block) => [EXAMPLE.counter, block], unknown: 'error' },
  {
    method: 'anvil_getBlobsByBlockId',
    params: (block) => [block],
    unknown: 'error',
    isSameEverywhere: true,
  },
  {
    method: 'tenderly_simulateTransaction',
    params: (block) => [INCREMENT_CALL, block],
    unknown: 'error',
  },
  { method: 'tenderly_simulateBundle', params: (block) => [[INCREMENT_CALL], block], unknown: 'error' },
  { method: 'debug_codeByHash', params: (block) => [COUNTER_CODE_HASH, block], unknown: 'error' },
  { method: 'trace_block', params: (block) => [block], unknown: 'null' },
  { method: 'trace_blockOpcodeGas', params: (block) => [block], unknown: 'null' },
  { method: 'trace_call', params: (block) => [INCREMENT_CALL, ['stateDiff'], block], unknown: 'error' },
  {
    method: 'trace_callMany',
    params: (block) => [[[INCREMENT_CALL, ['stateDiff']]], block],
    unknown: 'error',
  },
  {
    method: 'trace_rawTransaction',
    params: (block) => [exampleOf('eth_sendRawTransaction').params[0], ['stateDiff'], block],
    unknown: 'error',
  },
  { method: 'trace_replayBlockTransactions', params: (block) => [block, ['trace']], unknown: 'null' },
  { method: 'eth_getBlockReceipts', params: (block) => [block], unknown: 'null' },
  { method: 'debug_executionWitness', params: (block) => [block], unknown: 'error' },
  {
    method: 'debug_accountInfoAt',
    params: (block) => [block, 0, EXAMPLE.sender],
    unknown: 'error',
  },
  { method: 'debug_accountRange', params: (block) => [block], unknown: 'error' },
  { method: 'debug_getRawBlock', params: (block) => [block], unknown: 'error' },
  { method: 'debug_getRawHeader', params: (block) => [block], unknown: 'error' },
  { method: 'debug_getRawReceipts', params: (block) => [block], unknown: 'error' },
  { method: 'debug_getRawTransactions', params: (block) => [block], unknown: 'error' },
  { method: 'eth_createAccessList', params: (block) => [COUNT_CALL, block], unknown: 'error' },
  {
    method: 'eth_simulateV1',
    params: (block) => [{ blockStateCalls: [{ calls: [COUNT_CALL] }] }, block],
    unknown: 'error',
  },
  { method: 'eth_getAccount', params: (block) => [EXAMPLE.sender, block], unknown: 'error' },
  { method: 'eth_getAccountInfo', params: (block) => [EXAMPLE.sender, block], unknown: 'error' },
  {
    method: 'eth_getStorageValues',
    params: (block) => [{ [EXAMPLE.counter]: ['0x0'] }, block],
    unknown: 'error',
  },
  { method: 'ots_hasCode', params: (block) => [EXAMPLE.counter, block], unknown: 'error' },
  {
    method: 'debug_storageRangeAt',
    params: (block) => [block, 0, EXAMPLE.sender, '0x0', 10],
    unknown: 'error',
    // In the genesis, no account has storage, and the other accounts never have any.
    isSameEverywhere: true,
  },
];

/** Methods that accept a number or a tag. */
export const NUMBER_TAKERS: readonly Taker[] = [
  { method: 'eth_getBlockByNumber', params: (block) => [block], unknown: 'null', rejectsPending: true },
  { method: 'eth_getBlockTransactionCountByNumber', params: (block) => [block], unknown: 'null' },
  { method: 'debug_traceBlockByNumber', params: (block) => [block], unknown: 'error' },
  {
    method: 'eth_getUncleCountByBlockNumber',
    params: (block) => [block],
    unknown: 'error',
    isSameEverywhere: true,
    rejectsPending: true,
  },
  {
    method: 'eth_getTransactionByBlockNumberAndIndex',
    params: (block) => [block, '0x0'],
    unknown: 'null',
    rejectsPending: true,
  },
  {
    method: 'eth_getUncleByBlockNumberAndIndex',
    params: (block) => [block, '0x0'],
    unknown: 'null',
    isSameEverywhere: true,
    rejectsPending: true,
  },
  { method: 'eth_getHeaderByNumber', params: (block) => [block], unknown: 'null' },
  {
    method: 'eth_getRawTransactionByBlockNumberAndIndex',
    params: (block) => [block, '0x0'],
    unknown: 'null',
    pendingIsNull: true,
  },
  {
    method: 'eth_feeHistory',
    params: (block) => ['0x1', block],
    unknown: 'error',
    parameter: 'newestBlock',
  },
  {
    method: 'debug_getModifiedAccountsByNumber',
    params: (block) => [block],
    unknown: 'error',
    parameter: 'start',
  },
  { method: 'debug_dumpBlock', params: (block) => [block], unknown: 'error' },
  { method: 'ots_getBlockDetails', params: (block) => [block], unknown: 'error' },
  { method: 'ots_getBlockTransactions', params: (block) => [block, 0, 25], unknown: 'error' },
];

/** Methods that accept only a hash. */
export const HASH_TAKERS: readonly Taker[] = [
  { method: 'eth_getBlockByHash', params: (block) => [block], unknown: 'null', parameter: 'blockHash' },
  {
    method: 'eth_getBlockTransactionCountByHash',
    params: (block) => [block],
    unknown: 'null',
    parameter: 'blockHash',
  },
  {
    method: 'eth_getUncleCountByBlockHash',
    params: (block) => [block],
    unknown: 'error',
    isSameEverywhere: true,
    parameter: 'blockHash',
  },
  {
    method: 'eth_getTransactionByBlockHashAndIndex',
    params: (block) => [block, '0x0'],
    unknown: 'null',
    parameter: 'blockHash',
  },
  {
    method: 'eth_getUncleByBlockHashAndIndex',
    params: (block) => [block, '0x0'],
    unknown: 'null',
    isSameEverywhere: true,
    parameter: 'blockHash',
  },
  {
    method: 'chain_getRawBlockHeaderByHash',
    params: (block) => [block],
    unknown: 'null',
    parameter: 'blockHash',
  },
  {
    method: 'chain_getTransactionReceiptNodesByHash',
    params: (block) => [block, EXAMPLE.failureHash],
    unknown: 'error',
    parameter: 'blockHash',
  },
  {
    method: 'debug_traceBlockByHash',
    params: (block) => [block],
    unknown: 'error',
    parameter: 'blockHash',
  },
  {
    method: 'debug_intermediateRoots',
    params: (block) => [block],
    unknown: 'error',
    parameter: 'blockHash',
  },
  { method: 'eth_getHeaderByHash', params: (block) => [block], unknown: 'null', parameter: 'blockHash' },
  {
    method: 'eth_getRawTransactionByBlockHashAndIndex',
    params: (block) => [block, '0x0'],
    unknown: 'null',
    parameter: 'blockHash',
  },
  {
    method: 'ots_getBlockDetailsByHash',
    params: (block) => [block],
    unknown: 'error',
    parameter: 'blockHash',
  },
];
