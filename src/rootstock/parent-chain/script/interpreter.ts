// Runs scripts (without Taproot's).

import { isMinimalPush, OP, type Operation, pushedValue, readOperations } from './opcodes.ts';
import { OPERATIONS } from './operations.ts';
import { ScriptError } from './script-error.ts';
import { type ScriptContext, ScriptRun } from './script-run.ts';

const MAX_SCRIPT_SIZE = 10_000;
const MAX_PUSH_SIZE = 520;
const MAX_STACK_SIZE = 1000;

/** Runs a script on the stack, and changes the stack. Throws {@link ScriptError}. */
export function runScript(script: Uint8Array, stack: Uint8Array[], context: ScriptContext): void {
  if (script.length > MAX_SCRIPT_SIZE) throw new ScriptError('SCRIPT_SIZE');
  const run = new ScriptRun(script, stack, context);
  for (const operation of readOperations(script)) {
    if (operation === null) throw new ScriptError('BAD_OPCODE');
    runOperation(run, operation);
    if (stack.length + run.altStack.length > MAX_STACK_SIZE) throw new ScriptError('STACK_SIZE');
  }
  if (run.branches.length > 0) throw new ScriptError('UNBALANCED_CONDITIONAL');
}

function runOperation(run: ScriptRun, operation: Operation): void {
  const { code, data } = operation;
  const isRunning = !run.branches.includes(false);
  if (data !== null && data.length > MAX_PUSH_SIZE) throw new ScriptError('PUSH_SIZE');
  if (code > OP.PUSH_16) run.countOperations(1);
  if (isDisabled(code)) throw new ScriptError('DISABLED_OPCODE');
  if (code === OP.CODESEPARATOR && run.context.version === 'base' && run.isPolicy) {
    throw new ScriptError('CODESEPARATOR');
  }
  const isConditional = code >= OP.IF && code <= OP.ENDIF;
  if (!isRunning && !isConditional) return;
  const value = pushedValue(operation);
  if (value !== undefined) {
    if (data !== null && run.isPolicy && !isMinimalPush(code, data)) throw new ScriptError('MINIMALDATA');
    run.stack.push(value);
    return;
  }
  const handler = OPERATIONS.get(code);
  if (handler === undefined) throw new ScriptError('BAD_OPCODE');
  handler(run, operation);
}

function isDisabled(code: number): boolean {
  return (
    (code >= OP.CAT && code <= OP.RIGHT) ||
    (code >= OP.INVERT && code <= OP.XOR) ||
    code === OP.MUL2 ||
    code === OP.DIV2 ||
    (code >= OP.MUL && code <= OP.RSHIFT)
  );
}
