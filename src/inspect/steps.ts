/** Lists the steps of an execution for a debugger: all source statements, and one page of opcodes. */

import type { DecodedParameter } from '../artifacts/decoding.ts';
import type { JumpKind, SourceMap } from '../artifacts/source-map.ts';
import type { ExecutionStep, FrameEnd, FrameKind, FrameStart } from '../evm/observer.ts';
import { opcodeName } from '../evm/observer.ts';
import { MemoryWords, memoryWords, StackItems, stepSize } from '../evm/tracers/step-recording.ts';
import type { Tracer, TraceSubject } from '../evm/tracers/tracer.ts';
import { toHex } from '../primitives/hex.ts';
import { ready } from '../primitives/steps.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { Task } from '../scheduling/task.ts';
import type { ContractsOfFrames, KnownContract } from './known-contracts.ts';
import type { KnownFile } from './known-files.ts';
import { StatementPlaces } from './statement-places.ts';
import {
  MAX_SLOTS,
  StepStorage,
  type StorageOfAccounts,
  type TouchedSlot,
  UNDONE_SIZE,
  type UndoneSlot,
} from './step-storage.ts';
import {
  type KnownVariablePlaces,
  StepVariables,
  type VariablesOfFrames,
} from './variables/step-variables.ts';

/** The page of opcodes to return in full. */
export interface StepPage {
  readonly first: number;
  readonly count: number;
  readonly memory: boolean;
  /** True to report the variables of the functions. */
  readonly variables: boolean;
  /** True to report the function depth of each statement, and the statements at function definitions. */
  readonly depths: boolean;
  /** True to report events, console output and failures of frames. */
  readonly events: boolean;
}

/** One opcode, before its execution, with the slot that it touches, if any. */
export interface InspectedStep extends Partial<TouchedSlot> {
  /** From 0, over the whole execution. */
  readonly index: number;
  readonly frame: number;
  readonly pc: number;
  readonly op: string;
  /** Gas left before the opcode. */
  readonly gas: number;
  readonly gasCost: number;
  /** QUANTITY; the top of the stack is last. */
  readonly stack: readonly string[];
  /** Words of 64 digits. Absent unless requested. */
  readonly memory?: readonly string[];
  /** The slots that failed frames restored since the previous step. Absent if there are none. */
  readonly undone?: readonly UndoneSlot[];
  /**
   * The variables of the innermost function; `null` if they are unknown. Absent unless requested, and if they
   * equal the variables of the previous step of the page.
   */
  readonly variables?: readonly DecodedParameter[] | null;
  /** The reason why the opcode failed; absent if it succeeded. */
  readonly error?: string;
}

/** Consecutive steps on one line of one function call. */
export interface InspectedStatement {
  /** The index of the first step. */
  readonly first: number;
  readonly frame: number;
  /** The index of the file; -1 if the steps have no file. */
  readonly file: number;
  /** From 1; 0 if unknown. */
  readonly line: number;
}

/** A frame of the execution. Frames are in call order. */
export interface StepFrame {
  readonly type: FrameKind;
  readonly depth: number;
  readonly address: string;
  /** The account whose storage the code uses; the caller's for DELEGATECALL and CALLCODE. */
  readonly storageAddress: string;
  /** The contract's name; `null` if unknown. */
  readonly contract: string | null;
}

export interface StepFile {
  readonly name: string;
  readonly content: string;
}

export interface Steps {
  /** The total number of steps. */
  readonly count: number;
  readonly statements: readonly InspectedStatement[];
  /**
   * The number of internal functions in the statement's frame that have not ended at its first step. By index
   * of the statement; empty unless requested.
   */
  readonly depths: readonly number[];
  /**
   * The indexes of statements at the head of a function or at a whole block: entries and exits. Empty unless
   * depths are requested.
   */
  readonly definitions: readonly number[];
  readonly frames: readonly StepFrame[];
  readonly files: readonly StepFile[];
  readonly steps: readonly InspectedStep[];
  /** The slots touched before the page, with their values at its first step. */
  readonly storage: StorageOfAccounts;
  /** Maximum slots per account in `storage`. */
  readonly storageLimit: number;
  /** The index of each frame's last step; -1 for a frame without steps. */
  readonly lastSteps: readonly number[];
  /** The step that started each frame; -1 for the message itself. */
  readonly callSteps: readonly number[];
  /** The steps of the logs of each frame. */
  readonly logSteps: readonly (readonly number[])[];
}

