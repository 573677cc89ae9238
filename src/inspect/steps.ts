/** The steps of an execution, to go through it forwards and backwards: statements of the source, and the opcodes of a page. */

import type { DecodedParameter } from '../artifacts/decoding.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { ExecutionStep, FrameEnd, FrameKind, FrameStart } from '../evm/observer.ts';
import { opcodeName } from '../evm/observer.ts';
import { MemoryWords, memoryWords, StackItems, stepSize } from '../evm/tracers/step-recording.ts';
import type { Tracer, TraceSubject } from '../evm/tracers/tracer.ts';
import { toHex } from '../primitives/hex.ts';
import type { ContractsOfFrames, KnownContract } from './known-contracts.ts';
import type { KnownFile } from './known-files.ts';
import {
  MOST_SLOTS,
  StepStorage,
  type StorageOfAccounts,
  type TouchedSlot,
  UNDONE_SIZE,
  type UndoneSlot,
} from './step-storage.ts';
import { type KnownVariablePlaces, type PlacesOfFrames, StepVariables } from './variables/step-variables.ts';

/** The steps to be shown whole. */
export interface StepPage {
  readonly first: number;
  readonly count: number;
  readonly memory: boolean;
  /** True to report the variables of the functions. */
  readonly variables: boolean;
}

/** One opcode, before it is executed. It has the slot that it touches, if any. */
export interface InspectedStep extends Partial<TouchedSlot> {
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
  /** The slots that have their earlier values again at this step, as frames failed since the step before. Absent where there are none. */
  readonly undone?: readonly UndoneSlot[];
  /**
   * The variables of the innermost function with their values; `null` where nothing says where they lie. Absent unless asked for, and
   * where they are those of the step before it in the page.
   */
  readonly variables?: readonly DecodedParameter[] | null;
  /** The reason why the opcode failed; absent for one that did not. */
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
  /** The account whose storage the code uses: of DELEGATECALL and CALLCODE that of the frame around it. */
  readonly storageAddress: string;
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
  /** The slots that were touched before the page, with their values at its first step. */
  readonly storage: StorageOfAccounts;
  /** The number of slots of one account that `storage` has at most. */
  readonly storageLimit: number;
  /** The index of the last step of each frame; -1 for one without steps. */
  readonly lastSteps: readonly number[];
}

/** The places of the source that the instructions of one contract come from. */
interface Places {
  /** By program counter: the index of the file among all files; -1 for none. */
  readonly files: Int32Array;
  /** By program counter; 0 for none. */
  readonly lines: Int32Array;
}

/** The places of the contracts of an execution, and the names of their files. */
export class StepPlaces {
  readonly files: readonly StepFile[];
  /** The places of the variables; `null` unless asked for. */
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
    // The compiler gives code that it adds to a contract the place of the whole contract, at which no reader would stop.
    if (file === null || file.outline.functionAt(range.start) === null) continue;
    const index = indexes.get(file) ?? indexOf(file);
    indexes.set(file, index);
    files[pc] = index;
    lines[pc] = file.outline.positionOf(range.start).line;
  }
  return { files, lines };
}

/** Statements of one execution that are reported; what is behind them has opcodes only. */
const MOST_STATEMENTS = 200_000;

/** About how many characters of JSON a statement, and a frame with its last step take. */
const STATEMENT_SIZE = 24;
const FRAME_SIZE = 220;

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
  readonly #memory = new MemoryWords(memoryWords);
  readonly #variables: StepVariables | null;
  /** The variables of the last step of the page, as JSON. */
  #lastVariables = '';
  readonly #stack = new StackItems((item) => `0x${item.toString(16)}`);
  readonly #storage: StepStorage;
  /** The storage at the first step of the page; `null` before it. */
  #storageBefore: StorageOfAccounts | null = null;
  #count = 0;

  constructor(subject: TraceSubject, contracts: ContractsOfFrames, places: StepPlaces, page: StepPage) {
    this.#budget = subject.budget;
    this.#contracts = contracts;
    this.#places = places;
    this.#page = page;
    this.#storage = new StepStorage(subject.budget);
    this.#variables = places.variables === null ? null : new StepVariables(places.variables);
  }

  frameStart({ kind, depth, to, input }: FrameStart): void {
    this.#budget.spend(FRAME_SIZE);
    this.#variables?.open(input);
    this.#memory.open();
    this.#stack.open();
    this.#storage.open();
    const contract = this.#contracts[this.#frames.length]?.name ?? null;
    const address = toHex(to);
    const around = this.#frames[this.#open.at(-1) ?? -1];
    const isOnStorageOfCaller = kind === 'DELEGATECALL' || kind === 'CALLCODE';
    const storageAddress = (isOnStorageOfCaller ? around?.storageAddress : undefined) ?? address;
    this.#open.push(this.#frames.length);
    this.#frames.push({ type: kind, depth, address, storageAddress, contract });
    this.#lastSteps.push(-1);
  }

  frameEnd({ outcome }: FrameEnd): void {
    this.#variables?.close();
    this.#memory.close();
    this.#stack.close();
    this.#storage.close(outcome);
    this.#open.pop();
  }

  step(step: ExecutionStep): void {
    const frame = this.#open.at(-1) ?? 0;
    const index = this.#count++;
    this.#lastSteps[frame] = index;
    this.#mark(frame, index, step.pc);
    const { first, count, memory } = this.#page;
    if (index === first) this.#storageBefore = this.#storage.all();
    if (index >= first + count) return;
    this.#variables?.follow(step);
    const stack = this.#stack.before(step);
    const undone = this.#storage.takeUndone();
    const touched = this.#storage.touch(step, index < first);
    if (index < first) return;
    const words =
      memory || this.#variables !== null ? this.#memory.before(step.opcode, () => step.memory()) : [];
    const shown: InspectedStep = {
      index,
      frame,
      pc: step.pc,
      op: opcodeName(step.opcode),
      gas: Number(step.gas),
      gasCost: Number(step.gasCost),
      stack: stack.slice(),
      ...(memory ? { memory: words } : {}),
      ...touched,
      ...(undone.length === 0 ? {} : { undone }),
      ...this.#variablesOf(step, words),
    };
    this.#budget.spend(stepSize(shown) + undone.length * UNDONE_SIZE);
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
      storage: this.#storageBefore ?? this.#storage.all(),
      storageLimit: MOST_SLOTS,
    };
  }
}
