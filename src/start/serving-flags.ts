import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { type Flag, isEnabled, TUNINGS, type Tuning, type TuningName } from './tunings.ts';

/** Minimum heap size in bytes for a growing new space. In larger heaps, it is a small part. */
const LARGE_HEAP = 40 * 2 ** 20;
/** Milliseconds between two checks of a small heap. */
const CHECK_INTERVAL = 100;

function heapSize(): number {
  return getHeapStatistics().total_heap_size;
}

/** Tunings with flags, and the user's flags that have the same purpose. */
const USER_FLAGS = {
  'small-heap': /semi[-_]space/,
  'early-optimization': /interrupt[-_]budget|max[-_]inlined/,
  'loop-placement': /loop[-_]rotation/,
} as const satisfies Partial<Record<TuningName, RegExp>>;

interface FlagHost {
  readonly later: (action: () => void, milliseconds: number) => { unref(): unknown };
  readonly heapSize: () => number;
  /** The flags of the user. */
  readonly given: string;
}

/**
 * The V8 flags of a serving node. Its new space keeps its size after the start while the heap is small. A busy
 * node would collect a small new space too often, so a large heap has the default. Node cannot get the flags
 * at the start, because V8 rejects code caches of other flags, including the cache of Node's own modules.
 */
export class ServingFlags {
  readonly #host: FlagHost;
  /** The flags with the values of a serving node. */
  #serving: readonly Flag[] = [];

  constructor(host: Partial<FlagHost> = {}) {
    const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
    this.#host = { later: setTimeout, heapSize, given, ...host };
  }

  /** Sets the values of a serving node, except for flags of the user. */
  begin(): void {
    const flags = this.#flagsOf('early-optimization', 'loop-placement');
    const heapFlags = this.#flagsOf('small-heap');
    this.#serve([...flags, ...heapFlags]);
    if (heapFlags.length > 0) this.#onLargeHeap(() => this.#serve(flags));
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
