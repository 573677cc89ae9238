/**
 * Finds mapping entries of contracts whose used slots are unknown, as on a fork. The keys are words that occur
 * in logs and messages of the contract. An entry counts only if one of its slots is not zero.
 */

import {
  type MappingType,
  type StorageType,
  type StorageVariable,
  slotsOf,
} from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes, padLeft } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Log } from '../../protocol/receipt.ts';
import { type CancelCheck, unlessCancelled, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { MissingStateError } from '../../state/state-source.ts';
import { fitsKey } from './key-guesses.ts';
import { type ReadSlot, slotBytes } from './storage-value.ts';

const WORD = 32;
const SELECTOR = 4;
/** Maximum slots to read. On a fork, they are five requests at the same time. */
const MAX_SLOTS = 500;
/** Maximum hashes, about 30 ms. */
const MAX_HASHES = 30_000;
const HASHES_PER_TURN = 1_000;
/** Maximum words of a record to use as keys of a plain mapping, and as keys of a nested mapping. */
const MAX_WORDS = 64;
const MAX_NESTED_WORDS = 8;
/** Maximum keys of a nested mapping. */
const MAX_KEYS = 3;
const MAX_MAPPINGS = 64;
/** Maximum slots of one entry to read. */
const SLOTS_PER_ENTRY = 4;
const BOOLEANS = [0n, 1n].map((value) => bigIntToFixedBytes(value, WORD));

/** The words (32 bytes) of a log or message. Keys of a nested mapping are taken from the same record. */
export type KeyRecord = readonly Uint8Array[];

/** The parts of a log that may contain keys. */
export type LogContent = Pick<Log, 'topics' | 'data'>;

function* wordsOf(data: Uint8Array, first: number): Generator<Uint8Array, void, undefined> {
  for (let at = first; at + WORD <= data.length && at < first + WORD * MAX_WORDS; at += WORD)
    yield data.slice(at, at + WORD);
}

/** Returns the indexed and other arguments of an event. */
export function recordOfLog({ topics, data }: LogContent): KeyRecord {
  return [...topics.slice(1), ...wordsOf(data, 0)];
}

/** Returns the sender (20 bytes) and the arguments of a call. */
export function recordOfCall(sender: Uint8Array, data: Uint8Array): KeyRecord {
  return [padLeft(sender, WORD), ...wordsOf(data, SELECTOR)];
}

interface MappingStep {
  readonly type: MappingType;
  /** The slot of the outermost mapping; for an inner mapping, its distance from the outer entry. */
  readonly slot: bigint;
}

/** The entries of a mapping, or of a mapping in its entries. */
interface Entries {
  /** Outermost mapping first. */
  readonly steps: readonly MappingStep[];
  /** The slots of an entry, relative to its first one. */
  readonly slots: readonly bigint[];
}

/** Lists the mappings with guessable keys, outside of arrays. */
function entriesIn(roots: readonly StorageVariable[]): Entries[] {
  const found: Entries[] = [];
  const visit = (type: StorageType, slot: bigint, steps: readonly MappingStep[]): void => {
    if (found.length >= MAX_MAPPINGS) return;
    if (type.kind === 'struct')
      for (const member of type.members) visit(member.type, slot + member.slot, steps);
    if (type.kind !== 'mapping' || type.key.kind !== 'value' || steps.length >= MAX_KEYS) return;
    const value = type.value();
    const inner = [...steps, { type, slot }];
    const slots = [...new Set(slotsIn(value))].slice(0, SLOTS_PER_ENTRY);
    if (slots.length > 0) found.push({ steps: inner, slots });
    visit(value, 0n, inner);
  };
  for (const { type, slot } of roots) visit(type, slot, []);
  return found;
}

/** Returns false if no mapping has keys that can be guessed. */
export function hasCandidates(roots: readonly StorageVariable[]): boolean {
  return entriesIn(roots).length > 0;
}

/** Returns the first slots of a value that can contain data. */
function slotsIn(type: StorageType): bigint[] {
  if (type.kind === 'mapping') return [];
  if (type.kind === 'struct')
    return type.members.flatMap((member) => slotsIn(member.type).map((slot) => member.slot + slot));
  const count = slotsOf(type) < BigInt(SLOTS_PER_ENTRY) ? Number(slotsOf(type)) : SLOTS_PER_ENTRY;
  return Array.from({ length: count }, (_, index) => BigInt(index));
}

/** A possible entry. */
interface Candidate {
  /** The hash inputs on the path to it, outermost first. */
  readonly inputs: readonly Uint8Array[];
  readonly slots: readonly bigint[];
}

/** Yields the possible entries of a mapping. Yields `null` for each hash without a new entry. */
function* candidatesOf(
  { steps, slots }: Entries,
  records: readonly KeyRecord[],
): Generator<Candidate | null, void, undefined> {
  const seen = new Set<bigint>();
  const maxWords = steps.length === 1 ? MAX_WORDS : MAX_NESTED_WORDS;
  function* enter(
    record: KeyRecord,
    base: bigint,
    inputs: readonly Uint8Array[],
    used: readonly Uint8Array[],
  ): Generator<Candidate | null, void, undefined> {
    const step = steps[inputs.length];
    if (step === undefined) {
      const isNew = !seen.has(base);
      seen.add(base);
      if (isNew) yield { inputs, slots: slots.map((slot) => base + slot) };
      return;
    }
    const { key, order } = step.type;
    if (key.kind !== 'value') return;
    const mapping = slotBytes(base + step.slot);
    const words = record.slice(0, maxWords).filter((word) => !used.includes(word));
    for (const word of key.value === 'bool' ? BOOLEANS : words) {
      if (!fitsKey(key, word) || !isLikely(step.type, word)) continue;
      const input = order === 'keyFirst' ? concatBytes(word, mapping) : concatBytes(mapping, word);
      const hash = bytesToBigInt(keccak256(input));
      yield null;
      yield* enter(record, hash, [...inputs, input], [...used, word]);
    }
  }
  for (const record of records) yield* enter(record, 0n, [], []);
}

/** The first of the bytes of an address within a word, and the number of bytes that amounts leave zero. */
const ADDRESS_START = 12;
const ZEROS_OF_AMOUNTS = 8;

/** Returns false for an amount as the key of a mapping of addresses. */
function isLikely({ key }: MappingType, word: Uint8Array): boolean {
  if (key.kind !== 'value' || key.value !== 'address') return true;
  return word.subarray(ADDRESS_START, ADDRESS_START + ZEROS_OF_AMOUNTS).some((byte) => byte !== 0);
}

/** Takes one candidate of each mapping after another, so that no mapping uses all slots. */
async function candidates(
  roots: readonly StorageVariable[],
  records: readonly KeyRecord[],
  checkCancelled: CancelCheck,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  let open = entriesIn(roots).map((entries) => candidatesOf(entries, records));
  let [slots, steps] = [0, 0];
  while (open.length > 0) {
    const next: typeof open = [];
    for (const source of open) {
      const { value, done } = source.next();
      if (done === true) continue;
      next.push(source);
      if (++steps % HASHES_PER_TURN === 0) await yieldToOthers(checkCancelled);
      if (steps > MAX_HASHES) return found;
      if (value === null) continue;
      slots += value.slots.length;
      if (slots > MAX_SLOTS) return found;
      found.push(value);
    }
    open = next;
  }
  return found;
}

export interface CandidateReads {
  /** Reads a slot. It may throw `MissingStateError`. */
  readonly read: ReadSlot;
  /** Returns true for the error of a value that cannot be fetched offline. Its entry then stays unknown. */
  readonly isNotCached: (error: unknown) => boolean;
  readonly checkCancelled: CancelCheck;
}

/**
 * Resolves to the hash inputs of the entries with a slot that is not zero. `records` has the likeliest keys
 * first. All missing slots are fetched together. Rejects with the errors of the fetches.
 */
export async function foundEntries(
  roots: readonly StorageVariable[],
  records: readonly KeyRecord[],
  { read, isNotCached, checkCancelled }: CandidateReads,
): Promise<Uint8Array[]> {
  const possible = await candidates(roots, records, checkCancelled);
  const fetches: Promise<void>[] = [];
  const wordOf = (slot: bigint): Uint8Array | MissingStateError => {
    try {
      return read(slot);
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      return error;
    }
  };
  for (const slot of possible.flatMap(({ slots }) => slots)) {
    const word = wordOf(slot);
    if (word instanceof MissingStateError)
      fetches.push(
        word.fetch().catch((error: unknown) => {
          if (!isNotCached(error)) throw error;
        }),
      );
  }
  await unlessCancelled(Promise.all(fetches), checkCancelled);
  const isSet = (slot: bigint): boolean => {
    const word = wordOf(slot);
    return !(word instanceof MissingStateError) && word.some((byte) => byte !== 0);
  };
  return possible.filter(({ slots }) => slots.some(isSet)).flatMap(({ inputs }) => inputs);
}
