/**
 * Opens a node with everything that the options request. `start`, `exec`, `mcp`, `compare` and `createNode`
 * use it.
 */

import { resolve } from 'node:path';
import { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { StartError } from '../config/errors.ts';
import { endableForking, openForkConfig, optionsOnFork, ownChainsOf } from '../config/forking.ts';
import { chainOptionsOf, devAccountsOf, inCompatMode, rpcOptionsOf } from '../config/node-settings.ts';
import type { Environment, NodeOptions } from '../config/options.ts';
import type { NameOf } from '../config/usage-messages.ts';
import type { ForkConfig } from '../fork/fork-handle.ts';
import type { ForkRecord } from '../fork/fork-options.ts';
import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import { ruleSetNamed } from '../protocol/hardforks/registry.ts';
import type { EngineDifferenceError } from '../reference/shadow-engine.ts';
import type { CompatChoice } from '../rpc/compat.ts';
import { createRpcServiceFactory, type RpcServiceFactory } from '../rpc/rpc-service.ts';
import type { DevAccount } from '../wallet/dev-accounts.ts';
import { type ChainNode, createNode } from './create-node.ts';
import type { LaneLimits, NodeLanes } from './lanes.ts';
import { type ReportFiles, Reports } from './reports.ts';

/** The environment of a node in its program. */
export interface NodeHost {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  readonly environment: Environment;
  /** The files of coverage, gas report and profile. */
  readonly reportFiles: ReportFiles;
  /** Returns the name of an option for errors. */
  readonly nameOf?: NameOf;
  /** Creates the listener for the requests to the fork URL; absent if they are not logged. */
  readonly listen?: () => Promise<UpstreamTraffic>;
  /** Gets warnings about build outputs. */
  readonly onWarning: (text: string) => void;
  /** Gets an error that stopped a block of the interval miner: a `DiskError`, or a bug. */
  readonly onMiningError: (error: unknown) => void;
  /** Gets a bug that ended work in the background. */
  readonly onInternalError: (error: unknown) => void;
  /** Gets a difference between the engine and its shadow. */
  readonly onEngineDifference: (error: EngineDifferenceError) => void;
}

/** The initial state from files. */
export interface NodeStart {
  /** Replaces the accounts of the options. */
  readonly accounts: readonly DevAccount[] | null;
  readonly genesis: ChainOptions['genesis'];
  /** The fork in the file. */
  readonly fork: ForkRecord | null;
}

const NO_FILES: NodeStart = { accounts: null, genesis: null, fork: null };

/** The settings that depend on the program. */
export interface NodeChoices {
  readonly compat: CompatChoice;
  /** Folders with build outputs, absolute or relative to the working directory. */
  readonly artifactFolders: readonly string[];
  readonly start?: NodeStart;
}

export interface OpenedNode {
  readonly node: ChainNode;
  /** The accounts of the wallet, with their keys. */
  readonly accounts: readonly DevAccount[];
  readonly chainOptions: ChainOptions;
  readonly reports: Reports;
  /** Creates the service of the node. All services share everything but node, lanes and activity. */
  readonly serviceOf: RpcServiceFactory;
  /** Opens lanes on a node (default: this one). The code of lanes is loaded only then. */
  openLanes(limits: LaneLimits, base?: ChainNode): Promise<NodeLanes>;
  /** Closes the chain and its files. Rejects with a `CodedError` if they cannot be saved. */
  close(): Promise<void>;
}

/**
 * Opens the node of the options. Rejects with `UsageError` for an invalid mnemonic, `StartError` for an
 * unusable file, or `CodedError` for a failure of the fork URL or the data directory. Nothing stays open
 * then.
 */
export async function openNode(
  given: NodeOptions,
  host: NodeHost,
  { compat, artifactFolders, start = NO_FILES }: NodeChoices,
): Promise<OpenedNode> {
  const { clock, timers, random, onMiningError, onEngineDifference, onInternalError } = host;
  const options = inCompatMode(given, compat);
  const reports = await Reports.open(options, host.reportFiles, onInternalError);
  const artifacts = new LazyArtifacts(
    { timers, onWarning: host.onWarning, ownerCount: Math.max(1, options.apiKey.length) },
    artifactFolders.map((folder) => resolve(host.reportFiles.workingDirectory, folder)),
  );
  const coverage = await reports.coverageOf(artifacts);
  const { measurements } = reports;
  const accounts = start.accounts ?? (await devAccountsOf(options, host.nameOf));
  const forking = await openForkConfig(options, host, start.fork);
  // The fork stays open until the chain uses it.
  forking.fork?.hold();
  try {
    if (options.parentChain && forking.fork !== null)
      throw new StartError(
        '--parent-chain cannot be used with a fork, because the Bridge of a forked chain follows another parent chain; remove --parent-chain',
      );
    const requested = { ...chainOptionsOf(options, accounts), genesis: start.genesis };
    const chainOptions = optionsOnFork(requested, forking, options, start.fork !== null);
    checkBaseFee(chainOptions, options);
    const shared = { clock, timers, random, artifacts, coverage, measurements };
    const dependencies = { ...shared, onMiningError, onEngineDifference };
    const endable = endableForking(forking, options, { ...chainOptions, devAccounts: accounts });
    const node = await createNode(chainOptions, dependencies, endable);
    return opened({ node, accounts, chainOptions, reports }, options, compat, forking, host);
  } finally {
    forking.fork?.release();
  }
}

/** Throws a {@link StartError} for a base fee under rules without one. The rules of a fork are known only now. */
function checkBaseFee({ ruleSet }: ChainOptions, { blockBaseFeePerGas }: NodeOptions): void {
  if (blockBaseFeePerGas === null || blockBaseFeePerGas === 0n) return;
  const { fees, name } = ruleSetNamed(ruleSet);
  if (fees.name === 'base fee') return;
  throw new StartError(
    `--block-base-fee-per-gas: blocks have no base fee in hardfork ${name} of the forked chain; remove the option`,
  );
}

function opened(
  parts: Pick<OpenedNode, 'node' | 'accounts' | 'chainOptions' | 'reports'>,
  options: NodeOptions,
  compat: CompatChoice,
  forking: ForkConfig,
  { clock, timers, random, onInternalError }: NodeHost,
): OpenedNode {
  const { node, chainOptions } = parts;
  return {
    ...parts,
    serviceOf: createRpcServiceFactory({ ...rpcOptionsOf(options), compat }, random, { clock, timers }),
    async openLanes(limits, base = node) {
      const { NodeLanes } = await import('./lanes.ts');
      const openOwn = ownChainsOf(options, chainOptions, forking);
      return new NodeLanes(base, { clock, timers, random, onInternalError, openOwn, ...limits });
    },
    async close() {
      try {
        await node.chain.close();
      } finally {
        await forking.finish();
      }
    },
  };
}
