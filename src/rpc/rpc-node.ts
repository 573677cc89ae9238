import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import type { Fork } from '../fork/fork.ts';
import type { ForkFollower } from '../fork/fork-follower.ts';
import type { ForkHandle, ForkReset } from '../fork/fork-handle.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { RecentFailures } from '../inspect/recent-failures.ts';
import type { Recordings } from '../inspect/recordings.ts';
import type { ChainDump } from '../persistence/dump/chain-dump.ts';
import type { Coverage } from '../reports/coverage/coverage.ts';
import type { Measurements } from '../reports/measurements.ts';
import type { BitcoinRpcCall } from '../rootstock/parent-chain/bitcoin-rpc.ts';
import type { BlockbookResponse } from '../rootstock/parent-chain/blockbook.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import type { Peers } from './peers.ts';
import type { Pegs } from './pegs/pegs.ts';
import type { ServedAddresses } from './served-addresses.ts';

/** A block up to the fork block. */
export interface PastPoint {
  readonly fork: Fork;
  readonly number: number;
  /**
   * The number of transactions of the block that are executed again on its parent's state. `null` for the
   * state after the block, which needs no execution.
   */
  readonly replayed: number | null;
}

/** A chain whose head is a block of the forked chain. */
export interface PastNode {
  readonly node: RpcNode;
  /** The first difference of a replay from the receipts of the forked chain, without REMASC's; or `null`. */
  readonly difference: string | null;
  /** True if all replayed transactions match their receipts. */
  readonly isExact: boolean;
}

/** Opens chains on blocks up to the fork block, to execute calls and transactions there. */
export interface PastNodes {
  /** The forks whose first difference was reported in the log. */
  readonly reported: WeakSet<Fork>;
  /**
   * Calls `use` with the node at the point, and resolves to its result. Opening the node ends if all its users
   * have ended. Rejects with the errors of the upstream, of the replay and of `checkCancelled`.
   */
  at<Result>(
    point: PastPoint,
    checkCancelled: CancelCheck,
    use: (past: PastNode) => Promise<Result>,
  ): Promise<Result>;
}

/** The simulated parent chain of a node. */
export interface ParentChainAccess {
  /**
   * Runs a Bitcoin RPC call. Resolves after the federate has sent its calls, if they are due. Rejects with a
   * `BitcoinRpcError`.
   */
  call(call: BitcoinRpcCall, token: CallToken | null): Promise<unknown>;
  /** Answers a GET request of Blockbook; `null` for an unknown path. */
  getBlockbook(path: string): Promise<BlockbookResponse | null>;
  readonly pegs: Pegs;
}

/** A chain and its parts, as methods, the server and the log use them. A lane is one too. */
export interface RpcNode {
  readonly chain: Chain;
  /** The chain's fork of an upstream. */
  readonly fork: ForkHandle;
  readonly forkReset: ForkReset;
  /** `null` without `--parent-chain`. */
  readonly parentChain: ParentChainAccess | null;
  /** Moves the chain onto new blocks of the forked chain. */
  follower(): Promise<ForkFollower>;
  readonly dump: ChainDump;
  /** Decodes with the names and contracts of the owner. */
  readonly inspector: LazyInspector;
  /** The API key whose names and contracts the inspector uses; undefined if all clients share them. */
  readonly owner: string | undefined;
  /** The newest failures on the chain. */
  readonly failures: RecentFailures;
  /** The attached debuggers. Shared by all lanes of a chain. */
  readonly recordings: Recordings;
  /** `null` unless the options request coverage. */
  readonly coverage: Coverage | null;
  readonly measurements: Measurements;
  /** The name of the lane in reports; `null` for the base chain. */
  readonly lane: string | null;
  /** The addresses that send requests. */
  readonly peers: Peers;
  /** The addresses of the servers of this chain; without addresses for a lane. */
  readonly served: ServedAddresses;
  /** The chains at earlier blocks of the fork, shared by all lanes of a chain. */
  readonly pasts: PastNodes;
  /** Returns the node with the names and contracts of an API key. */
  ownedBy(key: string | undefined): RpcNode;
}
