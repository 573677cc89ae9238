import type { Common } from '@ethereumjs/common';
import {
  createEIP7708TransferLog,
  type EVM,
  EVMError,
  type EVMOpts,
  type EVMResult,
  getOpcodesForHF,
  type Message as LibraryMessage,
} from '@ethereumjs/evm';
import { Address } from '@ethereumjs/util';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import type { ExecutionObserver, FrameEnd, FrameKind, FrameStart } from '../evm/observer.ts';
import { isCreation } from '../evm/observer.ts';
import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import { delegateOf } from '../state/account.ts';
import type { Overlay } from '../state/overlay.ts';
import { UnpaidAccountError } from './account-gas.ts';
import {
  exceptionMessage,
  frameOfMessage,
  frameRejection,
  haltReason,
  rejectedFrame,
  selfdestructFrame,
} from './frame-start.ts';
import { type LibraryOpcode, ReferenceStep, type RunState } from './reference-step.ts';
import { precompileFailure } from './rootstock/rootstock-evm.ts';

const { errorMessages } = EVMError;

type CustomOpcodes = NonNullable<EVMOpts['customOpcodes']>;

const { SELFDESTRUCT, LOG0, LOG4, EXTCODESIZE, EXTCODECOPY } = OPCODES;

const CALLS_AND_CREATIONS: ReadonlyMap<number, FrameKind> = new Map<number, FrameKind>([
  [OPCODES.CREATE, 'CREATE'],
  [OPCODES.CALL, 'CALL'],
  [OPCODES.CALLCODE, 'CALLCODE'],
  [OPCODES.DELEGATECALL, 'DELEGATECALL'],
  [OPCODES.CREATE2, 'CREATE2'],
  [OPCODES.STATICCALL, 'STATICCALL'],
]);

/** Returns the static gas. ethereumjs counts the price of reading code (EIP-8038) as dynamic. */
function staticGas(opcode: number, baseFee: bigint, common: Common): bigint {
  const readsCode = opcode === EXTCODESIZE || opcode === EXTCODECOPY;
  return readsCode && common.isActivatedEIP(8038) ? baseFee + common.param('warmstoragereadGas') : baseFee;
}

const NOTHING_USED = { output: EMPTY_BYTES, gasUsed: 0n } as const;

function frameEnd({ execResult }: EVMResult): FrameEnd {
  const { exceptionError, executionGasUsed: gasUsed, returnValue: output } = execResult;
  const failure = precompileFailure(execResult);
  const failed = failure === undefined ? {} : { precompileFailure: failure };
  if (exceptionError === undefined)
    return { outcome: 'success', haltReason: null, output, gasUsed, ...failed };
  const reason = haltReason(execResult);
  if (reason === null) return { outcome: 'revert', haltReason: null, output, gasUsed };
  return { outcome: 'halt', haltReason: reason, output: EMPTY_BYTES, gasUsed, ...failed };
}

/** Returns false if a SELFDESTRUCT halts because it cannot pay for a new beneficiary (EIP-8037). */
function paysForBeneficiary(runState: RunState, common: Common, state: Overlay): boolean {
  const { to, value } = selfdestructFrame(runState);
  if (!common.isActivatedEIP(8037) || value === 0n || exists(state, to)) return true;
  return newAccountPrice(common) <= runState.gasLeft + runState.interpreter._evm.stateGasReservoir;
}

/** Returns true if the account is not empty (EIP-161). */
function exists(state: Overlay, address: Uint8Array): boolean {
  const account = state.account(address);
  return (
    account !== undefined && (account.balance > 0n || account.nonce > 0n || account.code.bytes.length > 0)
  );
}

function newAccountPrice(common: Common): bigint {
  return common.param('stateBytesPerNewAccount') * common.param('costPerStateByte');
}

/** Returns false if the gas of the message cannot pay for a new account or delegate (EIP-2780). */
function canEnter(
  { depth, gasLimit, value }: LibraryMessage,
  { to }: FrameStart,
  evm: EVM,
  state: Overlay,
): boolean {
  const { common, stateGasReservoir, journal } = evm;
  if (depth > 0 || value === 0n || !common.isActivatedEIP(2780)) return true;
  if (!exists(state, to)) return newAccountPrice(common) <= gasLimit + stateGasReservoir;
  const named = delegateOf(state.account(to)?.code.bytes ?? EMPTY_BYTES);
  if (named === null) return true;
  const isWarm = journal.isWarmedAddress(named);
  return common.param(isWarm ? 'warmstoragereadGas' : 'coldaccountaccessGas') <= gasLimit;
}

