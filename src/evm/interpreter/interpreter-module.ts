// The WebAssembly module of the interpreter, with its imports and exports.

import type { ExecutionCounts } from '../execution-counts.ts';
import { INTERPRETER_BINARY } from './generated/interpreter-binary.ts';

/** The imports of the module; `assembly/host.ts` documents their results. */
export interface InterpreterImports {
  loadAccount(account: number): number;
  loadSlot(slot: number, account: number): number;
  loadCode(account: number, target: number): number;
  loadBlockHash(number: number, target: number): number;
  callPrecompile(account: number, input: number, length: number, kind: number, sent: number): number;
  preparePrecompile(account: number, input: number, length: number, kind: number, sent: number): number;
  callConsole(caller: number, input: number, length: number): void;
  outOfMemory(): never;
  frameStart(
    kind: number,
    depth: number,
    from: number,
    to: number,
    input: number,
    length: number,
    value: number,
    isPrecompile: number,
  ): number;
  frameEnd(end: number, output: number, length: number): void;
  step(pc: number, opcode: number, depth: number, stackPointer: number): void;
  trail(): void;
  fault(end: number): void;
  log(log: number): void;
  /** Only in the counting module. */
  countedCode?(record: number, raw: number, length: number, isShared: number): void;
  counted?(start: number, end: number, times: number): void;
}

/** The events of an observed message. The module reports all events except transfers and remarks of precompiles. */
export interface InterpreterEvents
  extends Pick<InterpreterImports, 'frameStart' | 'frameEnd' | 'step' | 'trail' | 'fault' | 'log'> {
  remark(text: string): void;
  /** `from` and `to` are account records, `value` is in wei. */
  transfer(from: number, to: number, value: bigint): void;
}

/** The exports of the module; `assembly/interpreter.ts` and `assembly/message.ts` document them. */
export interface InterpreterExports {
  readonly memory: WebAssembly.Memory;
  readonly PARAMETERS: WebAssembly.Global;
  readonly OPCODE_TABLE: WebAssembly.Global;
  readonly CONTEXT: WebAssembly.Global;
  readonly RESULT: WebAssembly.Global;
  readonly EVENT: WebAssembly.Global;
  readonly WANTED_STEPS: WebAssembly.Global;
  readonly TRAIL: WebAssembly.Global;
  readonly SCRATCH: WebAssembly.Global;
  readonly invalidOpcode: WebAssembly.Global;
  readonly returnLength: WebAssembly.Global;
  readonly memoryBase: WebAssembly.Global;
  readonly stackBase: WebAssembly.Global;
  readonly self: WebAssembly.Global;
  readonly depth: WebAssembly.Global;
  readonly isStatic: { value: number };
  initialize(): void;
  setMemoryBound(bytes: number): void;
  memoryTop(): number;
  memoryInUse(): number;
  frameMemorySize(): number;
  recordBytes(): number;
  forgetState(): void;
  beginMessage(dataLength: number, traced: number): number;
  fetchParties(): number;
  enter(): void;
  undoEntry(): void;
  start(): number;
  run(): number;
  allowSlice(gas: bigint): void;
  chargeSlice(gas: bigint): void;
  takeTrail(): number;
  readResult(): void;
  payFees(): void;
  accountAt(word: number): number;
  slotAt(account: number, key: number): number;
  writeSlot(slot: number, value: number): void;
  writeTransientSlot(account: number, key: number, value: number): void;
  addLog(account: number, count: number, topics: number, source: number, length: number): number;
  warm(account: number): void;
  warmSlot(slot: number): void;
  beginChange(account: number): void;
  setFlag(account: number, flag: number): void;
  setCode(account: number, source: number, length: number): void;
  rawCodeOf(account: number): number;
  listChanges(count: number): number;
  keepChanges(): void;
  dropChanges(): void;
  releaseCreatedCode(): void;
  returnData(): number;
  reserveReturnData(length: number): number;
  logsStart(): number;
  logMark(): number;
  /** Only in the counting module. */
  takeCounts?(): void;
}

/** The counting module, and the receiver of its counts. */
export interface InterpreterCounting {
  readonly module: WebAssembly.Module;
  readonly counts: ExecutionCounts;
}

/** Compiles the module on first use, because startup does not need it. V8 compiles each function lazily. */
class ModuleOfFirstUse {
  #compiled: WebAssembly.Module | undefined;

  get compiled(): WebAssembly.Module {
    this.#compiled ??= new WebAssembly.Module(Buffer.from(INTERPRETER_BINARY, 'base64'));
    return this.#compiled;
  }
}

const interpreterModule = new ModuleOfFirstUse();

/** Creates an instance with its own memory. The default module does not count. */
export function instantiate(
  imports: InterpreterImports,
  module: WebAssembly.Module = interpreterModule.compiled,
): InterpreterExports {
  const { exports } = new WebAssembly.Instance(module, {
    host: { ...imports },
    env: {
      abort: () => {
        throw new Error('the interpreter aborted');
      },
    },
  });
  return exports as unknown as InterpreterExports;
}
