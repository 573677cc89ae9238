/**
 * Counts the items of a source from the opcodes of one code. An item is entered if execution moves from code
 * outside its range to code inside. Optimizers split the code of a statement and mix it with other
 * statements, so entries are counted per block. A block continues an item that has code in a dominating
 * block, or in the block that it was reached from.
 */

import type { SourceMap } from '../../artifacts/source-map.ts';
import type { OpcodeCounts } from '../../evm/execution-counts.ts';
import type { Steps } from '../../primitives/steps.ts';
import { OPCODES, operandLength } from '../../protocol/hardforks/opcodes.ts';
import { type CodeFlow, workOf } from './code-flow.ts';
import type { BranchItem, FileRanges, Span } from './source-items.ts';

const { JUMP, JUMPI, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT } = OPCODES;
/** Opcodes that do not always continue with the next opcode. */
const ENDS: ReadonlySet<number> = new Set([JUMP, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT]);

/** The counts of a source range. */
export class Probe {
  readonly span: Span;
  readonly isStatement: boolean;
  /** True if the range contains a loop of the source. */
  readonly hasLoop: boolean;
  /** True after an instruction of the range was seen. */
  hasCode = false;
  /** How often the range was entered. */
  entries = 0;
  /** How often execution left the range for the following code. */
  completions = 0;
  /** Returns from a function with exactly this range, and runs of its last instruction. */
  returns = 0;
  ends = 0;

  constructor(span: Span, isStatement: boolean, hasLoop: boolean) {
    this.span = span;
    this.isStatement = isStatement;
    this.hasLoop = hasLoop;
  }
}

/** Calls of a function from outside the contract, and completed calls. */
export interface OutsideCalls {
  readonly calls: number;
  readonly completions: number;
}

/** How often a decision took each side, from its jumps. */
export class Decision {
  readonly item: BranchItem;
  readonly #first: Probe | null;
  isSeen = false;
  first = 0;
  second = 0;

  constructor(item: BranchItem, first: Probe | null) {
    this.item = item;
    this.#first = first;
  }

  /** True if the first side has code of its own. */
  get hasFirstCode(): boolean {
    return this.#first?.hasCode === true;
  }
}

/** The counts of a file's ranges in one code. */
export class FileProbes {
  readonly #ranges: FileRanges;
  /** By index of the range. A probe is created at first use. */
  readonly #probes = new Map<number, Probe>();
  readonly #decisions = new Map<BranchItem, Decision>();
  readonly #outsideCalls = new Map<number, OutsideCalls>();
  /** The probes around a range, by its start and end. */
  readonly #around = new Map<string, readonly Probe[]>();

  constructor(ranges: FileRanges) {
    this.#ranges = ranges;
  }

  /** Returns the probe of a range. It must be the range of an item. */
  of(span: Span): Probe {
    return this.#at(this.#ranges.indexOf(span));
  }

  #at(index: number): Probe {
    const known = this.#probes.get(index);
    if (known !== undefined) return known;
    const range = this.#ranges.ranges[index];
    if (range === undefined) throw new Error('the range is not counted');
    const probe = new Probe(range.span, range.isStatement, range.hasLoop);
    this.#probes.set(index, probe);
    return probe;
  }

  /** Returns the decision with exactly this range; `undefined` for none. */
  decision(span: Span): Decision | undefined {
    const item = this.#ranges.decision(span);
    if (item === undefined) return undefined;
    const [first] = item.sides;
    const decision = this.#decisions.get(item) ?? new Decision(item, first === null ? null : this.of(first));
    this.#decisions.set(item, decision);
    return decision;
  }

  /** Adds calls of a function from outside the contract. */
  call(index: number, { calls, completions }: OutsideCalls): void {
    const before = this.outsideCalls(index) ?? { calls: 0, completions: 0 };
    this.#outsideCalls.set(index, {
      calls: before.calls + calls,
      completions: before.completions + completions,
    });
  }

  /** Returns the outside calls of a function by index; `null` if unknown. */
  outsideCalls(index: number): OutsideCalls | null {
    return this.#outsideCalls.get(index) ?? null;
  }

  /** Returns true if the range is within a statement. */
  isInStatement(start: number, end: number): boolean {
    return this.around(start, end).some(({ isStatement }) => isStatement);
  }

  /** Returns the probes whose ranges contain this source range. */
  around(start: number, end: number): readonly Probe[] {
    const key = `${start}:${end}`;
    const known = this.#around.get(key);
    if (known !== undefined) return known;
    const found = this.#ranges.around(start, end).map((index) => this.#at(index));
    this.#around.set(key, found);
    return found;
  }
}