/**
 * Lets observers follow a virtual machine of ethereumjs. The machine must use {@link Observation.opcodes} and
 * be attached. Its events go to the last observer set. Steps are read from the running frame, because
 * ethereumjs' own step event always copies stack and memory.
 */
export class Observation {
  #observer: ExecutionObserver = {};
  #state: Overlay | undefined;
  #refundBefore = 0n;
  /** The kind of the next message; undefined for the outermost message. */
  #kind: FrameKind | undefined;
  #hasFrames = false;
  /** True while a precompile runs. Its logs must be reported here. */
  #isInPrecompile = false;
  /** True if the transfer log of the last started message was reported. */
  #hasTransferred = false;

  /**
   * Sets the observer. `state` is the machine's state. `refundBefore` is the gas refund before any code runs.
   * `ended` lists contracts destroyed earlier in the block.
   */
  begin(
    observer: ExecutionObserver,
    state: Overlay,
    refundBefore: bigint,
    ended: readonly Uint8Array[],
  ): void {
    this.#observer = observer;
    this.#state = state;
    this.#refundBefore = refundBefore;
    this.#kind = undefined;
    this.#hasFrames = false;
    observer.begin?.(state, ended);
  }

  /** False if the message ended before its frame. */
  get hasFrames(): boolean {
    return this.#hasFrames;
  }

  /** Removes the observer. */
  end(): void {
    this.#observer = {};
    this.#state = undefined;
  }

