import { equalBytes } from '../primitives/bytes.ts';
import { bloomProbe } from '../rules/bloom.ts';
import type { Log } from '../rules/receipt.ts';

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

function isOneOf(value: Uint8Array, candidates: readonly Uint8Array[]): boolean {
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

/** A test of blooms: false when none of the logs behind the bloom can be one of those asked for. */
export function bloomTest({ addresses, topics }: LogCriteria): (bloom: Uint8Array) => boolean {
  const alternatives = [addresses, ...topics.map((wanted) => wanted ?? [])]
    .filter((items) => items.length > 0)
    .map((items) => items.map(bloomProbe));
  return (bloom) => alternatives.every((probes) => probes.some((mayBeIn) => mayBeIn(bloom)));
}
