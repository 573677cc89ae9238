// Lanes, as RPC methods and the server use them; `node/lanes.ts` creates and closes them.

import type { Chain } from '../../chain/chain.ts';
import type { CallToken } from '../../chain/changes.ts';
import type { ForkPoint } from '../../chain/snapshots/snapshots.ts';
import type { ForkTarget } from '../../fork/fork-options.ts';
import type { Awaitable } from '../../primitives/awaitable.ts';
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
  /** More text, for example the error of the test; `null` for none. */
  readonly note: string | null;
}

/** A node under a key. Its bans concern only its own clients. */
export interface Lane {
  readonly key: string;
  readonly node: RpcNode;
  /** `null` without a label. */
  readonly label: LaneLabel | null;
  /** The lanes of a group set their time together; `null` without a group. */
  readonly group: string | null;
}

/** The first state of a lane: a point of another lane, or of the base chain for `null`. */
interface BranchOrigin {
  readonly lane: string | null;
  readonly point: ForkPoint;
  /** `null` for the chain id of the parent chain. */
  readonly chainId: number | null;
}

/**
 * The settings of a chain with its own genesis or fork. A field with `null` has the value of the base chain.
 */
export interface OwnChain {
  readonly chainId: number | null;
  readonly hardfork: RuleSetName | null;
  /** The forked chain. */
  readonly fork: ForkTarget | null;
}

/** The origin of a lane: a branch of an existing chain, or its own genesis or fork. */
export type LaneOrigin = BranchOrigin | { readonly own: OwnChain };

/** A client that keeps a lane open until it disconnects. */
export interface LaneHolder {
  readonly remoteAddress: string;
  onClose(action: () => void): void;
  /** Disconnects the client, because the lane was dropped or its address was banned. */
  disconnect?(why: DisconnectCause): void;
}

/** The segment of paths that serve the Bitcoin RPC of the parent chain. It is no key of a lane. */
export const PARENT_KEY = 'parent';

/** The segment of paths that serve the Beacon API (`/eth/v1/…`). It is no key of a lane. */
export const BEACON_KEY = 'eth';

/** The form of a lane's key: the last segment of its path. Clients take `.` and `..` out of a path. */
export const LANE_KEY = /^(?!(?:\.\.?|parent|eth)$)[A-Za-z0-9._~-]{1,128}$/;

export const LANE_KEY_WORDS = '1 to 128 letters, digits or . _ ~ - (not . or .. or parent or eth alone)';

/** The lanes of a node. */
export interface Lanes {
  /** Calls the listener with each new lane or key. The returned function is called when the key expires. */
  onOpen(listener: (lane: Lane) => () => void): void;
  /** Oldest first. */
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
   * Returns the lane with the key for one call; a new lane is a fork of the base chain. {@link leave} must
   * follow. The lane stays open as long as the holder. Rejects with `InvalidLaneKeyError` or
   * `LaneLimitError`.
   */
  enter(key: string, holder: LaneHolder | null): Awaitable<Lane>;
  /** Ends the use of a lane by a call. */
  leave(lane: Lane): void;
  /**
   * Creates a lane, with a random key for `null`. Rejects with `InvalidLaneKeyError`, `LaneExistsError`,
   * `LaneLimitError`, or with `LaneNotFoundError` for its origin.
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
