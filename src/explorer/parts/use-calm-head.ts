/** The newest block, for views that ask the node a lot at each: they must not slow it down while blocks follow one another quickly. */

import { computed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { head } from '../chain.ts';

/** Milliseconds between two changes. */
const PAUSE = 1_000;
/** The pause in milliseconds for views that ask for every block. */
export const LONG_PAUSE = 3_000;

/** Returns the value of a signal. The first change is taken at once, those that follow it after the pause (milliseconds). */
export function useCalm<Value>(signal: ReadonlySignal<Value>, length = PAUSE): Value {
  const [value, setValue] = useState(signal.peek());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const pause = (): void => {
      timer = setTimeout(() => {
        timer = null;
        take();
      }, length);
    };
    let taken = value;
    const take = (): void => {
      const newest = signal.peek();
      if (newest === taken) return;
      taken = newest;
      setValue(() => newest);
      pause();
    };
    const stop = signal.subscribe(() => {
      if (timer === null) take();
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  return value;
}

const headHash = computed(() => head.value?.hash);

/** Returns the hash of the newest block, as {@link useCalm} does. */
export function useCalmHead(length = PAUSE): string | undefined {
  return useCalm(headHash, length);
}
