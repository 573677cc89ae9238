/**
 * Counts the items of a source by the opcodes of one code.
 *
 * An item begins where execution comes into code of its range from code outside of it. Optimizers take the code of a statement
 * apart and mix it with that of others, so that this is asked of whole blocks: a block goes on with an item that has code in a
 * block which always runs before it, or in the one that it was come to from.
 */

import type { SourceMap } from '../../artifacts/source-map.ts';
import type { OpcodeCounts } from '../../evm/execution-counts.ts';
import { OPCODES, operandLength } from '../../protocol/hardforks/opcodes.ts';
import type { Task } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { type CodeFlow, workOf } from './code-flow.ts';
import type { BranchItem, FileRanges, Span } from './source-items.ts';

const { JUMP, JUMPI, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT } = OPCODES;
/** Opcodes after which the next one is not sure to run. */
const ENDS: ReadonlySet<number> = new Set([JUMP, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT]);

/** The count of the runs of a range of the source. */
export class Probe {
  readonly span: Span;
  readonly isStatement: boolean;
  /** True where the range has a loop of the source in it. */
  readonly hasLoop: boolean;
  /** True once an instruction of the range was seen. */
  hasCode = false;
  /** The number of times that the range was entered. */
  entries = 0;
  /** The number of times that it was left for the code that follows. */
  completions = 0;
  /** The returns of a function of just this range, and the runs of the last instruction of just this range in each code. */
  returns = 0;
  ends = 0;

  constructor(span: Span, isStatement: boolean, hasLoop: boolean) {
    this.span = span;
    this.isStatement = isStatement;
    this.hasLoop = hasLoop;
  }
}

/** The calls of a function from outside, and those that came to their end. */
export interface OutsideCalls {
  readonly calls: number;
  readonly completions: number;
}

/** The count of the ways that a decision went, by its jumps. */
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

  /** True where the first side has code of its own. */
  get hasFirstCode(): boolean {
    return this.#first?.hasCode === true;
  }
}

/** The counts of the ranges of a file in one code. */
export class FileProbes {
  readonly #ranges: FileRanges;
  /** By the index of the range; those of which nothing was asked have none. */
  readonly #probes = new Map<number, Probe>();
  readonly #decisions = new Map<BranchItem, Decision>();
  readonly #outsideCalls = new Map<number, OutsideCalls>();
  /** The probes around a range, by its start and end. */
  readonly #around = new Map<string, readonly Probe[]>();

  constructor(ranges: FileRanges) {
    this.#ranges = ranges;
  }

  /** Returns the probe of the range, which must be one of the items'. */
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

  /** Returns the decision whose whole range that is; `undefined` for none. */
  decision(span: Span): Decision | undefined {
    const item = this.#ranges.decision(span);
    if (item === undefined) return undefined;
    const [first] = item.sides;
    const decision = this.#decisions.get(item) ?? new Decision(item, first === null ? null : this.of(first));
    this.#decisions.set(item, decision);
    return decision;
  }

  /** Adds calls of a function from outside. */
  call(index: number, { calls, completions }: OutsideCalls): void {
    const before = this.outsideCalls(index) ?? { calls: 0, completions: 0 };
    this.#outsideCalls.set(index, {
      calls: before.calls + calls,
      completions: before.completions + completions,
    });
  }

  /** Returns the calls from outside of the function with that index; `null` where they are not known. */
  outsideCalls(index: number): OutsideCalls | null {
    return this.#outsideCalls.get(index) ?? null;
  }

  /** Returns true for a range that lies in a statement. */
  isInStatement(start: number, end: number): boolean {
    return this.around(start, end).some(({ isStatement }) => isStatement);
  }

  /** Returns the probes that a range of the source map lies in. */
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

/** The origin of a code, which says how far its source map can be trusted. */
export interface CodeOrigin {
  readonly optimizer: boolean;
  readonly viaIR: boolean;
  readonly isVyper: boolean;
}

/** The data with which a code is read. */
export interface Reading {
  readonly flow: CodeFlow;
  readonly map: SourceMap;
  readonly counts: OpcodeCounts;
  readonly code: Uint8Array;
  readonly files: ReadonlyMap<number, FileProbes | null>;
  readonly origin: CodeOrigin;
}

