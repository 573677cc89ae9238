import type { Method } from './method.ts';
import { chain_getRawBlockHeaderByHash } from './methods/chain/chain_getRawBlockHeaderByHash.ts';
import { chain_getRawBlockHeaderByNumber } from './methods/chain/chain_getRawBlockHeaderByNumber.ts';
import { chain_getRawTransactionReceiptByHash } from './methods/chain/chain_getRawTransactionReceiptByHash.ts';
import { chain_getTransactionReceiptNodesByHash } from './methods/chain/chain_getTransactionReceiptNodesByHash.ts';
import { chain_protocolVersion } from './methods/chain/chain_protocolVersion.ts';
import { debug_traceBlockByHash } from './methods/debug/debug_traceBlockByHash.ts';
import { debug_traceBlockByNumber } from './methods/debug/debug_traceBlockByNumber.ts';
import { debug_traceCall } from './methods/debug/debug_traceCall.ts';
import { debug_traceTransaction } from './methods/debug/debug_traceTransaction.ts';
import { debug_wireProtocolQueueSize } from './methods/debug/debug_wireProtocolQueueSize.ts';
import { eth_accounts } from './methods/eth/eth_accounts.ts';
import { eth_blockNumber } from './methods/eth/eth_blockNumber.ts';
import { eth_bridgeState } from './methods/eth/eth_bridgeState.ts';
import { eth_call } from './methods/eth/eth_call.ts';
import { eth_chainId } from './methods/eth/eth_chainId.ts';
import { eth_coinbase } from './methods/eth/eth_coinbase.ts';
import { eth_estimateGas } from './methods/eth/eth_estimateGas.ts';
import { eth_gasPrice } from './methods/eth/eth_gasPrice.ts';
import { eth_getBalance } from './methods/eth/eth_getBalance.ts';
import { eth_getBlockByHash } from './methods/eth/eth_getBlockByHash.ts';
import { eth_getBlockByNumber } from './methods/eth/eth_getBlockByNumber.ts';
import { eth_getBlockTransactionCountByHash } from './methods/eth/eth_getBlockTransactionCountByHash.ts';
import { eth_getBlockTransactionCountByNumber } from './methods/eth/eth_getBlockTransactionCountByNumber.ts';
import { eth_getCode } from './methods/eth/eth_getCode.ts';
import { eth_getFilterChanges } from './methods/eth/eth_getFilterChanges.ts';
import { eth_getFilterLogs } from './methods/eth/eth_getFilterLogs.ts';
import { eth_getLogs } from './methods/eth/eth_getLogs.ts';
import { eth_getProof } from './methods/eth/eth_getProof.ts';
import { eth_getStorageAt } from './methods/eth/eth_getStorageAt.ts';
import { eth_getTransactionByBlockHashAndIndex } from './methods/eth/eth_getTransactionByBlockHashAndIndex.ts';
import { eth_getTransactionByBlockNumberAndIndex } from './methods/eth/eth_getTransactionByBlockNumberAndIndex.ts';
import { eth_getTransactionByHash } from './methods/eth/eth_getTransactionByHash.ts';
import { eth_getTransactionCount } from './methods/eth/eth_getTransactionCount.ts';
import { eth_getTransactionReceipt } from './methods/eth/eth_getTransactionReceipt.ts';
import { eth_getUncleByBlockHashAndIndex } from './methods/eth/eth_getUncleByBlockHashAndIndex.ts';
import { eth_getUncleByBlockNumberAndIndex } from './methods/eth/eth_getUncleByBlockNumberAndIndex.ts';
import { eth_getUncleCountByBlockHash } from './methods/eth/eth_getUncleCountByBlockHash.ts';
import { eth_getUncleCountByBlockNumber } from './methods/eth/eth_getUncleCountByBlockNumber.ts';
import { eth_getWork } from './methods/eth/eth_getWork.ts';
import { eth_hashrate } from './methods/eth/eth_hashrate.ts';
import { eth_mining } from './methods/eth/eth_mining.ts';
import { eth_netHashrate } from './methods/eth/eth_netHashrate.ts';
import { eth_newBlockFilter } from './methods/eth/eth_newBlockFilter.ts';
import { eth_newFilter } from './methods/eth/eth_newFilter.ts';
import { eth_newPendingTransactionFilter } from './methods/eth/eth_newPendingTransactionFilter.ts';
import { eth_pendingTransactions } from './methods/eth/eth_pendingTransactions.ts';
import { eth_protocolVersion } from './methods/eth/eth_protocolVersion.ts';
import { eth_sendRawTransaction } from './methods/eth/eth_sendRawTransaction.ts';
import { eth_sendTransaction } from './methods/eth/eth_sendTransaction.ts';
import { eth_sign } from './methods/eth/eth_sign.ts';
import { eth_submitHashrate } from './methods/eth/eth_submitHashrate.ts';
import { eth_submitWork } from './methods/eth/eth_submitWork.ts';
import { eth_subscribe } from './methods/eth/eth_subscribe.ts';
import { eth_syncing } from './methods/eth/eth_syncing.ts';
import { eth_uninstallFilter } from './methods/eth/eth_uninstallFilter.ts';
import { eth_unsubscribe } from './methods/eth/eth_unsubscribe.ts';
import { evm_increaseTime } from './methods/evm/evm_increaseTime.ts';
import { evm_mine } from './methods/evm/evm_mine.ts';
import { evm_reset } from './methods/evm/evm_reset.ts';
import { evm_revert } from './methods/evm/evm_revert.ts';
import { evm_snapshot } from './methods/evm/evm_snapshot.ts';
import { evm_startMining } from './methods/evm/evm_startMining.ts';
import { evm_stopMining } from './methods/evm/evm_stopMining.ts';
import { mnr_getWork } from './methods/mnr/mnr_getWork.ts';
import { mnr_submitBitcoinBlock } from './methods/mnr/mnr_submitBitcoinBlock.ts';
import { mnr_submitBitcoinBlockPartialMerkle } from './methods/mnr/mnr_submitBitcoinBlockPartialMerkle.ts';
import { mnr_submitBitcoinBlockTransactions } from './methods/mnr/mnr_submitBitcoinBlockTransactions.ts';
import { net_listening } from './methods/net/net_listening.ts';
import { net_peerCount } from './methods/net/net_peerCount.ts';
import { net_peerList } from './methods/net/net_peerList.ts';
import { net_version } from './methods/net/net_version.ts';
import { personal_dumpRawKey } from './methods/personal/personal_dumpRawKey.ts';
import { personal_importRawKey } from './methods/personal/personal_importRawKey.ts';
import { personal_listAccounts } from './methods/personal/personal_listAccounts.ts';
import { personal_lockAccount } from './methods/personal/personal_lockAccount.ts';
import { personal_newAccount } from './methods/personal/personal_newAccount.ts';
import { personal_newAccountWithSeed } from './methods/personal/personal_newAccountWithSeed.ts';
import { personal_sendTransaction } from './methods/personal/personal_sendTransaction.ts';
import { personal_unlockAccount } from './methods/personal/personal_unlockAccount.ts';
import { rpc_discover } from './methods/rpc/rpc_discover.ts';
import { rpc_modules } from './methods/rpc/rpc_modules.ts';
import { sco_banAddress } from './methods/sco/sco_banAddress.ts';
import { sco_bannedAddresses } from './methods/sco/sco_bannedAddresses.ts';
import { sco_peerList } from './methods/sco/sco_peerList.ts';
import { sco_reputationSummary } from './methods/sco/sco_reputationSummary.ts';
import { sco_unbanAddress } from './methods/sco/sco_unbanAddress.ts';
import { trace_block } from './methods/trace/trace_block.ts';
import { trace_filter } from './methods/trace/trace_filter.ts';
import { trace_get } from './methods/trace/trace_get.ts';
import { trace_transaction } from './methods/trace/trace_transaction.ts';
import { txpool_content } from './methods/txpool/txpool_content.ts';
import { txpool_inspect } from './methods/txpool/txpool_inspect.ts';
import { txpool_status } from './methods/txpool/txpool_status.ts';
import { web3_clientVersion } from './methods/web3/web3_clientVersion.ts';
import { web3_sha3 } from './methods/web3/web3_sha3.ts';

