import type { WorkEntry } from './log-entries.ts';
import { printable } from './printable.ts';

const WORDS = {
  load: { going: 'Loading the chain from', done: 'Loaded the chain from' },
  save: { going: 'Saving the chain to', done: 'Saved the chain to' },
} as const;

/** A line about work that takes long; how much of it is done, only where the line is written anew as that changes. */
export function workLine(entry: WorkEntry, isRewritten: boolean): string {
  const { going, done } = WORDS[entry.activity];
  const path = printable(entry.path);
  if (entry.stage === 'done') return `${done} ${path} in ${(entry.durationMs / 1000).toFixed(1)} s`;
  return isRewritten ? `${going} ${path} ${Math.floor(entry.fraction * 100)} %` : `${going} ${path} …`;
}
