/** Finds the functions of all known sources by name, for function breakpoints. */

import type { CompilationSources } from '../artifacts/compilation.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { KnownContracts } from './known-contracts.ts';
import { readKnownFile } from './known-files.ts';

/** A function in a source. Lines count from 1, inclusive. */
export interface NamedFunction {
  /** The name of the file in the build output. */
  readonly source: string;
  /** The contract or library around it; `null` for a free function. */
  readonly contract: string | null;
  readonly name: string;
  readonly line: number;
  readonly lastLine: number;
}

/** Units of work per contract, and per character of a source. */
const CONTRACT_WORK = 64;
const CHARACTER_WORK = 1;

/** Resolves to the functions with one of the names. Modifiers are no functions. */
export async function functionsNamed(
  wanted: ReadonlySet<string>,
  known: KnownContracts,
  checkCancelled: CancelCheck,
): Promise<NamedFunction[]> {
  const found = new Map<string, NamedFunction>();
  if (wanted.size === 0) return [];
  const slice = new TimeSlice(checkCancelled);
  const read = new Set<CompilationSources>();
  for (const contract of known.artifacts.contracts) {
    await slice.spend(CONTRACT_WORK);
    // If a file was deleted after it was indexed, the contract has no sources.
    const sources = await contract.sources().catch(() => null);
    if (sources === null || read.has(sources)) continue;
    read.add(sources);
    for (const source of new Set(sources.names.values())) {
      const text = await sources.content(source).catch(() => null);
      if (text === null) continue;
      await slice.spend(CHARACTER_WORK * text.length);
      if (![...wanted].some((name) => text.includes(name))) continue;
      const { outline } = await readKnownFile(source, text);
      for (const { kind, name, contract: around, start, end } of outline.definitions) {
        if (!wanted.has(name) || !FUNCTIONS.has(kind)) continue;
        const [line, lastLine] = [outline.lineOf(start), outline.lineOf(Math.max(start, end - 1))];
        const each = { source, contract: around, name, line, lastLine };
        found.set(JSON.stringify(each), each);
      }
    }
  }
  return [...found.values()];
}

const FUNCTIONS: ReadonlySet<string> = new Set(['function', 'constructor', 'fallback', 'receive']);