/** The code of a range within one block. */
interface Piece {
  readonly block: number;
  readonly firstPc: number;
  lastPc: number;
  lastOrdinal: number;
}

/** The compiler settings that determine how reliable the source map is. */
export interface CodeOrigin {
  readonly optimizer: boolean;
  readonly viaIR: boolean;
  readonly isVyper: boolean;
}

/** The inputs of the functions that count a code. */
export interface Reading {
  readonly flow: CodeFlow;
  readonly map: SourceMap;
  readonly counts: OpcodeCounts;
  readonly code: Uint8Array;
  readonly files: ReadonlyMap<number, FileProbes | null>;
  readonly origin: CodeOrigin;
}

/** Adds the counts of a code's opcodes to the probes of the files. `files` is by source-map index. */
export function* countPlaces(reading: Reading): Steps<void> {
  for (const [probe, pieces] of yield* piecesOf(reading)) {
    countPieces(probe, pieces, reading);
    yield PIECE_WORK * pieces.length;
  }
}

/** Units of work per piece, including the search for dominating blocks. */
const PIECE_WORK = 1_000;

/**
 * Finds the code of each range, block by block. Code without a file, such as the compiler's own functions,
 * does not divide a range.
 */
function* piecesOf({ flow, map, counts, code, files, origin }: Reading): Steps<ReadonlyMap<Probe, Piece[]>> {
  const pieces = new Map<Probe, Piece[]>();
  const last = new Map<Probe, number>();
  const isExact = !origin.optimizer && !origin.viaIR;
  const movesNumbers = origin.optimizer && origin.viaIR;
  let ordinal = 0;
  for (const { index: block, start, last: end } of flow.blocks) {
    yield workOf({ start, last: end });
    for (let pc = start; pc <= end; pc += 1 + operandLength(code, pc)) {
      const range = map.rangeAt(pc);
      const file = range === null ? undefined : files.get(range.file);
      // `null` is an excluded file of the user.
      if (file === undefined || file === null || range === null) continue;
      // Constants outside statements do not divide a statement.
      if (file.isInStatement(range.start, range.start + range.length)) ordinal++;
      // The optimizer of the IR pipeline gives a number the place of any other equal number.
      if (movesNumbers && flow.isNumber(pc)) continue;
      const rangeEnd = range.start + range.length;
      for (const probe of file.around(range.start, rangeEnd)) {
        const ofProbe = pieces.get(probe) ?? [];
        pieces.set(probe, ofProbe);
        const open = ofProbe.at(-1);
        const goesOn = open?.block === block && (!isExact || open.lastOrdinal >= ordinal - 1);
        if (open !== undefined && goesOn) {
          open.lastPc = pc;
          open.lastOrdinal = ordinal;
        } else ofProbe.push({ block, firstPc: pc, lastPc: pc, lastOrdinal: ordinal });
        if (probe.span.start !== range.start || probe.span.end !== rangeEnd) continue;
        last.set(probe, counts.at(pc));
        if (code[pc] === JUMP && map.jumpAt(pc) === 'out') probe.returns += counts.at(pc);
      }
    }
  }
  for (const [probe, times] of last) probe.ends += times;
  return pieces;
}

