// An instance of the interpreter and the host functions behind it.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { SLICE_MILLISECONDS } from '../../primitives/scheduler.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Log } from '../../protocol/receipt.ts';
import { MissingStateError } from '../../state/state-source.ts';
import { boundedBalance } from '../admission.ts';
import { PrecompileError } from '../precompiles/input.ts';
import { ownStorageAt } from '../precompiles/network/native-contract.ts';
import type { Pieces, PrecompileContext, PrecompiledContract } from '../precompiles/precompiled-contract.ts';
import { type InterpreterEvents, type InterpreterExports, instantiate } from './interpreter-module.ts';
import { LinearMemory } from './linear-memory.ts';
import type { MachineRecords } from './machine-account.ts';
import { loadAccount } from './machine-account.ts';
import type { ExecutionContext } from './machine-call.ts';
import { type CallPlace, MachineCall } from './machine-call.ts';
import { ACCOUNT, FLAG, LOG, PRECOMPILE_ANSWER, SLOT } from './protocol.ts';
import { type CodeLimits, opcodeTable, ruleParameters } from './rule-parameters.ts';

/** Thrown through the module when its memory reaches the limit. The instance must not be used afterwards. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}

/** The configuration that the machines of one engine share. */
export interface MachineOptions {
  readonly ruleSet: RuleSet;
  readonly limits: CodeLimits;
  /** By address, as `hexKey` spells it. */
  readonly precompiles: ReadonlyMap<string, PrecompiledContract>;
  /** The maximum size of linear memory in bytes. */
  readonly memoryBound: number;
}

/** A precompile call below this price (gas) is computed synchronously. */
const LONG_PRICE = 30_000n;

/** The work of precompiles, in gas plus bytes of input, after which the clock is read. */
const UNMEASURED_WORK = 100_000;
/** The work that each call counts for, whatever its price. */
const CALL_WORK = 3_000;

/** More gas than any slice has: using it ends the slice. */
const WHOLE_SLICE = 2n ** 61n;

/** A precompile call that may take long, before it is made. */
interface PreparedCall {
  readonly precompile: PrecompiledContract;
  readonly input: Uint8Array;
  readonly price: bigint;
  /** The computation of the output; `null` for a call that is short, or that the gas does not pay for. */
  readonly pieces: Pieces | null;
  /** The output once it is known, or `refused`. */
  outcome: Uint8Array | 'refused' | null;
}

/**
 * An instance of the interpreter with its host functions: they load accounts, slots, code and block hashes, and run
 * precompiles. It executes one message at a time, and keeps its position while that waits.
 */
export class Machine implements MachineRecords {
  readonly memory: LinearMemory;
  readonly exports: InterpreterExports;
  readonly #options: MachineOptions;
  readonly #cells: number;
  readonly #scratch: number;
  #scene: ExecutionContext | undefined;
  #awaited: MissingStateError | undefined;
  #prepared: PreparedCall | undefined;
  #unmeasuredWork = 0;

