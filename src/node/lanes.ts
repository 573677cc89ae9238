import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import { setTime } from '../chain/mining-controls.ts';
import type { OpenOwnChain } from '../config/forking.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import type { Timer, Timers, WallClock } from '../primitives/clock.ts';
import { toHex } from '../primitives/hex.ts';
import type { RandomSource } from '../primitives/random.ts';
import {
  InvalidLaneKeyError,
  LaneExistsError,
  LaneLimitError,
  LaneNotFoundError,
  LanesEndingError,
} from '../rpc/lanes/errors.ts';
import {
  LANE_KEY,
  type Lane,
  type LaneHolder,
  type LaneLabel,
  type LaneOrigin,
  type Lanes,
} from '../rpc/lanes/lane.ts';
import type { ChainNode } from './create-node.ts';

/** The limits of lanes. */
export interface LaneLimits {
  /** Maximum number of open lanes. */
  readonly limit: number;
  /** Seconds after the last request until a lane expires; 0 for never. */
  readonly timeout: number;
  /** Returns the name of a lane in logs and reports (default: its key). */
  readonly nameOf?: (key: string) => string;
}

export interface LaneSettings extends LaneLimits {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  readonly openOwn: OpenOwnChain;
  /** Receives the error of a lane that could not be closed: a bug. */
  readonly onInternalError: (error: unknown) => void;
}

const AS_THE_BASE: LaneOrigin = { lane: null, point: 'present', chainId: null };
const RANDOM_KEY_SIZE = 8;
/** Milliseconds between two checks while draining. */
const DRAIN_PAUSE = 250;

interface OpenLane extends Lane {
  key: string;
  readonly node: ChainNode;
  label: LaneLabel | null;
  /** Milliseconds since 1970. */
  usedAt: number;
  pendingCalls: number;
  readonly holders: Set<LaneHolder>;
  /** Called after the last pending call of a removed lane. */
  whenIdle: (() => void) | null;
}

function isIdle({ pendingCalls, holders }: OpenLane): boolean {
  return pendingCalls === 0 && holders.size === 0;
}

function expelBanned({ holders, node: { peers } }: OpenLane): void {
  for (const holder of Array.from(holders))
    if (peers.isBanned(holder.remoteAddress)) holder.disconnect?.('banned');
}

/**
 * The lanes of a process by key. A lane is created from the base node on first use of its key, or explicitly
 * with another origin. It expires after some time without requests.
 */
export class NodeLanes implements Lanes {
  readonly #base: ChainNode;
  readonly #settings: LaneSettings;
  readonly #lanes = new Map<string, OpenLane>();
  readonly #opening = new Map<string, Promise<OpenLane>>();
  readonly #closing = new Set<Promise<void>>();
  readonly #openListeners = new Set<(lane: Lane) => () => void>();
  readonly #closeListeners = new Map<OpenLane, (() => void)[]>();
  /** Holders with an `onClose` listener. One listener serves all lanes. */
  readonly #knownHolders = new WeakSet<LaneHolder>();
  /** Closed holders. Their pending calls must not hold a lane again. */
  readonly #goneHolders = new WeakSet<LaneHolder>();
  #nextSweep: Timer | null = null;
  #isEnding = false;

  /** `base` is the default origin of lanes. */
  constructor(base: ChainNode, settings: LaneSettings) {
    this.#base = base;
    this.#settings = settings;
  }

  /**
   * Calls `listener` for each new or renamed lane. Calls the function that it returns when the lane is
   * removed or renamed.
   */
  onOpen(listener: (lane: Lane) => () => void): void {
    this.#openListeners.add(listener);
  }

