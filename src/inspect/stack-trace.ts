/** Builds the stack trace of a failed execution, innermost frame first, across contracts and functions. */

import type { SourceRange } from '../artifacts/source-map.ts';
import type { SourceDefinition } from '../artifacts/source-outline.ts';
import { HALT_REASONS } from '../evm/halt-reasons.ts';
import { toHex } from '../primitives/hex.ts';
import { type CancelCheck, neverCancelled } from '../scheduling/cancel-check.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { definitionAround, type InternalCall, PLACE } from './bytecode-features.ts';
import type { RecordedExecution, RecordedFrame } from './execution-recorder.ts';
import { endedUnplaced, failingPath, otherThrow, revertAfter, type TextRange } from './failing-path.ts';
import {
  type ContractsOfFrames,
  FALLBACK,
  type KnownContract,
  RECEIVE,
  UNRECOGNIZED_SELECTOR,
} from './known-contracts.ts';
import type { KnownFile } from './known-files.ts';
import { isMinimalProxy } from './proxies.ts';
import type { PlacedDefinition, SourceIndex } from './source-index.ts';

/** Work units per line of a stack trace. */
const LINE_WORK = 256;

export interface StackFrame {
  /** `Token`, the contract whose code ran; `null` if unknown, and for a free function. */
  readonly contract: string | null;
  /** `transfer` or `constructor`; `null` outside functions, for example in the function dispatch. */
  readonly function: string | null;
  /** `contracts/Token.sol`; `null` without sources. */
  readonly source: string | null;
  /** From 1; `null` without sources. */
  readonly line: number | null;
  readonly column: number | null;
  /** `0x` and digits: the account whose code ran; for a creation, the new account. */
  readonly address: string;
}

/** A line of a stack, with its range and the call of its function. */
export interface StackLine {
  readonly frame: StackFrame;
  /** `null` without sources. */
  readonly place: Place | null;
  /** `null` if the entry of the function is unknown, as for modifiers and inlined functions. */
  readonly call: InternalCall | null;
}

/** The lines of one external frame in a stack trace, innermost function first. */
export interface FailedFrame {
  readonly frame: RecordedFrame;
  readonly lines: readonly StackLine[];
}

/**
 * Resolves to the stack trace, innermost frame first. `execution` must be recorded with the guides of the
 * contracts. Frames of unknown contracts only have an address.
 */
export async function stackTraceOf(
  execution: RecordedExecution,
  contracts: ContractsOfFrames,
  checkCancelled: CancelCheck = neverCancelled,
): Promise<StackFrame[]> {
  const frames = await failedFramesOf(execution, contracts, checkCancelled);
  return frames.flatMap(({ lines }) => lines.map(({ frame }) => frame));
}

/** Resolves to the lines of the stack trace by external frame, innermost frame first. */
export async function failedFramesOf(
  { root, guides }: RecordedExecution,
  contracts: ContractsOfFrames,
  checkCancelled: CancelCheck,
): Promise<FailedFrame[]> {
  const slice = new TimeSlice(checkCancelled);
  const path = failingPath(root, contracts);
  const trace: FailedFrame[] = [];
  for (let index = path.length - 1; index >= 0; index--) {
    const frame = path[index];
    if (frame === undefined) continue;
    const inner = path[index + 1];
    const contract = contracts[frame.index] ?? null;
    const isTooLarge = frame.end.haltReason === HALT_REASONS.codeTooLarge;
    const guide = guides[frame.index] ?? null;
    const [pc, within] =
      inner === undefined ? [frame.failedPc, frame.endedIn] : [inner.callPc, inner.calledIn];
    const lines =
      contract === null || guide === null || isTooLarge
        ? []
        : await linesOf({ frame, contract, guide }, pc, within, inner === undefined);
    trace.push({ frame, lines: lines.length > 0 ? lines : [await lineWithoutPlace(frame, contract)] });
    await slice.spend(LINE_WORK * lines.length);
  }
  return trace;
}

/** The lines of a frame that continues: its position, then the call sites of its functions. */
export async function linesAt(
  frame: RecordedFrame,
  contract: KnownContract | null,
  guide: SourceIndex | null,
  { pc, within }: { readonly pc: number | null; readonly within: InternalCall | null },
): Promise<StackLine[]> {
  const lines =
    contract === null || guide === null ? [] : await linesOf({ frame, contract, guide }, pc, within, false);
  return lines.length > 0 ? lines : [await lineWithoutPlace(frame, contract)];
}

async function lineWithoutPlace(frame: RecordedFrame, contract: KnownContract | null): Promise<StackLine> {
  return { frame: await unplacedLine(frame, contract), place: null, call: null };
}

