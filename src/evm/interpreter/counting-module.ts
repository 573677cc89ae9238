// The interpreter that counts what runs: loaded only where that is asked for.

import type { ExecutionCounts } from '../execution-counts.ts';
import { COUNTING_INTERPRETER_BINARY } from './generated/counting-interpreter-binary.ts';
import type { InterpreterCounting } from './interpreter-module.ts';

/** Returns what an engine needs to count what it runs. */
export function interpreterCounting(counts: ExecutionCounts): InterpreterCounting {
  return { module: new WebAssembly.Module(Buffer.from(COUNTING_INTERPRETER_BINARY, 'base64')), counts };
}
