/** Finds the variables that an execution changed, with their values before and after. */

import type { StorageType, StorageVariable } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../../primitives/hex.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { RecordedFrame } from '../execution-recorder.ts';
import type { ContractsOfFrames, KnownContract } from '../known-contracts.ts';
import { agreedSlot, type KnownLayouts } from './contract-storage.ts';
import { guessKeys, LikelyKeys } from './key-guesses.ts';
import { rootsOf, SlotFinder, type StoragePlace } from './slot-finder.ts';
import type { RecordedState, SlotWrite, WritesOfAccount } from './state-recorder.ts';
import { type ReadSlot, type ShownValue, shownValue, slotBytes } from './storage-value.ts';

/** Maximum slots per execution to report. The rest is only counted. */
const MAX_SLOTS = 5000;
const WORD = 32;

/** A changed variable, or a changed part of one. */
export interface StorageChange {
  /** 20 bytes: the account whose storage it is. */
  readonly account: Uint8Array;
  /** The contract whose layout names the variable, for a proxy its implementation; `null` if none does. */
  readonly contract: string | null;
  /** `balances[0x70…]`, `pairs[1].owner`, `pairs.length`; `null` if no layout names the slot. */
  readonly variable: string | null;
  /** The type in the source; `null` if no layout names the slot. */
  readonly type: string | null;
  readonly slot: bigint;
  /** The value's offset from the low end of the slot, in bytes; `null` if no layout names the slot. */
  readonly offset: number | null;
  /** The mapping keys on the path to it. */
  readonly keys: readonly ShownValue[];
  /** The word of the slot if no layout names it. */
  readonly before: ShownValue;
  readonly after: ShownValue;
}

export interface StorageChanges {
  /** In the order of the first writes. */
  readonly storage: readonly StorageChange[];
  /** Transient storage at the end of the execution, before it is cleared. */
  readonly transientStorage: readonly StorageChange[];
  /** The number of changed slots beyond the limit; they are not reported. */
  readonly omitted: number;
}

/** Returns a function that reads the storage of an account. It throws `MissingStateError`. */
export function readerOf(state: WorldState, account: Uint8Array): ReadSlot {
  return (slot) => padLeft(state.storageAt(account, slotBytes(slot)), WORD);
}

interface NamedFinder {
  readonly contract: string;
  readonly finder: SlotFinder;
}

