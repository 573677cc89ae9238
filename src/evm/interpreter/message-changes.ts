import { finish, ITEMS_PER_STEP, type Steps } from '../../primitives/steps.ts';
import { type Code, EMPTY_CODE, type StorageChange } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import { SlotChanges } from '../../state/slot-changes.ts';
import { LinearMemory } from './linear-memory.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG, RESULT, SLOT_CHANGE } from './protocol.ts';

const WORD_SIZE = 32;

/** Journal records to list in one call of the module, and the work units of a record. */
const LISTED_AT_ONCE = 16_384;
const LISTING_WORK = 8;
/** A longer list (bytes) is applied immediately, in time slices, instead of when the state is next read. */
const MANY_BYTES = 2 ** 19;
/** Work units to apply an account or slot, and the number of slots to apply between two time checks. */
const APPLYING_WORK = 256;
const WRITTEN_AT_ONCE = 2048;
/**
 * Up to this number of slots, changes are stored one by one. The next message of the block often changes
 * other slots of the same account, and a packed list would have to be unpacked.
 */
const FEW_SLOTS = 8;
/** Offset of the address in a word. */
const ADDRESS_START = 12;

const NONE_ENDED: readonly Uint8Array[] = [];
const NO_CODE: ReadonlyMap<number, Code> = new Map();

/** Returns the code that the message deployed, by offset of its account in the list of changes. */
function newCode(machine: Machine, list: number, accountsEnd: number): ReadonlyMap<number, Code> {
  let codes: Map<number, Code> | undefined;
  for (let place = list; place < accountsEnd; place += ACCOUNT.size) {
    if ((machine.memory.number(place + ACCOUNT.flags) & FLAG.codeSet) === 0) continue;
    codes ??= new Map();
    codes.set(place - list, codeAt(machine, place));
  }
  return codes ?? NO_CODE;
}

function codeAt(machine: Machine, place: number): Code {
  const { memory, exports } = machine;
  const length = memory.number(place + ACCOUNT.codeLength);
  if (length === 0) return EMPTY_CODE;
  const hash = memory.copy(place + ACCOUNT.codeHash, 32);
  const raw = exports.rawCodeOf(machine.account(memory.wordBytes(place, 20)));
  memory.refresh();
  return { bytes: memory.copy(raw, length), hash };
}

/** The changes of a message, read from a machine or from a copy of its list. */
export class MessageChanges {
  readonly #memory: LinearMemory;
  /** Start of the list: accounts, followed by slots. */
  readonly #list: number;
  readonly #accountsEnd: number;
  readonly #slotsEnd: number;
  /** Code that the message deployed, by offset of its account in the list. */
  readonly #code: ReadonlyMap<number, Code>;

  private constructor(
    memory: LinearMemory,
    [list, accountsEnd, slotsEnd]: readonly [list: number, accountsEnd: number, slotsEnd: number],
    code: ReadonlyMap<number, Code>,
  ) {
    this.#memory = memory;
    this.#list = list;
    this.#accountsEnd = accountsEnd;
    this.#slotsEnd = slotsEnd;
    this.#code = code;
  }

  /** Returns the changes of the ended message. They are valid until the machine runs another message. */
  static *of(machine: Machine): Steps<MessageChanges> {
    for (;;) {
      const changes = MessageChanges.listed(machine);
      if (changes !== undefined) return changes;
      yield LISTED_AT_ONCE * LISTING_WORK;
    }
  }

  /** Like {@link of}, but lists only a part of many changes and returns `undefined`. Call it again then. */
  static listed(machine: Machine): MessageChanges | undefined {
    const { exports, memory } = machine;
    const list = exports.listChanges(LISTED_AT_ONCE);
    if (list === 0) return undefined;
    memory.refresh();
    const accountsEnd = list + memory.number(exports.RESULT.value + RESULT.accountBytes);
    const slotsEnd = accountsEnd + memory.number(exports.RESULT.value + RESULT.slotBytes);
    const code = newCode(machine, list, accountsEnd);
    exports.releaseCreatedCode();
    memory.refresh();
    return new MessageChanges(memory, [list, accountsEnd, slotsEnd], code);
  }

