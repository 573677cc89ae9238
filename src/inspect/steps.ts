/** The steps of an execution, to go through it forwards and backwards: statements of the source, and the opcodes of a page. */

import type { DecodedParameter } from '../artifacts/decoding.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { ExecutionStep, FrameKind, FrameStart } from '../evm/observer.ts';
import { opcodeName } from '../evm/observer.ts';
import { MemoryWords, StackTexts, stepSize } from '../evm/tracers/step-recording.ts';
import type { Tracer, TraceSubject } from '../evm/tracers/tracer.ts';
import { bigIntToFixedBytes, padLeft } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { ContractsOfFrames, KnownContract, KnownFile } from './known-contracts.ts';
import { type KnownVariablePlaces, type PlacesOfFrames, StepVariables } from './variables/step-variables.ts';

/** The steps to be shown whole. */
export interface StepPage {
  readonly first: number;
  readonly count: number;
  readonly memory: boolean;
  /** True to tell the variables of the functions. */
  readonly variables: boolean;
}

/** One opcode, before it is executed. */
export interface InspectedStep {
  /** Counts from 0 through the whole execution. */
  readonly index: number;
  /** The index of the frame. */
  readonly frame: number;
  readonly pc: number;
  readonly op: string;
  /** Gas left before the opcode. */
  readonly gas: number;
  readonly gasCost: number;
  /** QUANTITY, the top last. */
  readonly stack: readonly string[];
  /** Words of 64 digits. Absent unless asked for. */
  readonly memory?: readonly string[];
  /** The slot that an SLOAD reads or an SSTORE writes, and its value: 64 digits each. Absent for others. */
  readonly slot?: readonly [slot: string, value: string];
  /**
   * The variables of the innermost function with their values; `null` where nothing says where they lie. Absent unless asked for, and
   * where they are those of the step before it in the page.
   */
  readonly variables?: readonly DecodedParameter[] | null;
  /** Why the opcode failed; absent for one that did not. */
  readonly error?: string;
}

/** Consecutive steps that come from one line of one function call. */
export interface InspectedStatement {
  /** The index of the first step. */
  readonly first: number;
  readonly frame: number;
  /** The index of the file; -1 for steps that come from no file. */
  readonly file: number;
  /** Counts from 1; 0 for none. */
  readonly line: number;
}

/** A frame of the execution, in the order in which they began. */
export interface StepFrame {
  readonly type: FrameKind;
  readonly depth: number;
  /** The account whose code runs. */
  readonly address: string;
  /** The name of its contract; `null` for one that is not known. */
  readonly contract: string | null;
}

/** A file of the source. */
export interface StepFile {
  readonly name: string;
  readonly content: string;
}

/** The steps of an execution. */
export interface Steps {
  /** The number of all steps. */
  readonly count: number;
  readonly statements: readonly InspectedStatement[];
  readonly frames: readonly StepFrame[];
  /** The files of the statements. */
  readonly files: readonly StepFile[];
  /** The steps of the page. */
  readonly steps: readonly InspectedStep[];
  /** By account, the slots that were touched before the page, those touched last at the end, and their values. */
  readonly storage: Readonly<Record<string, readonly (readonly [slot: string, value: string])[]>>;
  /** The index of the last step of each frame; -1 for one without steps. */
  readonly lastSteps: readonly number[];
}

/** Where the instructions of one contract come from. */
interface Places {
  /** By program counter: the index of the file among all files; -1 for none. */
  readonly files: Int32Array;
  /** By program counter; 0 for none. */
  readonly lines: Int32Array;
}

/** The places of the contracts of an execution, and the names of their files. */
export class StepPlaces {
  readonly files: readonly StepFile[];
  /** Where the variables lie; `null` unless asked for. */
  readonly variables: PlacesOfFrames | null;
  readonly #byFrame: readonly (Places | null)[];

  private constructor(
    files: readonly StepFile[],
    byFrame: readonly (Places | null)[],
    variables: PlacesOfFrames | null,
  ) {
    this.files = files;
    this.#byFrame = byFrame;
    this.variables = variables;
  }