  constructor(options: MachineOptions) {
    this.#options = options;
    const call = (): InterpreterEvents => {
      if (this.#scene?.observer == null) throw new Error('no observer is attached');
      this.memory.refresh();
      return this.#scene.observer;
    };
    this.exports = instantiate({
      loadAccount: (account) => this.#answer(() => this.#loadAccount(account)),
      loadSlot: (slot, account) => this.#answer(() => this.#loadSlot(slot, account)),
      loadCode: (account, target) => this.#answer(() => this.#loadCode(account, target)),
      loadBlockHash: (number, target) => this.#answer(() => this.#loadBlockHash(number, target)),
      callPrecompile: (account, input, length, kind, sent) =>
        this.#callPrecompile({ account, kind, sent }, input, length),
      preparePrecompile: (account, input, length) => this.#preparePrecompile(account, input, length),
      callConsole: (caller, input, length) => {
        this.memory.refresh();
        const data = this.memory.bytes.subarray(input, input + length);
        this.#current.console.add(this.addressOf(caller), data);
      },
      outOfMemory: () => {
        throw new OutOfMemoryError('the execution needs more memory than the engine has');
      },
      frameStart: (...start) => call().frameStart(...start),
      frameEnd: (...end) => call().frameEnd(...end),
      step: (...step) => call().step(...step),
      fault: (end) => call().fault(end),
      log: (log) => call().log(log),
    });
    this.memory = new LinearMemory(this.exports.memory);
    this.#cells = this.exports.CELLS.value;
    this.#scratch = this.exports.SCRATCH.value;
    this.#writeRules();
  }

  /** Executes in this context from now on. */
  open(scene: ExecutionContext): void {
    this.#scene = scene;
    this.#awaited = undefined;
  }

  /** Leaves the context, and abandons the work of a precompile in progress. */
  close(): void {
    this.#scene = undefined;
    this.#prepared?.pieces?.return(EMPTY_BYTES);
    this.#prepared = undefined;
  }

  /** The missing state for which the machine has suspended. */
  get awaited(): MissingStateError {
    if (this.#awaited === undefined) throw new Error('the machine waits for nothing');
    return this.#awaited;
  }

  get ruleSet(): RuleSet {
    return this.#options.ruleSet;
  }

  /** Returns the record of the account. Throws {@link MissingStateError} when it must be fetched first. */
  account(address: Uint8Array): number {
    this.memory.refresh();
    this.memory.setWordBytes(this.#scratch, address);
    return this.#fetched(this.exports.accountAt(this.#scratch));
  }

  /**
   * Returns the record of the slot (32 bytes) of an account. Throws {@link MissingStateError} when it must be fetched
   * first.
   */
  slot(account: number, slot: Uint8Array): number {
    this.memory.refresh();
    this.memory.setWordBytes(this.#scratch, slot);
    return this.#fetched(this.exports.slotAt(account, this.#scratch));
  }

  balance(account: number): bigint {
    return this.memory.word(account + ACCOUNT.balance);
  }

  nonce(account: number): bigint {
    return this.memory.limb(account + ACCOUNT.nonce);
  }

  hasFlag(account: number, flag: number): boolean {
    return (this.memory.number(account + ACCOUNT.flags) & flag) !== 0;
  }

  /** Returns the address (20 bytes) of an account record. */
  addressOf(account: number): Uint8Array {
    return this.memory.wordBytes(account + ACCOUNT.address, 20);
  }

  /** Sets a flag of an account record. */
  setFlag(account: number, flag: number): void {
    this.exports.setFlag(account, flag);
    this.memory.refresh();
  }

  /** Makes an account warm (EIP-2929). */
  warm(account: number): void {
    this.exports.warm(account);
    this.memory.refresh();
  }

  /** Makes a slot warm (EIP-2929). */
  warmSlot(slot: number): void {
    this.exports.warmSlot(slot);
    this.memory.refresh();
  }

  /** Sets balance (wei, up to the largest possible) and nonce; the account exists then. */
  setAccount(account: number, balance: bigint, nonce: bigint): void {
    this.exports.beginChange(account);
    this.memory.refresh();
    this.memory.setWord(account + ACCOUNT.balance, boundedBalance(balance));
    this.memory.setLimb(account + ACCOUNT.nonce, nonce);
  }

  /** Sets the code of the account, of at most 64 bytes. */
  setShortCode(account: number, code: Uint8Array): void {
    this.memory.set(this.#scratch, code);
    this.exports.setCode(account, this.#scratch, code.length);
    this.memory.refresh();
  }

  /** Returns the signed 64-bit number in a cell. */
  cell(index: number): bigint {
    return this.memory.signed(this.#cells + 8 * index);
  }

  setCell(index: number, value: bigint): void {
    this.memory.setLimb(this.#cells + 8 * index, BigInt.asUintN(64, value));
  }

  /** Returns a copy of the data that the last frame returned. */
  returnData(): Uint8Array {
    return this.memory.copy(this.exports.returnData(), this.exports.returnLength.value);
  }

  /** Returns the log at the pointer. */
  log(pointer: number): Log {
    const { memory } = this;
    const count = memory.number(pointer + LOG.topicCount);
    return {
      address: memory.wordBytes(pointer + LOG.address, 20),
      topics: Array.from({ length: count }, (_, index) =>
        memory.wordBytes(pointer + LOG.topics + 32 * index, 32),
      ),
      data: memory.copy(pointer + LOG.data, memory.number(pointer + LOG.length)),
    };
  }

  /** Returns the logs of the message that were not reverted. */
  logs(): Log[] {
    const logs: Log[] = [];
    const end = this.exports.logsStart() + this.exports.logMark();
    for (let pointer = this.exports.logsStart(); pointer < end; ) {
      logs.push(this.log(pointer));
      pointer += (LOG.data + this.memory.number(pointer + LOG.length) + 15) & ~15;
    }
    return logs;
  }

  #fetched(record: number): number {
    this.memory.refresh();
    if (record === 0) throw this.awaited;
    return record;
  }

  get #current(): ExecutionContext {
    if (this.#scene === undefined) throw new Error('no message runs');
    return this.#scene;
  }

  /** Returns 1 when the host function has finished, 0 when it must fetch something first. */
  #answer(task: () => void): number {
    this.memory.refresh();
    try {
      task();
      return 1;
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      this.#awaited = error;
      return 0;
    }
  }

  #writeRules(): void {
    const { ruleSet, limits, memoryBound } = this.#options;
    const { memory, exports } = this;
    const parameters = exports.PARAMETERS.value;
    Object.values(ruleParameters(ruleSet, limits)).forEach((value, place) => {
      memory.setLimb(parameters + 8 * place, BigInt(value));
    });
    const table = exports.OPCODE_TABLE.value;
    opcodeTable(ruleSet).forEach((entry, opcode) => {
      memory.setNumber(table + 4 * opcode, entry);
    });
    exports.setMemoryBound(memoryBound);
    exports.initialize();
    memory.refresh();
  }

  #precompileAt(address: Uint8Array): PrecompiledContract | undefined {
    const { precompiles } = this.#options;
    const moved = this.#current.environment.movedPrecompiles?.get(hexKey(address));
    if (moved === undefined) return precompiles.get(hexKey(address));
    return moved === null ? undefined : precompiles.get(hexKey(moved));
  }

  #loadAccount(account: number): void {
    const address = this.addressOf(account);
    const precompile = this.#precompileAt(address);
    loadAccount(this.memory, account, { address, state: this.#current.state, precompile });
  }

  #loadSlot(slot: number, account: number): void {
    const key = this.memory.wordBytes(slot + SLOT.key, 32);
    const address = this.addressOf(account);
    const { state } = this.#current;
    const isOwn = this.hasFlag(account, FLAG.precompile);
    this.memory.setWordBytes(
      slot + SLOT.current,
      isOwn ? ownStorageAt(state, address, key) : state.storageAt(address, key),
    );
  }

  #loadCode(account: number, target: number): void {
    this.memory.set(target, this.#current.state.code(this.addressOf(account)));
  }

  #loadBlockHash(number: number, target: number): void {
    this.memory.set(target, this.#current.environment.blockHash(number));
  }

  #precompileOf(account: number): PrecompiledContract {
    const precompile = this.#precompileAt(this.addressOf(account));
    if (precompile === undefined) throw new Error('there is no precompile at this address');
    return precompile;
  }

  /** Returns 1 when the precompile can be called, 0 after a piece of its work when there is more. */
  #preparePrecompile(account: number, input: number, length: number): number {
    this.memory.refresh();
    let prepared = this.#prepared;
    if (prepared?.pieces == null || prepared.outcome !== null) {
      const precompile = this.#precompileOf(account);
      const data = this.memory.copy(input, length);
      const price = precompile.gas(data);
      const isLong = price >= LONG_PRICE && price <= this.cell(0);
      const pieces = isLong ? (precompile.runInPieces?.(data) ?? null) : null;
      prepared = { precompile, input: data, price, pieces, outcome: null };
      this.#prepared = prepared;
    }
    if (prepared.pieces === null) return 1;
    try {
      const piece = prepared.pieces.next();
      if (piece.done !== true) return 0;
      prepared.outcome = piece.value;
    } catch (error) {
      if (!(error instanceof PrecompileError)) throw error;
      prepared.outcome = 'refused';
    }
    return 1;
  }

  #callPrecompile(place: CallPlace, input: number, length: number): number {
    this.memory.refresh();
    const precompile = this.#precompileOf(place.account);
    const prepared = this.#prepared?.precompile === precompile ? this.#prepared : undefined;
    this.#prepared = undefined;
    const data = prepared?.input ?? this.memory.copy(input, length);
    const call = new MachineCall(this, this.#current, place);
    const price = prepared?.price ?? precompile.gas(data, call);
    if (price > this.cell(0)) return PRECOMPILE_ANSWER.outOfGas;
    this.setCell(0, price);
    const output = prepared?.outcome ?? outputOf(precompile, data, call);
    this.#measure(Number(price) + length + CALL_WORK);
    if (output === 'refused') return PRECOMPILE_ANSWER.refused;
    const target = this.exports.reserveReturnData(output.length);
    this.memory.refresh();
    this.memory.set(target, output);
    return PRECOMPILE_ANSWER.succeeded;
  }

  /** Ends the slice when the host's work has used up its time, which gas does not measure. */
  #measure(work: number): void {
    this.#unmeasuredWork += work;
    if (this.#unmeasuredWork < UNMEASURED_WORK) return;
    this.#unmeasuredWork = 0;
    if (this.#current.turns.held() < SLICE_MILLISECONDS) return;
    this.setCell(1, WHOLE_SLICE);
    this.exports.chargeSlice();
  }
}

function outputOf(
  precompile: PrecompiledContract,
  input: Uint8Array,
  call: PrecompileContext,
): Uint8Array | 'refused' {
  try {
    return precompile.run(input, call);
  } catch (error) {
    if (!(error instanceof PrecompileError)) throw error;
    return 'refused';
  }
}
