import type { Method } from './method.ts';
import { anvil_addBalance } from './methods/anvil/anvil_addBalance.ts';
import { anvil_autoImpersonateAccount } from './methods/anvil/anvil_autoImpersonateAccount.ts';
import { anvil_dealERC20 } from './methods/anvil/anvil_dealERC20.ts';
import { anvil_dropAllTransactions } from './methods/anvil/anvil_dropAllTransactions.ts';
import { anvil_dropTransaction } from './methods/anvil/anvil_dropTransaction.ts';
import { anvil_dumpState } from './methods/anvil/anvil_dumpState.ts';
import { anvil_getAutomine } from './methods/anvil/anvil_getAutomine.ts';
import { anvil_getGenesisTime } from './methods/anvil/anvil_getGenesisTime.ts';
import { anvil_getIntervalMining } from './methods/anvil/anvil_getIntervalMining.ts';
import { anvil_getLastBlockWallTime } from './methods/anvil/anvil_getLastBlockWallTime.ts';
import { anvil_impersonateAccount } from './methods/anvil/anvil_impersonateAccount.ts';
import { anvil_impersonateSignature } from './methods/anvil/anvil_impersonateSignature.ts';
import { anvil_loadState } from './methods/anvil/anvil_loadState.ts';
import { anvil_metadata } from './methods/anvil/anvil_metadata.ts';
import { anvil_mine } from './methods/anvil/anvil_mine.ts';
import { anvil_nodeInfo } from './methods/anvil/anvil_nodeInfo.ts';
import { anvil_removeBlockTimestampInterval } from './methods/anvil/anvil_removeBlockTimestampInterval.ts';
import { anvil_removePoolTransactions } from './methods/anvil/anvil_removePoolTransactions.ts';
import { anvil_reorg } from './methods/anvil/anvil_reorg.ts';
import { anvil_rollback } from './methods/anvil/anvil_rollback.ts';
import { anvil_setBalance } from './methods/anvil/anvil_setBalance.ts';
import { anvil_setBlockTimestampInterval } from './methods/anvil/anvil_setBlockTimestampInterval.ts';
import { anvil_setChainId } from './methods/anvil/anvil_setChainId.ts';
import { anvil_setCode } from './methods/anvil/anvil_setCode.ts';
import { anvil_setCoinbase } from './methods/anvil/anvil_setCoinbase.ts';
import { anvil_setERC20Allowance } from './methods/anvil/anvil_setERC20Allowance.ts';
import { anvil_setIntervalMining } from './methods/anvil/anvil_setIntervalMining.ts';
import { anvil_setLoggingEnabled } from './methods/anvil/anvil_setLoggingEnabled.ts';
import { anvil_setMinGasPrice } from './methods/anvil/anvil_setMinGasPrice.ts';
import { anvil_setNextBlockBaseFeePerGas } from './methods/anvil/anvil_setNextBlockBaseFeePerGas.ts';
import { anvil_setNextBlockPrevRandao } from './methods/anvil/anvil_setNextBlockPrevRandao.ts';
import { anvil_setNonce } from './methods/anvil/anvil_setNonce.ts';
import { anvil_setRpcUrl } from './methods/anvil/anvil_setRpcUrl.ts';
import { anvil_setStorageAt } from './methods/anvil/anvil_setStorageAt.ts';
import { chain_getRawBlockHeaderByHash } from './methods/chain/chain_getRawBlockHeaderByHash.ts';
import { chain_getRawBlockHeaderByNumber } from './methods/chain/chain_getRawBlockHeaderByNumber.ts';
import { chain_getRawTransactionReceiptByHash } from './methods/chain/chain_getRawTransactionReceiptByHash.ts';
import { chain_getTransactionReceiptNodesByHash } from './methods/chain/chain_getTransactionReceiptNodesByHash.ts';
import { chain_protocolVersion } from './methods/chain/chain_protocolVersion.ts';
import { debug_clearTxpool } from './methods/debug/debug_clearTxpool.ts';
import { debug_dumpBlock } from './methods/debug/debug_dumpBlock.ts';
import { debug_getRawBlock } from './methods/debug/debug_getRawBlock.ts';
import { debug_getRawHeader } from './methods/debug/debug_getRawHeader.ts';
import { debug_getRawReceipts } from './methods/debug/debug_getRawReceipts.ts';
import { debug_getRawTransactions } from './methods/debug/debug_getRawTransactions.ts';
import { debug_storageRangeAt } from './methods/debug/debug_storageRangeAt.ts';
import { debug_traceBlock } from './methods/debug/debug_traceBlock.ts';
import { debug_traceBlockByHash } from './methods/debug/debug_traceBlockByHash.ts';
import { debug_traceBlockByNumber } from './methods/debug/debug_traceBlockByNumber.ts';
import { debug_traceCall } from './methods/debug/debug_traceCall.ts';
import { debug_traceTransaction } from './methods/debug/debug_traceTransaction.ts';
import { debug_wireProtocolQueueSize } from './methods/debug/debug_wireProtocolQueueSize.ts';
import { eth_accounts } from './methods/eth/eth_accounts.ts';
import { eth_blobBaseFee } from './methods/eth/eth_blobBaseFee.ts';
import { eth_blockNumber } from './methods/eth/eth_blockNumber.ts';
import { eth_bridgeState } from './methods/eth/eth_bridgeState.ts';
import { eth_call } from './methods/eth/eth_call.ts';
import { eth_callMany } from './methods/eth/eth_callMany.ts';
import { eth_chainId } from './methods/eth/eth_chainId.ts';
import { eth_coinbase } from './methods/eth/eth_coinbase.ts';
import { eth_config } from './methods/eth/eth_config.ts';
import { eth_createAccessList } from './methods/eth/eth_createAccessList.ts';
import { eth_estimateGas } from './methods/eth/eth_estimateGas.ts';
import { eth_feeHistory } from './methods/eth/eth_feeHistory.ts';
import { eth_fillTransaction } from './methods/eth/eth_fillTransaction.ts';
import { eth_gasPrice } from './methods/eth/eth_gasPrice.ts';
import { eth_getAccount } from './methods/eth/eth_getAccount.ts';
import { eth_getAccountInfo } from './methods/eth/eth_getAccountInfo.ts';
import { eth_getBalance } from './methods/eth/eth_getBalance.ts';
import { eth_getBlockByHash } from './methods/eth/eth_getBlockByHash.ts';
import { eth_getBlockByNumber } from './methods/eth/eth_getBlockByNumber.ts';
import { eth_getBlockReceipts } from './methods/eth/eth_getBlockReceipts.ts';
import { eth_getBlockTransactionCountByHash } from './methods/eth/eth_getBlockTransactionCountByHash.ts';
import { eth_getBlockTransactionCountByNumber } from './methods/eth/eth_getBlockTransactionCountByNumber.ts';
import { eth_getCode } from './methods/eth/eth_getCode.ts';
import { eth_getFilterChanges } from './methods/eth/eth_getFilterChanges.ts';
import { eth_getFilterLogs } from './methods/eth/eth_getFilterLogs.ts';
import { eth_getHeaderByHash } from './methods/eth/eth_getHeaderByHash.ts';
import { eth_getHeaderByNumber } from './methods/eth/eth_getHeaderByNumber.ts';
import { eth_getLogs } from './methods/eth/eth_getLogs.ts';
import { eth_getProof } from './methods/eth/eth_getProof.ts';
import { eth_getRawTransactionByBlockHashAndIndex } from './methods/eth/eth_getRawTransactionByBlockHashAndIndex.ts';
import { eth_getRawTransactionByBlockNumberAndIndex } from './methods/eth/eth_getRawTransactionByBlockNumberAndIndex.ts';
import { eth_getRawTransactionByHash } from './methods/eth/eth_getRawTransactionByHash.ts';
import { eth_getStorageAt } from './methods/eth/eth_getStorageAt.ts';
import { eth_getStorageValues } from './methods/eth/eth_getStorageValues.ts';
import { eth_getTransactionByBlockHashAndIndex } from './methods/eth/eth_getTransactionByBlockHashAndIndex.ts';
import { eth_getTransactionByBlockNumberAndIndex } from './methods/eth/eth_getTransactionByBlockNumberAndIndex.ts';
import { eth_getTransactionByHash } from './methods/eth/eth_getTransactionByHash.ts';
import { eth_getTransactionBySenderAndNonce } from './methods/eth/eth_getTransactionBySenderAndNonce.ts';
import { eth_getTransactionCount } from './methods/eth/eth_getTransactionCount.ts';
import { eth_getTransactionReceipt } from './methods/eth/eth_getTransactionReceipt.ts';
import { eth_getUncleByBlockHashAndIndex } from './methods/eth/eth_getUncleByBlockHashAndIndex.ts';
import { eth_getUncleByBlockNumberAndIndex } from './methods/eth/eth_getUncleByBlockNumberAndIndex.ts';
import { eth_getUncleCountByBlockHash } from './methods/eth/eth_getUncleCountByBlockHash.ts';
import { eth_getUncleCountByBlockNumber } from './methods/eth/eth_getUncleCountByBlockNumber.ts';
import { eth_getWork } from './methods/eth/eth_getWork.ts';
import { eth_hashrate } from './methods/eth/eth_hashrate.ts';
import { eth_maxPriorityFeePerGas } from './methods/eth/eth_maxPriorityFeePerGas.ts';
import { eth_mining } from './methods/eth/eth_mining.ts';
import { eth_netHashrate } from './methods/eth/eth_netHashrate.ts';
import { eth_newBlockFilter } from './methods/eth/eth_newBlockFilter.ts';
import { eth_newFilter } from './methods/eth/eth_newFilter.ts';
import { eth_newPendingTransactionFilter } from './methods/eth/eth_newPendingTransactionFilter.ts';
import { eth_pendingTransactions } from './methods/eth/eth_pendingTransactions.ts';
import { eth_protocolVersion } from './methods/eth/eth_protocolVersion.ts';
import { eth_sendRawTransaction } from './methods/eth/eth_sendRawTransaction.ts';
import { eth_sendRawTransactionSync } from './methods/eth/eth_sendRawTransactionSync.ts';
import { eth_sendTransaction } from './methods/eth/eth_sendTransaction.ts';
import { eth_sendUnsignedTransaction } from './methods/eth/eth_sendUnsignedTransaction.ts';
import { eth_sign } from './methods/eth/eth_sign.ts';
import { eth_signTransaction } from './methods/eth/eth_signTransaction.ts';
import { eth_signTypedData_v4 } from './methods/eth/eth_signTypedData_v4.ts';
import { eth_simulateV1 } from './methods/eth/eth_simulateV1.ts';
import { eth_submitHashrate } from './methods/eth/eth_submitHashrate.ts';
import { eth_submitWork } from './methods/eth/eth_submitWork.ts';
import { eth_subscribe } from './methods/eth/eth_subscribe.ts';
import { eth_syncing } from './methods/eth/eth_syncing.ts';
import { eth_uninstallFilter } from './methods/eth/eth_uninstallFilter.ts';
import { eth_unsubscribe } from './methods/eth/eth_unsubscribe.ts';
import { evm_addAccount } from './methods/evm/evm_addAccount.ts';
import { evm_deleteSnapshot } from './methods/evm/evm_deleteSnapshot.ts';
import { evm_increaseTime } from './methods/evm/evm_increaseTime.ts';
import { evm_listSnapshots } from './methods/evm/evm_listSnapshots.ts';
import { evm_mine } from './methods/evm/evm_mine.ts';
import { evm_mine_detailed } from './methods/evm/evm_mine_detailed.ts';
import { evm_removeAccount } from './methods/evm/evm_removeAccount.ts';
import { evm_reset } from './methods/evm/evm_reset.ts';
import { evm_revert } from './methods/evm/evm_revert.ts';
import { evm_setAutomine } from './methods/evm/evm_setAutomine.ts';
import { evm_setBlockGasLimit } from './methods/evm/evm_setBlockGasLimit.ts';
import { evm_setIntervalMining } from './methods/evm/evm_setIntervalMining.ts';
import { evm_setNextBlockTimestamp } from './methods/evm/evm_setNextBlockTimestamp.ts';
import { evm_setTime } from './methods/evm/evm_setTime.ts';
import { evm_snapshot } from './methods/evm/evm_snapshot.ts';
import { evm_startMining } from './methods/evm/evm_startMining.ts';
import { evm_stopMining } from './methods/evm/evm_stopMining.ts';
import { hardhat_addCompilationResult } from './methods/hardhat/hardhat_addCompilationResult.ts';
import { hardhat_dropTransaction } from './methods/hardhat/hardhat_dropTransaction.ts';
import { hardhat_getIntervalMining } from './methods/hardhat/hardhat_getIntervalMining.ts';
import { hardhat_getStackTraceFailuresCount } from './methods/hardhat/hardhat_getStackTraceFailuresCount.ts';
import { hardhat_metadata } from './methods/hardhat/hardhat_metadata.ts';
import { hardhat_mine } from './methods/hardhat/hardhat_mine.ts';
import { hardhat_setBlockTimestampInterval } from './methods/hardhat/hardhat_setBlockTimestampInterval.ts';
import { hardhat_setIntervalMining } from './methods/hardhat/hardhat_setIntervalMining.ts';
import { hardhat_stopImpersonatingAccount } from './methods/hardhat/hardhat_stopImpersonatingAccount.ts';
import { lane_create } from './methods/lane/lane_create.ts';
import { lane_drop } from './methods/lane/lane_drop.ts';
import { lane_list } from './methods/lane/lane_list.ts';
import { lane_reset } from './methods/lane/lane_reset.ts';
import { miner_setExtra } from './methods/miner/miner_setExtra.ts';
import { miner_setGasPrice } from './methods/miner/miner_setGasPrice.ts';
import { mnr_getWork } from './methods/mnr/mnr_getWork.ts';
import { mnr_submitBitcoinBlock } from './methods/mnr/mnr_submitBitcoinBlock.ts';
import { mnr_submitBitcoinBlockPartialMerkle } from './methods/mnr/mnr_submitBitcoinBlockPartialMerkle.ts';
import { mnr_submitBitcoinBlockTransactions } from './methods/mnr/mnr_submitBitcoinBlockTransactions.ts';
import { net_listening } from './methods/net/net_listening.ts';
import { net_peerCount } from './methods/net/net_peerCount.ts';
import { net_peerList } from './methods/net/net_peerList.ts';
import { net_version } from './methods/net/net_version.ts';
import { ots_getApiLevel } from './methods/ots/ots_getApiLevel.ts';
import { ots_getBlockDetails } from './methods/ots/ots_getBlockDetails.ts';
import { ots_getBlockDetailsByHash } from './methods/ots/ots_getBlockDetailsByHash.ts';
import { ots_getBlockTransactions } from './methods/ots/ots_getBlockTransactions.ts';
import { ots_getContractCreator } from './methods/ots/ots_getContractCreator.ts';
import { ots_getInternalOperations } from './methods/ots/ots_getInternalOperations.ts';
import { ots_getTransactionBySenderAndNonce } from './methods/ots/ots_getTransactionBySenderAndNonce.ts';
import { ots_getTransactionError } from './methods/ots/ots_getTransactionError.ts';
import { ots_hasCode } from './methods/ots/ots_hasCode.ts';
import { ots_searchTransactionsAfter } from './methods/ots/ots_searchTransactionsAfter.ts';
import { ots_searchTransactionsBefore } from './methods/ots/ots_searchTransactionsBefore.ts';
import { ots_traceTransaction } from './methods/ots/ots_traceTransaction.ts';
import { personal_dumpRawKey } from './methods/personal/personal_dumpRawKey.ts';
import { personal_ecRecover } from './methods/personal/personal_ecRecover.ts';
import { personal_importRawKey } from './methods/personal/personal_importRawKey.ts';
import { personal_listAccounts } from './methods/personal/personal_listAccounts.ts';
import { personal_lockAccount } from './methods/personal/personal_lockAccount.ts';
import { personal_newAccount } from './methods/personal/personal_newAccount.ts';
import { personal_newAccountWithSeed } from './methods/personal/personal_newAccountWithSeed.ts';
import { personal_sendTransaction } from './methods/personal/personal_sendTransaction.ts';
import { personal_sign } from './methods/personal/personal_sign.ts';
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
import { txpool_contentFrom } from './methods/txpool/txpool_contentFrom.ts';
import { txpool_inspect } from './methods/txpool/txpool_inspect.ts';
import { txpool_status } from './methods/txpool/txpool_status.ts';
import { wallet_addEthereumChain } from './methods/wallet/wallet_addEthereumChain.ts';
import { wallet_getCapabilities } from './methods/wallet/wallet_getCapabilities.ts';
import { wallet_getPermissions } from './methods/wallet/wallet_getPermissions.ts';
import { wallet_requestPermissions } from './methods/wallet/wallet_requestPermissions.ts';
import { wallet_switchEthereumChain } from './methods/wallet/wallet_switchEthereumChain.ts';
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
  eth_blobBaseFee,
  eth_blockNumber,
  eth_bridgeState,
  eth_call,
  eth_callMany,
  eth_chainId,
  eth_coinbase,
  eth_config,
  eth_createAccessList,
  eth_estimateGas,
  eth_feeHistory,
  eth_fillTransaction,
  eth_gasPrice,
  eth_getAccount,
  eth_getAccountInfo,
  eth_getBalance,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getBlockReceipts,
  eth_getBlockTransactionCountByHash,
  eth_getBlockTransactionCountByNumber,
  eth_getCode,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_getHeaderByHash,
  eth_getHeaderByNumber,
  eth_getLogs,
  eth_getProof,
  eth_getRawTransactionByBlockHashAndIndex,
  eth_getRawTransactionByBlockNumberAndIndex,
  eth_getRawTransactionByHash,
  eth_getStorageAt,
  eth_getStorageValues,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionBySenderAndNonce,
  eth_getTransactionCount,
  eth_getTransactionReceipt,
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleCountByBlockHash,
  eth_getUncleCountByBlockNumber,
  eth_getWork,
  eth_hashrate,
  eth_maxPriorityFeePerGas,
  eth_mining,
  eth_netHashrate,
  eth_newBlockFilter,
  eth_newFilter,
  eth_newPendingTransactionFilter,
  eth_pendingTransactions,
  eth_protocolVersion,
  eth_sendRawTransaction,
  eth_sendRawTransactionSync,
  eth_sendTransaction,
  eth_sendUnsignedTransaction,
  eth_sign,
  eth_signTransaction,
  eth_signTypedData_v4,
  eth_simulateV1,
  eth_submitHashrate,
  eth_submitWork,
  eth_subscribe,
  eth_syncing,
  eth_uninstallFilter,
  eth_unsubscribe,
  debug_clearTxpool,
  debug_dumpBlock,
  debug_getRawBlock,
  debug_getRawHeader,
  debug_getRawReceipts,
  debug_getRawTransactions,
  debug_storageRangeAt,
  debug_traceBlock,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceTransaction,
  debug_wireProtocolQueueSize,
  evm_addAccount,
  evm_deleteSnapshot,
  evm_increaseTime,
  evm_listSnapshots,
  evm_mine,
  evm_mine_detailed,
  evm_removeAccount,
  evm_reset,
  evm_revert,
  evm_setAutomine,
  evm_setBlockGasLimit,
  evm_setIntervalMining,
  evm_setNextBlockTimestamp,
  evm_setTime,
  evm_snapshot,
  evm_startMining,
  evm_stopMining,
  mnr_getWork,
  mnr_submitBitcoinBlock,
  mnr_submitBitcoinBlockPartialMerkle,
  mnr_submitBitcoinBlockTransactions,
  personal_dumpRawKey,
  personal_ecRecover,
  personal_importRawKey,
  personal_listAccounts,
  personal_lockAccount,
  personal_newAccount,
  personal_newAccountWithSeed,
  personal_sendTransaction,
  personal_sign,
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
  txpool_contentFrom,
  txpool_inspect,
  txpool_status,
  anvil_addBalance,
  anvil_autoImpersonateAccount,
  anvil_dealERC20,
  anvil_dropAllTransactions,
  anvil_dropTransaction,
  anvil_dumpState,
  anvil_getAutomine,
  anvil_getGenesisTime,
  anvil_getIntervalMining,
  anvil_getLastBlockWallTime,
  anvil_impersonateAccount,
  anvil_impersonateSignature,
  anvil_loadState,
  anvil_metadata,
  anvil_mine,
  anvil_nodeInfo,
  anvil_removeBlockTimestampInterval,
  anvil_removePoolTransactions,
  anvil_reorg,
  anvil_rollback,
  anvil_setBalance,
  anvil_setBlockTimestampInterval,
  anvil_setChainId,
  anvil_setCode,
  anvil_setCoinbase,
  anvil_setERC20Allowance,
  anvil_setIntervalMining,
  anvil_setLoggingEnabled,
  anvil_setMinGasPrice,
  anvil_setNextBlockBaseFeePerGas,
  anvil_setNextBlockPrevRandao,
  anvil_setNonce,
  anvil_setRpcUrl,
  anvil_setStorageAt,
  hardhat_addCompilationResult,
  hardhat_dropTransaction,
  hardhat_getIntervalMining,
  hardhat_getStackTraceFailuresCount,
  hardhat_metadata,
  hardhat_mine,
  hardhat_setBlockTimestampInterval,
  hardhat_setIntervalMining,
  hardhat_stopImpersonatingAccount,
  lane_create,
  lane_drop,
  lane_list,
  lane_reset,
  miner_setExtra,
  miner_setGasPrice,
  ots_getApiLevel,
  ots_getBlockDetails,
  ots_getBlockDetailsByHash,
  ots_getBlockTransactions,
  ots_getContractCreator,
  ots_getInternalOperations,
  ots_getTransactionBySenderAndNonce,
  ots_getTransactionError,
  ots_hasCode,
  ots_searchTransactionsAfter,
  ots_searchTransactionsBefore,
  ots_traceTransaction,
  wallet_addEthereumChain,
  wallet_getCapabilities,
  wallet_getPermissions,
  wallet_requestPermissions,
  wallet_switchEthereumChain,
];
