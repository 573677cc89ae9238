// The criteria of a log search, and their tests for logs and blooms.

import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import { bloomProbe, type Log } from '../protocol/receipt.ts';

export interface LogCriteria {
  /** The emitters to match. An empty list matches every emitter. */
  readonly addresses: readonly Uint8Array[];
  /**
   * By position: a list matches any of its topics. `null`, an empty list and an omitted position match every
   * log, with or without a topic there.
   */
  readonly topics: readonly (readonly Uint8Array[] | null)[];
}

/** Criteria that match every log. */
export const ANY_LOG: LogCriteria = { addresses: [], topics: [] };

/** From this number of candidates, a lookup by key is faster than a linear comparison. */
const MANY_CANDIDATES = 32;
/** Work units per candidate key. */
const KEY_WORK = 16;

/** Cached for long lists, because a filter is evaluated again and again. */
const keysByList = new WeakMap<readonly Uint8Array[], ReadonlySet<string>>();

/** Returns the candidates as {@link hexKey} formats them. */
export function keysOf(candidates: readonly Uint8Array[]): ReadonlySet<string> {
  const isLong = candidates.length > MANY_CANDIDATES;
  const known = isLong ? keysByList.get(candidates) : undefined;
  if (known !== undefined) return known;
  const keys = new Set(candidates.map(hexKey));
  if (isLong) keysByList.set(candidates, keys);
  return keys;
}

/** Computes the lookup keys of long candidate lists. Yields between keys. */
export function* prepareCriteria({ addresses, topics }: LogCriteria): Steps<void> {
  for (const candidates of [addresses, ...topics]) {
    if (candidates === null || candidates.length <= MANY_CANDIDATES || keysByList.has(candidates)) continue;
    const keys = new Set<string>();
    for (const candidate of candidates) {
      keys.add(hexKey(candidate));
      yield KEY_WORK;
    }
    keysByList.set(candidates, keys);
  }
}

/** Returns the keys of a long candidate list; `null` for a short list. */
export function manyKeys(candidates: readonly Uint8Array[]): ReadonlySet<string> | null {
  return candidates.length > MANY_CANDIDATES ? keysOf(candidates) : null;
}

function isOneOf(value: Uint8Array, candidates: readonly Uint8Array[]): boolean {
  const keys = manyKeys(candidates);
  if (keys !== null) return keys.has(hexKey(value));
  return candidates.some((candidate) => equalBytes(candidate, value));
}

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
 * Returns a bloom test. False means that no log of the bloom can match. Long candidate lists are ignored,
 * because nearly every bloom contains one of them.
 */
export function bloomTest({ addresses, topics }: LogCriteria): BloomTest {
  const alternatives = [addresses, ...topics.map((wanted) => wanted ?? [])]
    .filter((items) => items.length > 0 && items.length <= MANY_CANDIDATES)
    .map((items) => items.map(bloomProbe));
  return (bloom) => alternatives.every((probes) => probes.some((mayBeIn) => mayBeIn(bloom)));
}