  /** Copies the list, which the machine will overwrite. The copy is applied when the state is next read. */
  applyLater(state: Overlay): void {
    const { buffer } = this.#memory.bytes.slice(this.#list, this.#slotsEnd);
    const ends = [0, this.#accountsEnd - this.#list, this.#slotsEnd - this.#list] as const;
    const copied = new MessageChanges(new LinearMemory({ buffer }), ends, this.#code);
    state.changeLater(() => finish(copied.apply(state)));
  }

  /** The addresses (20 bytes) of destroyed contracts. */
  get ended(): readonly Uint8Array[] {
    let ended: Uint8Array[] | undefined;
    for (let place = this.#list; place < this.#accountsEnd; place += ACCOUNT.size) {
      if (!this.#hasFlag(place, FLAG.ended)) continue;
      ended ??= [];
      ended.push(this.#memory.wordBytes(place, 20));
    }
    return ended ?? NONE_ENDED;
  }

  /** True if applying the changes takes long. */
  get areMany(): boolean {
    return this.#slotsEnd - this.#list > MANY_BYTES;
  }

  *apply(state: Overlay): Steps<void> {
    let written = 0;
    for (let place = this.#list; place < this.#accountsEnd; place += ACCOUNT.size) {
      this.#writeAccount(state, place);
      if (++written % ITEMS_PER_STEP === 0) yield ITEMS_PER_STEP * APPLYING_WORK;
    }
    let start = this.#accountsEnd;
    while (start < this.#slotsEnd) {
      const following = this.#writeSlots(state, start);
      yield ((following - start) / SLOT_CHANGE.size) * APPLYING_WORK;
      start = following;
    }
  }

  #writeAccount(state: Overlay, place: number): void {
    const accounts = this.#memory;
    const address = accounts.wordBytes(place, 20);
    if (!this.#hasFlag(place, FLAG.exists)) {
      if (state.account(address) !== undefined) state.deleteAccount(address);
      return;
    }
    const nonce = accounts.limb(place + ACCOUNT.nonce);
    const balance = accounts.word(place + ACCOUNT.balance);
    const code = this.#code.get(place - this.#list);
    state.write(address, code === undefined ? { nonce, balance } : { nonce, balance, code });
  }

  /** Writes up to {@link WRITTEN_AT_ONCE} slots of one account. Returns the next pointer. */
  #writeSlots(state: Overlay, first: number): number {
    const last = Math.min(this.#slotsEnd, first + WRITTEN_AT_ONCE * SLOT_CHANGE.size);
    let end = first + SLOT_CHANGE.size;
    while (end < last && this.#haveOneOwner(first, end)) end += SLOT_CHANGE.size;
    const owner = this.#memory.bytes.slice(
      first + SLOT_CHANGE.owner + ADDRESS_START,
      first + SLOT_CHANGE.owner + WORD_SIZE,
    );
    const isFew = end - first <= FEW_SLOTS * SLOT_CHANGE.size;
    const changes = isFew
      ? this.#fewSlots(first, end)
      : new SlotChanges(this.#memory.bytes.slice(first, end), SLOT_CHANGE.size);
    state.writeStorage(owner, changes);
    return end;
  }

  #fewSlots(first: number, end: number): StorageChange[] {
    const slots = new SlotChanges(this.#memory.bytes.subarray(first, end), SLOT_CHANGE.size);
    const changes: StorageChange[] = [];
    for (let index = 0; index < slots.count; index++)
      changes.push({ slot: slots.slotAt(index), value: slots.valueAt(index) });
    return changes;
  }

  /** Returns true if both slots belong to the same account. */
  #haveOneOwner(place: number, other: number): boolean {
    for (let offset = SLOT_CHANGE.owner + ADDRESS_START; offset < SLOT_CHANGE.size; offset += 4)
      if (this.#memory.number(place + offset) !== this.#memory.number(other + offset)) return false;
    return true;
  }

  #hasFlag(place: number, flag: number): boolean {
    return (this.#memory.number(place + ACCOUNT.flags) & flag) !== 0;
  }
}