  /** Returns the open lanes, in order of creation. */
  list(): Lane[] {
    return Array.from(this.#lanes.values());
  }

  /** True if the lane exists or is being created. */
  has(key: string): boolean {
    return this.#lanes.has(key) || this.#opening.has(key);
  }

  /** Returns the chain of a lane. Throws a {@link LaneNotFoundError}. */
  chainOf(key: string): Chain {
    return this.#existing(key).node.chain;
  }

  /**
   * Returns the lane for one call; creates it if necessary. Call {@link leave} afterwards. The lane stays
   * open while `holder` does, unless it is banned. Rejects with an {@link InvalidLaneKeyError} or a
   * {@link LaneLimitError}.
   */
  enter(key: string, holder: LaneHolder | null): Awaitable<Lane> {
    const lane = this.#lanes.get(key);
    if (lane === undefined) {
      const opening = this.#opening.get(key) ?? this.#open(key, AS_THE_BASE);
      return opening.then(() => this.enter(key, holder));
    }
    lane.pendingCalls++;
    if (holder !== null) this.#hold(lane, holder);
    return lane;
  }

  #hold(lane: OpenLane, holder: LaneHolder): void {
    if (this.#goneHolders.has(holder) || lane.node.peers.isBanned(holder.remoteAddress)) return;
    lane.holders.add(holder);
    if (this.#knownHolders.has(holder)) return;
    this.#knownHolders.add(holder);
    holder.onClose(() => {
      this.#goneHolders.add(holder);
      for (const held of this.#lanes.values())
        if (held.holders.delete(holder)) held.usedAt = this.#settings.clock.now();
    });
  }

  /** Ends the use of a lane by one call. */
  leave(lane: Lane): void {
    const open = lane as OpenLane;
    open.pendingCalls--;
    open.usedAt = this.#settings.clock.now();
    if (open.pendingCalls === 0) open.whenIdle?.();
  }

  /**
   * Creates a lane; `null` for a random key. Rejects with an {@link InvalidLaneKeyError}, a
   * {@link LaneExistsError}, a {@link LaneLimitError}, or a {@link LaneNotFoundError} for its origin.
   */
  async create(
    key: string | null,
    origin: LaneOrigin = AS_THE_BASE,
    group: string | null = null,
  ): Promise<Lane> {
    const chosen = key ?? toHex(this.#settings.random(RANDOM_KEY_SIZE)).slice(2);
    if (this.has(chosen)) throw new LaneExistsError(chosen);
    return this.#open(chosen, origin, group);
  }

  /** Returns the chains of the other lanes in the group of a lane; empty without a group. */
  inStepWith(key: string): Chain[] {
    const group = this.#lanes.get(key)?.group ?? null;
    const others = this.list().filter((lane) => group !== null && lane.group === group && lane.key !== key);
    return others.map(({ node }) => node.chain);
  }

  #open(key: string, origin: LaneOrigin, group: string | null = null): Promise<OpenLane> {
    const opening = this.#fork(key, origin, group).catch((error: unknown) => {
      this.#opening.delete(key);
      throw error;
    });
    this.#opening.set(key, opening);
    return opening;
  }

  async #nodeFor(origin: LaneOrigin, name: string): Promise<ChainNode> {
    if ('own' in origin) {
      const separate = await this.#settings.openOwn(origin.own);
      try {
        return await this.#base.beside(separate, name);
      } finally {
        separate.forking.fork?.release();
      }
    }
    const from = origin.lane === null ? this.#base : this.#existing(origin.lane).node;
    return from.branch(origin.point, name, origin.chainId);
  }

