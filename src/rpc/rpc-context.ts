import type { Reputations } from '../bundler/reputations.ts';
import type { TracerThreads } from '../evm/javascript-tracer/tracer-threads.ts';
import type { UnpackingBudget } from '../persistence/dump/dump-bytes.ts';
import type { Timers } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { FieldNames } from '../wire/header.ts';
import type { ActivityFeed } from './activity.ts';
import type { CallBatches } from './call-batches.ts';
import type { Compat } from './compat.ts';
import type { Call, Connection, Subscriptions } from './connection.ts';
import type { HintStreams } from './hint-streams.ts';
import type { Lanes } from './lanes/lane.ts';
import type { RequestDeadline } from './request-check.ts';
import type { RpcNode } from './rpc-node.ts';
import type { ServedAddresses } from './served-addresses.ts';

/** The lanes of a node. */
export interface LaneAccess {
  readonly lanes: Lanes;
  /** True if keys are secrets: a client sees and changes only the lane of its own key. */
  readonly areKeysSecret: boolean;
}

/** The settings that affect the results of all methods. */
export interface RpcSettings {
  readonly compat: Compat;
  /** The version of this node (`0.1.0`). */
  readonly version: string;
  /** The result of web3_clientVersion. */
  readonly clientVersion: string;
  /** True in hosted-node mode: no keys, and an estimate in every case. */
  readonly hosted: boolean;
  /** True to apply the rules of ERC-7562 to user operations. */
  readonly erc7562: boolean;
  /** Wei that an account without funds receives if it is impersonated; `null` for none. */
  readonly impersonationFunds: bigint | null;
  readonly fieldNames: FieldNames;
  /** Limits of a log search, which must not exceed both. 0 switches a limit off. */
  readonly logLimits: { readonly blocks: number; readonly logs: number };
  /** Maximum seconds of a request; 0 for no limit. Mining a transaction is never cancelled. */
  readonly callTimeout: number;
  /**
   * Template of links that open a source file in an editor, with `{path}`, `{line}` and `{column}`. `null` if no
   * client may receive absolute paths.
   */
  readonly editorLink: string | null;
  /** True if each API key is a separate tenant: names, contracts and requests of a key are private. */
  readonly separatesKeys: boolean;
}

/** The parts that all requests to a server share. */
export interface RpcServices {
  /** The version of each namespace with methods. */
  readonly modules: () => Promise<Readonly<Record<string, string>>>;
  readonly openRpcDocument: (rules: Pick<RuleSet, 'name' | 'preview'>) => Promise<unknown>;
  readonly subscriptions: Subscriptions;
  readonly hintStreams: HintStreams;
  readonly callBatches: CallBatches;
  /** The reputations of the contracts of user operations (ERC-7562). */
  readonly reputations: Reputations;
  readonly random: RandomSource;
  readonly timers: Timers;
  readonly activity: ActivityFeed;
  /** The memory for unpacking the dumps of all clients. */
  readonly unpackingBudget: UnpackingBudget;
  readonly tracerThreads: TracerThreads;
  /** The addresses of the node and its lanes. */
  readonly served: ServedAddresses;
  /** `null` if the server has no lanes. */
  readonly lanes: LaneAccess | null;
}

/** Everything that a handler receives besides its parameters. It destructures the members that it needs. */
export interface RpcContext {
  /** The chain of the request, with its parts. */
  readonly node: RpcNode;
  readonly services: RpcServices;
  readonly settings: RpcSettings;
  /**
   * The token of the request, passed to each change that it makes; `null` if the server did not create one.
   */
  readonly call: Call | null;
  readonly connection: Connection;
  /** For all long work: throws if the client has disconnected, or after `--call-timeout`. */
  readonly deadline: RequestDeadline;
  /** The generation of the chain (`ChainIdentity.life`) at the time of the request. */
  readonly generation: number;
}
