/** Finds the functions of source texts by name, for function breakpoints. */

import { SourceOutline } from '../../artifacts/source-outline.ts';
import { finish } from '../../primitives/steps.ts';
import type { OutlineFile } from './outline.ts';

export interface FunctionDefinition {
  /** The index of the file. */
  readonly file: number;
  /** The contract or library around it; `null` for a free function. */
  readonly contract: string | null;
  readonly name: string;
  /** From 1, inclusive. */
  readonly firstLine: number;
  readonly lastLine: number;
}

const VYPER = /\.vyi?$/;
const FUNCTIONS: ReadonlySet<string> = new Set(['function', 'constructor', 'fallback', 'receive']);

/** Returns the functions of all files, in the order of the files. */
export function functionDefinitions(files: readonly OutlineFile[]): FunctionDefinition[] {
  const found: FunctionDefinition[] = [];
  for (const [file, { name: path, content }] of files.entries()) {
    const module = VYPER.test(path) ? (path.split('/').at(-1)?.replace(VYPER, '') ?? null) : null;
    const outline = finish(SourceOutline.read(content, module));
    for (const { kind, name, contract, start, end } of outline.definitions) {
      if (!FUNCTIONS.has(kind)) continue;
      const [firstLine, lastLine] = [outline.lineOf(start), outline.lineOf(Math.max(start, end - 1))];
      found.push({ file, contract, name, firstLine, lastLine });
    }
  }
  return found;
}

/** A function breakpoint: `Token.transfer`, or `transfer` in any contract. Parameter types are ignored. */
export interface FunctionName {
  /** `null` for any contract. */
  readonly contract: string | null;
  readonly name: string;
}

const NAME = /^\s*(?:(?<contract>[A-Za-z_$][\w$]*)\.)?(?<name>[A-Za-z_$][\w$]*)\s*(?:\([^()]*\))?\s*$/;

/** Returns the parts of a function name; `null` if it is invalid. */
export function functionName(text: string): FunctionName | null {
  const { contract = null, name } = NAME.exec(text)?.groups ?? {};
  if (name === undefined) return null;
  return { contract, name };
}
