import type { Steps } from '../primitives/steps.ts';
import type { Block } from '../protocol/block.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockSummary } from './block-index.ts';
import type { BlockLayer } from './block-layer.ts';
import type { TransactionPosition } from './block-storage.ts';
import { type BlockEntry, type ChainEntry, type EmptyBlockRange, filedBlock } from './empty-block-range.ts';
import type { BloomTest, LogCriteria } from './log-criteria.ts';
import type { LogsInBlock } from './log-index.ts';

/** Maximum number of unjoined layers, and the length below which a layer is always joined. */
const MAX_LAYERS = 4;
const MIN_LAYER = 64;
/** Work units per joined block. */
const JOINING_WORK = 4_096;

/** A range of a layer's blocks, with states that replace the layer's own. */
interface Segment {
  readonly layer: BlockLayer;
  readonly last: number;
  readonly states: ReadonlyMap<number, WorldState>;
  /** The segment below, or `null`. */
  readonly below: Segment | null;
}

function segmentOf(segments: Segment, number: number): Segment | undefined {
  if (number > segments.last) return undefined;
  let segment: Segment | null = segments;
  while (segment !== null && number < segment.layer.first) segment = segment.below;
  return segment ?? undefined;
}

function withState(segment: Segment, number: number, state: WorldState): Segment {
  if (number < segment.layer.first && segment.below !== null)
    return { ...segment, below: withState(segment.below, number, state) };
  if (segment.layer.summary(number) === undefined || segment.layer.rangeAt(number) !== undefined)
    throw new RangeError(`block ${number} has no record of its own`);
  return { ...segment, states: new Map(segment.states).set(number, state) };
}

/** Appends the blocks of the upper segment to the layer below and returns the joined segment. */
function* appendedBelow(upper: Segment): Steps<Segment> {
  const { below } = upper;
  if (below === null) return upper;
  for (const [number, state] of below.states)
    if (below.layer.state(number) !== state) below.layer.replaceState(number, state);
  let range: EmptyBlockRange | null = null;
  for (const entry of entriesOf(upper, upper.layer.first)) {
    if ('range' in entry) range = entry.range;
    else {
      const { block, state } = entry;
      yield* below.layer.append({ block, state, range }, block);
      range = null;
      yield JOINING_WORK;
    }
  }
  return {
    ...below,
    last: upper.last,
    states: new Map(Array.from(upper.states).filter(([of]) => of === upper.last)),
  };
}

/** Yields the entries of a segment from this number. */
function* entriesOf({ layer, last, states }: Segment, from: number): Generator<ChainEntry, void, undefined> {
  for (const entry of layer.entries(Math.max(from, layer.first), last)) {
    if ('range' in entry) {
      yield entry;
      continue;
    }
    const { number } = filedBlock(entry).header;
    const state = states.get(number);
    if (state !== undefined) yield { block: entry.block, state };
    else yield states.has(number - 1) ? withoutChanges(entry) : entry;
  }
}

function lengthOf({ layer, last }: Segment): number {
  return last - layer.first + 1;
}

/**
 * True if the blocks of a segment can be appended to the layer below without repeated copying. `reserved` are
 * the layers that this join already appends to.
 */
function canJoin(upper: Segment, reserved: readonly BlockLayer[]): boolean {
  const { below } = upper;
  // Chains that read older blocks of the layer ignore appended blocks, but would see a changed state.
  if (below === null || below.layer.last !== below.last) return false;
  if (!below.layer.isFree && !reserved.includes(below.layer)) return false;
  if (Array.from(below.states.keys()).some((number) => number !== below.last)) return false;
  return lengthOf(upper) <= Math.max(MIN_LAYER, lengthOf(below));
}

/** Returns the entry without its stored changes, because the state below was replaced. */
function withoutChanges(entry: BlockEntry): BlockEntry {
  return {
    get block() {
      return entry.block;
    },
    filed: () => filedBlock(entry),
    get state() {
      return entry.state;
    },
  };
}

/**
 * The blocks up to a highest one that several chains share. They are immutable: a chain that changes a state
 * or removes blocks gets a new object. Blocks are read from their layers, not copied.
 */
export class SharedBlocks {
  readonly #top: Segment;

  private constructor(top: Segment) {
    this.#top = top;
  }

  /**
   * Shares the blocks of a layer up to `last`, on top of others. The layer does not change these blocks while
   * a chain shares them ({@link share}). The state after `last` is stored here, because the layer can change
   * it later.
   */
  static of(layer: BlockLayer, last: number, below: SharedBlocks | null): SharedBlocks {
    const state = layer.state(last);
    if (state === undefined) throw new RangeError(`there is no block ${last}`);
    return new SharedBlocks({
      layer,
      last,
      states: new Map([[last, state]]),
      below: below === null ? null : below.#top,
    });
  }