const addressOf = ({ start }: RecordedFrame): string => toHex(start.to);

/** The line of a frame without a source place: the constructor, or the best known name. */
async function unplacedLine(frame: RecordedFrame, contract: KnownContract | null): Promise<StackFrame> {
  const constructing = contract?.side === 'creation' ? await constructorOf(frame, contract) : null;
  return constructing ?? unknownLine(frame, contract);
}

function unknownLine(frame: RecordedFrame, contract: KnownContract | null): StackFrame {
  const [name, called] =
    contract === null ? unnamed(frame) : [contract.name, selectedFunction(frame, contract)];
  const source = contract?.match.contract.sourceName ?? null;
  return { contract: name, function: called, source, line: null, column: null, address: addressOf(frame) };
}

/** Returns a contract and function name for code without an artifact; `null` if unknown. */
function unnamed({ start, code }: RecordedFrame): readonly [string | null, string | null] {
  if (start.isPrecompile) return [`<PrecompileContract ${BigInt(toHex(start.to))}>`, '<precompile>'];
  return isMinimalProxy(code) ? ['<MinimalProxy>', FALLBACK] : [null, null];
}

/** A range of the source with the definition around it. */
export interface Place {
  readonly file: KnownFile;
  readonly range: SourceRange;
  readonly definition: SourceDefinition | null;
}

async function placeAt(contract: KnownContract, pc: number | null): Promise<Place | null> {
  const range = pc === null ? null : (contract.map?.rangeAt(pc) ?? null);
  if (range === null) return null;
  const file = await contract.file(range.file);
  return file === null ? null : { file, range, definition: file.outline.functionAt(range.start) };
}

/** A frame whose contract has a source map. */
interface GuidedFrame {
  readonly frame: RecordedFrame;
  readonly contract: KnownContract;
  readonly guide: SourceIndex;
}

/**
 * Returns the lines of one frame: the place of the failure, then the call sites of its functions. Modifiers,
 * base constructors and inlined functions run without a jump. The last entered function shows which function
 * contains them.
 */
async function linesOf(
  guided: GuidedFrame,
  pc: number | null,
  within: InternalCall | null,
  isInnermost: boolean,
): Promise<StackLine[]> {
  const { frame, contract, guide } = guided;
  const lineAt = async (at: Place, call: InternalCall | null): Promise<StackLine> => ({
    frame: await lineOf(guided, at),
    place: at,
    call: callOf(guide, at, call),
  });
  const found = await placeAt(contract, pc);
  const isPlaced =
    found !== null &&
    pc !== null &&
    guide.placeAt(pc) > PLACE.contract &&
    guide.mayRun(guide.definitionAt(pc), definitionAround(within));
  let place: Place | null = isPlaced && !isBeforeBody(frame, contract) ? found : enteredPlace(guide, within);
  if (place === null)
    return found === null ? [] : [{ frame: await dispatchLine(guided, found), place: null, call: null }];
  if (isInnermost) place = thrownAt(place, frame, contract);
  const lines = [await lineAt(place, within)];
  let isBehindModifier = false;
  for (let call = within; call !== null; call = call.outer) {
    const entered = guide.definition(call.definition);
    // Jumps into functions of the compiler are not calls in the source.
    if (entered === null) continue;
    let from = await placeAt(contract, call.pc);
    const isBody: boolean = from !== null && isPlaceholder(from);
    // The IR pipeline compiles a function into a chain: it calls its modifiers, and these call the body. The
    // source has one function.
    if (isBehindModifier) {
      isBehindModifier = isBody;
      continue;
    }
    if (place.definition !== null && !isSame(place.definition, entered.definition)) {
      const isModifier: boolean = place.definition.kind === 'modifier';
      const own: Place | null = isModifier ? null : await placeAt(contract, call.lastOwnPc);
      place = own ?? wholeOf(entered);
      lines.push(await lineAt(place, call));
    }
    isBehindModifier = isBody;
    if (call.pc === null || isBody) continue;
    // The dispatch enters a function from the function's own place. The optimizer lets a recursive call share
    // that jump.
    if (from !== null && isEntry(from)) from = await placeAt(contract, callerOf(call)?.lastOwnPc ?? null);
    if (from === null || from.definition === null || isEntry(from)) continue;
    if (!guide.mayRun(guide.definitionAt(call.pc), definitionAround(call.outer))) continue;
    place = from;
    lines.push(await lineAt(place, call.outer));
  }
  // Modifiers, base constructors and initialisers of variables run within the constructor without a jump.
  const { name } = contract.match.contract;
  const isInside =
    place.definition !== null &&
    (place.definition.kind !== 'constructor' || place.definition.contract !== name);
  const constructing = contract.side === 'creation' && isInside ? await constructorOf(frame, contract) : null;
  return constructing === null ? lines : [...lines, { frame: constructing, place: null, call: null }];
}

