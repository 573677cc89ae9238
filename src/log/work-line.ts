import { printable } from '../config/printable.ts';
import type { FetchEntry, FileWorkEntry, WorkEntry } from './log-entries.ts';

const WORDS = {
  load: { going: 'Loading the chain from', done: 'Loaded the chain from' },
  save: { going: 'Saving the chain to', done: 'Saved the chain to' },
} as const;

/** A line about work that takes long; how much of it is done, only where the line is written anew as that changes. */
export function workLine(entry: WorkEntry, isRewritten: boolean): string {
  return entry.activity === 'fetch' ? fetchLine(entry, isRewritten) : fileLine(entry, isRewritten);
}

function fileLine(entry: FileWorkEntry, isRewritten: boolean): string {
  const { going, done } = WORDS[entry.activity];
  const path = printable(entry.path);
  if (entry.stage === 'done') return `${done} ${path} in ${seconds(entry.durationMs)}`;
  return isRewritten ? `${going} ${path} ${Math.floor(entry.fraction * 100)} %` : `${going} ${path} …`;
}

function fetchLine(entry: FetchEntry, isRewritten: boolean): string {
  const host = printable(entry.host);
  const answers = entry.answers === 1 ? '1 answer' : `${entry.answers} answers`;
  if (entry.stage === 'done') return `Fetched ${answers} from ${host} in ${seconds(entry.durationMs)}`;
  return isRewritten ? `Fetching from ${host} … ${answers}` : `Fetching from ${host} …`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
