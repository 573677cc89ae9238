/** The breakpoints of the debug view, by file. They stay in the browser for the next execution. */

import { signal } from '@preact/signals';
import { client } from '../../chain.ts';
import { type Target, targetParameter } from '../../execution-target.ts';
import { keepValue, keptValue } from '../../page-storage.ts';

/** A breakpoint on a line. */
export interface Breakpoint {
  readonly source: string;
  /** The line that the reader chose. */
  readonly line: number;
  /** The line with code; `null` until it is known, and without code. */
  readonly actualLine: number | null;
  /** The reason why the line has no code; `null` if it has code. */
  readonly reason: string | null;
}

interface Mapped {
  readonly breakpoints: readonly {
    readonly line: number;
    readonly actualLine: number | null;
    readonly reason: string | null;
  }[];
}

const STORED = 'node-cli breakpoints';
const MAX_BREAKPOINTS = 100;

function isLine(value: unknown): value is readonly [string, number] {
  return Array.isArray(value) && typeof value[0] === 'string' && Number.isSafeInteger(value[1]);
}

function storedLines(): readonly (readonly [string, number])[] {
  const stored = keptValue('tab', STORED);
  return Array.isArray(stored) ? stored.filter(isLine).slice(0, MAX_BREAKPOINTS) : [];
}

export const breakpoints = signal<readonly Breakpoint[]>(
  storedLines().map(([source, line]) => ({ source, line, actualLine: null, reason: null })),
);

function keep(changed: readonly Breakpoint[]): void {
  breakpoints.value = changed;
  const lines = changed.map(({ source, line }) => [source, line]);
  keepValue('tab', STORED, lines);
}

/** Maps the breakpoints of a file to the code of the execution. Rejects with the node's error. */
async function map(target: Target, source: string): Promise<void> {
  const lines = breakpoints.peek().filter((each) => each.source === source);
  if (lines.length === 0) return;
  const wanted = lines.map(({ line }) => line);
  const mapped = await client.read<Mapped>('inspect_breakpoints', [source, wanted, targetParameter(target)]);
  const found = new Map(mapped.breakpoints.map((each) => [each.line, each]));
  breakpoints.value = breakpoints.peek().map((each) => {
    const { actualLine = null, reason = null } = found.get(each.line) ?? {};
    return each.source === source ? { ...each, actualLine, reason } : each;
  });
}

/** Maps all breakpoints in the files of the execution. Rejects with the node's error. */
export async function mapBreakpoints(target: Target, files: readonly string[]): Promise<void> {
  const sources = new Set(breakpoints.peek().map(({ source }) => source));
  for (const source of sources) if (files.includes(source)) await map(target, source);
}

/** Adds or removes the breakpoint of a line. Rejects with the node's error. */
export async function toggleBreakpoint(target: Target, source: string, line: number): Promise<void> {
  const isHere = (each: Breakpoint): boolean =>
    each.source === source && (each.line === line || each.actualLine === line);
  const kept = breakpoints.peek().filter((each) => !isHere(each));
  if (kept.length < breakpoints.peek().length) {
    keep(kept);
    return;
  }
  keep([...kept, { source, line, actualLine: null, reason: null }].slice(-MAX_BREAKPOINTS));
  await map(target, source);
}

export function removeBreakpoint({ source, line }: Breakpoint): void {
  keep(breakpoints.peek().filter((each) => each.source !== source || each.line !== line));
}
