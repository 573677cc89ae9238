import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { type Flag, isEnabled, TUNINGS, type Tuning, type TuningName } from './tunings.ts';

/** Minimum bytes of a large heap. The new space is a small part of it. */
const LARGE_HEAP = 40 * 2 ** 20;
/** Bytes of the new space, both halves. A larger one saves no more time. */
const LARGE_NEW_SPACE = 16 * 2 ** 20;
/** Milliseconds between two checks of a small heap. */
const CHECK_INTERVAL = 100;

function heapSize(): number {
  return getHeapStatistics().total_heap_size;
}

function newSpaceSize(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

/** Calls a check after each garbage collection, until the check returns true. */
function afterCollections(check: () => boolean): void {
  const observer = new PerformanceObserver(() => {
    if (check()) observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Tunings with flags, and the user's flags that have the same purpose. */
const USER_FLAGS = {
  'small-heap': /semi[-_]space/,
  'large-heap': /heap[-_]growing|semi[-_]space/,
  'large-new-space': /semi[-_]space/,
  'early-optimization': /interrupt[-_]budget|max[-_]inlined/,
  'late-optimization': /interrupt[-_]budget|ticks[-_]before|for[-_]early[-_]opt/,
  'loop-placement': /loop[-_]rotation/,
} as const satisfies Partial<Record<TuningName, RegExp>>;

interface FlagHost {
  readonly afterCollections: (check: () => boolean) => void;
  readonly later: (action: () => void, milliseconds: number) => { unref(): unknown };
  /** Bytes of the whole heap. */
  readonly heapSize: () => number;
  /** Bytes of the space for new objects. */
  readonly newSpaceSize: () => number;
  /** The flags of the user. */
  readonly given: string;
}

/**
 * The V8 flags of a serving node. Its new space keeps its size after the start while the heap is small. A busy
 * node would collect a small new space too often, so the new space of a large heap grows to a limit. Node
 * cannot get the flags at the start, because V8 rejects code caches of other flags, including the cache of
 * Node's own modules.
 */
export class ServingFlags {
  readonly #host: FlagHost;
  /** The flags with the values of a serving node. */
  #serving: readonly Flag[] = [];
  /** The flags for code, and the flags for memory, of the current phase. */
  #code: readonly Flag[] = [];
  #memory: readonly Flag[] = [];

  constructor(host: Partial<FlagHost> = {}) {
    const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
    this.#host = { later: setTimeout, afterCollections, heapSize, newSpaceSize, given, ...host };
  }

  /** Sets the values of a serving node, except for flags of the user. */
  begin(): void {
    this.#code = this.#flagsOf('early-optimization', 'late-optimization', 'loop-placement');
    const small = this.#flagsOf('small-heap');
    const large = this.#flagsOf('large-heap');
    const largeSpace = this.#flagsOf('large-new-space');
    this.#limitMemory(small);
    if (small.length + large.length + largeSpace.length === 0) return;
    this.#onLargeHeap(() => {
      this.#limitMemory(large);
      if (largeSpace.length > 0) this.#onLargeNewSpace(() => this.#limitMemory([...large, ...largeSpace]));
    });
  }

  /** Sets the values of a busy node: V8 optimizes its functions without delay. */
  optimizeEarly(): void {
    this.#code = this.#flagsOf('early-optimization', 'loop-placement');
    this.#serve([...this.#code, ...this.#memory]);
  }

  #limitMemory(flags: readonly Flag[]): void {
    this.#memory = flags;
    this.#serve([...this.#code, ...flags]);
  }

  #flagsOf(...names: (keyof typeof USER_FLAGS)[]): readonly Flag[] {
    return names
      .filter((name) => isEnabled(name) && !USER_FLAGS[name].test(this.#host.given))
      .flatMap((name): Tuning['flags'] => TUNINGS[name].flags);
  }

  #onLargeHeap(action: () => void): void {
    const check = (): void => {
      if (this.#host.heapSize() >= LARGE_HEAP) action();
      else this.#onLargeHeap(action);
    };
    this.#host.later(check, CHECK_INTERVAL).unref();
  }

  /** Only a collection enlarges the new space. A timer would run late, after the space has doubled again. */
  #onLargeNewSpace(action: () => void): void {
    this.#host.afterCollections(() => {
      const isLarge = this.#host.newSpaceSize() >= LARGE_NEW_SPACE;
      if (isLarge) action();
      return isLarge;
    });
  }

  /** Sets these flags, and resets the flags of the last call. */
  #serve(flags: readonly Flag[]): void {
    for (const flag of this.#serving) setFlagsFromString(flag.default);
    for (const flag of flags) setFlagsFromString(flag.serving);
    this.#serving = flags;
  }

  /** Runs an action with the default flags, because the code cache depends on them. */
  readonly withDefaults = <Result>(action: () => Result): Result => {
    const flags = this.#serving;
    this.#serve([]);
    try {
      return action();
    } finally {
      this.#serve(flags);
    }
  };
}
