import type { Method } from './method.ts';
import { eth_accounts } from './methods/eth/eth_accounts.ts';
import { eth_blockNumber } from './methods/eth/eth_blockNumber.ts';
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
import { eth_getLogs } from './methods/eth/eth_getLogs.ts';
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
import { eth_hashrate } from './methods/eth/eth_hashrate.ts';
import { eth_mining } from './methods/eth/eth_mining.ts';
import { eth_pendingTransactions } from './methods/eth/eth_pendingTransactions.ts';
import { eth_protocolVersion } from './methods/eth/eth_protocolVersion.ts';
import { eth_sendRawTransaction } from './methods/eth/eth_sendRawTransaction.ts';
import { eth_sendTransaction } from './methods/eth/eth_sendTransaction.ts';
import { eth_sign } from './methods/eth/eth_sign.ts';
import { eth_subscribe } from './methods/eth/eth_subscribe.ts';
import { eth_syncing } from './methods/eth/eth_syncing.ts';
import { eth_unsubscribe } from './methods/eth/eth_unsubscribe.ts';
import { evm_increaseTime } from './methods/evm/evm_increaseTime.ts';
import { evm_mine } from './methods/evm/evm_mine.ts';
import { evm_revert } from './methods/evm/evm_revert.ts';
import { evm_snapshot } from './methods/evm/evm_snapshot.ts';
import { net_listening } from './methods/net/net_listening.ts';
import { net_peerCount } from './methods/net/net_peerCount.ts';
import { net_peerList } from './methods/net/net_peerList.ts';
import { net_version } from './methods/net/net_version.ts';
import { personal_listAccounts } from './methods/personal/personal_listAccounts.ts';
import { rpc_discover } from './methods/rpc/rpc_discover.ts';
import { rpc_modules } from './methods/rpc/rpc_modules.ts';
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
  eth_accounts,
  eth_blockNumber,
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
  eth_getLogs,
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
  eth_hashrate,
  eth_mining,
  eth_pendingTransactions,
  eth_protocolVersion,
  eth_sendRawTransaction,
  eth_sendTransaction,
  eth_sign,
  eth_subscribe,
  eth_syncing,
  eth_unsubscribe,
  evm_increaseTime,
  evm_mine,
  evm_revert,
  evm_snapshot,
  personal_listAccounts,
  rpc_discover,
  rpc_modules,
];
