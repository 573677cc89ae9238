/** Finds contracts, functions, events and errors of all artifacts by name and selector. */

import type { AbiError, AbiEvent, AbiFunction } from 'abitype';
import { toHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { type CancelCheck, yieldToOthers } from '../scheduling/cancel-check.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { IndexedContract } from './contract-index.ts';
import { signatureOf } from './decoding.ts';

export interface EntryPosition {
  readonly name: string;
  readonly sourceName: string;
}

/** An ABI entry, or a contract itself. */
export interface FoundEntry {
  readonly kind: 'contract' | 'function' | 'event' | 'error';
  readonly name: string;
  /** `transfer(address,uint256)`; the name of a contract. */
  readonly signature: string;
  /** 4 bytes for a function or error, the whole topic for an event; `null` for a contract. */
  readonly selector: string | null;
  /** The contracts that have it: the first {@link MAX_CONTRACTS}. */
  readonly contracts: readonly EntryPosition[];
}

type Entry = Omit<FoundEntry, 'contracts'>;

/** Maximum contracts to list per entry. Common entries, such as a token's, are in hundreds of contracts. */
const MAX_CONTRACTS = 50;

/** Units of work per entry, because its signature is hashed. */
const ENTRY_WORK = 300;

/** The length of a selector with `0x`. */
const SELECTOR_DIGITS = 10;

/** Score of a contract that matches only by its file name. It ranks after all matches by name. */
const FILE_MISFIT = 2_000;

const KINDS = ['contract', 'function', 'event', 'error'] as const;

function isNamed(entry: { readonly type: string }): entry is AbiFunction | AbiEvent | AbiError {
  return entry.type === 'function' || entry.type === 'event' || entry.type === 'error';
}

async function entriesOf(contract: IndexedContract): Promise<readonly Entry[]> {
  // If the file was deleted or is invalid, only the contract's name can be found.
  const artifact = await contract.load().catch(() => null);
  const entries: Entry[] = [];
  const slice = new TimeSlice();
  for (const entry of artifact?.abi ?? []) {
    await slice.spend(ENTRY_WORK);
    if (!isNamed(entry)) continue;
    try {
      const signature = signatureOf(entry);
      const topic = toHex(keccak256(Buffer.from(signature)));
      const selector = entry.type === 'event' ? topic : topic.slice(0, SELECTOR_DIGITS);
      entries.push({ kind: entry.type, name: entry.name, signature, selector });
    } catch {
      // One invalid entry does not affect the others.
    }
  }
  return entries;
}

/** Returns the score of an entry for a lower-case text, lower is better; `null` if it does not match. */
function misfitOf({ name, signature, selector }: Entry, text: string): number | null {
  if (selector === text) return 0;
  // The first four bytes of an event's topic match too, because some tools only print these.
  if (text.length === SELECTOR_DIGITS && selector?.startsWith(text) === true) return 0;
  const searched = (text.includes('(') ? signature : name).toLowerCase();
  const place = searched.indexOf(text);
  return place < 0 ? null : place === 0 ? searched.length - text.length : 1_000 + place;
}

interface Candidate {
  readonly entry: Entry;
  readonly misfit: number;
  readonly places: EntryPosition[];
}

function compareCandidates(one: Candidate, other: Candidate): number {
  return one.misfit - other.misfit || KINDS.indexOf(one.entry.kind) - KINDS.indexOf(other.entry.kind);
}

/** Candidates to sort per step. */
const SORTED_AT_ONCE = 1_024;

/** Resolves to the `most` best candidates in order. Rejects with the error that `checkCancelled` throws. */
async function bestOf(
  candidates: Iterable<Candidate>,
  most: number,
  checkCancelled: CancelCheck,
): Promise<Candidate[]> {
  let best: Candidate[] = [];
  for (const candidate of candidates) {
    best.push(candidate);
    if (best.length < most + SORTED_AT_ONCE) continue;
    best = best.sort(compareCandidates).slice(0, most);
    await yieldToOthers(checkCancelled);
  }
  return best.sort(compareCandidates).slice(0, most);
}

/** Maximum cached entries, about 15 MB. Entries of further contracts are read for each search. */
const MAX_KEPT = 50_000;

/** The ABI entries of a node's contracts. They are read at the first search and cached per contract. */
export class EntrySearch {
  readonly #contracts: () => Iterable<IndexedContract>;
  readonly #entries = new WeakMap<IndexedContract, Promise<readonly Entry[]>>();

  readonly #maxStored: number;

  constructor(contracts: () => Iterable<IndexedContract>, maxStored: number = MAX_KEPT) {
    this.#contracts = contracts;
    this.#maxStored = maxStored;
  }

  /** Resolves to at most `most` entries with the text in name, signature or selector, best matches first. */
  async find(text: string, most: number, checkCancelled: CancelCheck): Promise<FoundEntry[]> {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return [];
    const found = new Map<string, Candidate>();
    let kept = 0;
    for (const contract of [...this.#contracts()]) {
      const { name, sourceName } = contract;
      const reading = this.#entries.get(contract) ?? entriesOf(contract);
      this.#entries.set(contract, reading);
      const read = await reading;
      kept += read.length;
      if (kept > this.#maxStored) this.#entries.delete(contract);
      const itself: Entry = { kind: 'contract', name, signature: name, selector: null };
      // Match the file name only, because folder names such as `contracts` are not specific. Match the path
      // if the text contains a slash.
      const file = wanted.includes('/') ? sourceName : sourceName.slice(sourceName.lastIndexOf('/') + 1);
      const isInFile = file.toLowerCase().includes(wanted);
      for (const entry of [itself, ...read]) {
        const misfit = misfitOf(entry, wanted) ?? (entry === itself && isInFile ? FILE_MISFIT : null);
        if (misfit === null) continue;
        const key = `${entry.kind} ${entry.signature}`;
        const known = found.get(key) ?? { entry, misfit, places: [] };
        found.set(key, known);
        if (known.places.length < MAX_CONTRACTS) known.places.push({ name, sourceName });
      }
      await yieldToOthers(checkCancelled);
    }
    return (await bestOf(found.values(), most, checkCancelled)).map(({ entry, places }) => ({
      ...entry,
      contracts: places,
    }));
  }
}
