// A lane, as those see it who make, use and end it.

import type { ForkPoint } from '../chain/snapshots/snapshots.ts';
import type { ForkTarget } from '../fork/fork-options.ts';
import type { Timers, WallClock } from '../primitives/clock.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { RuleSetName } from '../protocol/hardforks/registry.ts';
import type { ChainNode, SeparateChain } from './create-node.ts';

/** The limits and the lifetime of lanes. */
export interface LaneSettings {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  /** The most lanes at a time. */
  readonly limit: number;
  /** Seconds after which a lane that is not used is gone; 0 for never. */
  readonly timeout: number;
  readonly openOwn: OpenOwnChain;
  /** Called with the error of a lane that could not be ended, which is a bug of the node: those who dropped it do not wait for that. */
  readonly onInternalError: (error: unknown) => void;
  /** Returns what a lane is called in logs and reports, where its key is not to be shown; by default its key. */
  readonly nameOf?: (key: string) => string;
}

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
  readonly node: ChainNode;
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

/** Makes the settings of a chain beside the base chain. Rejects with a `CodedError`, such as those of an upstream. */
export type OpenOwnChain = (chain: OwnChain) => Promise<SeparateChain>;

/** A caller that uses a lane for more than one call, until it goes away. */
export interface LaneHolder {
  readonly remoteAddress: string;
  onClose(action: () => void): void;
  /** Sends it away from a lane that is gone, or where its address was banned. */
  disconnect?(why: DisconnectCause): void;
}

/** The reason why a caller is sent away. */
export type DisconnectCause = 'lane dropped' | 'banned';

/** The form of a lane's key: the last segment of its path. Clients take `.` and `..` out of a path. */
export const LANE_KEY = /^(?!\.\.?$)[A-Za-z0-9._~-]{1,128}$/;

/** The form of a lane's key in words. */
export const LANE_KEY_WORDS = '1 to 128 letters, digits or . _ ~ - (not . or .. alone)';
