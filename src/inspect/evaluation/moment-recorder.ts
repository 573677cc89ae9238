/** Captures one step of an execution: the frame, its variables, and the state at that moment. */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import { baseFeeFor, gasPrice } from '../../evm/admission.ts';
import type { BlockEnvironment, ExecutionResult, Message, TransientSlot } from '../../evm/engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart, StateNow } from '../../evm/observer.ts';
import { isCreation } from '../../evm/observer.ts';
import { authorityOf } from '../../evm/signers.ts';
import { memoryWords } from '../../evm/tracers/step-recording.ts';
import { CreatedCode, TouchedState } from '../../evm/tracers/touched-state.ts';
import type { Tracer, TraceSubject } from '../../evm/tracers/tracer.ts';
import { bigIntToFixedBytes, EMPTY_BYTES, stripLeadingZeros } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import { type Task, waitFor } from '../../scheduling/task.ts';
import { Overlay } from '../../state/overlay.ts';
import { fetchingState, MissingStateError } from '../../state/state-source.ts';
import type { WorldState } from '../../state/world-state.ts';
import { Preimages } from '../storage/preimages.ts';
import { hashedInput } from '../storage/state-recorder.ts';
import { FrameVariables, type LiveVariable } from '../variables/frame-variables.ts';
import { StepVariables, type VariablesOfFrames } from '../variables/step-variables.ts';

const WORD = 32;
const { KECCAK256, TSTORE } = OPCODES;
/** Characters of JSON for a write to transient storage. */
const TRANSIENT_SIZE = 200;
/** Work units to apply one touched account or slot. */
const APPLYING_WORK = 64;

/** The frame of a step, as its code sees it. */
export interface MomentFrame {
  /** In call order; 0 for the outermost frame. */
  readonly index: number;
  readonly isCreation: boolean;
  /** 20 bytes: the account of the code. */
  readonly address: Uint8Array;
  /** 20 bytes: the account whose storage the code uses. */
  readonly storageAddress: Uint8Array;
  /** 20 bytes; the result of CALLER. */
  readonly sender: Uint8Array;
  /** Wei; the result of CALLVALUE. */
  readonly value: bigint;
  /** The calldata; empty in a creation. */
  readonly input: Uint8Array;
  /** Program counter of the latest instruction of a function; `null` before any function. */
  readonly functionPc: number | null;
}

/** The machine and the state before one step. */
export interface Moment {
  readonly frame: MomentFrame;
  readonly gas: bigint;
  /** Top last. */
  readonly stack: readonly bigint[];
  readonly memory: Uint8Array;
  /** The variables of the running function; `null` if their locations are unknown. */
  readonly live: readonly LiveVariable[] | null;
  /** The variables of an ETHDebug program; `null` without one. */
  readonly program: readonly DecodedParameter[] | null;
  readonly environment: BlockEnvironment;
  readonly message: Message;
  /** Wei per gas; the result of GASPRICE. */
  readonly gasPrice: bigint;
  readonly state: WorldState;
  readonly transient: readonly TransientSlot[];
  /** The inputs of hashes before the step, to find the keys of mappings. */
  readonly preimages: Preimages;
}

/** The moment; `null` if the execution has fewer steps. */
export interface RecordedMoment {
  readonly moment: Moment | null;
  /** The number of steps up to the moment, or of all steps. */
  readonly count: number;
}

/** By index of the frame and program counter: true if the instruction belongs to a function of the source. */
export type FunctionPlaces = readonly (Uint8Array | null)[];

interface OpenFrame extends Omit<MomentFrame, 'functionPc'> {
  functionPc: number | null;
  readonly variables: FrameVariables | null;
  /** The number of transient writes before the frame. */
  readonly transientBefore: number;
}

/** A write to transient storage, with the value before it. */
interface TransientWrite {
  readonly key: string;
  readonly before: TransientSlot | undefined;
}

