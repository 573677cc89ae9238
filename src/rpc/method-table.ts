import type { Method } from './method.ts';
import { ANVIL_ACCOUNTS } from './methods/anvil/accounts.ts';
import { ANVIL_MINING } from './methods/anvil/mining.ts';
import { ANVIL_NODE } from './methods/anvil/node.ts';
import { ANVIL_REORG } from './methods/anvil/reorg.ts';
import { ANVIL_TRANSACTIONS } from './methods/anvil/transactions.ts';
import { CHAIN_RAW } from './methods/chain/raw.ts';
import { DEBUG_BUNDLER } from './methods/debug/bundler.ts';
import { DEBUG_HISTORY } from './methods/debug/history.ts';
import { DEBUG_RAW } from './methods/debug/raw.ts';
import { DEBUG_STATE } from './methods/debug/state.ts';
import { DEBUG_TRACING } from './methods/debug/tracing.ts';
import { ETH_ACCESS_LISTS } from './methods/eth/access-lists.ts';
import { ETH_ACCOUNTS } from './methods/eth/accounts.ts';
import { ETH_BLOCKS } from './methods/eth/blocks.ts';
import { ETH_BUNDLES } from './methods/eth/bundles.ts';
import { ETH_CALL } from './methods/eth/call.ts';
import { ETH_CHAIN } from './methods/eth/chain.ts';
import { ETH_CONDITIONAL } from './methods/eth/conditional.ts';
import { ETH_FEES } from './methods/eth/fees.ts';
import { ETH_FILTERS } from './methods/eth/filters.ts';
import { ETH_MINING } from './methods/eth/mining.ts';
import { ETH_SEND } from './methods/eth/send.ts';
import { ETH_SEND_SYNC } from './methods/eth/send-sync.ts';
import { ETH_SIMULATE } from './methods/eth/simulate.ts';
import { ETH_STATE } from './methods/eth/state.ts';
import { ETH_SUBSCRIPTIONS } from './methods/eth/subscriptions.ts';
import { ETH_TRANSACTIONS } from './methods/eth/transactions.ts';
import { ETH_USER_OPERATIONS } from './methods/eth/user-operations.ts';
import { EVM_ACCOUNTS } from './methods/evm/accounts.ts';
import { EVM_MINING } from './methods/evm/mining.ts';
import { EVM_SNAPSHOTS } from './methods/evm/snapshots.ts';
import { FORK_FOLLOWING } from './methods/fork/following.ts';
import { HARDHAT } from './methods/hardhat/hardhat.ts';
import { INSPECT_ACCOUNTS } from './methods/inspect/accounts.ts';
import { INSPECT_ATTACH } from './methods/inspect/attach.ts';
import { INSPECT_BREAKPOINTS } from './methods/inspect/breakpoints.ts';
import { INSPECT_COMPARISON } from './methods/inspect/comparison.ts';
import { INSPECT_CONTRACTS } from './methods/inspect/contracts.ts';
import { INSPECT_DEPLOYMENTS } from './methods/inspect/deployments.ts';
import { INSPECT_EVALUATION } from './methods/inspect/evaluation.ts';
import { INSPECT_EVENTS } from './methods/inspect/events.ts';
import { INSPECT_LANES } from './methods/inspect/lanes.ts';
import { INSPECT_MEASUREMENTS } from './methods/inspect/measurements.ts';
import { INSPECT_MINED_TRANSACTIONS } from './methods/inspect/mined-transactions.ts';
import { INSPECT_NAMES } from './methods/inspect/names.ts';
import { INSPECT_SOURCE_PATHS } from './methods/inspect/source-paths.ts';
import { INSPECT_STEPS } from './methods/inspect/steps.ts';
import { INSPECT_TRANSACTIONS } from './methods/inspect/transactions.ts';
import { LANE_LABELS } from './methods/lane/labels.ts';
import { LANE_LANES } from './methods/lane/lanes.ts';
import { MEV_SHARE } from './methods/mev/mev-share.ts';
import { MINER_MINER } from './methods/miner/miner.ts';
import { MNR_MERGED_MINING } from './methods/mnr/merged-mining.ts';
import { NET_NETWORK } from './methods/net/network.ts';
import { OTTERSCAN } from './methods/ots/otterscan.ts';
import { PEG_PEGS } from './methods/peg/pegs.ts';
import { PERSONAL } from './methods/personal/personal.ts';
import { RPC_DISCOVERY } from './methods/rpc/discovery.ts';
import { SCO_PEERS } from './methods/sco/peers.ts';
import { TENDERLY_SIMULATION } from './methods/tenderly/simulation.ts';
import { TENDERLY_STATE } from './methods/tenderly/state.ts';
import { TESTING_BUILDING } from './methods/testing/building.ts';
import { TRACE_REPLAYS } from './methods/trace/replays.ts';
import { TRACE_TRACES } from './methods/trace/traces.ts';
import { TXPOOL_POOL } from './methods/txpool/pool.ts';
import { WALLET_CALLS } from './methods/wallet/calls.ts';
import { WALLET_WALLET } from './methods/wallet/wallet.ts';
import { WEB3_WEB3 } from './methods/web3/web3.ts';

