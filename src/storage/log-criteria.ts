import { equalBytes } from '../primitives/bytes.ts';
import { keyOf } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import type { WorkPieces } from '../primitives/work-pieces.ts';
import { bloomProbe } from '../protocol/bloom.ts';
import type { Log } from '../protocol/receipt.ts';

/** Which logs are asked for. */
export interface LogCriteria {
  /** Any of these emitters; all when empty. */
  readonly addresses: readonly Uint8Array[];
  /**
   * By position: `null` or an empty list matches anything, a list any of its topics. Positions left out match
   * anything too; a log with fewer topics than there are positions does not match.
   */
  readonly topics: readonly (readonly Uint8Array[] | null)[];
}

/** Any log at all. */
export const ANY_LOG: LogCriteria = { addresses: [], topics: [] };

/** So many candidates are looked up by their keys instead of being compared one after the other. */
const MANY_CANDIDATES = 32;
/** Units of work for the key of a candidate. */
const KEY_WORK = 16;

/** By list, for the long ones: a filter is asked again and again. */
const keysByList = new WeakMap<readonly Uint8Array[], ReadonlySet<string>>();

/** The candidates as {@link keyOf} spells them. */
export function keysOf(candidates: readonly Uint8Array[]): ReadonlySet<string> {
  const isLong = candidates.length > MANY_CANDIDATES;
  const known = isLong ? keysByList.get(candidates) : undefined;
  if (known !== undefined) return known;
  const keys = new Set(candidates.map(keyOf));
  if (isLong) keysByList.set(candidates, keys);
  return keys;
}

/** Makes what a search by the criteria looks its candidates up with; in pieces where they are many. */
export function* prepareCriteria({ addresses, topics }: LogCriteria, pieces: WorkPieces): Steps<void> {
  for (const candidates of [addresses, ...topics]) {
    if (candidates === null || candidates.length <= MANY_CANDIDATES || keysByList.has(candidates)) continue;
    const keys = new Set<string>();
    for (const candidate of candidates) {
      keys.add(keyOf(candidate));
      const turn = pieces.spend(KEY_WORK);
      if (turn !== undefined) yield turn;
    }
    keysByList.set(candidates, keys);
  }
}

/** The keys of the candidates where they are many; `null` where comparing them one after the other is as fast. */
export function manyKeys(candidates: readonly Uint8Array[]): ReadonlySet<string> | null {
  return candidates.length > MANY_CANDIDATES ? keysOf(candidates) : null;
}

function isOneOf(value: Uint8Array, candidates: readonly Uint8Array[]): boolean {
  const keys = manyKeys(candidates);
  if (keys !== null) return keys.has(keyOf(value));
  return candidates.some((candidate) => equalBytes(candidate, value));
}

/** True when the log is one of those asked for. */
export function matchesCriteria(log: Log, { addresses, topics }: LogCriteria): boolean {
  if (addresses.length > 0 && !isOneOf(log.address, addresses)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((wanted, position) => {
    if (wanted === null || wanted.length === 0) return true;
    const topic = log.topics[position];
    return topic !== undefined && isOneOf(topic, wanted);
  });
}

/**
 * A test of blooms: false when none of the logs behind the bloom can be one of those asked for. Many candidates are left
 * out: hardly a bloom has the bits of none of them.
 */
export function bloomTest({ addresses, topics }: LogCriteria): (bloom: Uint8Array) => boolean {
  const alternatives = [addresses, ...topics.map((wanted) => wanted ?? [])]
    .filter((items) => items.length > 0 && items.length <= MANY_CANDIDATES)
    .map((items) => items.map(bloomProbe));
  return (bloom) => alternatives.every((probes) => probes.some((mayBeIn) => mayBeIn(bloom)));
}