  /** Resolves to the places, also of variables unless `variables` is `null`; takes time in proportion to the codes. */
  static async of(contracts: ContractsOfFrames, variables: KnownVariablePlaces | null): Promise<StepPlaces> {
    const files: StepFile[] = [];
    /** By name and content: contracts can come from different builds of one file. */
    const indexes = new Map<string, number>();
    const known = new Map<KnownContract, Places | null>();
    const byFrame: (Places | null)[] = [];
    const indexOf = ({ name, outline }: KnownFile): number => {
      const content = outline.text;
      const key = `${name}\n${content}`;
      const index = indexes.get(key) ?? files.push({ name, content }) - 1;
      indexes.set(key, index);
      return index;
    };
    for (const contract of contracts) {
      if (contract === null) {
        byFrame.push(null);
        continue;
      }
      const places = known.has(contract) ? (known.get(contract) ?? null) : await placesOf(contract, indexOf);
      known.set(contract, places);
      byFrame.push(places);
    }
    return new StepPlaces(files, byFrame, variables === null ? null : await variables.of(contracts));
  }

  /** Returns the file of an instruction; -1 for none. */
  fileAt(frame: number, pc: number): number {
    return this.#byFrame[frame]?.files[pc] ?? -1;
  }

  /** Returns the line of an instruction; 0 for none. */
  lineAt(frame: number, pc: number): number {
    return this.#byFrame[frame]?.lines[pc] ?? 0;
  }
}

async function placesOf(
  contract: KnownContract,
  indexOf: (file: KnownFile) => number,
): Promise<Places | null> {
  const { map } = contract;
  const { bytes } = contract.match.artifact[contract.side] ?? {};
  if (map === null || bytes === undefined) return null;
  const files = new Int32Array(bytes.length).fill(-1);
  const lines = new Int32Array(bytes.length);
  const indexes = new Map<KnownFile, number>();
  for (let pc = 0; pc < bytes.length; pc++) {
    const range = map.rangeAt(pc);
    if (range === null) continue;
    const file = await contract.file(range.file);
    // The compiler gives code that it adds to a contract the place of the whole contract, at which nobody would stop.
    if (file === null || file.outline.functionAt(range.start) === null) continue;
    const index = indexes.get(file) ?? indexOf(file);
    indexes.set(file, index);
    files[pc] = index;
    lines[pc] = file.outline.positionOf(range.start).line;
  }
  return { files, lines };
}

/** Statements of one execution that are told; what is behind them has opcodes only. */
const MOST_STATEMENTS = 200_000;

/** Slots of one account that are told of the steps before a page. */
const MOST_SLOTS = 1_000;

const WORD_SIZE = 32;

/** Returns the slot that the step reads or is about to write, with its value; `null` for a step that touches none. */
function touchedSlot(step: ExecutionStep): readonly [slot: string, value: string] | null {
  if (step.opcode !== OPCODES.SLOAD && step.opcode !== OPCODES.SSTORE) return null;
  const slot = step.stackItem(0);
  if (slot === undefined) return null;
  const key = bigIntToFixedBytes(slot, WORD_SIZE);
  const written = step.opcode === OPCODES.SSTORE ? step.stackItem(1) : undefined;
  if (step.opcode === OPCODES.SSTORE && written === undefined) return null;
  const value =
    written === undefined ? padLeft(step.storageAt(key), WORD_SIZE) : bigIntToFixedBytes(written, WORD_SIZE);
  return [hexKey(key), hexKey(value)];
}

/** About how many characters of JSON a statement, a frame with its last step, and a slot with its value take. */
const STATEMENT_SIZE = 24;
const FRAME_SIZE = 150;
const SLOT_SIZE = 140;

/** Records the steps of an execution. Throws `TraceTooLargeError` when the answer grows too large. */
export class StepRecorder implements Tracer<Steps> {
  readonly #page: StepPage;
  readonly #places: StepPlaces;
  readonly #contracts: ContractsOfFrames;
  readonly #budget: TraceSubject['budget'];
  readonly #frames: StepFrame[] = [];
  readonly #lastSteps: number[] = [];
  /** The indexes of the frames that are open. */
  readonly #open: number[] = [];
  readonly #statements: InspectedStatement[] = [];
  readonly #steps: InspectedStep[] = [];
  readonly #memory = new MemoryWords();
  readonly #variables: StepVariables | null;
  /** The variables of the last step of the page, as JSON. */
  #lastVariables = '';
  readonly #stack = new StackTexts((item) => `0x${item.toString(16)}`);
  /** By account, the slots that were touched before the page. */
  readonly #storage = new Map<string, Map<string, string>>();
  #count = 0;