/** The source places of the instructions of one contract. */
interface Places {
  /** By program counter: the index among all files; -1 for none. */
  readonly files: Int32Array;
  /** By program counter; 0 for none. */
  readonly lines: Int32Array;
  /** By program counter: 1 if the place is in the head of a function, or a whole function or block. */
  readonly definitions: Uint8Array;
  readonly map: SourceMap;
}

/** The source places of all contracts of an execution, and their files. */
export class StepPositions {
  readonly files: readonly StepFile[];
  /** The locations of variables; `null` unless requested. */
  readonly variables: VariablesOfFrames | null;
  readonly #byFrame: readonly (Places | null)[];

  private constructor(
    files: readonly StepFile[],
    byFrame: readonly (Places | null)[],
    variables: VariablesOfFrames | null,
  ) {
    this.files = files;
    this.#byFrame = byFrame;
    this.variables = variables;
  }

  /**
   * Resolves to the places, with variables unless `variables` is `null`. The time is proportional to the size
   * of the codes.
   */
  static async of(
    contracts: ContractsOfFrames,
    variables: KnownVariablePlaces | null,
  ): Promise<StepPositions> {
    const files: StepFile[] = [];
    /** By name and content, because contracts can come from different builds of one file. */
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
    return new StepPositions(files, byFrame, variables === null ? null : await variables.of(contracts));
  }

  /** Returns the file of an instruction; -1 for none. */
  fileAt(frame: number, pc: number): number {
    return this.#byFrame[frame]?.files[pc] ?? -1;
  }

  /** Returns the line of an instruction; 0 for none. */
  lineAt(frame: number, pc: number): number {
    return this.#byFrame[frame]?.lines[pc] ?? 0;
  }

  /** Returns true if the place of an instruction is the head of a function or a block, not a statement. */
  isDefinitionAt(frame: number, pc: number): boolean {
    return this.#byFrame[frame]?.definitions[pc] === 1;
  }

  /** Returns the kind of the jump at an instruction. */
  jumpAt(frame: number, pc: number): JumpKind {
    return this.#byFrame[frame]?.map.jumpAt(pc) ?? 'other';
  }
}

async function placesOf(
  contract: KnownContract,
  indexOf: (file: KnownFile) => number,
): Promise<Places | null> {
  const { map } = contract;
  const { bytes } = contract.match.artifact[contract.side] ?? {};
  if (map === null || bytes === undefined) {
    // The call stack has the position of the constructor, also without a source map.
    const own = await contract.ownFile();
    if (own !== null) indexOf(own);
    return null;
  }
  const files = new Int32Array(bytes.length).fill(-1);
  const lines = new Int32Array(bytes.length);
  const definitions = new Uint8Array(bytes.length);
  const known = new Map<KnownFile, { readonly index: number; readonly places: StatementPlaces }>();
  for (let pc = 0; pc < bytes.length; pc++) {
    const range = map.rangeAt(pc);
    if (range === null) continue;
    const file = await contract.file(range.file);
    if (file === null) continue;
    // Positions of the call stack can be outside of functions, so the file is listed in any case.
    const { index, places } = known.get(file) ?? {
      index: indexOf(file),
      places: new StatementPlaces(file.outline),
    };
    known.set(file, { index, places });
    const place = places.at(range.start);
    // The compiler gives its own code the place of the whole contract. A debugger should not stop there.
    if (place === null) continue;
    files[pc] = index;
    lines[pc] = place.line;
    definitions[pc] = place.isDefinition ? 1 : 0;
  }
  return { files, lines, definitions, map };
}

/** Maximum statements to report. Later steps are only reported as opcodes. */
const MAX_STATEMENTS = 200_000;

/** Approximate characters of JSON per statement, per depth, and per frame with its last step. */
const STATEMENT_SIZE = 24;
const DEPTH_SIZE = 4;
const FRAME_SIZE = 220;

