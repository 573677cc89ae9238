/** The newest block, for views that ask the node a lot at each: they must not slow it down while blocks follow one another quickly. */

import { useEffect, useState } from 'preact/hooks';
import { head } from '../chain.ts';

/** Milliseconds between two changes. */
const PAUSE = 1_000;
/** The same for views that ask for every block. */
export const LONG_PAUSE = 3_000;

/** Returns the hash of the newest block. The first change is taken at once, those that follow it after the pause (milliseconds). */
export function useCalmHead(length = PAUSE): string | undefined {
  const [hash, setHash] = useState(head.peek()?.hash);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const pause = (): void => {
      timer = setTimeout(() => {
        timer = null;
        take();
      }, length);
    };
    let taken = hash;
    const take = (): void => {
      const newest = head.peek()?.hash;
      if (newest === taken) return;
      taken = newest;
      setHash(newest);
      pause();
    };
    const stop = head.subscribe(() => {
      if (timer === null) take();
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);
  return hash;
}
