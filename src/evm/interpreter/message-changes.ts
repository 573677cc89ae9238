import type { Task } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { type Code, EMPTY_CODE, type StorageChange } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import { SlotChanges } from '../../state/slot-changes.ts';
import { LinearMemory } from './linear-memory.ts';
import type { Machine } from './machine.ts';
import { ACCOUNT, FLAG, SLOT_CHANGE } from './protocol.ts';

const WORD_SIZE = 32;

/** Records of the journal that are looked at in one call of the module, and the units of work that one is. */
const LISTED_AT_ONCE = 16_384;
const LISTING_WORK = 8;
/** The bytes of a list above which the changes are applied at once, in pieces, rather than when the state is read. */
const MANY_BYTES = 2 ** 19;
/** The units of work of an account or slot that is applied, and slots that are applied in one go. */
const APPLYING_WORK = 256;
const WRITTEN_AT_ONCE = 2048;
/**
 * Slots that are written one by one, since those of the next message of the same block are most often others of the same account: their
 * bytes as they came would be taken apart then.
 */
const FEW_SLOTS = 8;
/** The offset of the address in a word that holds one. */
const ADDRESS_START = 12;

const NONE_ENDED: readonly Uint8Array[] = [];
const NO_CODE: ReadonlyMap<number, Code> = new Map();

/** Returns the code that the message deployed, by where its account stands in the list of changes. */
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

/** The changes of a message, read where they are: in a machine, or in a copy of its list. */
export class MessageChanges {
  readonly #memory: LinearMemory;
  /** The beginning of the list: accounts, and slots behind them. */
  readonly #list: number;
  readonly #accountsEnd: number;
  readonly #slotsEnd: number;
  /** Code that the message deployed, by where its account stands in the list. */
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

  /** Returns the changes of the machine's message, which has ended: they are there until it continues with something else. */
  static *of(machine: Machine, pieces: WorkPieces): Task<MessageChanges> {
    for (;;) {
      const changes = MessageChanges.listed(machine);
      if (changes !== undefined) return changes;
      const turn = pieces.spend(LISTED_AT_ONCE * LISTING_WORK);
      if (turn !== undefined) yield turn;
    }
  }

  /** As {@link of}, or lists a part of the changes and returns `undefined` where they are many: it is to be called again then. */
  static listed(machine: Machine): MessageChanges | undefined {
    const { exports, memory } = machine;
    const list = exports.listChanges(LISTED_AT_ONCE);
    if (list === 0) return undefined;
    memory.refresh();
    const accountsEnd = list + Number(machine.cell(0));
    const slotsEnd = accountsEnd + Number(machine.cell(1));
    const code = newCode(machine, list, accountsEnd);
    exports.releaseMadeCode();
    memory.refresh();
    return new MessageChanges(memory, [list, accountsEnd, slotsEnd], code);
  }

  /** Keeps a copy, as the machine continues with something else, and applies it when the state is next read. */
  applyLater(state: Overlay): void {
    const { buffer } = this.#memory.bytes.slice(this.#list, this.#slotsEnd);
    const ends = [0, this.#accountsEnd - this.#list, this.#slotsEnd - this.#list] as const;
    const copied = new MessageChanges(new LinearMemory({ buffer }), ends, this.#code);
    state.changeLater(() => copied.apply(state));
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

  /** True when it takes long to apply them. */
  get areMany(): boolean {
    return this.#slotsEnd - this.#list > MANY_BYTES;
  }

  /** Applies the changes. */
  apply(state: Overlay): void {
    for (let place = this.#list; place < this.#accountsEnd; place += ACCOUNT.size)
      this.#writeAccount(state, place);
    let start = this.#accountsEnd;
    while (start < this.#slotsEnd) start = this.#writeSlots(state, start);
  }

  /** As {@link apply}, in pieces where they are many. */
  *applyInPieces(state: Overlay, pieces: WorkPieces): Task<void> {
    for (let place = this.#list; place < this.#accountsEnd; place += ACCOUNT.size) {
      this.#writeAccount(state, place);
      const turn = pieces.spend(APPLYING_WORK);
      if (turn !== undefined) yield turn;
    }
    let start = this.#accountsEnd;
    while (start < this.#slotsEnd) {
      const following = this.#writeSlots(state, start);
      const turn = pieces.spend(((following - start) / SLOT_CHANGE.size) * APPLYING_WORK);
      if (turn !== undefined) yield turn;
      start = following;
    }
  }

  #writeAccount(state: Overlay, place: number): void {
    const accounts = this.#memory;
    const address = accounts.wordBytes(place, 20);
    const before = state.account(address);
    if (!this.#hasFlag(place, FLAG.exists)) {
      if (before !== undefined) state.deleteAccount(address);
      return;
    }
    const code = this.#code.get(place - this.#list) ?? before?.code ?? EMPTY_CODE;
    const nonce = accounts.limb(place + ACCOUNT.nonce);
    const balance = accounts.word(place + ACCOUNT.balance);
    if (before?.nonce === nonce && before.balance === balance && before.code === code) return;
    state.write(address, { nonce, balance, code });
  }

  /** Writes the consecutive slots of one account, up to so many. Returns where the slot after them stands. */
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

  /** True when two slots belong to the same account. */
  #haveOneOwner(place: number, other: number): boolean {
    for (let offset = SLOT_CHANGE.owner + ADDRESS_START; offset < SLOT_CHANGE.size; offset += 4)
      if (this.#memory.number(place + offset) !== this.#memory.number(other + offset)) return false;
    return true;
  }

  #hasFlag(place: number, flag: number): boolean {
    return (this.#memory.number(place + ACCOUNT.flags) & flag) !== 0;
  }
}