/** Records the steps of an execution. Throws `TraceTooLargeError` if the result grows too large. */
export class StepRecorder implements Tracer<Steps> {
  readonly #page: StepPage;
  readonly #places: StepPositions;
  readonly #contracts: ContractsOfFrames;
  readonly #budget: TraceSubject['budget'];
  readonly #frames: StepFrame[] = [];
  readonly #lastSteps: number[] = [];
  /** The indexes of the open frames. */
  readonly #open: number[] = [];
  readonly #statements: InspectedStatement[] = [];
  readonly #depths: number[] = [];
  readonly #definitions: number[] = [];
  readonly #callSteps: number[] = [];
  readonly #logSteps: number[][] = [];
  /** The internal functions that have not ended, by open frame. */
  readonly #functions: number[] = [];
  readonly #steps: InspectedStep[] = [];
  readonly #memory = new MemoryWords(memoryWords);
  readonly #variables: StepVariables | null;
  /** The variables of the page's last step, as JSON. */
  #lastVariables = '';
  readonly #stack = new StackItems((item) => `0x${item.toString(16)}`);
  readonly #storage: StepStorage;
  /** The storage at the page's first step; `null` before it. */
  #storageBefore: StorageOfAccounts | null = null;
  #count = 0;

  constructor(subject: TraceSubject, contracts: ContractsOfFrames, places: StepPositions, page: StepPage) {
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
    this.#callSteps.push(this.#count - 1);
    this.#logSteps.push([]);
    this.#functions.push(0);
  }

  frameEnd({ outcome }: FrameEnd): void {
    this.#variables?.close();
    this.#memory.close();
    this.#stack.close();
    this.#storage.close(outcome);
    this.#open.pop();
    this.#functions.pop();
  }

  log(): void {
    this.#budget.spend(DEPTH_SIZE);
    this.#logSteps[this.#open.at(-1) ?? 0]?.push(this.#count - 1);
  }

  step(step: ExecutionStep): void {
    const frame = this.#open.at(-1) ?? 0;
    const index = this.#count++;
    this.#lastSteps[frame] = index;
    this.#mark(frame, index, step.pc);
    if (step.opcode === OPCODES.JUMP) this.#jump(frame, step.pc);
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
    if (this.#statements.length >= MAX_STATEMENTS) return;
    const file = this.#places.fileAt(frame, pc);
    const line = this.#places.lineAt(frame, pc);
    const last = this.#statements.at(-1);
    const isDefinition = this.#page.depths && this.#places.isDefinitionAt(frame, pc);
    if (last !== undefined && last.frame === frame && last.file === file && last.line === line) {
      // On one line, a statement follows the definition of its function.
      if (!isDefinition && this.#definitions.at(-1) === this.#statements.length - 1) this.#definitions.pop();
      return;
    }
    this.#budget.spend(STATEMENT_SIZE);
    this.#statements.push({ first: index, frame, file, line });
    if (!this.#page.depths) return;
    this.#budget.spend(DEPTH_SIZE);
    this.#depths.push(this.#functions.at(-1) ?? 0);
    if (isDefinition) this.#definitions.push(this.#statements.length - 1);
  }

  /** Counts the functions that a jump enters or leaves. */
  #jump(frame: number, pc: number): void {
    const kind = this.#places.jumpAt(frame, pc);
    const innermost = this.#functions.length - 1;
    const open = this.#functions[innermost] ?? 0;
    if (kind === 'into') this.#functions[innermost] = open + 1;
    else if (kind === 'out') this.#functions[innermost] = Math.max(0, open - 1);
  }

  fault(reason: string): void {
    const last = this.#steps.at(-1);
    if (last !== undefined && last.index === this.#count - 1)
      this.#steps[this.#steps.length - 1] = { ...last, error: reason };
  }

  /** Returns the steps. Call it once, after the execution. */
  result(): Task<Steps> {
    return ready({
      count: this.#count,
      statements: this.#statements,
      depths: this.#depths,
      definitions: this.#definitions,
      frames: this.#frames,
      files: this.#places.files,
      steps: this.#steps,
      lastSteps: this.#lastSteps,
      callSteps: this.#callSteps,
      logSteps: this.#logSteps,
      storage: this.#storageBefore ?? this.#storage.all(),
      storageLimit: MAX_SLOTS,
    });
  }
}
