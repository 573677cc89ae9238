// The criteria of a search for logs, and the tests of a log and of a bloom by them.

import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { bloomProbe, type Log } from '../protocol/receipt.ts';
import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';

/** The criteria that logs are selected by. */
export interface LogCriteria {
  /** The log's emitter must be one of these; any emitter matches when the list is empty. */
  readonly addresses: readonly Uint8Array[];
  /**
   * By position: `null` or an empty list matches any topic and no topic; a list matches any of its topics. Omitted
   * positions match anything too.
   */
  readonly topics: readonly (readonly Uint8Array[] | null)[];
}

/** Criteria that match every log. */
export const ANY_LOG: LogCriteria = { addresses: [], topics: [] };

/** From this number of candidates on, a lookup by key is faster than comparing them one after the other. */
const MANY_CANDIDATES = 32;
/** Units of work for computing the key of a candidate. */
const KEY_WORK = 16;

/** Cached for long lists, because a filter is evaluated again and again. */
const keysByList = new WeakMap<readonly Uint8Array[], ReadonlySet<string>>();

/** Returns the candidates as {@link hexKey} spells them. */
export function keysOf(candidates: readonly Uint8Array[]): ReadonlySet<string> {
  const isLong = candidates.length > MANY_CANDIDATES;
  const known = isLong ? keysByList.get(candidates) : undefined;
  if (known !== undefined) return known;
  const keys = new Set(candidates.map(hexKey));
  if (isLong) keysByList.set(candidates, keys);
  return keys;
}

/** Computes the keys that a search by the criteria looks candidates up by; in pieces when there are many. */
export function* prepareCriteria({ addresses, topics }: LogCriteria, pieces: WorkPieces): Task<void> {
  for (const candidates of [addresses, ...topics]) {
    if (candidates === null || candidates.length <= MANY_CANDIDATES || keysByList.has(candidates)) continue;
    const keys = new Set<string>();
    for (const candidate of candidates) {
      keys.add(hexKey(candidate));
      const turn = pieces.spend(KEY_WORK);
      if (turn !== undefined) yield turn;
    }
    keysByList.set(candidates, keys);
  }
}

/**
 * Returns the keys of the candidates when there are many; `null` when comparing them one after the other is as fast.
 */
export function manyKeys(candidates: readonly Uint8Array[]): ReadonlySet<string> | null {
  return candidates.length > MANY_CANDIDATES ? keysOf(candidates) : null;
}

function isOneOf(value: Uint8Array, candidates: readonly Uint8Array[]): boolean {
  const keys = manyKeys(candidates);
  if (keys !== null) return keys.has(hexKey(value));
  return candidates.some((candidate) => equalBytes(candidate, value));
}

/** True if the log matches the criteria. */
export function matchesCriteria(log: Log, { addresses, topics }: LogCriteria): boolean {
  if (addresses.length > 0 && !isOneOf(log.address, addresses)) return false;
  return topics.every((wanted, position) => {
    if (wanted === null || wanted.length === 0) return true;
    const topic = log.topics[position];
    return topic !== undefined && isOneOf(topic, wanted);
  });
}

/** Tests a bloom (256 bytes). */
export type BloomTest = (bloom: Uint8Array) => boolean;

/**
 * Returns a test of blooms: false when no log behind the bloom can match. Long lists of candidates are ignored: hardly
 * any bloom has the bits of none of them.
 */
export function bloomTest({ addresses, topics }: LogCriteria): BloomTest {
  const alternatives = [addresses, ...topics.map((wanted) => wanted ?? [])]
    .filter((items) => items.length > 0 && items.length <= MANY_CANDIDATES)
    .map((items) => items.map(bloomProbe));
  return (bloom) => alternatives.every((probes) => probes.some((mayBeIn) => mayBeIn(bloom)));
}