/** Adds what the opcodes of a code counted to the probes of the files, by the indexes that the source map uses. */
export function* countPlaces(reading: Reading, work: WorkPieces): Task<void> {
  for (const [probe, pieces] of yield* piecesOf(reading, work)) {
    countPieces(probe, pieces, reading);
    const turn = work.spend(PIECE_WORK * pieces.length);
    if (turn !== undefined) yield turn;
  }
}

/** Units of work for a piece, with the way to the blocks before it. */
const PIECE_WORK = 1_000;

/** Finds the code of each range, block by block. Code of no file, such as the compiler's own functions, interrupts nothing. */
function* piecesOf(
  { flow, map, counts, code, files, origin }: Reading,
  work: WorkPieces,
): Task<ReadonlyMap<Probe, Piece[]>> {
  const pieces = new Map<Probe, Piece[]>();
  const last = new Map<Probe, number>();
  const isExact = !origin.optimizer && !origin.viaIR;
  const movesNumbers = origin.optimizer && origin.viaIR;
  let ordinal = 0;
  for (const { index: block, start, last: end } of flow.blocks) {
    const turn = work.spend(workOf({ start, last: end }));
    if (turn !== undefined) yield turn;
    for (let pc = start; pc <= end; pc += 1 + operandLength(code, pc)) {
      const range = map.rangeAt(pc);
      const file = range === null ? undefined : files.get(range.file);
      // `null` is a file of the user that is left out.
      if (file === undefined || file === null || range === null) continue;
      // Constants, which stand outside of statements, interrupt none.
      if (file.isInStatement(range.start, range.start + range.length)) ordinal++;
      // The optimizer of the IR pipeline writes a number with the place of any other place that has the same.
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

/** Returns how often execution came into the range with a piece of it. */
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
  // Optimizers make one of blocks that are the same at the ends of several statements.
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

/** Returns true when a block that always runs before has code of the range too, and the piece is no copy of that. */
function goesOn(
  { block, firstPc }: Piece,
  first: ReadonlyMap<number, Piece>,
  { flow, map, code }: Reading,
): boolean {
  for (let at = flow.dominatorOf(block); at >= 0; at = flow.dominatorOf(at)) {
    const before = first.get(at);
    if (before === undefined) continue;
    // Copies begin alike.
    const [one, other] = [map.rangeAt(before.firstPc), map.rangeAt(firstPc)];
    const isCopy =
      one?.start === other?.start && one?.length === other?.length && code[before.firstPc] === code[firstPc];
    return !isCopy;
  }
  return false;
}

/** Returns true when other statements follow in the block behind the piece. */
function isLeft({ block, lastPc }: Piece, { span }: Probe, { flow, map, code, files }: Reading): boolean {
  const end = flow.blocks[block]?.last ?? 0;
  for (let pc = lastPc + 1 + operandLength(code, lastPc); pc <= end; pc += 1 + operandLength(code, pc)) {
    const range = map.rangeAt(pc);
    if (range === null || !files.has(range.file)) continue;
    if (range.start >= span.end || range.start + range.length <= span.start) return true;
  }
  return false;
}

/** Returns how often the piece was the last one of the range, and execution went on behind it. */
function completionsOf(
  { block, lastPc }: Piece,
  first: ReadonlyMap<number, Piece>,
  reading: Reading,
): number {
  const { flow, code, counts } = reading;
  const at = flow.blocks[block];
  if (at === undefined) return 0;
  if (lastPc !== at.last) return counts.at(lastPc);
  // The call of an internal function is the end of a statement where optimizers made one code of what follows.
  if (at.isCall && !first.has(at.pushes)) {
    const edges = flow.blocks[at.pushes]?.edges ?? [];
    return edges.reduce((sum, { from, times }) => (from === block ? sum + times : sum), 0);
  }
  if (ENDS.has(code[lastPc] ?? INVALID)) return 0;
  const isJump = code[lastPc] === JUMPI;
  const falls = first.has(at.fallsTo) ? 0 : isJump ? counts.fallsOf(lastPc) : counts.at(lastPc);
  return falls + (isJump && !first.has(at.jumpsTo) ? flow.jumpsOf(at) : 0);
}
