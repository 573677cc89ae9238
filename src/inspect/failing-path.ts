/**
 * Finds the frames on the path to a failure, and the statement that threw the error. The optimizer merges the
 * ends of statements. The last opcode's place may therefore belong to another `revert` of the same function;
 * the revert data identify the error.
 */

import type { SourceRange } from '../artifacts/source-map.ts';
import { UNSTARTED } from '../evm/halt-reasons.ts';
import { isCreation } from '../evm/observer.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { RecordedFrame } from './execution-recorder.ts';
import type { ContractsOfFrames, KnownContract } from './known-contracts.ts';
import { isHandedOn } from './proxies.ts';

/** Returns true if the frame failed because its last call failed. Solidity forwards its revert data. */
function passesOn(frame: RecordedFrame, child: RecordedFrame, contract: KnownContract | null): boolean {
  if (frame.end.outcome !== 'revert' || child.end.outcome === 'success') return false;
  // A call that was rejected before it started (too deep, balance too low) fails in its caller.
  if (child.code.length === 0 && !child.start.isPrecompile) return false;
  if (UNSTARTED.has(child.end.haltReason ?? '')) return false;
  // On Rootstock a failed creation leaves no return data, so its caller passes on none.
  const isLost = isCreation(child.start.kind) && frame.end.output.length === 0;
  if (!isLost && !equalBytes(frame.end.output, child.end.output)) return false;
  if (!isLost && child.end.output.length > 0) return true;
  // A proxy reverts if its implementation did.
  if (isHandedOn(frame, child)) return true;
  // Without data, the cause may also be a `require` of a low-level call's result, elsewhere in the source.
  const map = contract?.map ?? null;
  if (map === null || frame.lastPc === null) return true;
  const called = child.callPc === null ? null : map.rangeAt(child.callPc);
  const failed = frame.failedPc === null ? null : map.rangeAt(frame.failedPc);
  return called === null || failed === null || endedAt(frame, contract, child);
}

/** The source place of a call, and the place of the function that it ran for. */
interface CodePlace {
  readonly callPc: number | null;
  readonly callCodePc: number | null;
}

/** Returns true if the frame failed at the call, or at the check of the account before it. */
export function endedAt(
  { failedPc, failedCodePc, code }: RecordedFrame,
  contract: KnownContract | null,
  { callPc, callCodePc }: CodePlace,
): boolean {
  const map = contract?.map ?? null;
  const isSame = (pc: number | null, other: number | null): boolean => {
    const range = pc === null ? null : (map?.rangeAt(pc) ?? null);
    const second = other === null ? null : (map?.rangeAt(other) ?? null);
    return range !== null && second !== null && isSameRange(range, second);
  };
  if (isSame(failedPc, callPc) || isSame(failedCodePc, callCodePc)) return true;
  // Vyper gives the call opcode the place of an argument, or none.
  const isVyper = contract?.match.artifact.compiler.language === 'Vyper';
  return isVyper && isStraight(code, callCodePc, failedCodePc);
}

/** Opcodes between a call and the conditional jump on its result. */
const IN_BETWEEN: ReadonlySet<number> = new Set([
  OPCODES.ISZERO,
  OPCODES.POP,
  OPCODES.JUMPI,
  OPCODES.RETURNDATASIZE,
  OPCODES.RETURNDATACOPY,
]);

/** Returns true if only a check of the call's result lies between two program counters. */
function isStraight(code: Uint8Array, from: number | null, to: number | null): boolean {
  if (from === null || to === null || to <= from) return false;
  for (let pc = from + 1; pc < to; pc++) {
    const opcode = code[pc] ?? 0;
    if (opcode >= OPCODES.PUSH1 && opcode <= OPCODES.PUSH32) pc += opcode - OPCODES.PUSH1 + 1;
    else if (!IN_BETWEEN.has(opcode) && (opcode < OPCODES.PUSH0 || opcode > OPCODES.SWAP16)) return false;
  }
  return true;
}

function isSameRange(left: SourceRange, right: SourceRange): boolean {
  return left.file === right.file && left.start === right.start && left.length === right.length;
}

/** Returns the last call of the frame; `null` without calls. */
export function lastCall({ items }: RecordedFrame): RecordedFrame | null {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.kind === 'call') return item.frame;
  }
  return null;
}

/** Returns the frames from the outermost one to the one that failed first. */
export function failingPath(root: RecordedFrame, contracts: ContractsOfFrames): RecordedFrame[] {
  const path: RecordedFrame[] = [];
  for (let frame: RecordedFrame | null = root; frame !== null; ) {
    path.push(frame);
    const child = lastCall(frame);
    frame = child !== null && passesOn(frame, child, contracts[frame.index] ?? null) ? child : null;
  }
  return path;
}

/** A part of a text, in UTF-8 bytes. */
export interface TextRange {
  readonly start: number;
  readonly length: number;
}

/** Matches comments and strings, to skip them, and names before a bracket, with any `revert` in front. */
const CALLED =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n]){0,100000}"?|'(?:\\[\s\S]|[^'\\\n]){0,100000}'?|(?<revert>\brevert\s+)?(?<name>[A-Za-z_$][\w$.]*)\s*\(/g;
/** Maximum length of a function to search, in characters. */
const MAX_FUNCTION_LENGTH = 100_000;

