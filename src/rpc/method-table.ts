import { misspelled } from '../primitives/nearest-word.ts';
import { MethodNotFoundError } from './errors.ts';
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

/** Thrown if two methods have the same name (a bug of the method table). */
export class DuplicateMethodError extends Error {
  override readonly name = 'DuplicateMethodError';
  constructor(method: string) {
    super(`the method table has the name ${method} twice`);
  }
}

/** Returns the namespace of a method: the part of its name before the first `_` or `.`. */
function namespaceOf(name: string): string {
  const end = name.search(/[._]/);
  return end === -1 ? name : name.slice(0, end);
}

/** The methods of a node, by name or alias. */
export class Registry {
  /** In the order of the table, without aliases. */
  readonly methods: readonly Method[];
  readonly byName: ReadonlyMap<string, Method>;
  /** The results of {@link modules}, by the presence of lanes. */
  readonly #modules = new Map<boolean, Readonly<Record<string, string>>>();

  /** Throws {@link DuplicateMethodError} if two methods share a name or alias. */
  constructor(methods: readonly Method[]) {
    this.methods = methods;
    const byName = new Map<string, Method>();
    for (const method of methods) {
      for (const name of [method.name, ...method.aliases]) {
        if (byName.has(name)) throw new DuplicateMethodError(name);
        byName.set(name, method);
      }
    }
    this.byName = byName;
  }

  /** Returns the version of each namespace (`rpc_modules`), without the methods that require absent lanes. */
  modules(hasLanes: boolean): Readonly<Record<string, string>> {
    // Cached, because each chain and each fork calls this and the table is long.
    const known = this.#modules.get(hasLanes);
    if (known !== undefined) return known;
    const namespaces = new Set<string>();
    for (const { name, aliases, asksBase } of this.methods) {
      if (asksBase && !hasLanes) continue;
      namespaces.add(namespaceOf(name));
      for (const alias of aliases) namespaces.add(namespaceOf(alias));
    }
    const modules = Object.fromEntries([...namespaces].sort().map((namespace) => [namespace, '1.0']));
    this.#modules.set(hasLanes, modules);
    return modules;
  }
}

const NO_COMPILERS = 'the node has no compilers; compile with solc and send the code';
const NO_WHISPER = 'the Whisper protocol is not supported';
const NO_DATABASE = 'the local database methods are deprecated; store the data in your application';

const ONLY_TEMPO = 'the method belongs to the network Tempo, which node-cli does not have';

const NO_STATISTICS =
  'Flashbots switched this method off in June 2025; to find a bundle, look for its transactions in the block';
const SET_BALANCE = 'use tenderly_setErc20Balance';

const NO_SHUTDOWN = 'requests cannot stop the node; stop its process (Ctrl-C, SIGTERM)';

/** Method names of other nodes, with the reason why this node does not have them (service document). */
const REASONS: ReadonlyMap<string, string> = new Map([
  ...['eth_getCompilers', 'eth_compileLLL', 'eth_compileSolidity', 'eth_compileSerpent'].map(
    (name) => [name, NO_COMPILERS] as const,
  ),
  ...[
    'anvil_classifyTransaction',
    'anvil_dealTIP20',
    'anvil_setFeeToken',
    'anvil_setValidatorFeeToken',
    'anvil_setFeeAmmLiquidity',
  ].map((name) => [name, ONLY_TEMPO] as const),
  ...[
    'flashbots_getUserStats',
    'flashbots_getUserStatsV2',
    'flashbots_getBundleStats',
    'flashbots_getBundleStatsV2',
    'flashbots_getSbundleStats',
  ].map((name) => [name, NO_STATISTICS] as const),
  ...['tenderly_addErc20Balance', 'tenderly_setMaxErc20Balance'].map((name) => [name, SET_BALANCE] as const),
  ...['rsk_shutdown', 'chain_shutdown'].map((name) => [name, NO_SHUTDOWN] as const),
  ...['db_putString', 'db_getString', 'db_putHex', 'db_getHex'].map((name) => [name, NO_DATABASE] as const),
]);

/** Unsupported namespaces, with the reason. */
const NAMESPACE_REASONS: ReadonlyMap<string, string> = new Map([['shh', NO_WHISPER]]);

/**
 * Returns the error for an unknown method, with the reason from the service document, or the closest name.
 */
export function methodNotFound(method: string, registry: Registry): MethodNotFoundError {
  const reason = REASONS.get(method) ?? NAMESPACE_REASONS.get(namespaceOf(method));
  if (reason !== undefined) return new MethodNotFoundError(method, reason);
  const meant = misspelled(method, registry.byName.keys());
  return new MethodNotFoundError(method, meant === undefined ? undefined : `did you mean ${meant}?`);
}
