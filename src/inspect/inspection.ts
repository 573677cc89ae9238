/**
 * Describes an execution in names and values: calls, events, failures. The log, errors, RPC methods and
 * reports print this description.
 */

import type { DecodedEntry, DecodedParameter } from '../artifacts/decoding.ts';
import { rootstockPrecompileAt, wellKnown } from '../artifacts/well-known.ts';
import { CONSOLE_ADDRESS, ConsoleDecoder, consoleText } from '../evm/console.ts';
import type { FrameEnd, FrameKind, Outcome } from '../evm/observer.ts';
import { isCreation } from '../evm/observer.ts';
import { type Awaitable, whenReady } from '../primitives/awaitable.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { hexInSteps, type Steps } from '../primitives/steps.ts';
import type { Log } from '../protocol/receipt.ts';
import { type CancelCheck, yieldToOthers } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { type CreationIndexes, sideOf } from './creations.ts';
import type { RecordedExecution, RecordedFrame } from './execution-recorder.ts';
import { failingPath } from './failing-path.ts';
import { type Failure, failureOf } from './failure.ts';
import type { BlockPosition, ContractsOfFrames, KnownContract, KnownContracts } from './known-contracts.ts';
import { callsBridge, type ParentTransaction, type ParentTransactionOf } from './parent-transaction.ts';
import { proxiedFrame } from './proxies.ts';
import type { StackFrame } from './stack-trace.ts';
import type { StateChanges } from './state-changes.ts';
import type { NamedAddress } from './value-text.ts';

/** An event, in the order of execution. */
export interface InspectedEvent {
  readonly kind: 'event';
  readonly emitter: NamedAddress;
  /** `null` if no ABI fits. */
  readonly event: DecodedEntry | null;
  /** True if a well-known ABI decoded the event, not the contract's own ABI. */
  readonly isGuess: boolean;
  readonly topics: readonly string[];
  readonly data: string;
  /** The Bitcoin transaction in an event of Rootstock's Bridge; absent for all other events. */
  readonly parentTransaction?: ParentTransaction;
}

/** A `console.log` message of a contract. */
export interface InspectedConsole {
  readonly kind: 'console';
  /** May contain line breaks and control characters. */
  readonly text: string;
}

/** A call or a contract creation, with its inner calls and events. */
export interface InspectedCall {
  readonly kind: 'call';
  readonly type: FrameKind;
  readonly from: NamedAddress;
  /** The called or created account; for DELEGATECALL, the account whose code runs. */
  readonly to: NamedAddress;
  /** False if the account has no code, so that nothing ran. */
  readonly hasCode: boolean;
  /** The function with its arguments; `null` if no ABI fits. For a creation, the name of the contract. */
  readonly call: DecodedEntry | null;
  /**
   * The name of the called function. It is `<receive>`, `<fallback>` or `<unrecognized-selector>` if the
   * contract has no function with the selector. `null` for creations, and if no artifact describes the
   * contract.
   */
  readonly meant: string | null;
  /** The returned values; `null` if the call failed or no ABI fits. */
  readonly results: readonly DecodedParameter[] | null;
  /** True if a well-known ABI decoded the call, not the contract's own ABI. */
  readonly isGuess: boolean;
  /** The implementation of a proxy; `null` if the contract is not a proxy. */
  readonly implementation: NamedAddress | null;
  /** In wei. */
  readonly value: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Gas without inner calls. */
  readonly ownGas: bigint;
  readonly outcome: Outcome;
  readonly failure: Failure | null;
  /** The decisions that a precompile reported, in order; absent if there are none. */
  readonly remarks?: readonly string[];
  /** The Bitcoin transaction in a call of Rootstock's Bridge; absent for all other calls. */
  readonly parentTransaction?: ParentTransaction;
  readonly input: string;
  readonly output: string;
  readonly items: readonly (InspectedCall | InspectedEvent | InspectedConsole)[];
}

export interface Inspection {
  readonly call: InspectedCall;
  /** Total gas, with the intrinsic gas and before the refund. */
  readonly gasUsed: bigint;
  /** `null` if the execution succeeded. */
  readonly failure: Failure | null;
  /** The innermost failing frame comes first. Empty if the execution succeeded. */
  readonly stackTrace: readonly StackFrame[];
  /** The labelled addresses in arguments, results, events and errors. */
  readonly labels: readonly NamedAddress[];
  /** State changes; `null` unless requested. */
  readonly changes: StateChanges | null;
}

/**
 * Resolves to the contract of each frame; `null` if no artifact describes its code. `placesOf` is called if
 * created contracts share one initcode; the creator's source then identifies the contract. `at` is the block
 * of the execution.
 */
