/**
 * Finds which frames failed because a call that they made did and which failed by themselves, and the statement that threw an error. The
 * optimizer shares the ends of statements, so that the place of what ran last may be that of another `revert` of the same function; which
 * error it was, the data of the failure say.
 */

import type { SourceRange } from '../artifacts/source-map.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { RecordedFrame } from './execution-recorder.ts';
import type { ContractsOfFrames, KnownContract } from './known-contracts.ts';
import { isHandedOn } from './proxies.ts';

/** The reasons for which a call never begins. */
const REFUSED: ReadonlySet<string> = new Set([HALT_REASONS.callTooDeep, HALT_REASONS.balanceTooLow]);

/** True when the frame failed because its last call did: Solidity passes on what a failed call returned. */
function passesOn(frame: RecordedFrame, child: RecordedFrame, contract: KnownContract | null): boolean {
  if (frame.end.outcome !== 'revert' || child.end.outcome === 'success') return false;
  // A call that was refused before it began (too deep, too little balance) fails in its caller.
  if (child.code.length === 0 && !child.start.isPrecompile) return false;
  if (REFUSED.has(child.end.haltReason ?? '')) return false;
  // On the network a creation that fails leaves no data, so that its caller passes on none.
  const isCreation = child.start.kind === 'CREATE' || child.start.kind === 'CREATE2';
  const isLost = isCreation && frame.end.output.length === 0;
  if (!isLost && !equalBytes(frame.end.output, child.end.output)) return false;
  if (!isLost && child.end.output.length > 0) return true;
  // A proxy reverts because what it handed its call to did.
  if (isHandedOn(frame, child)) return true;
  // Without data it may also be a `require` of the result of a low-level call, which stands elsewhere.
  const map = contract?.map ?? null;
  if (map === null || frame.lastPc === null) return true;
  const called = child.callPc === null ? null : map.rangeAt(child.callPc);
  const failed = frame.failedPc === null ? null : map.rangeAt(frame.failedPc);
  return called === null || failed === null || endedAt(frame, contract, child);
}

/** A place of the code, and that of the function which it ran for. */
interface CodePlace {
  readonly callPc: number | null;
  readonly callCodePc: number | null;
}

/** True when the frame failed where it made the call, or where it looked at the account before. */
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
  // Vyper gives the opcode of a call the place of one of its arguments, or none.
  const isVyper = contract?.match.artifact.compiler.language === 'Vyper';
  return isVyper && isStraight(code, callCodePc, failedCodePc);
}

/** Opcodes between a call and the jump that its result decides. */
const IN_BETWEEN: ReadonlySet<number> = new Set([
  OPCODES.ISZERO,
  OPCODES.POP,
  OPCODES.JUMPI,
  OPCODES.RETURNDATASIZE,
  OPCODES.RETURNDATACOPY,
]);

/** True when nothing but a decision lies between two places of a code, so that the second follows from the first. */
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

/** Returns the last call of the frame; `null` when it made none. */
export function lastCall({ items }: RecordedFrame): RecordedFrame | null {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.kind === 'call') return item.frame;
  }
  return null;
}

/** Returns the frames from the message to the one that failed first. */
export function failingPath(root: RecordedFrame, contracts: ContractsOfFrames): RecordedFrame[] {
  const path: RecordedFrame[] = [];
  for (let frame: RecordedFrame | null = root; frame !== null; ) {
    path.push(frame);
    const child = lastCall(frame);
    frame = child !== null && passesOn(frame, child, contracts[frame.index] ?? null) ? child : null;
  }
  return path;
}

/**
 * Finds the statement that threw an error. The optimizer shares the ends of statements, so that the place of what ran last may be
 * that of another `revert` of the same function; which error it was, the data of the failure say.
 */

/** A part of a text, in bytes of UTF-8. */
export interface TextRange {
  readonly start: number;
  readonly length: number;
}

/** Matches comments and strings, which throw nothing, and names before a bracket, with `revert` where it stands before them. */
const CALLED =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n]){0,100000}"?|'(?:\\[\s\S]|[^'\\\n]){0,100000}'?|(?<revert>\brevert\s+)?(?<name>[A-Za-z_$][\w$.]*)\s*\(/g;
/** The longest function, in characters, that is searched. */
const LONGEST_FUNCTION = 100_000;

