// Accounts in a machine: loading from the state, and access for Rootstock's precompiles.

import { equalBytes } from '../../primitives/bytes.ts';
import { KECCAK_EMPTY } from '../../primitives/keccak.ts';
import { isDelegation } from '../../state/account.ts';
import type { Overlay } from '../../state/overlay.ts';
import { MissingStateError, type SourceContract } from '../../state/state-source.ts';
import { CONSOLE_ADDRESS } from '../console.ts';
import {
  type PrecompileAccount,
  type PrecompiledContract,
  PrecompileError,
} from '../precompiles/precompiled-contract.ts';
import type { InterpreterEvents, InterpreterExports } from './interpreter-module.ts';
import type { LinearMemory } from './linear-memory.ts';
import { ACCOUNT, FLAG, SLOT } from './protocol.ts';

/** The accounts and slots of a machine, for host code that runs during a message. */
export interface MachineRecords {
  readonly memory: LinearMemory;
  readonly exports: InterpreterExports;
  /** Returns the record of an account (20 bytes). */
  account(address: Uint8Array): number;
  /** Returns the record of a slot (32 bytes). */
  slot(account: number, slot: Uint8Array): number;
  /** Returns the address (20 bytes) of an account record. */
  addressOf(account: number): Uint8Array;
  /** Wei. */
  balance(account: number): bigint;
  nonce(account: number): bigint;
  /** Sets balance (wei) and nonce. */
  setAccount(account: number, balance: bigint, nonce: bigint): void;
}

/** The account of a Rootstock precompile in a machine. Its changes are reverted with the frame. */
export class MachineAccount implements PrecompileAccount {
  readonly #machine: MachineRecords;
  readonly #record: number;
  readonly #observer: InterpreterEvents | null;
  readonly #state: Overlay;

  /** `state` is the state below the message. */
  constructor(machine: MachineRecords, record: number, observer: InterpreterEvents | null, state: Overlay) {
    this.#machine = machine;
    this.#record = record;
    this.#observer = observer;
    this.#state = state;
  }

  upstream(address: Uint8Array): SourceContract | null {
    return this.#state.sourceContract(address);
  }

  slot(key: Uint8Array): Uint8Array {
    const slot = this.#machine.slot(this.#record, key);
    return this.#machine.memory.wordBytes(slot + SLOT.current, 32);
  }

  setSlot(key: Uint8Array, value: Uint8Array): void {
    const { memory, exports } = this.#machine;
    const slot = this.#machine.slot(this.#record, key);
    const word = exports.SCRATCH.value;
    memory.setWordBytes(word, value);
    exports.writeSlot(slot, word);
    memory.refresh();
  }

  balance(): bigint {
    return this.#machine.balance(this.#record);
  }

  send(to: Uint8Array, value: bigint): void {
    this.refund(to, value);
    this.#observer?.transfer(this.#record, this.#machine.account(to), value);
  }

  refund(to: Uint8Array, value: bigint): void {
    const machine = this.#machine;
    const balance = machine.balance(this.#record);
    if (balance < value) throw new PrecompileError('the balance of the contract is too low');
    const recipient = machine.account(to);
    machine.setAccount(this.#record, balance - value, machine.nonce(this.#record));
    machine.setAccount(recipient, machine.balance(recipient) + value, machine.nonce(recipient));
  }

  log(topics: readonly Uint8Array[], data: Uint8Array): void {
    const { memory, exports } = this.#machine;
    // The output is written to this region later, so the data can use it until then.
    const source = exports.reserveReturnData(data.length);
    memory.refresh();
    memory.set(source, data);
    const first = exports.SCRATCH.value + 32 * (topics.length - 1);
    topics.forEach((topic, index) => {
      memory.setWordBytes(first - 32 * index, topic);
    });
    const log = exports.addLog(this.#record, topics.length, first, source, data.length);
    memory.refresh();
    this.#observer?.log(log);
  }

  remark(text: string): void {
    this.#observer?.remark(text);
  }
}

export interface PrecompileSlot {
  /** `undefined` if the address has no precompile. */
  readonly precompile: PrecompiledContract | undefined;
  /** True if an override moved the precompile to this address. It then takes precedence over code. */
  readonly isMoved: boolean;
  /** True if the rule set has a precompile at this address. */
  readonly isBuiltIn: boolean;
}

/** The input of {@link loadAccount}. */
export interface AccountSource {
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly state: Overlay;
  readonly place: PrecompileSlot;
}

/**
 * Fills in an account record that is zero except for its address. Throws {@link MissingStateError} before any
 * write if its state or the library of its precompile must be fetched first.
 */
export function loadAccount(
  memory: LinearMemory,
  record: number,
  { address, state, place }: AccountSource,
): void {
  const { precompile: given, isMoved, isBuiltIn } = place;
  const view = state.account(address);
  const hasCode = view !== undefined && view.code.bytes.length > 0;
  const isReplaced = given !== undefined && hasCode && !isMoved && state.hasLocalCode(address);
  const precompile = isReplaced ? undefined : given;
  if (precompile?.isReady === false) throw new MissingStateError(() => precompile.load());
  let flags = (precompile === undefined ? 0 : FLAG.precompile) | (isBuiltIn ? FLAG.builtIn : 0);
  if (precompile?.runInSteps !== undefined) {
    flags |= precompile.isLongByInput === true ? FLAG.steppedIfLong : FLAG.stepped;
  }
  if (precompile?.prepare !== undefined && state.sourceContract(precompile.address) !== null)
    flags |= FLAG.stepped;
  if (equalBytes(address, CONSOLE_ADDRESS)) flags |= FLAG.console;
  if (view === undefined) {
    memory.set(record + ACCOUNT.codeHash, KECCAK_EMPTY);
    memory.setNumber(record + ACCOUNT.flags, flags | FLAG.storageEmpty);
    return;
  }
  const { nonce, balance, code } = view;
  const isBare = nonce === 0n && code.bytes.length === 0;
  const hasStorage = isBare ? state.hasStorage(address) : state.mayHaveStorage(address);
  flags |= FLAG.exists | (hasStorage ? 0 : FLAG.storageEmpty);
  if (isDelegation(code.bytes)) flags |= FLAG.delegates;
  memory.setWord(record + ACCOUNT.balance, balance);
  memory.setLimb(record + ACCOUNT.nonce, nonce);
  memory.setNumber(record + ACCOUNT.codeLength, code.bytes.length);
  memory.set(record + ACCOUNT.codeHash, code.hash);
  memory.setNumber(record + ACCOUNT.flags, flags);
}