/** All methods, in the order of the documentation. */
export const METHODS: readonly Method[] = [
  ...ETH_ACCOUNTS,
  ...ETH_ACCESS_LISTS,
  ...ETH_BLOCKS,
  ...ETH_USER_OPERATIONS,
  ...ETH_TRANSACTIONS,
  ...ETH_STATE,
  ...ETH_CALL,
  ...ETH_SIMULATE,
  ...ETH_SEND,
  ...ETH_SEND_SYNC,
  ...ETH_CONDITIONAL,
  ...ETH_BUNDLES,
  ...ETH_FEES,
  ...ETH_FILTERS,
  ...ETH_SUBSCRIPTIONS,
  ...ETH_MINING,
  ...ETH_CHAIN,
  ...ANVIL_ACCOUNTS,
  ...ANVIL_MINING,
  ...ANVIL_TRANSACTIONS,
  ...ANVIL_REORG,
  ...ANVIL_NODE,
  ...CHAIN_RAW,
  ...DEBUG_RAW,
  ...DEBUG_STATE,
  ...DEBUG_TRACING,
  ...DEBUG_BUNDLER,
  ...DEBUG_HISTORY,
  ...EVM_ACCOUNTS,
  ...EVM_MINING,
  ...EVM_SNAPSHOTS,
  ...FORK_FOLLOWING,
  ...HARDHAT,
  ...INSPECT_TRANSACTIONS,
  ...INSPECT_STEPS,
  ...INSPECT_EVALUATION,
  ...INSPECT_ATTACH,
  ...INSPECT_BREAKPOINTS,
  ...INSPECT_SOURCE_PATHS,
  ...INSPECT_MINED_TRANSACTIONS,
  ...INSPECT_CONTRACTS,
  ...INSPECT_DEPLOYMENTS,
  ...INSPECT_NAMES,
  ...INSPECT_EVENTS,
  ...INSPECT_ACCOUNTS,
  ...INSPECT_LANES,
  ...INSPECT_COMPARISON,
  ...INSPECT_MEASUREMENTS,
  ...LANE_LANES,
  ...LANE_LABELS,
  ...MEV_SHARE,
  ...MINER_MINER,
  ...MNR_MERGED_MINING,
  ...PEG_PEGS,
  ...NET_NETWORK,
  ...OTTERSCAN,
  ...PERSONAL,
  ...RPC_DISCOVERY,
  ...SCO_PEERS,
  ...TENDERLY_STATE,
  ...TENDERLY_SIMULATION,
  ...TESTING_BUILDING,
  ...TRACE_TRACES,
  ...TRACE_REPLAYS,
  ...TXPOOL_POOL,
  ...WALLET_CALLS,
  ...WALLET_WALLET,
  ...WEB3_WEB3,
];
