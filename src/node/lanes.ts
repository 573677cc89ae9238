import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import type { OpenOwnChain } from '../config/forking.ts';
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

/** The limits and the dependencies of lanes. */
export interface LaneSettings extends LaneLimits {
  readonly clock: WallClock;
  readonly timers: Timers;
  readonly random: RandomSource;
  readonly openOwn: OpenOwnChain;
  /** Gets the error of a lane that could not be closed: a bug of the node. */
  readonly onInternalError: (error: unknown) => void;
}

const AS_THE_BASE: LaneOrigin = { lane: null, point: 'present', chainId: null };
const RANDOM_KEY_SIZE = 8;
/** Milliseconds between two looks at lanes that are to end. */
const DRAIN_PAUSE = 250;

interface OpenLane extends Lane {
  key: string;
  readonly node: ChainNode;
  label: LaneLabel | null;
  /** Milliseconds since 1970. */
  usedAt: number;
  callsInHand: number;
  readonly holders: Set<LaneHolder>;
  /** Called once when the last call in hand of a lane that is gone has been answered. */
  whenIdle: (() => void) | null;
}

function isIdle({ callsInHand, holders }: OpenLane): boolean {
  return callsInHand === 0 && holders.size === 0;
}

function expelBanned({ holders, node: { peers } }: OpenLane): void {
  for (const holder of Array.from(holders))
    if (peers.isBanned(holder.remoteAddress)) holder.disconnect?.('banned');
}

/**
 * Nodes in one process, each under the key that its users call it by. A lane is branched from the base node when its key is
 * used first, or made where a caller wants it to begin, and goes when it has not been used for some time.
 */
export class NodeLanes implements Lanes {
  readonly #base: ChainNode;
  readonly #settings: LaneSettings;
  readonly #lanes = new Map<string, OpenLane>();
  readonly #opening = new Map<string, Promise<OpenLane>>();
  readonly #closing = new Set<Promise<void>>();
  readonly #openListeners = new Set<(lane: Lane) => () => void>();
  readonly #closeListeners = new Map<OpenLane, (() => void)[]>();
  /** The holders whose end is listened to: once, however many lanes they see come and go. */
  readonly #knownHolders = new WeakSet<LaneHolder>();
  /** The holders that have gone: their earlier calls may still be answered, and hold nothing. */
  readonly #goneHolders = new WeakSet<LaneHolder>();
  #nextSweep: Timer | null = null;
  #isEnding = false;

  /** `base` is the node that lanes are branched from when nothing else is said. */
  constructor(base: ChainNode, settings: LaneSettings) {
    this.#base = base;
    this.#settings = settings;
  }

  /**
   * Calls `listener` with each lane as it is made, and again when it has another key; the function that it gives is called when the
   * lane is gone under that key.
   */
  onOpen(listener: (lane: Lane) => () => void): void {
    this.#openListeners.add(listener);
  }

  /** Returns the lanes there are, in the order in which they were made. */
  list(): Lane[] {
    return Array.from(this.#lanes.values());
  }

  /** Returns true when there is a lane with that key, or it is being made. */
  has(key: string): boolean {
    return this.#lanes.has(key) || this.#opening.has(key);
  }

  /** Returns the chain of a lane. Throws a {@link LaneNotFoundError}. */
  chainOf(key: string): Chain {
    return this.#existing(key).node.chain;
  }

  /**
   * Returns the lane with that key for one call, made as the base is if there is none; {@link leave} must follow. It stays
   * as long as `holder`, if there is one that is not banned there, does. Rejects with an {@link InvalidLaneKeyError} or a {@link LaneLimitError}.
   */
  async enter(key: string, holder: LaneHolder | null): Promise<Lane> {
    let lane = this.#lanes.get(key);
    while (lane === undefined) {
      await (this.#opening.get(key) ?? this.#open(key, AS_THE_BASE));
      lane = this.#lanes.get(key);
    }
    lane.callsInHand++;
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

  /** Ends the use of a lane by a call that has been answered. */
  leave(lane: Lane): void {
    const open = lane as OpenLane;
    open.callsInHand--;
    open.usedAt = this.#settings.clock.now();
    if (open.callsInHand === 0) open.whenIdle?.();
  }

  /**
   * Makes a lane, under a key of its own choice for `null`, in a group of that name. Rejects with an {@link InvalidLaneKeyError}, a
   * {@link LaneExistsError}, a {@link LaneLimitError}, or a {@link LaneNotFoundError} for the one that it is to come from.
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

  /** Returns the chains of the other lanes that are in the group of a lane; none for a lane without one, or that is not there. */
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
      callsInHand: 0,
      holders: new Set(),
      whenIdle: null,
    };
    node.peers.onBan(() => expelBanned(lane));
    this.#opening.delete(key);
    this.#lanes.set(key, lane);
    this.#tellOfOpening(lane);
    this.#sweepLater();
    return lane;
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

  /** Keeps what is said of a lane; `null` for nothing. Throws a {@link LaneNotFoundError}. */
  label(key: string, label: LaneLabel | null): void {
    this.#existing(key).label = label;
  }

  /**
   * Gives a lane another key, with all that is on it; without `movesMeasures` what was measured stays under the old key. Throws a
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

  /** Makes a lane what it was when it was made. Rejects with a {@link LaneNotFoundError}. */
  async reset(key: string, call: CallToken | null = null): Promise<void> {
    const lane = this.#existing(key);
    lane.usedAt = this.#settings.clock.now();
    lane.node.peers.forgetAll();
    await lane.node.chain.snapshots.reset(call);
  }

  /**
   * Ends a lane, which goes when its calls in hand have been answered, and sends away its holders; returns false when there
   * is none.
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
    if (lane.callsInHand > 0) {
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

  /** True once no more lanes are made. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** True for a key that has no lane, and gets none any more. */
  refuses(key: string): boolean {
    return this.#isEnding && !this.has(key);
  }

  /**
   * Makes no lanes from now on. Resolves when those there are have ended, or all have not been called for `idle` seconds and no
   * WebSocket is open on them, and after `most` seconds in any case.
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

  /** Does the same as {@link Chain.stopSearching}, on all lanes. */
  stopSearching(): void {
    for (const { node } of this.#lanes.values()) node.chain.stopSearching();
  }

  /** Ends all lanes, whatever is in hand there, as the answers are of no use any more. Settles when they are gone. */
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