  /** Listens to the messages of the machine. */
  attach(evm: EVM): void {
    evm.events.on('beforeMessage', (message) => {
      const kind = this.#kind ?? (message.to === undefined ? 'CREATE' : 'CALL');
      this.#kind = undefined;
      this.#hasFrames = true;
      const isPrecompile = message.to !== undefined && evm.getPrecompile(message.codeAddress) !== undefined;
      this.#isInPrecompile = isPrecompile;
      const frame = frameOfMessage(message, kind, this.#overlay, isPrecompile);
      this.#observer.frameStart?.(frame);
      this.#hasTransferred = canEnter(message, frame, evm, this.#overlay)
        ? this.#tellOfTransfer(message, frame, evm.common)
        : false;
    });
    evm.events.on('afterMessage', (result) => {
      if (this.#isInPrecompile) this.#tellOfPrecompile(result);
      this.#isInPrecompile = false;
      this.#observer.frameEnd?.(frameEnd(result));
    });
  }

  /** Returns all 256 opcodes, including the machine's `own`, which report to the observer. */
  opcodes(common: Common, own: CustomOpcodes): CustomOpcodes {
    return getOpcodesForHF(common, own).opcodeMap.map((entry, opcode) => ({
      opcode,
      opcodeName: entry.opcodeInfo.name,
      baseFee: entry.opcodeInfo.fee,
      gasFunction: (runState: RunState, baseFee: bigint) => this.#price(entry, runState, baseFee, common),
      logicFunction: (runState: RunState) => this.#execute(entry, runState, common),
    }));
  }

  get #overlay(): Overlay {
    if (this.#state === undefined) throw new Error('no message is observed');
    return this.#state;
  }

  /**
   * Returns the price of the opcode. ethereumjs prices an opcode first, so this method also reports the step
   * and a fault known at this point.
   */
  async #price(entry: LibraryOpcode, runState: RunState, baseFee: bigint, common: Common): Promise<bigint> {
    // Despite its type, the gas handler is undefined for an opcode with a fixed price.
    const handler: LibraryOpcode['gasHandler'] | undefined = entry.gasHandler;
    const before = { gas: runState.gasLeft, memorySize: Number(runState.memoryWordCount) * 32 };
    let gas = baseFee;
    try {
      if (handler !== undefined) gas = await handler(runState, baseFee, common);
    } catch (error) {
      const known = staticGas(runState.opCode, baseFee, common);
      this.#step(runState, error instanceof UnpaidAccountError ? error.gas : known, before);
      this.#fault(error, runState.opCode);
      throw error;
    }
    const kind = CALLS_AND_CREATIONS.get(runState.opCode);
    const passedOn = kind === undefined || isCreation(kind) ? 0n : (runState.messageGasLimit ?? 0n);
    this.#step(runState, gas + passedOn, before);
    if (entry.opcodeInfo.isInvalid) {
      this.#observer.fault?.(exceptionMessage(errorMessages.INVALID_OPCODE, runState.opCode));
    } else if (gas > runState.gasLeft) this.#observer.fault?.(HALT_REASONS.outOfGas);
    return gas;
  }

  async #execute(entry: LibraryOpcode, runState: RunState, common: Common): Promise<void> {
    const { opCode } = runState;
    const kind = CALLS_AND_CREATIONS.get(opCode);
    const { logs } = runState.interpreter._result;
    const logged = logs.length;
    const ends = opCode === SELFDESTRUCT && paysForBeneficiary(runState, common, this.#overlay);
    try {
      if (kind !== undefined) this.#announce(kind, runState, common);
      else if (ends) {
        this.#observer.frameStart?.(selfdestructFrame(runState));
        this.#observer.frameEnd?.({ outcome: 'success', haltReason: null, ...NOTHING_USED });
      }
      await entry.opHandler(runState, common);
    } catch (error) {
      // ethereumjs ends a SELFDESTRUCT with an error. It may already have added a transfer log.
      if (ends && logs.length > logged) this.#tellOfLog(runState);
      this.#fault(error, opCode);
      throw error;
    }
    if (opCode >= LOG0 && opCode <= LOG4) this.#tellOfLog(runState);
  }

  /**
   * Reports the transfer log at the start of a message (EIP-7708), which ethereumjs adds to the logs of the
   * frame. Returns true if there is one.
   */
  #tellOfTransfer(message: LibraryMessage, { kind, from, to, value }: FrameStart, common: Common): boolean {
    if (!common.isActivatedEIP(7708) || message.delegatecall || kind === 'CALLCODE' || !value) return false;
    if (equalBytes(from, to)) return false;
    const existing = this.#overlay.account(to);
    const isTaken = existing !== undefined && (existing.nonce > 0n || existing.code.bytes.length > 0);
    if (message.to === undefined && (isTaken || this.#overlay.hasStorage(to))) return false;
    const recipient = new Address(message.to?.bytes ?? to);
    const [address, topics, data] = createEIP7708TransferLog(message.caller, recipient, value);
    this.#observer.log?.({ address, topics, data });
    return true;
  }

  /** Sets the kind of the next message. Reports a rejected call, which has no message. */
  #announce(kind: FrameKind, runState: RunState, common: Common): void {
    const reason = frameRejection(kind, runState, common);
    this.#kind = kind;
    if (reason === null) return;
    this.#observer.frameStart?.(rejectedFrame(kind, runState, common));
    this.#observer.frameEnd?.({ outcome: 'halt', haltReason: reason, ...NOTHING_USED });
  }

  #step(runState: RunState, gasCost: bigint, before: { gas: bigint; memorySize: number }): void {
    this.#observer.trail?.(Uint32Array.of(runState.programCounter));
    this.#observer.step?.(new ReferenceStep(runState, gasCost, before, this.#overlay, this.#refundBefore));
  }

  #fault(error: unknown, opcode: number): void {
    if (!(error instanceof EVMError)) return;
    if (error.error === errorMessages.STOP || error.error === errorMessages.REVERT) return;
    this.#observer.fault?.(exceptionMessage(error.error, opcode));
  }

  #tellOfPrecompile({ execResult }: EVMResult): void {
    for (const [address, topics, data] of (execResult.logs ?? []).slice(this.#hasTransferred ? 1 : 0))
      this.#observer.log?.({ address, topics, data });
  }

  #tellOfLog(runState: RunState): void {
    const [address, topics, data] = runState.interpreter._result.logs.at(-1) ?? [];
    if (address === undefined || topics === undefined || data === undefined) return;
    this.#observer.log?.({ address, topics, data });
  }
}
