/**
 * How a method finds out on which side of a fork its answer lies. `at` is the place of the parameter that tells:
 *
 * - `block`: what is in a block. The blocks up to the one that the fork begins after are the upstream's.
 * - `state`: what holds after a block. The state after that last block is the chain's own: its accounts have funds there.
 * - `transaction`: what is known of a mined transaction, by its hash.
 * - `search`: a transaction, or an object with its `hash`, that may lie on either side; the upstream's counts where there
 *   is none here.
 */
export interface ForkRoute {
  readonly kind: 'block' | 'state' | 'transaction' | 'search';
  readonly at: number;
}

function routes(kind: ForkRoute['kind'], at: number, names: readonly string[]): [string, ForkRoute][] {
  return names.map((name) => [name, { kind, at }]);
}

/** The methods whose answers may have to come from the upstream of a fork; those of ranges are in `fork-ranges.ts`. */
export const FORK_ROUTES: ReadonlyMap<string, ForkRoute> = new Map([
  ...routes('block', 0, [
    'chain_getRawBlockHeaderByHash',
    'chain_getRawBlockHeaderByNumber',
    'chain_getTransactionReceiptNodesByHash',
    'debug_getRawBlock',
    'debug_getRawHeader',
    'debug_getRawReceipts',
    'debug_getRawTransactions',
    'debug_traceBlockByHash',
    'debug_traceBlockByNumber',
    'eth_getBlockByHash',
    'eth_getBlockByNumber',
    'eth_getBlockReceipts',
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockTransactionCountByNumber',
    'eth_getHeaderByHash',
    'eth_getHeaderByNumber',
    'eth_getRawTransactionByBlockHashAndIndex',
    'eth_getRawTransactionByBlockNumberAndIndex',
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getUncleCountByBlockHash',
    'eth_getUncleCountByBlockNumber',
    'ots_getBlockDetails',
    'ots_getBlockDetailsByHash',
    'ots_getBlockTransactions',
    'trace_block',
  ]),
  ...routes('block', 2, ['eth_getProof']),
  // Their state at the fork is whole upstream only.
  ...routes('block', 0, ['debug_storageRangeAt', 'debug_dumpBlock']),
  ...routes('state', 1, [
    'debug_traceCall',
    'eth_call',
    'eth_callMany',
    'eth_createAccessList',
    'eth_estimateGas',
    'eth_getAccount',
    'eth_getAccountInfo',
    'eth_getBalance',
    'eth_getCode',
    'eth_getStorageValues',
    'eth_getTransactionCount',
    'eth_simulateV1',
    'ots_hasCode',
  ]),
  ...routes('state', 2, ['eth_getStorageAt']),
  ...routes('transaction', 0, [
    'chain_getRawTransactionReceiptByHash',
    'debug_traceTransaction',
    'eth_getRawTransactionByHash',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
    'ots_getInternalOperations',
    'ots_getTransactionError',
    'ots_traceTransaction',
    'trace_get',
    'trace_transaction',
  ]),
  ...routes('search', 0, [
    'eth_getTransactionBySenderAndNonce',
    'ots_getContractCreator',
    'ots_getTransactionBySenderAndNonce',
  ]),
]);
