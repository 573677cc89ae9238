/** Values that a view asks the node for. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { client, epoch } from '../chain.ts';

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
