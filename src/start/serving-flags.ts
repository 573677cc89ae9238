import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { isEnabled, TUNINGS } from './tunings.ts';

const [NEW_SPACE_GROWTH] = TUNINGS['small-heap'].flags;

/** Minimum heap size in bytes for a growing new space. In larger heaps, it is a small part. */
const LARGE_HEAP = 40 * 2 ** 20;
/** Milliseconds between two checks of a small heap. */
const CHECK_INTERVAL = 100;

function heapSize(): number {
  return getHeapStatistics().total_heap_size;
}

/** The user's flags that have the same purpose. */
const USER_FLAGS = /semi[-_]space/;

interface FlagHost {
  readonly later: (action: () => void, milliseconds: number) => { unref(): unknown };
  readonly heapSize: () => number;
  /** The flags of the user. */
  readonly given: string;
}

/**
 * The V8 flag of a serving node: its new space keeps its size after the start while the heap is small. A busy
 * node would collect a small new space too often, so a large heap has the default. Node cannot get the flag
 * at the start, because V8 rejects code caches of other flags, including the cache of Node's own modules.
 */
export class ServingFlags {
  readonly #host: FlagHost;
  #isServing = false;

  constructor(host: Partial<FlagHost> = {}) {
    const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
    this.#host = { later: setTimeout, heapSize, given, ...host };
  }

  /** Sets the value of a serving node, unless the user has set the flag. */
  begin(): void {
    if (!isEnabled('small-heap') || USER_FLAGS.test(this.#host.given)) return;
    this.#set(true);
    this.#checkLater();
  }

  #checkLater(): void {
    const check = (): void => {
      if (this.#host.heapSize() >= LARGE_HEAP) this.#set(false);
      else this.#checkLater();
    };
    this.#host.later(check, CHECK_INTERVAL).unref();
  }

  #set(isServing: boolean): void {
    this.#isServing = isServing;
    setFlagsFromString(isServing ? NEW_SPACE_GROWTH.serving : NEW_SPACE_GROWTH.default);
  }

  /** Runs an action with the default flags, because the code cache depends on them. */
  readonly withDefaults = <Result>(action: () => Result): Result => {
    if (!this.#isServing) return action();
    this.#set(false);
    try {
      return action();
    } finally {
      this.#set(true);
    }
  };
}