/** Names the written slots by the layouts of the contracts that wrote them. */
export class StorageChangesBuilder {
  readonly #recorded: RecordedState;
  readonly #frames: readonly RecordedFrame[];
  readonly #contracts: ContractsOfFrames;
  readonly #layouts: KnownLayouts;
  readonly #finders = {
    storage: new Map<KnownContract, SlotFinder>(),
    transient: new Map<KnownContract, SlotFinder>(),
  };
  /** The contracts whose mapping keys were guessed. */
  readonly #guessed = { storage: new Set<KnownContract>(), transient: new Set<KnownContract>() };
  #left = MAX_SLOTS;
  #omitted = 0;

  constructor(
    recorded: RecordedState,
    frames: readonly RecordedFrame[],
    contracts: ContractsOfFrames,
    layouts: KnownLayouts,
  ) {
    this.#recorded = recorded;
    this.#frames = frames;
    this.#contracts = contracts;
    this.#layouts = layouts;
  }

  /** Resolves to the changes. Rejects with the error that `checkCancelled` throws. */
  async build(checkCancelled: CancelCheck): Promise<StorageChanges> {
    const storage: StorageChange[] = [];
    const { before, after, writes, transientWrites } = this.#recorded;
    for (const [key, ofAccount] of this.#allWrites(writes)) {
      const account = fromHex(`0x${key}`);
      const told = new Set<string>();
      for (const [slotKey, { writes: slotWrites }] of ofAccount) {
        await yieldToOthers(checkCancelled);
        const slot = BigInt(`0x${slotKey}`);
        const [reads, readsAfter] = [readerOf(before, account), readerOf(after, account)];
        const isChanged = await fetchingState(
          () => !equalBytes(reads(slot), readsAfter(slot)),
          checkCancelled,
        );
        if (!isChanged || !this.#takes()) continue;
        const places = await this.#placesOf(slot, slotKey, slotWrites, 'storage', checkCancelled);
        const changes = await fetchingState(
          () => changesOf({ account, slot, places, before: reads, after: readsAfter }),
          checkCancelled,
        );
        for (const change of changes) {
          // A long text occupies several slots but is reported once.
          const name = `${change.contract}:${change.variable ?? change.slot}`;
          if (!told.has(name)) storage.push(change);
          told.add(name);
        }
      }
    }
    const transientStorage = await this.#transient(transientWrites, checkCancelled);
    return { storage, transientStorage, omitted: this.#omitted };
  }

  #takes(): boolean {
    if (this.#left === 0) {
      this.#omitted++;
      return false;
    }
    this.#left--;
    return true;
  }

  /** Yields the writes of code, then the slots that precompiled contracts changed. */
  *#allWrites(writes: RecordedState['writes']): Generator<[string, WritesOfAccount]> {
    yield* writes;
    const { before, after } = this.#recorded;
    // One changed slot shows that the account is a contract without code, which has few slots.
    for (const { address, becomes } of after.differencesFrom(before, 1)) {
      const key = hexKey(address);
      if (writes.has(key) || becomes === null || becomes.storage.length === 0) continue;
      yield [
        key,
        new Map(
          Array.from(after.slotsOtherThanIn(before, address), ({ slot }) => [hexKey(slot), { writes: [] }]),
        ),
      ];
    }
  }

  async #transient(
    writes: RecordedState['transientWrites'],
    checkCancelled: CancelCheck,
  ): Promise<StorageChange[]> {
    const changes: StorageChange[] = [];
    for (const [key, ofAccount] of writes) {
      const account = fromHex(`0x${key}`);
      const values = new Map<bigint, bigint>();
      for (const [slotKey, { writes: slotWrites }] of ofAccount) {
        const last = this.#lastOf(slotWrites);
        if (last !== null && last.value !== 0n) values.set(BigInt(`0x${slotKey}`), last.value);
      }
      const after: ReadSlot = (slot) => bigIntToFixedBytes(values.get(slot) ?? 0n, WORD);
      for (const slot of values.keys()) {
        await yieldToOthers(checkCancelled);
        if (!this.#takes()) continue;
        const slotKey = hexKey(slotBytes(slot));
        const places = await this.#placesOf(
          slot,
          slotKey,
          ofAccount.get(slotKey)?.writes ?? [],
          'transient',
          checkCancelled,
        );
        changes.push(...changesOf({ account, slot, places, before: () => new Uint8Array(WORD), after }));
      }
    }
    return changes;
  }

  #lastOf(writes: readonly SlotWrite[]): SlotWrite | null {
    return writes.findLast(({ frame }) => this.#recorded.lasting[frame] === true) ?? null;
  }

  /** Names the slot by the last writer's layout, otherwise by the layouts of frames that delegated to it. */
  async #placesOf(
    slot: bigint,
    slotKey: string,
    writes: readonly SlotWrite[],
    kind: 'storage' | 'transient',
    checkCancelled: CancelCheck,
  ): Promise<NamedPlaces> {
    const agreed = kind === 'storage' ? agreedSlot(slotKey) : null;
    if (agreed !== null) return { contract: null, places: [agreedPlace(agreed, slot)] };
    const writer = this.#lastOf(writes);
    let frame = writer === null ? null : (this.#frames[writer.frame] ?? null);
    for (; frame !== null; frame = isDelegated(frame) ? frame.parent : null) {
      const contract = this.#contracts[frame.index] ?? null;
      const found = await this.#finderOf(contract, kind);
      let places = found?.finder.find(slot) ?? [];
      if (contract !== null && places.length === 0 && !this.#guessed[kind].has(contract)) {
        this.#guessed[kind].add(contract);
        const fresh = await this.#guess(contract, kind, checkCancelled);
        places = fresh?.finder.find(slot) ?? [];
      }
      if (found !== null && places.length > 0) return { contract: found.contract, places };
    }
    return { contract: null, places: [] };
  }

  /** Guesses keys of a contract and returns a new finder that uses them. */
  async #guess(
    contract: KnownContract,
    kind: 'storage' | 'transient',
    checkCancelled: CancelCheck,
  ): Promise<NamedFinder | null> {
    const keys = new LikelyKeys();
    keys.addFrames(this.#frames);
    const { writes, transientWrites, preimages } = this.#recorded;
    const slots = [...(kind === 'storage' ? writes : transientWrites).values()]
      .flatMap((ofAccount) => [...ofAccount.keys()])
      .map((slot) => BigInt(`0x${slot}`));
    await guessKeys(await this.#rootsOf(contract, kind), slots, keys, preimages, checkCancelled);
    // A finder caches failed lookups, so a new one replaces it.
    this.#finders[kind].delete(contract);
    return this.#finderOf(contract, kind);
  }

  async #rootsOf(
    contract: KnownContract,
    kind: 'storage' | 'transient',
  ): Promise<readonly StorageVariable[]> {
    const layout = await this.#layouts.of(contract);
    if (layout === null) return [];
    return kind === 'storage' ? rootsOf(layout) : layout.transient;
  }

  async #finderOf(
    contract: KnownContract | null,
    kind: 'storage' | 'transient',
  ): Promise<NamedFinder | null> {
    if (contract === null) return null;
    const known = this.#finders[kind].get(contract);
    if (known !== undefined) return { contract: contract.name, finder: known };
    const finder = new SlotFinder(await this.#rootsOf(contract, kind), this.#recorded.preimages);
    this.#finders[kind].set(contract, finder);
    return { contract: contract.name, finder };
  }
}

