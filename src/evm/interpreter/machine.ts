// An instance of the interpreter with its host functions.

import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { MissingStateError } from '../../state/state-source.ts';
import { boundedBalance } from '../admission.ts';
import type { BlockEnvironment, OuterTransaction } from '../engine.ts';
import { ownStorageAt } from '../own-storage.ts';
import type { PrecompiledContract } from '../precompiles/precompiled-contract.ts';
import {
  type InterpreterCounting,
  type InterpreterEvents,
  type InterpreterExports,
  type InterpreterImports,
  instantiate,
} from './interpreter-module.ts';
import { LinearMemory } from './linear-memory.ts';
import type { MachineRecords } from './machine-account.ts';
import { loadAccount } from './machine-account.ts';
import { type ExecutionContext, PrecompileCalls } from './machine-call.ts';
import { MessageCounts } from './message-counts.ts';
import { ACCOUNT, CONTEXT_WORD, FLAG, SLOT } from './protocol.ts';
import { type CodeLimits, opcodeTable, ruleParameters } from './rule-parameters.ts';
import type { MissingValues } from './run-ahead.ts';

/** A machine with more memory (bytes) is discarded after its message. */
const KEPT_MEMORY_BYTES = 96 << 20;

/** More gas than any slice has, so it ends the slice. */
const WHOLE_SLICE = 2n ** 61n;

/** Thrown through the module if its memory reaches the limit. The instance must be discarded. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';
}

/** The configuration shared by the machines of an engine. */
export interface MachineOptions {
  readonly ruleSet: RuleSet;
  readonly limits: CodeLimits;
  /** By `hexKey` of the address. */
  readonly precompiles: ReadonlyMap<string, PrecompiledContract>;
  /** Maximum linear memory of a message in bytes. */
  readonly memoryBound: number;
  /** 32 bytes in place of a missing slot or block hash while an execution runs ahead; zero if undefined. */
  readonly placeholder?: Uint8Array | undefined;
  /** Undefined for machines that do not count executions. */
  readonly counting?: InterpreterCounting | undefined;
}

/** New account records are zero. */
function keepZero(): void {}

/** The inputs of the block words in the context, to detect if they are unchanged. */
interface WrittenContext {
  readonly environment: BlockEnvironment;
  readonly baseFee: bigint;
  readonly chainId: bigint;
}

/**
 * An instance of the interpreter with its host functions. They load accounts, slots, code and block hashes,
 * and run precompiles. A machine executes one message at a time, and keeps its position while the message
 * waits.
 */
export class Machine implements MachineRecords {
  readonly memory: LinearMemory;
  readonly exports: InterpreterExports;
  /** The numbers of the present event, see `EVENT`. */
  readonly event: number;
  readonly #options: MachineOptions;
  readonly #scratch: number;
  readonly #precompiles: PrecompileCalls;
  readonly #counts: MessageCounts | null;
  /** The block words in the memory. */
  written: WrittenContext | undefined;
  #isNew = true;
  #context: ExecutionContext | undefined;
  #awaited: MissingStateError | undefined;
  #missing: MissingValues | null = null;