interface TouchedNow {
  readonly address: Uint8Array;
  /** `undefined` if the account does not exist. */
  readonly account: { readonly nonce: bigint; readonly balance: bigint } | undefined;
  /** Code that the transaction set; `undefined` if it is the code before the transaction. */
  readonly code: Uint8Array | undefined;
  readonly slots: readonly { readonly slot: Uint8Array; readonly value: Uint8Array }[];
}

/** A moment without its state. The state is built after the execution. */
type Captured = Omit<Moment, 'state'> & { readonly touched: readonly TouchedNow[] };

/** Records the moment before a step. Throws `TraceTooLargeError` if the state before it is too large. */
export class MomentRecorder implements Tracer<RecordedMoment> {
  readonly #subject: TraceSubject;
  readonly #wanted: number;
  readonly #places: FunctionPlaces;
  readonly #variables: VariablesOfFrames;
  readonly #programs: StepVariables | null;
  readonly #touched: TouchedState;
  readonly #created = new CreatedCode();
  readonly #open: OpenFrame[] = [];
  readonly #transient = new Map<string, TransientSlot>();
  readonly #transientWrites: TransientWrite[] = [];
  readonly #preimages = new Preimages();
  #state: StateNow | undefined;
  #frames = 0;
  #count = 0;
  #captured: Captured | null = null;

  /** `wanted` is the index of the step. */
  constructor(subject: TraceSubject, wanted: number, places: FunctionPlaces, variables: VariablesOfFrames) {
    this.#subject = subject;
    this.#wanted = wanted;
    this.#places = places;
    this.#variables = variables;
    const programs = variables.map((each) => (each?.kind === 'program' ? each : null));
    this.#programs = programs.some((each) => each !== null) ? new StepVariables(programs) : null;
    this.#touched = new TouchedState(subject);
  }

  /** After the moment, no steps are needed. */
  get skipsFrame(): boolean {
    return this.#captured !== null;
  }

  begin(state: StateNow): void {
    this.#state = state;
    this.#touched.begin(state);
  }