function isDelegated({ start: { kind } }: RecordedFrame): boolean {
  return kind === 'DELEGATECALL' || kind === 'CALLCODE';
}

/** The place of a slot that proxies reserve. */
function agreedPlace(
  { name, isAddress }: { readonly name: string; readonly isAddress: boolean },
  slot: bigint,
): StoragePlace {
  const type: StorageType = isAddress
    ? { kind: 'value', label: 'address', bytes: 20, size: 20, value: 'address', names: null }
    : { kind: 'value', label: 'bytes32', bytes: WORD, size: WORD, value: 'bytes', names: null };
  return { variable: name, type, slot, offset: 0, keys: [] };
}

interface NamedPlaces {
  readonly contract: string | null;
  readonly places: readonly StoragePlace[];
}

interface ChangedSlot {
  readonly account: Uint8Array;
  readonly slot: bigint;
  readonly places: NamedPlaces;
  readonly before: ReadSlot;
  readonly after: ReadSlot;
}

/** Returns the changed values of a slot; the words of the slot if no variable of it changed. */
function changesOf({
  account,
  slot,
  places: { contract, places },
  before,
  after,
}: ChangedSlot): StorageChange[] {
  const changes = places.flatMap((place): StorageChange[] => {
    const { type, keys } = place;
    const isSame = type.kind === 'value' && equalBytes(partOf(place, before), partOf(place, after));
    if (isSame) return [];
    const isLength = type.kind === 'dynamicArray' || type.kind === 'boundedArray';
    const shown = (read: ReadSlot): ShownValue => shownValue(type, place.slot, place.offset, read);
    return [
      {
        account,
        contract,
        variable: isLength ? `${place.variable}.length` : place.variable,
        type: isLength ? 'uint256' : type.label,
        slot: place.slot,
        offset: place.offset,
        keys,
        before: shown(before),
        after: shown(after),
      },
    ];
  });
  if (changes.length > 0) return changes;
  const words = { before: toHex(before(slot)), after: toHex(after(slot)) };
  return [{ account, contract: null, variable: null, type: null, slot, offset: null, keys: [], ...words }];
}

function partOf({ type, slot, offset }: StoragePlace, read: ReadSlot): Uint8Array {
  const bytes = type.kind === 'value' ? type.bytes : WORD;
  return read(slot).subarray(WORD - offset - bytes, WORD - offset);
}
