import type { Chain } from '../chain/chain.ts';
import type { ThreadSlots } from '../evm/javascript-tracer/thread-slots.ts';
import type { ForkHandle, ForkReset } from '../fork/fork-handle.ts';
import type { Coverage } from '../inspect/coverage/coverage.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { Measurements } from '../inspect/measurements.ts';
import type { RecentFailures } from '../inspect/recent-failures.ts';
import type { Lanes } from '../node/lanes.ts';
import type { PeerTable } from '../node/peers/peer-table.ts';
import type { ChainDump } from '../persistence/dump/chain-dump.ts';
import type { UnpackingBudget } from '../persistence/dump/dump-bytes.ts';
import type { Timers } from '../primitives/clock.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { FieldNames } from '../wire/header.ts';
import type { ActivityFeed } from './activity.ts';
import type { CallBatches } from './call-batches.ts';
import type { Compat } from './compat.ts';
import type { Call, Connection, Subscriptions } from './connection.ts';
import type { Reputations } from './reputations.ts';

/** The lanes of a service. */
export interface LaneAccess {
  readonly lanes: Lanes;
  /** True where keys are secrets: a caller sees and changes only the lane of its own key. */
  readonly areKeysSecret: boolean;
}

/** The settings by which a service presents itself and its chain. */
export interface RpcSettings {
  readonly compat: Compat;
  /** The version of this node (`0.1.0`). */
  readonly version: string;
  /** The answer of `web3_clientVersion`. */
  readonly clientVersion: string;
  /** True to behave as the hosted service does: no keys held, an estimate in every case. */
  readonly hosted: boolean;
  /** True to hold user operations to the rules of ERC-7562. */
  readonly erc7562: boolean;
  readonly fieldNames: FieldNames;
  /** Limits of a search for logs; it must keep to one of the two. 0 switches a limit off. */
  readonly logLimits: { readonly blocks: number; readonly logs: number };
  /** Seconds that an answer may take; 0 for any time. Transactions that are being mined are not ended by it. */
  readonly callTimeout: number;
  /** True if each API key is a tenant of its own: names, contracts and requests of one key are not shown to others. */
  readonly separatesKeys: boolean;
}

/** The node that a method is called on, and what all methods of a service share. */
export interface RpcServices {
  readonly chain: Chain;
  /** The fork of another chain that the chain is. */
  readonly fork: ForkHandle;
  readonly forkReset: ForkReset;
  readonly dump: ChainDump;
  readonly inspector: LazyInspector;
  /** The API key that the call belongs to, if keys are tenants of their own; absent otherwise. */
  readonly owner: string | undefined;
  /** The last failures on the chain. */
  readonly failures: RecentFailures;
  /** Counts the code that runs; `null` where that was not asked for. */
  readonly coverage: Coverage | null;
  /** The measures of the node's transactions. */
  readonly measurements: Measurements;
  /** The key of the lane that the call is for, by which the measures are told apart; `null` for the base chain. */
  readonly lane: string | null;
  readonly settings: RpcSettings;
  /** The version of each namespace that has methods. */
  readonly modules: Readonly<Record<string, string>>;
  /** The OpenRPC document of all methods. */
  readonly openRpcDocument: () => Promise<unknown>;
  readonly subscriptions: Subscriptions;
  /** The batches of calls that were sent. */
  readonly callBatches: CallBatches;
  /** The reputations of the contracts of smart accounts. */
  readonly reputations: Reputations;
  readonly random: RandomSource;
  readonly timers: Timers;
  readonly activity: ActivityFeed;
  /** The memory in which the dumps of all callers are unpacked. */
  readonly unpackingBudget: UnpackingBudget;
  /** The threads of tracers in JavaScript that callers have. */
  readonly tracerSlots: ThreadSlots;
  /** The addresses that talk to the node. */
  readonly peers: PeerTable;
  /** The lanes besides this chain; `null` where there are none. */
  readonly lanes: LaneAccess | null;
}

/** Everything that a method gets besides its parameters. */
export interface RpcContext extends RpcServices {
  /** The call that is answered, to be passed along to whatever it changes; `null` where it was not made by the server. */
  readonly call: Call | null;
  /** The connection of the caller. */
  readonly connection: Connection;
  /** To be given to all long work; throws when the caller is gone or the answer takes too long. */
  readonly checkInterrupt: CheckInterrupt;
  /** The life of the chain (see `ChainIdentity`) in which the caller asked. */
  readonly life: number;
}