/** Returns the innermost call of a source function if it is the function around the place. */
function callOf(guide: SourceIndex, place: Place, within: InternalCall | null): InternalCall | null {
  let call = within;
  while (call !== null && call.definition === 0) call = call.outer;
  const entered = call === null ? null : guide.definition(call.definition);
  return entered !== null && isSame(entered.definition, place.definition) ? call : null;
}

/** Returns the source function that called this one; `null` if the message called it. */
function callerOf(call: InternalCall): InternalCall | null {
  let caller = call.outer;
  while (caller !== null && caller.definition === 0) caller = caller.outer;
  return caller === null || caller.pc === null ? null : caller;
}

/** Returns the place of the `revert` in the same function if it differs from the place of the last opcode. */
function thrownAt(place: Place, frame: RecordedFrame, contract: KnownContract): Place {
  const { file, range, definition } = place;
  const error = frame.end.outcome === 'revert' ? contract.table.error(frame.end.output) : null;
  if (definition === null) return place;
  const { start, end } = definition;
  const within: TextRange | null = isEntry(place) ? null : { ...range, start: range.start - start };
  const text = file.outline.textOf(start, end - start);
  let thrown: TextRange | null = null;
  if (error !== null) thrown = otherThrow(text, within?.start ?? null, error.name);
  else if (endedUnplaced(frame, contract) && !isBeforeBody(frame, contract))
    thrown = revertAfter(text, within);
  return thrown === null ? place : { ...place, range: { ...range, ...thrown, start: start + thrown.start } };
}

/**
 * Returns true for a call that selected no function and reverted. No function ran, even if the last opcode
 * has a place in one.
 */
export function meansNoFunction(frame: RecordedFrame, contract: KnownContract): boolean {
  const { items, end } = frame;
  const isSilent = items.length === 0 && end.outcome === 'revert' && end.output.length === 0;
  return (
    isSilent && contract.side === 'deployed' && selectedFunction(frame, contract) === UNRECOGNIZED_SELECTOR
  );
}

/**
 * Returns true if a check before the function body rejected the call. The optimizer may move code before
 * these checks, but that code did not run.
 */
function isBeforeBody(frame: RecordedFrame, contract: KnownContract): boolean {
  const { table, side } = contract;
  const { start, items, end, endedInStatement } = frame;
  if (meansNoFunction(frame, contract)) return true;
  if (endedInStatement) return false;
  if (side === 'creation' || items.length > 0 || end.outcome !== 'revert' || end.output.length > 0)
    return false;
  const called = table.functionOf(start.input);
  if (called === null) return false;
  const isRejected =
    (start.value ?? 0n) > 0n && called.stateMutability !== 'payable' && start.kind === 'CALL';
  return isRejected || table.call(start.input) === null;
}

/** Returns the last entered function as a place; `null` if none was entered. */
function enteredPlace(guide: SourceIndex, within: InternalCall | null): Place | null {
  const entered = guide.definition(definitionAround(within));
  return entered === null ? null : wholeOf(entered);
}

function wholeOf({ file, definition }: PlacedDefinition): Place {
  const { start, end } = definition;
  return { file, range: { file: -1, start, length: end - start }, definition };
}

function isSame(left: SourceDefinition, right: SourceDefinition | null): boolean {
  return left.start === right?.start && left.name === right.name;
}

/** The line of the contract's constructor, or of the contract if it has none; `null` without sources. */
async function constructorOf(frame: RecordedFrame, contract: KnownContract): Promise<StackFrame | null> {
  const { name } = contract.match.contract;
  const file = await contract.ownFile();
  const own = file?.outline.definitions.find(
    (found) => found.kind === 'constructor' && found.contract === name,
  );
  const start = (own ?? file?.outline.contractNamed(name))?.start;
  if (file === null || start === undefined) return null;
  return { contract: name, function: 'constructor', ...positionIn(file, start), address: addressOf(frame) };
}

/** Returns true if the range is a whole function, as for its first opcode and the jump from the dispatch. */
function isEntry({ range, file }: Place): boolean {
  return file.outline.functionOf(range.start, range.length) !== null;
}

/** Returns true for the `_` of a modifier. */
function isPlaceholder({ file, range, definition }: Place): boolean {
  return definition?.kind === 'modifier' && /^_(?!\w)/.test(file.outline.textOf(range.start, 2));
}

