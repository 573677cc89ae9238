/** Finds the variables that an execution changed, with their values before and after. */

import type { StorageType, StorageVariable } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex, hexKey, toHex } from '../../primitives/hex.ts';
import { type CheckInterrupt, yieldToOthers } from '../../scheduling/interrupt.ts';
import { fetchingState } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { RecordedFrame } from '../execution-recorder.ts';
import type { ContractsOfFrames, KnownContract } from '../known-contracts.ts';
import { agreedSlot, type KnownLayouts } from './contract-storage.ts';
import { guessKeys, LikelyKeys } from './key-guesses.ts';
import { rootsOf, SlotFinder, type StoragePlace } from './slot-finder.ts';
import type { RecordedState, SlotWrite } from './state-recorder.ts';
import { type ReadSlot, type ShownValue, shownValue, slotBytes } from './storage-value.ts';

/** Slots of one execution that are looked at; of others only the number is reported. */
const MOST_SLOTS = 5000;
const WORD = 32;

/** A variable, or a part of one, with another value than before. */
export interface StorageChange {
  /** 20 bytes: the account whose storage it is. */
  readonly account: Uint8Array;
  /** The contract whose layout names the variable: of a proxy that behind it. `null` where none does. */
  readonly contract: string | null;
  /** `balances[0x70…]`, `pairs[1].owner`, `pairs.length`; `null` for a slot that nothing names. */
  readonly variable: string | null;
  /** As in the source; `null` as above. */
  readonly type: string | null;
  readonly slot: bigint;
  /** Bytes of the slot below the value; `null` as above. */
  readonly offset: number | null;
  /** The keys of mappings on the way to it. */
  readonly keys: readonly ShownValue[];
  /** The words of the slot where nothing names it. */
  readonly before: ShownValue;
  readonly after: ShownValue;
}

/** The changes of an execution. */
export interface StorageChanges {
  /** In the order in which the slots were first written. */
  readonly storage: readonly StorageChange[];
  /** The transient storage at the end of the execution, which is then cleared. */
  readonly transientStorage: readonly StorageChange[];
  /** Slots that were changed too and are not reported. */
  readonly omitted: number;
}

/** Returns a function that reads the storage of an account. It throws `MissingStateError`. */
export function readerOf(state: WorldState, account: Uint8Array): ReadSlot {
  return (slot) => padLeft(state.storageAt(account, slotBytes(slot)), WORD);
}

/** A layout as it is looked into. */
interface NamedFinder {
  readonly contract: string;
  readonly finder: SlotFinder;
}