/**
 * Returns the function's only `revert` with the error of this name. Returns `null` if the text does not name
 * the error, names it more than once, or names it outside a `revert`.
 */
function throwingStatement(text: string, error: string): TextRange | null {
  if (text.length > MAX_FUNCTION_LENGTH) return null;
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(CALLED)) {
    const { name } = match.groups ?? {};
    if (name !== undefined && name.slice(name.lastIndexOf('.') + 1) === error) found.push(match);
  }
  const [only] = found;
  if (only === undefined || found.length > 1 || only.groups?.revert === undefined) return null;
  return { start: Buffer.byteLength(text.slice(0, only.index)), length: Buffer.byteLength(only[0]) };
}

/** Matches a `revert` with an error, from the keyword to the opening bracket. */
const REVERT = /\brevert\s+(?:[\w$]+\.)*([\w$]+)\s*\(/g;

/** Returns the error name of the `revert` at this byte offset of a function; `null` if there is none. */
function thrownAround(text: string, place: number): string | null {
  if (text.length > MAX_FUNCTION_LENGTH) return null;
  for (const match of text.matchAll(REVERT)) {
    const start = Buffer.byteLength(text.slice(0, match.index));
    if (place >= start && place < start + Buffer.byteLength(match[0])) return match[1] ?? null;
  }
  return null;
}

/**
 * Returns the only `revert` that throws this error, in bytes from the start of `text`, the source of one
 * function.
 * `place` is where the source map puts the last opcode, in the same bytes; `null` if it maps it to the whole
 * function.
 * Returns `null` if the `revert` is ambiguous. The optimizer only merges `revert` statements, so it also
 * returns `null` unless `place` is `null` or in a `revert` of another error.
 */
export function otherThrow(text: string, place: number | null, error: string): TextRange | null {
  const found = place === null ? null : thrownAround(text, place);
  if (place !== null && (found === null || found === error)) return null;
  return throwingStatement(text, error);
}

/** Versions of solc that leave the opcodes of `revert()` without a place in the source. */
const LEAVES_REVERTS_UNPLACED = /^0\.6\.[3-8]\b/;

/**
 * Returns true if the frame ended without data at an opcode without a place. Some solc versions give
 * `revert()` no place.
 */
export function endedUnplaced({ end, lastPc }: RecordedFrame, { match, map }: KnownContract): boolean {
  if (end.outcome !== 'revert' || end.output.length > 0 || lastPc === null) return false;
  const { version } = match.artifact.compiler;
  return LEAVES_REVERTS_UNPLACED.test(version ?? '') && map?.rangeAt(lastPc) === null;
}

/** Matches text between two statements, part by part to avoid backtracking: spaces, brackets, comments. */
const BETWEEN_STATEMENTS = /[\s;{}]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const BARE_REVERT = /\brevert\s*\(\s*\)/g;
const NEXT_REVERT = /revert\s*\(\s*\)/y;

/** Returns the index of the `revert()` if it is the next statement of the text; otherwise `null`. */
function nextRevert(text: string): number | null {
  let place = 0;
  const matches = (expression: RegExp): boolean => {
    expression.lastIndex = place;
    return expression.test(text);
  };
  while (matches(BETWEEN_STATEMENTS)) place = BETWEEN_STATEMENTS.lastIndex;
  return matches(NEXT_REVERT) ? place : null;
}

/** Matches the head of a function without modifiers. A modifier would run before the body. */
const HEAD =
  /^(?:function\b[^({]*|constructor\s*|fallback\s*|receive\s*|modifier\b[^({]*)(?:\([^)]*\))?(?:\s*\b(?:public|external|internal|private|view|pure|payable|virtual|override(?:\s*\([^)]*\))?|returns\s*\([^)]*\)))*\s*\{/;
/** Matches the head of an `if`. Brackets in its condition may nest one level. */
const IF = /^if\s*\((?:[^()]|\([^()]*\))*\)/;

/**
 * Returns the `revert()` that ran after the last opcode with a place, in bytes from the start of the
 * function. `place` is the place of that opcode; `null` means the whole function. Returns `null` if the
 * source does not prove that the `revert()` ran next.
 */
export function revertAfter(text: string, place: TextRange | null): TextRange | null {
  if (text.length > MAX_FUNCTION_LENGTH) return null;
  const bytes = Buffer.from(text);
  const textAt = (start: number, end?: number): string => bytes.subarray(start, end).toString();
  const from = (start: number): TextRange | null => {
    const rest = textAt(start);
    const place = nextRevert(rest);
    return place === null
      ? null
      : { start: start + Buffer.byteLength(rest.slice(0, place)), length: 'revert()'.length };
  };
  if (place === null) {
    const head = HEAD.exec(text)?.[0];
    return head === undefined ? null : from(Buffer.byteLength(head));
  }
  const end = place.start + place.length;
  const statement = textAt(place.start, end);
  const condition = IF.exec(statement)?.[0];
  if (condition !== undefined) {
    const isOnly = statement.match(BARE_REVERT)?.length === 1 && from(end) === null;
    return isOnly ? from(place.start + Buffer.byteLength(condition)) : null;
  }
  // A call or a `require` can have ended there itself.
  return statement.includes('(') ? null : from(end);
}