/** Names for functions without a name. */
const UNNAMED: ReadonlyMap<string, string> = new Map([
  ['fallback', FALLBACK],
  ['receive', RECEIVE],
]);

async function lineOf(guided: GuidedFrame, place: Place): Promise<StackFrame> {
  const { definition } = place;
  if (definition === null) return dispatchLine(guided, place);
  const { frame, contract } = guided;
  // As in Hardhat: the running contract, even if another contract declares the function. Constructors keep
  // the name of their own contract.
  const isNamedByFile = definition.kind === 'constructor' || definition.contract === null;
  return {
    contract: isNamedByFile ? definition.contract : contract.name,
    function: UNNAMED.get(definition.kind) ?? definition.name,
    ...positionIn(place.file, statementStart(place)),
    address: addressOf(frame),
  };
}

const REVERT_BEFORE = /\brevert[ \t\r\n]+$/;
/** Maximum bytes of a variable declaration to search. */
const MAX_DECLARATION_LENGTH = 10_000;
/** Characters before a place to search for `revert`. */
const LOOK_BACK = 40;

/** The start of the place. For the error of a `revert` statement, the start of the statement. */
function statementStart({ file, range: { start } }: Place): number {
  const from = Math.max(0, start - LOOK_BACK);
  const before = REVERT_BEFORE.exec(file.outline.textOf(from, start - from));
  return before === null ? start : start - before[0].length;
}

function positionIn(
  { name, outline }: KnownFile,
  start: number,
): Pick<StackFrame, 'source' | 'line' | 'column'> {
  return { source: name, ...outline.positionOf(start) };
}

/** The line of a call that failed in the dispatch: the selected function or variable, or the contract. */
async function dispatchLine({ frame, contract, guide }: GuidedFrame, at: Place): Promise<StackFrame> {
  const meant = selectedFunction(frame, contract);
  const whole = at.file.outline.contractAt(at.range.start);
  const isUnknown = meant === null || meant === UNRECOGNIZED_SELECTOR;
  const place = isUnknown
    ? null
    : (definitionMeant(meant, at) ?? (await inheritedPlace(frame, contract, guide)));
  const { file, range } = place ?? at;
  const start =
    place === null && meant === UNRECOGNIZED_SELECTOR ? (whole?.start ?? range.start) : range.start;
  return { contract: contract.name, function: meant, ...positionIn(file, start), address: addressOf(frame) };
}

/** Returns the function's definition in the contract around a place; `null` if the contract has none. */
function definitionMeant(meant: string, { file, range }: Place): Place | null {
  const around = file.outline.contractAt(range.start)?.name;
  const definition = file.outline.definitions.find(
    ({ contract, kind, name }) => contract === around && (name === meant || UNNAMED.get(kind) === meant),
  );
  return definition === undefined ? null : wholeOf({ file, definition });
}

/** Returns the selected function of a base contract, or the public variable; `null` if neither is found. */
async function inheritedPlace(
  frame: RecordedFrame,
  contract: KnownContract,
  guide: SourceIndex,
): Promise<Place | null> {
  const inherited = guide.definition(guide.calledBy(frame.start));
  if (inherited !== null) return wholeOf(inherited);
  const { name } = contract.table.functionOf(frame.start.input) ?? {};
  return name === undefined ? null : variablePlace(contract, name);
}

/** Returns the declaration of a public variable, the place of its getter; `null` if there is no getter. */
async function variablePlace(contract: KnownContract, name: string): Promise<Place | null> {
  const declared = new RegExp(`^[^;{}]*\\bpublic\\b[^;{}]*\\b${name.replaceAll('$', '\\$')}\\s*(?:=|$)`);
  const seen = new Set<string>();
  const length = contract.match.artifact[contract.side]?.bytes.length ?? 0;
  for (let pc = 0; pc < length; pc++) {
    const range = contract.map?.rangeAt(pc) ?? null;
    const key = `${range?.file}:${range?.start}:${range?.length}`;
    if (range === null || range.length > MAX_DECLARATION_LENGTH || seen.has(key)) continue;
    seen.add(key);
    const file = await contract.file(range.file);
    if (file === null || file.outline.functionAt(range.start) !== null) continue;
    if (declared.test(file.outline.textOf(range.start, range.length)))
      return { file, range, definition: null };
  }
  return null;
}

/** The function that a call or a creation selected. */
function selectedFunction({ start: { kind, input } }: RecordedFrame, contract: KnownContract): string | null {
  return kind === 'CREATE' || kind === 'CREATE2' ? 'constructor' : contract.functionMeantBy(input);
}