export async function contractsOfFrames(
  { frames }: RecordedExecution,
  known: KnownContracts,
  checkCancelled: CancelCheck,
  placesOf: () => Promise<CreationIndexes>,
  at: BlockPosition | null = null,
): Promise<ContractsOfFrames> {
  const found: (KnownContract | null)[] = [];
  const created = new Map<string, KnownContract | null>();
  let places: CreationIndexes | null = null;
  for (const { start, code, index, parent } of frames) {
    const key = hexKey(start.to);
    const side = sideOf(start);
    let contract =
      code.length === 0 ? null : await known.of(side, code, start.to, { made: created.get(key) ?? null, at });
    const maker = parent === null ? null : (found[parent.index] ?? null);
    if (side === 'creation' && contract !== null && contract.matches.length > 1 && maker !== null) {
      places ??= await placesOf();
      const pc = places.get(index);
      if (pc !== undefined) contract = await known.createdBy(contract, maker, pc);
    }
    if (side === 'creation') created.set(key, contract);
    found.push(contract);
    await yieldToOthers(checkCancelled);
  }
  return found;
}

const EMPTY_HEX = '0x';
/** Units of work to name and decode a frame, without its data. */
const FRAME_WORK = 8_192;
/** Units of work to register the contract name of a frame. */
const NAME_WORK = 64;

/** Builds the {@link Inspection} of a recorded execution. */
export class InspectionBuilder {
  readonly #known: KnownContracts;
  readonly #contracts: ContractsOfFrames;
  readonly #console = new ConsoleDecoder();
  /** Contract names by address, from the frames. */
  readonly #names = new Map<string, string>();
  readonly #parentTransactionOf: ParentTransactionOf;

  /** Without `parentTransactionOf`, Bitcoin transactions are not decoded. */
  constructor(
    known: KnownContracts,
    contracts: ContractsOfFrames,
    parentTransactionOf: ParentTransactionOf = () => null,
  ) {
    this.#known = known;
    this.#contracts = contracts;
    this.#parentTransactionOf = parentTransactionOf;
  }

