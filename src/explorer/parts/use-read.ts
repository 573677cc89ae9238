/** Values that a view asks the node for, and the newest block for views that ask a lot at each: they must not slow the node down. */

import { computed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client, epoch, head } from '../chain.ts';

/** A value that was asked for: not there yet, there, or refused. While a new one is asked, the old one stays. */
export interface Asked<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/**
 * Asks with `ask` when the view is first drawn, when one of `keys` changes, and when blocks have left the chain. There is one question at a
 * time: when it is answered, the newest one follows, and those between them, of a slider that was drawn along, are never asked.
 */
export function useAsked<Value>(ask: () => Promise<Value>, keys: readonly unknown[]): Asked<Value> {
  const [asked, setAsked] = useState<Asked<Value>>({ value: undefined, error: null, isLoading: true });
  const last = useRef<Promise<void>>(Promise.resolve());
  const key = JSON.stringify([...keys, epoch.value]);
  useEffect(() => {
    let isWanted = true;
    setAsked(({ value }) => ({ value, error: null, isLoading: true }));
    last.current = last.current.then(async () => {
      if (!isWanted) return;
      await ask().then(
        (value) => isWanted && setAsked({ value, error: null, isLoading: false }),
        (error: unknown) => isWanted && setAsked({ value: undefined, error, isLoading: false }),
      );
    });
    return () => {
      isWanted = false;
    };
  }, [key]);
  return asked;
}

/** Asks for the result of a method; see {@link useAsked}. */
export function useRead<Result>(
  method: string,
  params: readonly unknown[],
  keys: readonly unknown[] = [],
): Asked<Result> {
  return useAsked(() => client.read<Result>(method, params), [method, params, ...keys]);
}

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
