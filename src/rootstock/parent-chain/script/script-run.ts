// The state of a script that runs.

import { equalBytes } from '../../../primitives/bytes.ts';
import { readOperations } from './opcodes.ts';
import { ScriptError } from './script-error.ts';
import { decodeNumber, isTrue, NUMBER_SIZE } from './script-values.ts';
import type { InputChecker, ScriptRules, ScriptVersion } from './signature-check.ts';

const MAX_OPERATIONS = 201;

/** How a script runs. */
export interface ScriptContext {
  readonly checker: InputChecker;
  readonly version: ScriptVersion;
  readonly rules: ScriptRules;
}

/** A script that runs, with its stack. */
export class ScriptRun {
  readonly script: Uint8Array;
  readonly stack: Uint8Array[];
  readonly context: ScriptContext;
  readonly altStack: Uint8Array[] = [];
  /** One value per open OP_IF: true if its current branch runs. */
  readonly branches: boolean[] = [];
  /** The start of the code that signatures sign: behind the last OP_CODESEPARATOR. */
  codeStart = 0;
  #operations = 0;

  constructor(script: Uint8Array, stack: Uint8Array[], context: ScriptContext) {
    this.script = script;
    this.stack = stack;
    this.context = context;
  }

  get isPolicy(): boolean {
    return this.context.rules === 'policy';
  }

  countOperations(count: number): void {
    this.#operations += count;
    if (this.#operations > MAX_OPERATIONS) throw new ScriptError('OP_COUNT');
  }

  /** Throws unless the stack has `count` values. */
  require(count: number): void {
    if (this.stack.length < count) throw new ScriptError('INVALID_STACK_OPERATION');
  }

  pop(): Uint8Array {
    const value = this.stack.pop();
    if (value === undefined) throw new ScriptError('INVALID_STACK_OPERATION');
    return value;
  }

  /** Returns the value at this depth; 0 is the top. */
  peek(depth: number): Uint8Array {
    const value = this.stack.at(-1 - depth);
    if (value === undefined) throw new ScriptError('INVALID_STACK_OPERATION');
    return value;
  }

  /** Removes and returns the value at this depth. */
  remove(depth: number): Uint8Array {
    const value = this.peek(depth);
    this.stack.splice(-1 - depth, 1);
    return value;
  }

  number(value: Uint8Array, maximum = NUMBER_SIZE): number {
    return decodeNumber(value, maximum, this.isPolicy);
  }

  popNumber(): number {
    return this.number(this.pop());
  }

  /** Throws unless the top value is true, and removes it. */
  verify(reason: ConstructorParameters<typeof ScriptError>[0]): void {
    if (!isTrue(this.peek(0))) throw new ScriptError(reason);
    this.stack.pop();
  }

  /** The code that signatures sign, without the signatures in scripts of version `base`. */
  signedCode(signatures: readonly Uint8Array[]): Uint8Array {
    const code = this.script.subarray(this.codeStart);
    if (this.context.version === 'witness') return code;
    return signatures.reduce((rest, signature) => withoutPush(rest, signature), code);
  }
}

/** Returns the script without the operations that push exactly `data`. */
function withoutPush(script: Uint8Array, data: Uint8Array): Uint8Array {
  if (data.length === 0) return script;
  const kept: Uint8Array[] = [];
  let start = 0;
  for (const operation of readOperations(script)) {
    if (operation === null) return script;
    const isRemoved = operation.data !== null && equalBytes(operation.data, data);
    if (!isRemoved) kept.push(script.subarray(start, operation.end));
    start = operation.end;
  }
  return kept.length === 0 ? new Uint8Array(0) : new Uint8Array(Buffer.concat(kept));
}