  /**
   * Calls `take` with the same blocks in fewer layers if there are many. The blocks of a layer are appended
   * to the layer below, so that closed lanes leave no layers. `take` must share the blocks. Until then the
   * layers are reserved, because other chains that close during a yield would remove the appended blocks.
   */
  *join(take: (joined: SharedBlocks) => void): Steps<void> {
    const segments = Array.from(this.#all()).reverse();
    if (segments.length <= MAX_LAYERS) return;
    const reserved: BlockLayer[] = [];
    try {
      let joined: Segment | null = null;
      for (const segment of segments) {
        const upper: Segment = { ...segment, below: joined };
        if (canJoin(upper, reserved)) {
          if (joined !== null && !reserved.includes(joined.layer)) {
            joined.layer.reserve();
            reserved.push(joined.layer);
          }
          joined = yield* appendedBelow(upper);
        } else joined = upper;
      }
      if (joined !== null) take(new SharedBlocks(joined));
    } finally {
      for (const layer of reserved) layer.endReservation();
    }
  }

  /** Registers a reader in the layers. */
  share(): void {
    for (const { layer, last } of this.#all()) layer.share(last);
  }

  /** Ends a registration of {@link share}. */
  release(): void {
    for (const { layer, last } of this.#all()) layer.release(last);
  }

  layers(): BlockLayer[] {
    return Array.from(this.#all(), ({ layer }) => layer);
  }

  *#all(): Generator<Segment, void, undefined> {
    for (let segment: Segment | null = this.#top; segment !== null; segment = segment.below) yield segment;
  }

  get last(): number {
    return this.#top.last;
  }

  get first(): number {
    let segment = this.#top;
    while (segment.below !== null) segment = segment.below;
    return segment.layer.first;
  }

  /** Returns the blocks up to a number, which must not be inside a range; `null` if no block remains. */
  until(number: number): SharedBlocks | null {
    const segment = segmentOf(this.#top, number);
    if (segment === undefined) return null;
    if (segment.last === number) return new SharedBlocks(segment);
    const states = new Map(Array.from(segment.states).filter(([of]) => of < number));
    // The layer can change this state once no chain reads higher blocks.
    const state = this.state(number);
    if (state !== undefined) states.set(number, state);
    return new SharedBlocks({ ...segment, last: number, states });
  }

  /** Returns the blocks without layers that are completely below a number. */
  from(number: number): SharedBlocks {
    const cut = (segment: Segment): Segment => {
      const { below } = segment;
      if (below === null) return segment;
      return { ...segment, below: below.last < number ? null : cut(below) };
    };
    return this.#top.below === null || this.first >= number ? this : new SharedBlocks(cut(this.#top));
  }

  /**
   * Returns the blocks with another state after one. Throws a `RangeError` for reserved or missing blocks.
   */
  withState(number: number, state: WorldState): SharedBlocks {
    return new SharedBlocks(withState(this.#top, number, state));
  }

  summary(number: number): BlockSummary | undefined {
    return segmentOf(this.#top, number)?.layer.summary(number);
  }

  state(number: number): WorldState | undefined {
    const segment = segmentOf(this.#top, number);
    return segment?.states.get(number) ?? segment?.layer.state(number);
  }

  /** True if the state after the block is known to equal the state before it. */
  isUnchanged(number: number): boolean {
    const segment = segmentOf(this.#top, number);
    if (segment === undefined || number <= segment.layer.first || segment.states.has(number)) return false;
    return !segment.states.has(number - 1) && segment.layer.isUnchanged(number);
  }

  block(number: number): Block | undefined {
    return segmentOf(this.#top, number)?.layer.block(number);
  }

  /** Returns the range that contains the block, or `undefined`. */
  rangeAt(number: number): EmptyBlockRange | undefined {
    return segmentOf(this.#top, number)?.layer.rangeAt(number);
  }

  layerOf(number: number): BlockLayer | undefined {
    return segmentOf(this.#top, number)?.layer;
  }

  /** Returns the segments with blocks from `from` to `to`, lowest first. */
  #segments(from: number, to: number): Segment[] {
    const segments: Segment[] = [];
    let segment: Segment | null = this.#top;
    while (segment !== null && segment.last >= from) {
      if (segment.layer.first <= to) segments.push(segment);
      segment = segment.below;
    }
    return segments.reverse();
  }

  /** Yields the entries from `from`, which must not be inside a range. */
  *entries(from: number): Generator<ChainEntry, void, undefined> {
    for (const segment of this.#segments(from, this.last)) yield* entriesOf(segment, from);
  }

  /** Like {@link BlockLayer.findLogs} for the blocks `from` to `to`. */
  *findLogs(
    criteria: LogCriteria,
    mayMatch: BloomTest,
    from: number,
    to: number,
  ): Generator<LogsInBlock | null, void, undefined> {
    for (const { layer, last } of this.#segments(from, to))
      yield* layer.findLogs(criteria, mayMatch, Math.max(from, layer.first), Math.min(to, last));
  }

  /** Returns the number of the ordinary block with this hash, or `undefined`. */
  numberOf(hash: Uint8Array): number | undefined {
    for (let segment: Segment | null = this.#top; segment !== null; segment = segment.below) {
      const number = segment.layer.numberOf(hash);
      if (number !== undefined && number <= segment.last) return number;
    }
    return undefined;
  }

  /** Returns the highest position of the transaction, or `undefined`. */
  positionOf(transactionHash: Uint8Array): TransactionPosition | undefined {
    for (let segment: Segment | null = this.#top; segment !== null; segment = segment.below) {
      const position = segment.layer.positionOf(transactionHash, segment.last);
      if (position !== undefined) return position;
    }
    return undefined;
  }
}
