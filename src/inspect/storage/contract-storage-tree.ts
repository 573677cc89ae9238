/** Reads a contract's storage by variable, and learns the keys of mappings from transactions. */

import type { StorageLayout, StorageVariable } from '../../artifacts/layout/storage-type.ts';
import type { Chain } from '../../chain/chain.ts';
import type { Tracer } from '../../evm/tracers/tracer.ts';
import { EMPTY_BYTES, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { fetchingState } from '../../state/state-source.ts';
import { trieValues } from '../../state/trie/trie.ts';
import type { WorldState } from '../../state/world-state.ts';
import { agreedSlot } from './contract-storage.ts';
import {
  foundEntries,
  hasCandidates,
  type KeyRecord,
  type LogContent,
  recordOfCall,
  recordOfLog,
} from './key-candidates.ts';
import { guessKeys, LikelyKeys } from './key-guesses.ts';
import { type KnownPreimages, Preimages } from './preimages.ts';
import { rootsOf, SlotFinder } from './slot-finder.ts';
import { StateRecorder } from './state-recorder.ts';
import { readerOf } from './storage-changes.ts';
import { type StorageNode, type StoragePage, StorageTree } from './storage-tree.ts';
import { slotBytes } from './storage-value.ts';
import type { UserKeys } from './user-keys.ts';

/** Maximum blocks to search for transactions of a contract, newest first. */
const MAX_BLOCKS = 2000;
/** Maximum transactions to run again for their hashed keys. */
const MAX_REPLAYED = 100;
/** Maximum transactions and logs whose words are candidates for keys. */
const MAX_RECORDS = 200;
/** Maximum remembered hashes of transactions that ran again. */
const MAX_REMEMBERED = 10_000;
/** Maximum slots of a contract to read. */
const MAX_SLOTS = 10_000;
/** Maximum unnamed slots to list. */
const MAX_UNNAMED = 100;
const WORD = 32;

/** A slot without a known variable, with its word. */
export interface UnnamedSlot {
  readonly slot: bigint;
  readonly word: string;
}

export interface ContractStorage {
  readonly origin: StorageLayout['origin'] | null;
  readonly variables: readonly StorageNode[];
  /** Nonzero slots without a known variable: mapping entries with unknown keys, or other data. */
  readonly unnamed: readonly UnnamedSlot[];
  /** The number of unnamed slots; `null` if the slots are unknown, as for a fork's upstream contracts. */
  readonly unnamedCount: number | null;
}

/** The known mapping keys of one chain. */
export class KnownKeys {
  readonly #chain: Chain;
  readonly preimages = new Preimages();
  /** More candidates for keys: the arguments of transactions. */
  readonly likely = new LikelyKeys();
  /** The hashes of transactions that ran again, oldest first. */
  readonly #replayed = new Set<string>();
  readonly #maxRemembered: number;

  constructor(chain: Chain, maxRemembered = MAX_REMEMBERED) {
    this.#chain = chain;
    this.#maxRemembered = maxRemembered;
  }

  /** The number of remembered transactions that ran again. */
  get replayed(): number {
    return this.#replayed.size;
  }

  /**
   * Learns hashed keys by running a contract's latest transactions again, up to block `last`. Each
   * transaction runs again only once. Resolves to the words of the transactions and logs, newest first.
   */
  async learn(address: Uint8Array, last: number, checkCancelled: CancelCheck): Promise<KeyRecord[]> {
    const records: KeyRecord[] = [];
    let left = MAX_REPLAYED;
    const first = Math.max(this.#chain.blocks.first + 1, last - MAX_BLOCKS + 1);
    for (let number = last; number >= first && left > 0; number--) {
      await yieldToOthers(checkCancelled);
      const block = await this.#chain.block({ number: BigInt(number) });
      if (block === undefined) continue;
      const all = block.transactions.filter((_, index) => concerns(block, index, address));
      addRecords(block, address, records);
      const concerned = all.filter(({ hash }) => !this.#replayed.has(hexKey(hash))).slice(0, left);
      for (const { to, data } of concerned) this.likely.addArguments(data, to === null);
      const wanted = new Set(concerned.map(({ hash }) => hexKey(hash)));
      if (wanted.size === 0) continue;
      left -= wanted.size;
      const traced = await this.#chain.tracing.block(
        block,
        (subject): Tracer<Preimages> => {
          const recorder = new StateRecorder(subject);
          return {
            frameStart: () => recorder.frameStart(),
            frameEnd: (end) => recorder.frameEnd(end),
            step: (step) => recorder.step(step),
            wantedSteps: recorder.wantedSteps,
            *result(result, after) {
              return (yield* recorder.result(result, after)).preimages;
            },
          };
        },
        { isWanted: ({ hash }) => wanted.has(hexKey(hash)), checkCancelled },
      );
      for (const { trace } of traced) await this.add(trace, checkCancelled);
      for (const hash of wanted) this.#remember(hash);
    }
    return records;
  }

  /** The accounts of the node, as candidates for keys. */
  get accounts(): KeyRecord[] {
    return this.#chain.wallet.addresses().map((address) => [padLeft(address, WORD)]);
  }

  #remember(hash: string): void {
    this.#replayed.add(hash);
    const [oldest] = this.#replayed;
    if (this.#replayed.size > this.#maxRemembered && oldest !== undefined) this.#replayed.delete(oldest);
  }

  /** Adds the hash inputs of an execution. */
  async add(preimages: Preimages, checkCancelled: CancelCheck): Promise<void> {
    for (const { bytes } of preimages.all) {
      this.preimages.add(bytes);
      await yieldToOthers(checkCancelled);
    }
  }
}

/** Returns true if the transaction called or created the contract, or if the contract emitted a log in it. */
function concerns(block: Block, index: number, address: Uint8Array): boolean {
  const to = block.transactions[index]?.to ?? null;
  const receipt = block.receipts[index];
  if (to !== null && equalBytes(to, address)) return true;
  if (receipt?.contractAddress != null && equalBytes(receipt.contractAddress, address)) return true;
  return receipt?.logs.some((log) => equalBytes(log.address, address)) === true;
}

/** Adds the words of the contract's transactions and logs in a block, newest first, up to the maximum. */
function addRecords(block: Block, address: Uint8Array, into: KeyRecord[]): void {
  for (const [index, { sender, to, data }] of [...block.transactions.entries()].reverse()) {
    if (into.length >= MAX_RECORDS) return;
    if (!concerns(block, index, address)) continue;
    const logs = block.receipts[index]?.logs.filter((log) => equalBytes(log.address, address)) ?? [];
    into.push(recordOfCall(sender, to === null ? EMPTY_BYTES : data));
    const newest = logs.reverse().slice(0, MAX_RECORDS - into.length);
    into.push(...newest.map(recordOfLog));
  }
}

/** Returns the records of both lists, one of each after another, so that neither list uses all slots. */
function alternating(left: readonly KeyRecord[], right: readonly KeyRecord[]): KeyRecord[] {
  const length = Math.max(left.length, right.length);
  const pairs = Array.from({ length }, (_, index) => [left[index], right[index]]);
  return pairs.flat().filter((record) => record !== undefined);
}

/** The forked chain of a contract. */
export interface ForkedContract {
  /** Resolves to the latest logs of the contract up to the fork block, newest first. */
  logs(): Promise<readonly LogContent[]>;
  /** See `CandidateReads`. */
  isNotCached(error: unknown): boolean;
}

export interface StorageQuestion {
  readonly state: WorldState;
  readonly address: Uint8Array;
  /** The state is the state after this block. */
  readonly blockNumber: number;
  readonly page: StoragePage;
  /** Extra mapping keys to list, in addition to the known keys. */
  readonly keys: readonly UserKeys[];
  /** `null` for a chain without a fork. */
  readonly forked: ForkedContract | null;
  readonly checkCancelled: CancelCheck;
}

/**
 * Resolves to the storage of a contract with that layout; `null` if it has no variable of the requested name.
 * Rejects with `UserKeyError` if a named key does not fit.
 */
export async function contractStorage(
  layout: StorageLayout | null,
  keys: KnownKeys,
  question: StorageQuestion,
): Promise<ContractStorage | null> {
  const { state, address, blockNumber, page, keys: given, checkCancelled } = question;
  const roots = layout === null ? [] : rootsOf(layout);
  const slots = await nonzeroSlots(state, address, checkCancelled);
  const unnamedNow = (preimages: KnownPreimages = keys.preimages): Promise<UnnamedSlot[] | null> =>
    slots === null
      ? Promise.resolve(null)
      : unnamedSlots(slots, new SlotFinder(roots, preimages), checkCancelled);
  let unnamed = await unnamedNow();
  // Running transactions again is slow, so it only happens if keys are missing.
  if (layout !== null && (unnamed === null || unnamed.length > 0)) {
    const records = await keys.learn(address, blockNumber, checkCancelled);
    if (unnamed === null) await tryCandidates(roots, records, keys, question);
    unnamed = await unnamedNow();
  }
  if (unnamed !== null && unnamed.length > 0 && roots.length > 0) {
    const likely = await likelyKeys(state, address, slots ?? [], keys);
    const wanted = unnamed.map(({ slot }) => slot);
    await guessKeys(roots, wanted, likely, keys.preimages, checkCancelled);
    unnamed = await unnamedNow();
  }
  const tree = new StorageTree(roots, readerOf(state, address), keys.preimages, checkCancelled);
  await tree.learn();
  if (given.length > 0) {
    await tree.addKeys(given);
    unnamed = await unnamedNow(tree.preimages);
  }
  const variables = await tree.nodes(page, unnamed === null || unnamed.length > 0);
  if (variables === null) return null;
  return {
    origin: layout?.origin ?? null,
    variables,
    unnamed: (unnamed ?? []).slice(0, MAX_UNNAMED),
    unnamedCount: unnamed === null ? null : unnamed.length,
  };
}

/** Adds the hash inputs of mapping entries whose keys occur in transactions and logs, or are accounts. */
async function tryCandidates(
  roots: readonly StorageVariable[],
  records: readonly KeyRecord[],
  keys: KnownKeys,
  { state, address, forked, checkCancelled }: StorageQuestion,
): Promise<void> {
  if (!hasCandidates(roots)) return;
  const logs = (await forked?.logs()) ?? [];
  const likely = [...keys.accounts, ...alternating(records, logs.map(recordOfLog))];
  const inputs = await foundEntries(roots, likely, {
    read: readerOf(state, address),
    isNotCached: (error) => forked?.isNotCached(error) ?? false,
    checkCancelled,
  });
  for (const input of inputs) keys.preimages.add(input);
}

/** Resolves to candidates for keys: arguments, hashed keys, constants in the code, and values in storage. */
async function likelyKeys(
  state: WorldState,
  address: Uint8Array,
  slots: readonly UnnamedSlot[],
  keys: KnownKeys,
): Promise<LikelyKeys> {
  const likely = keys.likely.copy();
  likely.add(address);
  for (const { bytes } of keys.preimages.all)
    if (bytes.length === 2 * WORD) likely.add(bytes.subarray(0, WORD));
  const account = await fetchingState(() => state.account(address) ?? null);
  if (account !== null) likely.addConstants(account.code.bytes);
  for (const { word } of slots) likely.add(fromHex(word as `0x${string}`));
  return likely;
}

/** Resolves to an account's nonzero slots; `null` if only a fork's upstream has them, or for too many. */
async function nonzeroSlots(
  state: WorldState,
  address: Uint8Array,
  checkCancelled: CancelCheck,
): Promise<UnnamedSlot[] | null> {
  const account = await fetchingState(() => state.account(address) ?? null);
  if (account === null) return [];
  if (account.storageSource !== undefined) return null;
  const slots: UnnamedSlot[] = [];
  for (const { slot, value } of trieValues(account.storage)) {
    if (slots.length >= MAX_SLOTS) return null;
    await yieldToOthers(checkCancelled);
    slots.push({ slot: BigInt(toHex(slot)), word: toHex(padLeft(value, WORD)) });
  }
  return slots;
}

async function unnamedSlots(
  slots: readonly UnnamedSlot[],
  finder: SlotFinder,
  checkCancelled: CancelCheck,
): Promise<UnnamedSlot[]> {
  const unnamed: UnnamedSlot[] = [];
  for (const found of slots) {
    await yieldToOthers(checkCancelled);
    const isNamed = finder.find(found.slot).length > 0 || agreedSlot(hexKey(slotBytes(found.slot))) !== null;
    if (!isNamed) unnamed.push(found);
  }
  return unnamed;
}