/** Every method of the service, by namespace: what is served, listed by `rpc.discover` and put into the README. */
export const METHODS: readonly Method[] = [
  web3_clientVersion,
  web3_sha3,
  net_listening,
  net_peerCount,
  net_peerList,
  net_version,
  chain_getRawBlockHeaderByHash,
  chain_getRawBlockHeaderByNumber,
  chain_getRawTransactionReceiptByHash,
  chain_getTransactionReceiptNodesByHash,
  chain_protocolVersion,
  eth_accounts,
  eth_blockNumber,
  eth_bridgeState,
  eth_call,
  eth_chainId,
  eth_coinbase,
  eth_estimateGas,
  eth_gasPrice,
  eth_getBalance,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getBlockTransactionCountByHash,
  eth_getBlockTransactionCountByNumber,
  eth_getCode,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_getLogs,
  eth_getProof,
  eth_getStorageAt,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionCount,
  eth_getTransactionReceipt,
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleCountByBlockHash,
  eth_getUncleCountByBlockNumber,
  eth_getWork,
  eth_hashrate,
  eth_mining,
  eth_netHashrate,
  eth_newBlockFilter,
  eth_newFilter,
  eth_newPendingTransactionFilter,
  eth_pendingTransactions,
  eth_protocolVersion,
  eth_sendRawTransaction,
  eth_sendTransaction,
  eth_sign,
  eth_submitHashrate,
  eth_submitWork,
  eth_subscribe,
  eth_syncing,
  eth_uninstallFilter,
  eth_unsubscribe,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceTransaction,
  debug_wireProtocolQueueSize,
  evm_increaseTime,
  evm_mine,
  evm_reset,
  evm_revert,
  evm_snapshot,
  evm_startMining,
  evm_stopMining,
  mnr_getWork,
  mnr_submitBitcoinBlock,
  mnr_submitBitcoinBlockPartialMerkle,
  mnr_submitBitcoinBlockTransactions,
  personal_dumpRawKey,
  personal_importRawKey,
  personal_listAccounts,
  personal_lockAccount,
  personal_newAccount,
  personal_newAccountWithSeed,
  personal_sendTransaction,
  personal_unlockAccount,
  rpc_discover,
  rpc_modules,
  sco_banAddress,
  sco_bannedAddresses,
  sco_peerList,
  sco_reputationSummary,
  sco_unbanAddress,
  trace_block,
  trace_filter,
  trace_get,
  trace_transaction,
  txpool_content,
  txpool_inspect,
  txpool_status,
];