  constructor(options: MachineOptions) {
    this.#options = options;
    const { counting } = options;
    const counts = counting === undefined ? null : new MessageCounts(counting.counts, () => this.memory);
    this.#counts = counts;
    const call = (): InterpreterEvents => {
      if (this.#context?.observer == null) throw new Error('no observer is attached');
      this.memory.refresh();
      return this.#context.observer;
    };
    const imports: InterpreterImports = {
      loadAccount: (account) => this.#answer(() => this.#loadAccount(account), keepZero),
      loadSlot: (slot, account) =>
        this.#answer(
          () => this.#loadSlot(slot, account),
          () => this.#usePlaceholder(slot + SLOT.current),
        ),
      loadCode: (account, target) => this.#answer(() => this.#loadCode(account, target), null),
      loadBlockHash: (number, target) =>
        this.#answer(
          () => this.#loadBlockHash(number, target),
          () => this.#usePlaceholder(target),
        ),
      callPrecompile: (account, input, length, kind, sent) =>
        this.#precompiles.call(this.#current, { account, kind, sent }, input, length),
      preparePrecompile: (account, input, length, kind, sent) =>
        this.#precompiles.prepare(this.#current, { account, kind, sent }, input, length),
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
      trail: () => call().trail(),
      fault: (end) => call().fault(end),
      log: (log) => call().log(log),
      ...(counts !== null && {
        countedCode: (...code) => counts.countedCode(...code),
        counted: (...range) => counts.counted(...range),
      }),
    };
    this.exports = instantiate(imports, counting?.module);
    this.memory = new LinearMemory(this.exports.memory);
    this.#precompiles = new PrecompileCalls(this, options.precompiles);
    this.event = this.exports.EVENT.value;
    this.#scratch = this.exports.SCRATCH.value;
    this.#writeRules();
  }

  /** Starts a message in this context. */
  open(context: ExecutionContext): void {
    this.#context = context;
    this.#missing = context.missing;
    this.#awaited = undefined;
    if (this.#isNew) return;
    const { exports } = this;
    // The events of an observed message must not be reported twice, so it cannot restart on a new machine.
    // Memory in use is added to its limit instead.
    const known = context.observer === null ? 0 : exports.memoryInUse();
    exports.setMemoryBound(this.#options.memoryBound + known);
  }

  /** True if the memory has no data of earlier messages, which could cause out-of-memory errors. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Adds the executions of the message to the counts, if counting is enabled. */
  keepCounts(): void {
    if (this.#counts === null) return;
    this.exports.takeCounts?.();
    this.#counts.keep();
  }

  /** Ends the use of placeholders: later reads throw {@link MissingStateError}, because the message has a result. */
  endPlaceholders(): void {
    this.#missing = null;
  }

  /** Discards the changes of the message, its counts, and all accounts and slots, which may be placeholders. */
  discardMessage(): void {
    this.exports.dropChanges();
    this.exports.forgetState();
    if (this.#counts === null) return;
    this.exports.takeCounts?.();
    this.#counts.drop();
  }

  /** Ends the message, and discards the computation of a precompile. */
  close(): void {
    this.#isNew = false;
    this.#context = undefined;
    this.#precompiles.abandon();
  }

  /** The missing state that the machine waits for. */
  get awaited(): MissingStateError {
    if (this.#awaited === undefined) throw new Error('the machine is not waiting');
    return this.#awaited;
  }

  /** Returns the missing state of a precompile call and clears it; `undefined` if none. */
  takeAwaitedByPrecompile(): MissingStateError | undefined {
    return this.#precompiles.takeAwaited();
  }

  /** The reason why the last precompile call failed; undefined if it succeeded. */
  get precompileFailure(): string | undefined {
    return this.#precompiles.failure;
  }

  get ruleSet(): RuleSet {
    return this.#options.ruleSet;
  }

  /** Returns the record of an account. Throws {@link MissingStateError} if it must be fetched first. */
  account(address: Uint8Array): number {
    this.memory.refresh();
    this.memory.setWordBytes(this.#scratch, address);
    return this.#fetched(this.exports.accountAt(this.#scratch));
  }

  /** Returns the record of a slot (32 bytes). Throws {@link MissingStateError} if it is not fetched yet. */
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

  addressOf(account: number): Uint8Array {
    return this.memory.wordBytes(account + ACCOUNT.address, 20);
  }

  setFlag(account: number, flag: number): void {
    this.exports.setFlag(account, flag);
    this.memory.refresh();
  }

  /** Marks an account as warm (EIP-2929). */
  warm(account: number): void {
    this.exports.warm(account);
    this.memory.refresh();
  }

  /** Marks a slot as warm (EIP-2929). */
  warmSlot(slot: number): void {
    this.exports.warmSlot(slot);
    this.memory.refresh();
  }

  /** Sets balance (wei, capped at the maximum) and nonce. The account then exists. */
  setAccount(account: number, balance: bigint, nonce: bigint): void {
    this.exports.beginChange(account);
    this.memory.refresh();
    this.memory.setWord(account + ACCOUNT.balance, boundedBalance(balance));
    this.memory.setLimb(account + ACCOUNT.nonce, nonce);
  }

  /** Makes the message, whose accounts are known, a static call inside a transaction. */
  enterTransaction({ origin, transientStorage }: OuterTransaction): void {
    const { exports, memory } = this;
    // The module finds the sender by this word before the message enters.
    memory.setWordBytes(exports.CONTEXT.value + 32 * CONTEXT_WORD.origin, origin);
    exports.isStatic.value = 1;
    const value = this.#scratch + 32;
    for (const each of transientStorage) {
      const account = this.account(each.address);
      memory.setWordBytes(this.#scratch, each.slot);
      memory.setWordBytes(value, each.value);
      exports.writeTransientSlot(account, this.#scratch, value);
      memory.refresh();
    }
  }

  /** Sets a code of at most 64 bytes. */
  setShortCode(account: number, code: Uint8Array): void {
    this.memory.set(this.#scratch, code);
    this.exports.setCode(account, this.#scratch, code.length);
    this.memory.refresh();
  }

  /** Makes the machine return to the host before the next basic block. */
  endSlice(): void {
    this.exports.chargeSlice(WHOLE_SLICE);
  }

  /** True if the memory has grown too much to keep the machine, because WebAssembly memory never shrinks. */
  get isLarge(): boolean {
    return this.exports.memoryTop() > KEPT_MEMORY_BYTES;
  }

  /** Selects the opcodes to report as steps; all if undefined. */
  wantSteps(opcodes?: ReadonlySet<number>): void {
    const table = this.exports.WANTED_STEPS.value;
    const wanted = this.memory.bytes.subarray(table, table + 256);
    wanted.fill(opcodes === undefined ? 1 : 0);
    for (const opcode of opcodes ?? []) wanted[opcode] = 1;
  }

  #fetched(record: number): number {
    this.memory.refresh();
    if (record === 0) throw this.awaited;
    return record;
  }

  get #current(): ExecutionContext {
    if (this.#context === undefined) throw new Error('no message is running');
    return this.#context;
  }

  /**
   * Returns 1 if the host function finished, 0 if it must fetch state first. An execution that runs ahead
   * uses a placeholder: an account without code and balance, or a zero word. Code has none, because the machine
   * keeps it by its hash.
   */
  #answer(task: () => void, usePlaceholder: (() => void) | null): number {
    this.memory.refresh();
    try {
      task();
      return 1;
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      this.#awaited = error;
      if (this.#missing?.add(error) !== true || usePlaceholder === null) return 0;
      usePlaceholder();
      return 1;
    }
  }

  #usePlaceholder(target: number): void {
    const { placeholder } = this.#options;
    if (placeholder !== undefined) this.memory.set(target, placeholder);
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
    exports.initialize();
    // The tables of the machine do not count.
    exports.setMemoryBound(memoryBound + exports.memoryInUse());
    memory.refresh();
  }

  #loadAccount(account: number): void {
    const address = this.addressOf(account);
    const { state } = this.#current;
    const place = this.#precompiles.placeOf(this.#current, address);
    loadAccount(this.memory, account, { address, state, place });
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
}