  /** Returns the Bitcoin transaction of an entry of a frame, as a member. */
  #parentTransactionIn(entry: DecodedEntry | null, frame: RecordedFrame): object {
    const found = entry !== null && callsBridge(frame) ? this.#parentTransactionOf(entry) : null;
    return found === null ? {} : { parentTransaction: found };
  }

  /**
   * Returns the inspection without labels and changes. Long work is split into time slices. `stackTrace` is
   * empty if the execution succeeded.
   */
  build(
    recorded: RecordedExecution,
    stackTrace: readonly StackFrame[],
    checkCancelled: CancelCheck,
  ): Awaitable<Inspection> {
    const { root } = recorded;
    const path = root.end.outcome === 'success' ? [] : failingPath(root, this.#contracts);
    const failure =
      path.length === 0
        ? null
        : failureOf(
            path,
            path.map(({ index }) => this.#contracts[index] ?? null),
          );
    return whenReady(this.calls(recorded, checkCancelled), (calls) => {
      const call = calls.get(root);
      if (call === undefined) throw new RangeError('a recording without frames');
      return { call, gasUsed: recorded.result.gasUsed, failure, stackTrace, labels: [], changes: null };
    });
  }

  /** Returns the description of each frame. Long work is split into time slices. */
  calls(
    { frames }: RecordedExecution,
    checkCancelled: CancelCheck,
  ): Awaitable<ReadonlyMap<RecordedFrame, InspectedCall>> {
    return runTask(this.#calls(frames), new TimeSlice(checkCancelled));
  }

  *#calls(frames: readonly RecordedFrame[]): Steps<ReadonlyMap<RecordedFrame, InspectedCall>> {
    for (const { start, index } of frames) {
      const contract = this.#contracts[index] ?? null;
      const isOwnCode = start.kind !== 'DELEGATECALL' && start.kind !== 'CALLCODE';
      if (contract !== null && isOwnCode) this.#names.set(toHex(start.to), contract.name);
      else if (contract !== null)
        this.#names.set(toHex(start.to), this.#names.get(toHex(start.to)) ?? contract.name);
      yield NAME_WORK;
    }
    // Inner frames have higher indexes, so the loop builds them before the frames around them.
    const calls = new Map<RecordedFrame, InspectedCall>();
    for (let index = frames.length - 1; index >= 0; index--) {
      const frame = frames[index];
      if (frame === undefined) continue;
      calls.set(frame, yield* this.#callOf(frame, calls));
      yield FRAME_WORK;
    }
    return calls;
  }

  #named(address: Uint8Array): NamedAddress {
    const digits = toHex(address);
    return { address: digits, name: this.nameOf(digits) };
  }

  /** Returns the name of an address: its label, its contract, or a well-known name. */
  nameOf(address: string): string | null {
    return this.#known.labelOf(address) ?? this.#names.get(address) ?? wellKnown.nameAt(address);
  }

  *#callOf(frame: RecordedFrame, inner: ReadonlyMap<RecordedFrame, InspectedCall>): Steps<InspectedCall> {
    const { start, end, index } = frame;
    const contract = this.#contracts[index] ?? null;
    const handedTo = proxiedFrame(frame);
    const implementation = handedTo === null ? null : (this.#contracts[handedTo.index] ?? null);
    const creates = isCreation(start.kind);
    // A minimal proxy has no artifact of its own.
    const isOwn = contract !== null && (handedTo === null || contract.table.call(start.input) !== null);
    const described = isOwn ? contract : implementation;
    const native = start.isPrecompile ? rootstockPrecompileAt(toHex(start.to)) : null;
    const table = native?.table ?? described?.table ?? null;
    const own = creates ? creationEntry(frame, contract) : (table?.call(start.input) ?? null);
    const guessed = own === null && !creates ? wellKnown.table.call(start.input) : null;
    const call = own ?? guessed;
    const isKnown = own !== null;
    const results =
      call === null || creates || end.outcome !== 'success'
        ? null
        : ((isKnown ? table : wellKnown.table)?.result(start.input, end.output) ?? null);
    let gasInside = 0n;
    const items: InspectedCall['items'][number][] = [];
    for (const item of frame.items) {
      items.push(
        item.kind === 'log' ? yield* this.#eventOf(item.log, frame) : this.#innerItem(item.frame, inner),
      );
      if (item.kind === 'call') gasInside += item.frame.end.gasUsed;
      yield FRAME_WORK;
    }
    // Omit initcode and deployed code, which would dominate the result. The constructor arguments are
    // decoded.
    const input = creates && own !== null ? EMPTY_HEX : yield* hexInSteps(start.input);
    const output = creates && end.outcome === 'success' ? EMPTY_HEX : yield* hexInSteps(end.output);
    return {
      kind: 'call',
      type: start.kind,
      from: this.#named(start.from),
      to: this.#named(start.to),
      hasCode: start.isPrecompile || frame.code.length > 0,
      call,
      meant: creates
        ? null
        : (described?.functionMeantBy(start.input) ?? native?.functionNameOf(start.input) ?? null),
      results,
      isGuess: !isKnown && guessed !== null,
      implementation: handedTo === null ? null : this.#named(handedTo.start.to),
      value: start.kind === 'DELEGATECALL' ? 0n : (start.value ?? 0n),
      gasLimit: start.gas,
      gasUsed: end.gasUsed,
      ownGas: end.gasUsed - gasInside,
      outcome: end.outcome,
      failure:
        end.outcome === 'success'
          ? null
          : (passedOn(items, contract, end, output) ??
            failureBehind(frame, handedTo, inner) ??
            failureOf([frame], [isErrorOf(contract, end.output) ? contract : (implementation ?? contract)])),
      ...(frame.remarks.length === 0 ? {} : { remarks: frame.remarks }),
      ...this.#parentTransactionIn(call, frame),
      input,
      output,
      items,
    };
  }

  /** Returns the description of an inner frame. A call to the console becomes a message. */
  #innerItem(
    frame: RecordedFrame,
    inner: ReadonlyMap<RecordedFrame, InspectedCall>,
  ): InspectedCall | InspectedConsole {
    const { start } = frame;
    if (equalBytes(start.to, CONSOLE_ADDRESS)) {
      const message = this.#console.decode(start.input);
      if (message !== null) return { kind: 'console', text: consoleText(message) };
    }
    const made = inner.get(frame);
    if (made === undefined) throw new RangeError('a frame began before the one around it');
    return made;
  }

  *#eventOf(log: Log, frame: RecordedFrame): Steps<InspectedEvent> {
    const native = frame.start.isPrecompile ? rootstockPrecompileAt(toHex(frame.start.to)) : null;
    const own = (native ?? this.#contracts[frame.index]?.table)?.event(log) ?? null;
    const event = own ?? wellKnown.table.event(log);
    return {
      kind: 'event',
      emitter: this.#named(log.address),
      event,
      isGuess: own === null && event !== null,
      topics: log.topics.map(toHex),
      data: yield* hexInSteps(log.data),
      ...this.#parentTransactionIn(event, frame),
    };
  }
}

/** Returns the failure of the frame's last call, if it is passed on and the contract does not declare it. */
function passedOn(
  items: InspectedCall['items'],
  contract: KnownContract | null,
  { outcome, output }: FrameEnd,
  outputDigits: string,
): Failure | null {
  const inner = items.findLast((item) => item.kind === 'call');
  if (outcome !== 'revert' || inner?.failure?.error == null || isErrorOf(contract, output)) return null;
  return inner.output === outputDigits ? inner.failure : null;
}

/** Returns the implementation's failure if it and the proxy reverted without data; otherwise `null`. */
function failureBehind(
  frame: RecordedFrame,
  handedTo: RecordedFrame | null,
  inner: ReadonlyMap<RecordedFrame, InspectedCall>,
): Failure | null {
  if (handedTo === null || frame.end.outcome !== 'revert' || frame.end.output.length > 0) return null;
  return inner.get(handedTo)?.failure ?? null;
}

function isErrorOf(contract: KnownContract | null, data: Uint8Array): boolean {
  return contract !== null && contract.table.error(data) !== null;
}

/** Describes a creation as a call of the constructor. */
function creationEntry(
  { start: { input } }: RecordedFrame,
  contract: KnownContract | null,
): DecodedEntry | null {
  const size = contract?.match.artifact.creation?.bytes.length;
  if (contract === null || size === undefined) return null;
  const parameters = contract.table.constructorArguments(input.subarray(size)) ?? [];
  const types = parameters.map(({ type }) => type).join(',');
  return { name: contract.name, signature: `constructor(${types})`, parameters };
}