  frameStart(start: FrameStart): void {
    const index = this.#frames++;
    const around = this.#open.at(-1);
    const { kind, from, to, value, input } = start;
    const isDelegated = kind === 'DELEGATECALL';
    const isOnStorageOfCaller = isDelegated || kind === 'CALLCODE';
    const places = this.#variables[index] ?? null;
    this.#open.push({
      index,
      isCreation: isCreation(kind),
      address: to.slice(),
      storageAddress: (isOnStorageOfCaller ? around?.storageAddress : undefined) ?? to.slice(),
      sender: (isDelegated ? around?.sender : undefined) ?? from.slice(),
      value: value ?? 0n,
      input: isCreation(kind) || this.#captured !== null ? EMPTY_BYTES : input.slice(),
      functionPc: null,
      variables: places?.kind === 'places' ? new FrameVariables(places.places) : null,
      transientBefore: this.#transientWrites.length,
    });
    if (this.#captured !== null) return;
    this.#touched.frameStart(start);
    this.#created.frameStart(start);
    this.#programs?.open(input);
  }

  frameEnd(end: FrameEnd): void {
    const frame = this.#open.pop();
    if (this.#captured !== null || frame === undefined) return;
    this.#created.frameEnd(end);
    this.#programs?.close();
    if (end.outcome === 'success') return;
    for (const { key, before } of this.#transientWrites.splice(frame.transientBefore).reverse()) {
      if (before === undefined) this.#transient.delete(key);
      else this.#transient.set(key, before);
    }
  }

  step(step: ExecutionStep): void {
    const index = this.#count;
    if (this.#captured !== null) return;
    this.#count++;
    const frame = this.#open.at(-1);
    if (frame === undefined) return;
    const { pc } = step;
    frame.variables?.step(pc, step.stackHeight);
    this.#programs?.follow(step);
    if (this.#places[frame.index]?.[pc] === 1) frame.functionPc = pc;
    if (index === this.#wanted) {
      this.#captured = this.#capture(step, frame);
      return;
    }
    this.#touched.step(step);
    if (step.opcode === TSTORE) this.#writeTransient(step);
    else if (step.opcode === KECCAK256) this.#hash(step);
  }

  #hash(step: ExecutionStep): void {
    const bytes = hashedInput(step);
    if (bytes !== null) this.#preimages.add(bytes);
  }

  #writeTransient(step: ExecutionStep): void {
    const [slot, value] = [step.stackItem(0), step.stackItem(1)];
    if (slot === undefined || value === undefined) return;
    this.#subject.budget.spend(TRANSIENT_SIZE);
    const written: TransientSlot = {
      address: step.address,
      slot: bigIntToFixedBytes(slot, WORD),
      value: stripLeadingZeros(bigIntToFixedBytes(value, WORD)),
    };
    const key = hexKey(written.address) + hexKey(written.slot);
    this.#transientWrites.push({ key, before: this.#transient.get(key) });
    this.#transient.set(key, written);
  }

  #capture(step: ExecutionStep, frame: OpenFrame): Captured {
    const { budget, message, position } = this.#subject;
    const purpose = position === null ? 'call' : 'transaction';
    const baseFeePerGas = baseFeeFor(this.#subject.environment, message, purpose);
    // Only a call may lower the base fee, so a transaction keeps the object of its block.
    const environment =
      baseFeePerGas === this.#subject.environment.baseFeePerGas
        ? this.#subject.environment
        : { ...this.#subject.environment, baseFeePerGas };
    const memory = step.memory().slice();
    budget.spend(memory.length);
    const { variables, transientBefore: _, ...shown } = frame;
    return {
      frame: shown,
      gas: step.gas,
      stack: step.stack(),
      memory,
      live: variables === null ? null : [...variables.live],
      program: this.#programs?.before(step, memoryWords(memory)) ?? null,
      environment,
      message,
      gasPrice: gasPrice(message, baseFeePerGas).price,
      transient: [...this.#transient.values()],
      preimages: this.#preimages,
      touched: this.#touchedNow(),
    };
  }

  #touchedNow(): TouchedNow[] {
    const state = this.#state;
    if (state === undefined) return [];
    const authorities = this.#authorities();
    return Array.from(this.#touched.accounts()).flatMap(({ address, slots }) => {
      const account = loaded(() => state.account(address));
      if (account === null) return [];
      const isAuthority = authorities.has(hexKey(address));
      const set = isAuthority ? (loaded(() => state.code(address)) ?? undefined) : undefined;
      const values = Array.from(slots.values(), (slot) => ({
        slot,
        value: loaded(() => state.storageAt(address, slot)),
      }));
      return {
        address,
        account,
        code: this.#created.of(address) ?? set,
        slots: values.flatMap(({ slot, value }) => (value === null ? [] : { slot, value })),
      };
    });
  }

  /** The accounts whose code an authorization may have set. */
  #authorities(): ReadonlySet<string> {
    const { message, impersonatedSigner } = this.#subject;
    return new Set(
      message.authorizationList.flatMap((authorization) => {
        const authority = authorityOf(authorization, impersonatedSigner);
        return authority === null ? [] : [hexKey(authority)];
      }),
    );
  }

  *result(_result: ExecutionResult): Task<RecordedMoment> {
    if (this.#captured === null) return { moment: null, count: this.#count };
    const { touched, ...captured } = this.#captured;
    const overlay = new Overlay(this.#subject.before);
    for (const each of touched) {
      yield* waitFor(fetchingState(() => apply(overlay, each)));
      yield APPLYING_WORK * (1 + each.slots.length);
    }
    return { moment: { ...captured, state: yield* overlay.toWorldStateInSteps() }, count: this.#count };
  }
}

/** Returns the result of a read; `null` for state that was never loaded, so that it cannot have changed. */
function loaded<Read>(read: () => Read): Read | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof MissingStateError) return null;
    throw error;
  }
}

function apply(overlay: Overlay, { address, account, code, slots }: TouchedNow): void {
  if (account === undefined) {
    if (overlay.account(address) !== undefined) overlay.deleteAccount(address);
    return;
  }
  overlay.setAccount(address, account);
  if (code !== undefined) overlay.setCode(address, code);
  for (const { slot, value } of slots) overlay.setStorage(address, slot, value);
}
