import { CONSOLE_ADDRESS } from '../../evm/console.ts';
import type { ExecutionObserver, ExecutionStep, FrameStart } from '../../evm/observer.ts';
import { bigIntToFixedBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import { precompilesOf } from '../../protocol/hardforks/precompiles.ts';
import type { AccessListEntry } from '../../protocol/transaction.ts';
import { yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { Overlay } from '../../state/overlay.ts';
import { type CallEnvironment, type CallResult, callGas, withGasCut } from '../call-environment.ts';
import { CallRejectedError } from '../errors.ts';
import { type CallMessage, completeMessage, executeMessage } from './calls.ts';

/** The accounts and slots that a message touches, and its result if they are declared in advance. */
export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[];
  readonly result: CallResult;
}

/** The index of the address on the stack (0 is the top) for each opcode that touches an account. */
const ADDRESS_DISTANCES: ReadonlyMap<number, number> = new Map<number, number>([
  [OPCODES.BALANCE, 0],
  [OPCODES.EXTCODESIZE, 0],
  [OPCODES.EXTCODECOPY, 0],
  [OPCODES.EXTCODEHASH, 0],
  [OPCODES.SELFDESTRUCT, 0],
  [OPCODES.CALL, 1],
  [OPCODES.CALLCODE, 1],
  [OPCODES.DELEGATECALL, 1],
  [OPCODES.STATICCALL, 1],
]);
const { SLOAD, SSTORE } = OPCODES;

interface Touched {
  readonly address: Uint8Array;
  readonly slots: Map<string, Uint8Array>;
}

/** Maximum number of entries. 52 million gas reach it at the cheapest read (200 gas). */
const MAX_ENTRIES = 262_144;

/** Work units per declared account or slot. */
const ENTRY_WORK = 64;

/** Records the accounts and slots that an execution touches, in addition to the declared ones. */
class AccessRecorder implements ExecutionObserver {
  readonly wantedSteps: ReadonlySet<number> = new Set([SLOAD, SSTORE, ...ADDRESS_DISTANCES.keys()]);
  readonly #touched = new Map<string, Touched>();
  /** Accounts that are warm from the start. They are listed only if their slots are touched. */
  readonly #free: Set<string>;
  #size = 0;

  constructor(free: readonly Uint8Array[]) {
    this.#free = new Set(free.map(hexKey));
  }

  *declare(declared: readonly AccessListEntry[]): Steps<void> {
    for (const { address, storageKeys } of declared) {
      const entry = this.#entry(address);
      yield ENTRY_WORK;
      for (const slot of storageKeys) {
        this.#addSlot(entry, slot);
        yield ENTRY_WORK;
      }
    }
  }

  #entry(address: Uint8Array): Touched {
    const key = hexKey(address);
    const known = this.#touched.get(key);
    if (known !== undefined) return known;
    this.#count();
    const touched = { address: address.slice(), slots: new Map() };
    this.#touched.set(key, touched);
    return touched;
  }

  #addSlot({ slots }: Touched, slot: Uint8Array): void {
    const key = hexKey(slot);
    if (slots.has(key)) return;
    this.#count();
    slots.set(key, slot);
  }

  #count(): void {
    if (++this.#size > MAX_ENTRIES)
      throw new CallRejectedError(`the access list has more than ${MAX_ENTRIES} accounts and slots`);
  }

  frameStart({ depth, to }: FrameStart): void {
    // The contract that the message calls or creates.
    if (depth === 0) this.#free.add(hexKey(to));
  }

  step(step: ExecutionStep): void {
    const distance = ADDRESS_DISTANCES.get(step.opcode);
    if (distance !== undefined) this.#touchAccount(step.stackItem(distance));
    else if (step.opcode === SLOAD || step.opcode === SSTORE) this.#touchSlot(step);
  }

  #touchAccount(word: bigint | undefined): void {
    if (word === undefined) return;
    const address = bigIntToFixedBytes(BigInt.asUintN(160, word), 20);
    if (!this.#free.has(hexKey(address))) this.#entry(address);
  }

  #touchSlot(step: ExecutionStep): void {
    const word = step.stackItem(0);
    if (word === undefined) return;
    this.#addSlot(this.#entry(step.address), bigIntToFixedBytes(word, 32));
  }

  get size(): number {
    return this.#size;
  }

  accessList(): AccessListEntry[] {
    return Array.from(this.#touched.values(), ({ address, slots }) => ({
      address,
      storageKeys: Array.from(slots.values()),
    }));
  }
}

/**
 * Resolves to the access list of a message. It omits the sender, the recipient, precompiles and the console,
 * unless their slots are touched. A declared list changes the remaining gas and so may change the execution.
 * Therefore the message runs until no new entry appears. Under rule sets without access lists it runs once,
 * without a list. Rejects with `CallRejectedError`.
 */
export async function createAccessList(
  site: CallEnvironment,
  message: CallMessage,
): Promise<AccessListOutcome> {
  const takesLists = site.ruleSet.transactionTypes.includes(1);
  const free = [
    message.sender,
    CONSOLE_ADDRESS,
    ...precompilesOf(site.ruleSet).map(({ address }) => address),
  ];
  const slice = new TimeSlice(site.checkCancelled);
  let { accessList } = message;
  for (;;) {
    const recorder = new AccessRecorder(free);
    await runTask(recorder.declare(accessList), slice);
    const known = recorder.size;
    const declared = { ...message, accessList: takesLists ? accessList : [] };
    const result = await executeMessage(
      site,
      completeMessage(site, declared),
      new Overlay(site.state),
      recorder,
    );
    accessList = recorder.accessList();
    if (!takesLists || recorder.size === known)
      return { accessList, result: withGasCut(result, callGas(site, message.gasLimit).gasCut) };
    await yieldToOthers(site.checkCancelled);
  }
}