/**
 * Returns where the function, of which `text` is the source, has its only `revert` with the error of this name; `null` where it names the
 * error nowhere, more than once, or otherwise than in a `revert`.
 */
function throwingStatement(text: string, error: string): TextRange | null {
  if (text.length > LONGEST_FUNCTION) return null;
  const found: RegExpExecArray[] = [];
  for (const match of text.matchAll(CALLED)) {
    const { name } = match.groups ?? {};
    if (name !== undefined && name.slice(name.lastIndexOf('.') + 1) === error) found.push(match);
  }
  const [only] = found;
  if (only === undefined || found.length > 1 || only.groups?.revert === undefined) return null;
  return { start: Buffer.byteLength(text.slice(0, only.index)), length: Buffer.byteLength(only[0]) };
}

/** A place in a `revert`: before the word, or behind it, at the error. */
const REVERT = /\brevert\s+(?:[\w$]+\.)*([\w$]+)\s*\(/g;

/** Returns the name of the error of the `revert` in which a place of a function is, in bytes from its start; `null` when it is in none. */
function thrownAround(text: string, place: number): string | null {
  if (text.length > LONGEST_FUNCTION) return null;
  for (const match of text.matchAll(REVERT)) {
    const start = Buffer.byteLength(text.slice(0, match.index));
    if (place >= start && place < start + Buffer.byteLength(match[0])) return match[1] ?? null;
  }
  return null;
}

/**
 * Returns where a function, of which `text` is the source, threw the error, in bytes from its start: the only `revert` with it.
 * `place` is where the function ended as far as its map says, `null` for somewhere in it. `null` is returned where the place is
 * no `revert` with another error, which the optimizer put together with the one that ran, or where it cannot be told.
 */
export function otherThrow(text: string, place: number | null, error: string): TextRange | null {
  const found = place === null ? null : thrownAround(text, place);
  if (place !== null && (found === null || found === error)) return null;
  return throwingStatement(text, error);
}

/** The versions of solc that leave the opcodes of `revert()` without a place in the source. */
const LEAVES_REVERTS_UNPLACED = /^0\.6\.[3-8]\b/;

/** True where the frame ended without data at an opcode that its compiler gave no place, as some do with those of `revert()`. */
export function endedUnplaced({ end, lastPc }: RecordedFrame, { match, map }: KnownContract): boolean {
  if (end.outcome !== 'revert' || end.output.length > 0 || lastPc === null) return false;
  const { version } = match.artifact.compiler;
  return LEAVES_REVERTS_UNPLACED.test(version ?? '') && map?.rangeAt(lastPc) === null;
}

/** Matches a part of what may stand between the end of a statement and the next one. Each part is matched once, whatever follows it. */
const BETWEEN_STATEMENTS = /[\s;{}]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const BARE_REVERT = /\brevert\s*\(\s*\)/g;
const NEXT_REVERT = /revert\s*\(\s*\)/y;

/** Returns where in the text the `revert()` begins that is its next statement; `null` where another one is. */
function nextRevert(text: string): number | null {
  let place = 0;
  const matches = (expression: RegExp): boolean => {
    expression.lastIndex = place;
    return expression.test(text);
  };
  while (matches(BETWEEN_STATEMENTS)) place = BETWEEN_STATEMENTS.lastIndex;
  return matches(NEXT_REVERT) ? place : null;
}

/** Matches the head of a function without modifiers, which would run before its body. */
const HEAD =
  /^(?:function\b[^({]*|constructor\s*|fallback\s*|receive\s*|modifier\b[^({]*)(?:\([^)]*\))?(?:\s*\b(?:public|external|internal|private|view|pure|payable|virtual|override(?:\s*\([^)]*\))?|returns\s*\([^)]*\)))*\s*\{/;
/** Matches the head of an `if`, whose condition has brackets one in another at most. */
const IF = /^if\s*\((?:[^()]|\([^()]*\))*\)/;

/**
 * Returns where in a function the `revert()` stands that ran after the place of its last opcode that has one, in bytes from its start;
 * `null` where the source does not say that it ran next. `place` is `null` for the function as a whole.
 */
export function revertAfter(text: string, place: TextRange | null): TextRange | null {
  if (text.length > LONGEST_FUNCTION) return null;
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
  // A call, or a `require`, can have ended there itself.
  return statement.includes('(') ? null : from(end);
}
