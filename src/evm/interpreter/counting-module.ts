// The interpreter variant that counts executions. It is loaded only for coverage.

import type { ExecutionCounts } from '../execution-counts.ts';
import { COUNTING_INTERPRETER_BINARY } from './generated/counting-interpreter-binary.ts';
import type { InterpreterCounting } from './interpreter-module.ts';

export function interpreterCounting(counts: ExecutionCounts): InterpreterCounting {
  return { module: new WebAssembly.Module(Buffer.from(COUNTING_INTERPRETER_BINARY, 'base64')), counts };
}
