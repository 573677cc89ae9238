import { vi } from 'vitest';
import type { ChainEvents } from '../../src/chain/changes.ts';

/** The current listeners of the chain's events that were added since. */
export function listenersOf(events: ChainEvents): ReadonlySet<unknown> {
  const listeners = new Set<unknown>();
  const on = events.on.bind(events);
  vi.spyOn(events, 'on').mockImplementation(((name, listener) => {
    const stop = on(name, listener);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      stop();
    };
  }) satisfies ChainEvents['on']);
  return listeners;
}