/** Names what was written, by the layouts of the codes that wrote it. */
export class StorageChangesBuilder {
  readonly #recorded: RecordedState;
  readonly #frames: readonly RecordedFrame[];
  readonly #contracts: ContractsOfFrames;
  readonly #layouts: KnownLayouts;
  readonly #finders = {
    storage: new Map<KnownContract, SlotFinder>(),
    transient: new Map<KnownContract, SlotFinder>(),
  };
  /** The contracts whose keys were guessed. */
  readonly #guessed = { storage: new Set<KnownContract>(), transient: new Set<KnownContract>() };
  #left = MOST_SLOTS;
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

  /** Resolves to the changes. Rejects with what `checkInterrupt` throws. */
  async build(checkInterrupt: CheckInterrupt): Promise<StorageChanges> {
    const storage: StorageChange[] = [];
    const { before, after, writes, transientWrites } = this.#recorded;
    for (const [key, ofAccount] of this.#allWrites(writes)) {
      const account = fromHex(`0x${key}`);
      const told = new Set<string>();
      for (const [slotKey, slotWrites] of ofAccount) {
        await yieldToOthers(checkInterrupt);
        const slot = BigInt(`0x${slotKey}`);
        const [reads, readsAfter] = [readerOf(before, account), readerOf(after, account)];
        const isChanged = await fetchingState(
          () => !equalBytes(reads(slot), readsAfter(slot)),
          checkInterrupt,
        );
        if (!isChanged || !this.#takes()) continue;
        const places = await this.#placesOf(slot, slotKey, slotWrites, 'storage', checkInterrupt);
        const changes = await fetchingState(
          () => changesOf({ account, slot, places, before: reads, after: readsAfter }),
          checkInterrupt,
        );
        for (const change of changes) {
          // A text takes several slots, and is reported once.
          const name = `${change.contract}:${change.variable ?? change.slot}`;
          if (!told.has(name)) storage.push(change);
          told.add(name);
        }
      }
    }
    const transientStorage = await this.#transient(transientWrites, checkInterrupt);
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

  /** The writes of code, and behind them the slots that native contracts changed. */
  *#allWrites(
    writes: RecordedState['writes'],
  ): Generator<[string, ReadonlyMap<string, readonly SlotWrite[]>]> {
    yield* writes;
    const { before, after } = this.#recorded;
    // One slot of each account is enough to see whether it is a contract without code, whose slots are few.
    for (const { address, becomes } of after.differencesFrom(before, 1)) {
      const key = hexKey(address);
      if (writes.has(key) || becomes === null || becomes.storage.length === 0) continue;
      yield [
        key,
        new Map(Array.from(after.slotsOtherThanIn(before, address), ({ slot }) => [hexKey(slot), []])),
      ];
    }
  }

  async #transient(
    writes: RecordedState['transientWrites'],
    checkInterrupt: CheckInterrupt,
  ): Promise<StorageChange[]> {
    const changes: StorageChange[] = [];
    for (const [key, ofAccount] of writes) {
      const account = fromHex(`0x${key}`);
      const values = new Map<bigint, bigint>();
      for (const [slotKey, slotWrites] of ofAccount) {
        const last = this.#lastOf(slotWrites);
        if (last !== null && last.value !== 0n) values.set(BigInt(`0x${slotKey}`), last.value);
      }
      const after: ReadSlot = (slot) => bigIntToFixedBytes(values.get(slot) ?? 0n, WORD);
      for (const slot of values.keys()) {
        await yieldToOthers(checkInterrupt);
        if (!this.#takes()) continue;
        const slotKey = hexKey(slotBytes(slot));
        const places = await this.#placesOf(
          slot,
          slotKey,
          ofAccount.get(slotKey) ?? [],
          'transient',
          checkInterrupt,
        );
        changes.push(...changesOf({ account, slot, places, before: () => new Uint8Array(WORD), after }));
      }
    }
    return changes;
  }

  #lastOf(writes: readonly SlotWrite[]): SlotWrite | null {
    return writes.findLast(({ frame }) => this.#recorded.lasting[frame] === true) ?? null;
  }

  /** Finds what the slot is, by the code that wrote it last, and by those that handed their storage to it. */
  async #placesOf(
    slot: bigint,
    slotKey: string,
    writes: readonly SlotWrite[],
    kind: 'storage' | 'transient',
    checkInterrupt: CheckInterrupt,
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
        const fresh = await this.#guess(contract, kind, checkInterrupt);
        places = fresh?.finder.find(slot) ?? [];
      }
      if (found !== null && places.length > 0) return { contract: found.contract, places };
    }
    return { contract: null, places: [] };
  }

  /** Returns the finder of a contract anew, with keys that were guessed. */
  async #guess(
    contract: KnownContract,
    kind: 'storage' | 'transient',
    checkInterrupt: CheckInterrupt,
  ): Promise<NamedFinder | null> {
    const keys = new LikelyKeys();
    keys.addFrames(this.#frames);
    const { writes, transientWrites, preimages } = this.#recorded;
    const slots = [...(kind === 'storage' ? writes : transientWrites).values()]
      .flatMap((ofAccount) => [...ofAccount.keys()])
      .map((slot) => BigInt(`0x${slot}`));
    await guessKeys(await this.#rootsOf(contract, kind), slots, keys, preimages, checkInterrupt);
    // A finder remembers the slots that it did not find, so that another one takes its place.
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

/** The place of a slot that proxies agree on. */
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

/** The values of a slot that differ; the words of the slot itself where no variable of it does. */
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

/** The bytes of a value. */
function partOf({ type, slot, offset }: StoragePlace, read: ReadSlot): Uint8Array {
  const bytes = type.kind === 'value' ? type.bytes : WORD;
  return read(slot).subarray(WORD - offset - bytes, WORD - offset);
}
