/** Hooks that read from the node. Expensive views limit the updates per second, to spare the node. */

import { computed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client, epoch, head } from '../chain.ts';

/** A requested value: loading, loaded, or failed. The old value stays until the new one is loaded. */
export interface ReadState<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/**
 * Calls `ask` at the first render, after a change of `keys`, and after blocks were removed. Only one request
 * runs at a time. When it completes, only the latest request follows; skipped ones, for example of a dragged
 * slider, are never sent.
 */
export function useReadState<Value>(ask: () => Promise<Value>, keys: readonly unknown[]): ReadState<Value> {
  const [asked, setAsked] = useState<ReadState<Value>>({ value: undefined, error: null, isLoading: true });
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

/** Requests the result of a method; see {@link useReadState}. */
export function useRead<Result>(
  method: string,
  params: readonly unknown[],
  keys: readonly unknown[] = [],
): ReadState<Result> {
  return useReadState(() => client.read<Result>(method, params), [method, params, ...keys]);
}

/** Milliseconds between two changes. */
const PAUSE = 1_000;
/** Milliseconds between two changes, for views with a request per block. */
export const LONG_PAUSE = 3_000;

/** Returns a signal's value. The first change applies immediately, others after `length` milliseconds. */
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

/** Returns the hash of the latest block, throttled like {@link useCalm}. */
export function useCalmHead(length = PAUSE): string | undefined {
  return useCalm(headHash, length);
}
