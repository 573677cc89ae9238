/** Finds the line with code for a line of a source. */

import type { SourceOutline } from '../artifacts/source-outline.ts';

/** The outline of a file, and its lines with code. */
export interface SourceLines {
  readonly outline: SourceOutline;
  readonly withCode: ReadonlySet<number>;
  /** True if the optimizer may have removed code. */
  readonly isOptimized: boolean;
}

const COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const WHITESPACE = /^\s*/;
/** Matches a line without a statement: brackets, and keywords that start a block. */
const WITHOUT_STATEMENT = /^(?:[{}()[\];,\s]|\b(?:else|do|try|unchecked|assembly)\b)*$/;
/** Matches the end of a statement, or the start of a block. */
const STATEMENT_END = /(?:^|[;{}])\s*$/;

/** Returns the text with its comments replaced by spaces, so that lines and columns stay the same. */
function withoutComments(text: string): string {
  return text.replace(COMMENTS, (comment) => comment.replace(/[^\n]/g, ' '));
}

/**
 * Returns the line, or the next line with code in the same function. A line outside of functions moves to the
 * next line with code of the file. Returns the reason as text if there is none, or if the optimizer removed
 * the code of the line.
 */
export function movedLine(line: number, { outline, withCode, isOptimized }: SourceLines): number | string {
  if (withCode.has(line)) return line;
  if (line > outline.lineCount) return `the file has ${outline.lineCount} lines`;
  const lines = outline.text.split('\n');
  const offset = Buffer.byteLength(lines.slice(0, line - 1).join('\n')) + (line > 1 ? 1 : 0);
  const indent = WHITESPACE.exec(lines[line - 1] ?? '')?.[0].length ?? 0;
  const around = outline.functionAt(offset + indent);
  const last = around === null ? outline.lineCount : outline.lineOf(around.end - 1);
  if (around !== null && isOptimized) {
    const body = outline.textOf(around.start, around.end - around.start);
    const head = outline.lineOf(around.start);
    if (hasStatement(withoutComments(body), line - head))
      return `the optimizer removed the code of line ${line}`;
  }
  for (let next = line + 1; next <= last; next++) if (withCode.has(next)) return next;
  return `line ${line} has no code`;
}

/** Returns true if a statement starts on this line of the function's text. Line 0 is the first one. */
function hasStatement(text: string, index: number): boolean {
  const lines = text.split('\n');
  const own = lines[index] ?? '';
  if (WITHOUT_STATEMENT.test(own)) return false;
  const before = lines.slice(0, index).join('\n');
  return before.includes('{') && STATEMENT_END.test(before);
}