function countPieces(probe: Probe, pieces: readonly Piece[], reading: Reading): void {
  const { counts } = reading;
  const first = new Map<number, Piece>();
  const last = new Map<number, Piece>();
  probe.hasCode = true;
  for (const piece of pieces) {
    // A second piece in a block is a copy.
    if (first.has(piece.block)) probe.entries += counts.at(piece.firstPc);
    else first.set(piece.block, piece);
    last.set(piece.block, piece);
  }
  for (const piece of first.values()) {
    probe.entries += Math.min(entriesOf(probe, piece, first, last, reading), counts.at(piece.firstPc));
  }
  for (const piece of last.values()) probe.completions += completionsOf(piece, first, reading);
}

/** Returns how often execution entered the range at this piece. */
function entriesOf(
  probe: Probe,
  piece: Piece,
  first: ReadonlyMap<number, Piece>,
  last: ReadonlyMap<number, Piece>,
  reading: Reading,
): number {
  const { flow } = reading;
  const block = flow.blocks[piece.block];
  if (block === undefined || goesOn(piece, first, reading)) return 0;
  let entries = 0;
  // Optimizers merge equal blocks at the ends of several statements.
  const isShared = block.edges.some(({ from, isCall }) => !isCall && from < block.index && last.has(from));
  for (const { from, times, isCall } of block.edges) {
    if (isShared && !isCall) continue;
    const before = last.get(from);
    if (isCall) entries += times;
    else if (before === undefined) {
      if (!probe.hasLoop || from < 0 || !flow.dominates(block.index, from)) entries += times;
    } else if (!probe.hasLoop && from >= block.index && isLeft(before, probe, reading)) entries += times;
  }
  return entries;
}

/** Returns true if a dominating block has code of the range too, and the piece is not a copy of that code. */
function goesOn(
  { block, firstPc }: Piece,
  first: ReadonlyMap<number, Piece>,
  { flow, map, code }: Reading,
): boolean {
  for (let at = flow.dominatorOf(block); at >= 0; at = flow.dominatorOf(at)) {
    const before = first.get(at);
    if (before === undefined) continue;
    // Copies start with the same range and opcode.
    const [one, other] = [map.rangeAt(before.firstPc), map.rangeAt(firstPc)];
    const isCopy =
      one?.start === other?.start && one?.length === other?.length && code[before.firstPc] === code[firstPc];
    return !isCopy;
  }
  return false;
}

/** Returns true if other statements follow the piece in its block. */
function isLeft({ block, lastPc }: Piece, { span }: Probe, { flow, map, code, files }: Reading): boolean {
  const end = flow.blocks[block]?.last ?? 0;
  for (let pc = lastPc + 1 + operandLength(code, lastPc); pc <= end; pc += 1 + operandLength(code, pc)) {
    const range = map.rangeAt(pc);
    if (range === null || !files.has(range.file)) continue;
    if (range.start >= span.end || range.start + range.length <= span.start) return true;
  }
  return false;
}

/** Returns how often the piece was the last one of the range before execution continued outside. */
function completionsOf(
  { block, lastPc }: Piece,
  first: ReadonlyMap<number, Piece>,
  reading: Reading,
): number {
  const { flow, code, counts } = reading;
  const at = flow.blocks[block];
  if (at === undefined) return 0;
  if (lastPc !== at.last) return counts.at(lastPc);
  // If optimizers merged the code after an internal call, the call ends the statement.
  if (at.isCall && !first.has(at.pushes)) {
    const edges = flow.blocks[at.pushes]?.edges ?? [];
    return edges.reduce((sum, { from, times }) => (from === block ? sum + times : sum), 0);
  }
  if (ENDS.has(code[lastPc] ?? INVALID)) return 0;
  const isJump = code[lastPc] === JUMPI;
  const falls = first.has(at.fallsTo) ? 0 : isJump ? counts.fallsOf(lastPc) : counts.at(lastPc);
  return falls + (isJump && !first.has(at.jumpsTo) ? flow.jumpsOf(at) : 0);
}
