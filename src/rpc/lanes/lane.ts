// Lanes, as methods and the server see them. `node/lanes.ts` makes and ends them.

import type { Chain } from '../../chain/chain.ts';
import type { CallToken } from '../../chain/changes.ts';
import type { ForkPoint } from '../../chain/snapshots/snapshots.ts';
import type { ForkTarget } from '../../fork/fork-options.ts';
import type { RuleSetName } from '../../protocol/hardforks/registry.ts';
import type { DisconnectCause } from '../connection.ts';
import type { RpcNode } from '../rpc-node.ts';

/** The outcomes of a test that runs on a lane. */
export const LANE_OUTCOMES = ['running', 'passed', 'failed'] as const;

/** A description of a lane by its users, such as the test that runs there. */
export interface LaneLabel {
  /** `null` for none. */
  readonly name: string | null;
  readonly outcome: (typeof LANE_OUTCOMES)[number] | null;
  /** More words, such as what failed; `null` for none. */
  readonly note: string | null;
}

/** A node of its own under a key, whose callers can be banned there alone. */
export interface Lane {
  readonly key: string;
  readonly node: RpcNode;
  /** `null` for a lane of which nothing was said. */
  readonly label: LaneLabel | null;
  /** The name of the group of lanes whose time is set together; `null` for a lane whose time is its own. */
  readonly group: string | null;
}

/** The point at which a lane begins: one of another lane, or of the base for `null`. */
interface BranchOrigin {
  readonly lane: string | null;
  readonly point: ForkPoint;
  /** `null` for that of the chain that it comes from. */
  readonly chainId: number | null;
}

/** The differences from the base chain of a chain that is no branch of it; `null` in a field for as the base chain began. */
export interface OwnChain {
  readonly chainId: number | null;
  readonly hardfork: RuleSetName | null;
  /** The chain that it is a fork of. */
  readonly fork: ForkTarget | null;
}

/** The beginning of a lane: a branch of a chain there is, or a chain of its own. */
export type LaneOrigin = BranchOrigin | { readonly own: OwnChain };

/** A caller that uses a lane for more than one call, until it goes away. */
export interface LaneHolder {
  readonly remoteAddress: string;
  onClose(action: () => void): void;
  /** Sends it away from a lane that is gone, or where its address was banned. */
  disconnect?(why: DisconnectCause): void;
}

/** The form of a lane's key: the last segment of its path. Clients take `.` and `..` out of a path. */
export const LANE_KEY = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** The form of a lane's key in words. */
export const LANE_KEY_WORDS = '1 to 128 letters, digits or . _ ~ - (not . or .. alone)';

/** The lanes of a node. */
export interface Lanes {
  /** Calls the listener with each new lane, and again after a change of its key. The returned function is called when the key expires. */
  onOpen(listener: (lane: Lane) => () => void): void;
  /** Returns the open lanes, the oldest first. */
  list(): Lane[];
  /** True if a lane with the key is open or opening. */
  has(key: string): boolean;
  /** True if the node creates no more lanes. */
  readonly isEnding: boolean;
  /** True for a key without a lane if the node creates no more lanes. */
  refuses(key: string): boolean;
  /** Returns the chain of a lane. Throws `LaneNotFoundError`. */
  chainOf(key: string): Chain;
  /** Returns the chains of the other lanes in the group of a lane. */
  inStepWith(key: string): Chain[];
  /**
   * Returns the lane with the key for one call; a new lane is a fork of the base chain. {@link leave} must follow. The lane stays open
   * as long as the holder. Rejects with `InvalidLaneKeyError` or `LaneLimitError`.
   */
  enter(key: string, holder: LaneHolder | null): Promise<Lane>;
  /** Ends the use of a lane by a call. */
  leave(lane: Lane): void;
  /**
   * Creates a lane, with a random key for `null`. Rejects with `InvalidLaneKeyError`, `LaneExistsError`, `LaneLimitError`, or with
   * `LaneNotFoundError` for its origin.
   */
  create(key: string | null, origin?: LaneOrigin, group?: string | null): Promise<Lane>;
  /** Sets the label of a lane. Throws `LaneNotFoundError`. */
  label(key: string, label: LaneLabel | null): void;
  /** Changes the key of a lane. Throws `LaneNotFoundError`, `InvalidLaneKeyError` or `LaneExistsError`. */
  rename(key: string, newKey: string, movesMeasures?: boolean): void;
  /** Resets a lane to its first state. Rejects with `LaneNotFoundError`. */
  reset(key: string, call?: CallToken | null): Promise<void>;
  /** Closes a lane after its pending calls. Returns false if no lane has the key. */
  drop(key: string): boolean;
}