  constructor(subject: TraceSubject, contracts: ContractsOfFrames, places: StepPlaces, page: StepPage) {
    this.#budget = subject.budget;
    this.#contracts = contracts;
    this.#places = places;
    this.#page = page;
    this.#variables = places.variables === null ? null : new StepVariables(places.variables);
  }

  frameStart({ kind, depth, to, input }: FrameStart): void {
    this.#budget.spend(FRAME_SIZE);
    this.#variables?.open(input);
    this.#memory.open();
    this.#stack.open();
    const contract = this.#contracts[this.#frames.length]?.name ?? null;
    this.#open.push(this.#frames.length);
    this.#frames.push({ type: kind, depth, address: toHex(to), contract });
    this.#lastSteps.push(-1);
  }

  frameEnd(): void {
    this.#variables?.close();
    this.#memory.close();
    this.#stack.close();
    this.#open.pop();
  }

  step(step: ExecutionStep): void {
    const frame = this.#open.at(-1) ?? 0;
    const index = this.#count++;
    this.#lastSteps[frame] = index;
    this.#mark(frame, index, step.pc);
    const { first, count, memory } = this.#page;
    if (index >= first + count) return;
    this.#variables?.follow(step);
    const stack = this.#stack.before(step);
    const slot = touchedSlot(step);
    if (index < first) {
      if (slot !== null) this.#touch(toHex(step.address), slot);
      return;
    }
    const words =
      memory || this.#variables !== null ? this.#memory.before(step.opcode, () => step.memory()) : [];
    const shown: InspectedStep = {
      index,
      frame,
      pc: step.pc,
      op: opcodeName(step.opcode),
      gas: Number(step.gas),
      gasCost: Number(step.gasCost),
      stack,
      ...(memory ? { memory: words } : {}),
      ...(slot === null ? {} : { slot }),
      ...this.#variablesOf(step, words),
    };
    this.#budget.spend(stepSize(shown));
    this.#steps.push(shown);
  }

  #variablesOf(step: ExecutionStep, memory: readonly string[]): Pick<InspectedStep, 'variables'> {
    if (this.#variables === null) return {};
    const variables = this.#variables.before(step, memory);
    const text = JSON.stringify(variables);
    if (text === this.#lastVariables) return {};
    this.#lastVariables = text;
    this.#budget.spend(text.length);
    return { variables };
  }

  #touch(address: string, [slot, value]: readonly [string, string]): void {
    const slots = this.#storage.get(address) ?? new Map<string, string>();
    this.#storage.set(address, slots);
    const isKnown = slots.delete(slot);
    slots.set(slot, value);
    if (slots.size <= MOST_SLOTS) {
      if (!isKnown) this.#budget.spend(SLOT_SIZE);
      return;
    }
    for (const oldest of slots.keys()) {
      slots.delete(oldest);
      return;
    }
  }

  #mark(frame: number, index: number, pc: number): void {
    if (this.#statements.length >= MOST_STATEMENTS) return;
    const file = this.#places.fileAt(frame, pc);
    const line = this.#places.lineAt(frame, pc);
    const last = this.#statements.at(-1);
    if (last !== undefined && last.frame === frame && last.file === file && last.line === line) return;
    this.#budget.spend(STATEMENT_SIZE);
    this.#statements.push({ first: index, frame, file, line });
  }

  fault(reason: string): void {
    const last = this.#steps.at(-1);
    if (last !== undefined && last.index === this.#count - 1)
      this.#steps[this.#steps.length - 1] = { ...last, error: reason };
  }

  /** Returns the steps; must be called once, after the execution. */
  result(_execution: ExecutionResult): Steps {
    return {
      count: this.#count,
      statements: this.#statements,
      frames: this.#frames,
      files: this.#places.files,
      steps: this.#steps,
      lastSteps: this.#lastSteps,
      storage: Object.fromEntries(Array.from(this.#storage, ([address, slots]) => [address, [...slots]])),
    };
  }
}
