/** Finds contracts, functions, events and errors by their names and selectors, among all that artifacts describe. */

import type { AbiError, AbiEvent, AbiFunction } from 'abitype';
import { toHex } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { type CheckInterrupt, yieldToOthers } from '../scheduling/interrupt.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import type { IndexedContract } from './contract-index.ts';
import { signatureOf } from './decoding.ts';

/** The place of a contract in a project. */
export interface ContractPlace {
  readonly name: string;
  readonly sourceName: string;
}

/** An entry of ABIs, or a contract itself. */
export interface FoundEntry {
  readonly kind: 'contract' | 'function' | 'event' | 'error';
  readonly name: string;
  /** `transfer(address,uint256)`; of a contract its name. */
  readonly signature: string;
  /** 4 bytes of a function or an error, the whole topic of an event; `null` for a contract. */
  readonly selector: string | null;
  /** The contracts that have it: the first {@link MOST_CONTRACTS}. */
  readonly contracts: readonly ContractPlace[];
}

type Entry = Omit<FoundEntry, 'contracts'>;

/** Contracts of one entry that are named: some entries, such as those of tokens, hundreds of contracts have. */
const MOST_CONTRACTS = 50;

/** Units of work for an entry, whose signature is hashed. */
const ENTRY_WORK = 300;

/** Digits of a selector with `0x`. */
const SELECTOR_DIGITS = 10;

/** Contracts of a file that has the text in its name stand behind everything that has it in its own. */
const FILE_MISFIT = 2_000;

const KINDS = ['contract', 'function', 'event', 'error'] as const;

function isNamed(entry: { readonly type: string }): entry is AbiFunction | AbiEvent | AbiError {
  return entry.type === 'function' || entry.type === 'event' || entry.type === 'error';
}

async function entriesOf(contract: IndexedContract): Promise<readonly Entry[]> {
  // A file that is gone or damaged leaves the contract with its name alone.
  const artifact = await contract.load().catch(() => null);
  const entries: Entry[] = [];
  const pieces = new WorkPieces();
  for (const entry of artifact?.abi ?? []) {
    const turn = pieces.spend(ENTRY_WORK);
    if (turn !== undefined) await turn;
    if (!isNamed(entry)) continue;
    try {
      const signature = signatureOf(entry);
      const topic = toHex(keccak256(Buffer.from(signature)));
      const selector = entry.type === 'event' ? topic : topic.slice(0, SELECTOR_DIGITS);
      entries.push({ kind: entry.type, name: entry.name, signature, selector });
    } catch {
      // An entry of a damaged file spoils no other.
    }
  }
  return entries;
}

/** Returns how well an entry fits a text in lower case: the lower the better; `null` where it does not. */
function misfitOf({ name, signature, selector }: Entry, text: string): number | null {
  if (selector === text) return 0;
  // An event is also found by the beginning of its topic, which is all that some tools show.
  if (text.length === SELECTOR_DIGITS && selector?.startsWith(text) === true) return 0;
  const searched = (text.includes('(') ? signature : name).toLowerCase();
  const place = searched.indexOf(text);
  return place < 0 ? null : place === 0 ? searched.length - text.length : 1_000 + place;
}

/** An entry that fits the text, with the contracts that have it. */
interface Candidate {
  readonly entry: Entry;
  readonly misfit: number;
  readonly places: ContractPlace[];
}

function compareCandidates(one: Candidate, other: Candidate): number {
  return one.misfit - other.misfit || KINDS.indexOf(one.entry.kind) - KINDS.indexOf(other.entry.kind);
}

/** Candidates that are sorted in one step. */
const SORTED_AT_ONCE = 1_024;

/** Resolves to the best candidates in their order, at most `most`. Rejects with what `checkInterrupt` throws. */
async function bestOf(
  candidates: Iterable<Candidate>,
  most: number,
  checkInterrupt: CheckInterrupt,
): Promise<Candidate[]> {
  let best: Candidate[] = [];
  for (const candidate of candidates) {
    best.push(candidate);
    if (best.length < most + SORTED_AT_ONCE) continue;
    best = best.sort(compareCandidates).slice(0, most);
    await yieldToOthers(checkInterrupt);
  }
  return best.sort(compareCandidates).slice(0, most);
}

/** Entries that are kept, which take some 15 MB; those of the contracts beyond are read for each search. */
const MOST_KEPT = 50_000;

/** The entries of the contracts of a node. Those of one are read when something is first looked for, and kept with it. */
export class EntrySearch {
  readonly #contracts: () => Iterable<IndexedContract>;
  readonly #entries = new WeakMap<IndexedContract, Promise<readonly Entry[]>>();

  readonly #mostKept: number;

  constructor(contracts: () => Iterable<IndexedContract>, mostKept: number = MOST_KEPT) {
    this.#contracts = contracts;
    this.#mostKept = mostKept;
  }

  /** Resolves to at most `most` entries whose name, signature or selector has the text in it, those that fit best first. */
  async find(text: string, most: number, checkInterrupt: CheckInterrupt): Promise<FoundEntry[]> {
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
      if (kept > this.#mostKept) this.#entries.delete(contract);
      const itself: Entry = { kind: 'contract', name, signature: name, selector: null };
      // A folder, such as “contracts”, says nothing of a contract, unless the caller looks for a path.
      const file = wanted.includes('/') ? sourceName : sourceName.slice(sourceName.lastIndexOf('/') + 1);
      const isInFile = file.toLowerCase().includes(wanted);
      for (const entry of [itself, ...read]) {
        const misfit = misfitOf(entry, wanted) ?? (entry === itself && isInFile ? FILE_MISFIT : null);
        if (misfit === null) continue;
        const key = `${entry.kind} ${entry.signature}`;
        const known = found.get(key) ?? { entry, misfit, places: [] };
        found.set(key, known);
        if (known.places.length < MOST_CONTRACTS) known.places.push({ name, sourceName });
      }
      await yieldToOthers(checkInterrupt);
    }
    return (await bestOf(found.values(), most, checkInterrupt)).map(({ entry, places }) => ({
      ...entry,
      contracts: places,
    }));
  }
}