  #nameOf(key: string): string {
    return this.#settings.nameOf?.(key) ?? key;
  }

  async #fork(key: string, origin: LaneOrigin, group: string | null): Promise<OpenLane> {
    if (!LANE_KEY.test(key)) throw new InvalidLaneKeyError(key);
    if (this.#isEnding) throw new LanesEndingError();
    const { clock, limit } = this.#settings;
    if (this.#lanes.size + this.#opening.size >= limit) throw new LaneLimitError(limit);
    const node = await this.#nodeFor(origin, this.#nameOf(key));
    const lane: OpenLane = {
      key,
      node,
      label: null,
      group,
      usedAt: clock.now(),
      pendingCalls: 0,
      holders: new Set(),
      whenIdle: null,
    };
    node.peers.onBan(() => expelBanned(lane));
    this.#opening.delete(key);
    this.#lanes.set(key, lane);
    this.#tellOfOpening(lane);
    this.#sweepLater();
    await this.#joinClock(lane);
    return lane;
  }

  /** Sets the latest time of the lanes of a group on all of them. Forked chains can start at different times. */
  async #joinClock({ key, node }: OpenLane): Promise<void> {
    const chains = [node.chain, ...this.inStepWith(key)];
    const latest = Math.max(...chains.map(({ time }) => time));
    const earlier = chains.filter(({ time }) => time < latest);
    await Promise.all(earlier.map((chain) => chain.change(setTime(latest))));
  }

  #tellOfOpening(lane: OpenLane): void {
    this.#closeListeners.set(
      lane,
      Array.from(this.#openListeners, (listener) => listener(lane)),
    );
  }

  #tellOfEnd(lane: OpenLane): void {
    const listeners = this.#closeListeners.get(lane) ?? [];
    this.#closeListeners.delete(lane);
    for (const listener of listeners) listener();
  }

  #existing(key: string): OpenLane {
    const lane = this.#lanes.get(key);
    if (lane === undefined) throw new LaneNotFoundError(key);
    return lane;
  }

  /** Sets the label of a lane; `null` to remove it. Throws a {@link LaneNotFoundError}. */
  label(key: string, label: LaneLabel | null): void {
    this.#existing(key).label = label;
  }

  /**
   * Renames a lane. Without `movesMeasures`, earlier measurements stay under the old key. Throws a
   * {@link LaneNotFoundError}, an {@link InvalidLaneKeyError} or a {@link LaneExistsError}.
   */
  rename(key: string, newKey: string, movesMeasures = true): void {
    const lane = this.#existing(key);
    if (!LANE_KEY.test(newKey)) throw new InvalidLaneKeyError(newKey);
    if (this.has(newKey)) throw new LaneExistsError(newKey);
    this.#tellOfEnd(lane);
    this.#lanes.delete(key);
    lane.key = newKey;
    lane.node.renameLane(this.#nameOf(newKey), movesMeasures);
    this.#lanes.set(newKey, lane);
    this.#tellOfOpening(lane);
  }

  /** Resets a lane to its initial state. Rejects with a {@link LaneNotFoundError}. */
  async reset(key: string, call: CallToken | null = null): Promise<void> {
    const lane = this.#existing(key);
    lane.usedAt = this.#settings.clock.now();
    lane.node.peers.forgetAll();
    await lane.node.chain.snapshots.reset(call);
  }

  /**
   * Removes a lane and disconnects its holders. Its chain closes after the pending calls. Returns false if
   * absent.
   */
  drop(key: string): boolean {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return false;
    this.#lanes.delete(key);
    for (const holder of Array.from(lane.holders)) holder.disconnect?.('lane dropped');
    const closing = this.#close(lane)
      .catch((error: unknown) => this.#settings.onInternalError(error))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    return true;
  }

  async #close(lane: OpenLane): Promise<void> {
    const { chain } = lane.node;
    chain.stopSearching();
    if (lane.pendingCalls > 0) {
      await new Promise<void>((resolve) => {
        lane.whenIdle = resolve;
      });
    }
    try {
      await chain.close();
    } finally {
      chain.events.emit('closed');
      this.#tellOfEnd(lane);
    }
  }

  /** True if no more lanes are created. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** True for the key of an absent lane that is no longer created. */
  refuses(key: string): boolean {
    return this.#isEnding && !this.has(key);
  }

  /**
   * Stops creating lanes. Resolves when all lanes are removed or idle: no request for `idle` seconds and no
   * open WebSocket. Resolves after `most` seconds at the latest.
   */
  async drain(idle: number, most: number): Promise<void> {
    const { clock, timers } = this.#settings;
    this.#isEnding = true;
    const end = clock.now() + most * 1000;
    const isDone = (lane: OpenLane): boolean => isIdle(lane) && clock.now() - lane.usedAt >= idle * 1000;
    while (clock.now() < end && !Array.from(this.#lanes.values()).every(isDone))
      await new Promise<void>((resolve) => {
        timers.after(DRAIN_PAUSE, resolve);
      });
  }

  /** Calls {@link Chain.stopSearching} on all lanes. */
  stopSearching(): void {
    for (const { node } of this.#lanes.values()) node.chain.stopSearching();
  }

  /** Closes all lanes without waiting for pending calls. Resolves when they are removed. */
  async close(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#opening.values());
    for (const key of Array.from(this.#lanes.keys())) this.drop(key);
    for (const lane of this.#closeListeners.keys()) lane.whenIdle?.();
    this.#nextSweep?.cancel();
    await Promise.all(this.#closing);
  }

  #sweepLater(): void {
    const { clock, timers, timeout } = this.#settings;
    if (timeout === 0 || this.#nextSweep !== null || this.#lanes.size === 0) return;
    const now = clock.now();
    let due = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values())
      due = Math.min(due, (isIdle(lane) ? lane.usedAt : now) + timeout * 1000);
    this.#nextSweep = timers.after(Math.max(0, due - now), () => this.#sweep());
  }

  #sweep(): void {
    const { clock, timeout } = this.#settings;
    const latest = clock.now() - timeout * 1000;
    for (const lane of Array.from(this.#lanes.values()))
      if (isIdle(lane) && lane.usedAt <= latest) this.drop(lane.key);
    this.#nextSweep = null;
    this.#sweepLater();
  }
}
