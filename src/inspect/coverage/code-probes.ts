/**
 * Counts the items of a source by the opcodes of one code.
 *
 * A compiler writes the instructions of a statement in one go, so that instructions of its range which follow each other are
 * one copy of it, and the first of them runs as often as the copy does. Modifiers and internal functions have several.
 * Instructions that stand in no file (those of the compiler's own functions) do not interrupt a copy.
 */

import type { SourceMap, SourceRange } from '../../artifacts/source-map.ts';
import type { OpcodeCounts } from '../../evm/execution-counts.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { SourceItems, Span } from './source-items.ts';

const { JUMP, JUMPI, JUMPDEST, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT } = OPCODES;
/** Opcodes after which the next one is not sure to run. */
const ENDS: ReadonlySet<number> = new Set([JUMP, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT]);
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** How often a range of the source ran. */
export class Probe {
  readonly span: Span;
  /** True once an instruction of the range was seen. */
  hasCode = false;
  /** How often the copies began. */
  entries = 0;
  /** How often execution came to their first instruction from the one before it: without the rounds of a loop. */
  fallsIn = 0;
  /** How often the last instructions of the copies ran, where the next statement follows. */
  completions = 0;
  /** How often the first JUMPI of just this range jumped, and went on. */
  jumps = 0;
  falls = 0;
  hasJump = false;
  /** How often a function of just this range returned, and how often the last instruction of just this range ran in each code. */
  returns = 0;
  ends = 0;

  constructor(span: Span) {
    this.span = span;
  }
}

/** A copy that is being read. */
interface Copy {
  last: number;
  lastPc: number;
  hasJump: boolean;
}

/** The ranges of a file that are counted. Several codes add to the same. */
export class FileProbes {
  readonly #probes: Probe[] = [];
  readonly #byKey = new Map<string, Probe>();
  /** The probes around a range, by its start and end. */
  readonly #around = new Map<string, readonly Probe[]>();
  #sorted: Probe[] | null = null;

  constructor(items: SourceItems) {
    for (const { span, head } of items.statements) {
      this.#make(span);
      this.#make(head);
    }
    for (const { span } of items.functions) this.#make(span);
    for (const { span, sides } of items.branches) {
      this.#make(span);
      for (const side of sides) if (side !== null) this.#make(side);
    }
  }

  #make(span: Span): void {
    const key = `${span.start}:${span.end}`;
    if (this.#byKey.has(key)) return;
    const probe = new Probe(span);
    this.#byKey.set(key, probe);
    this.#probes.push(probe);
  }

  /** Returns the probe of the range, which must be one of the items'. */
  of({ start, end }: Span): Probe {
    const probe = this.#byKey.get(`${start}:${end}`);
    if (probe === undefined) throw new Error(`the range ${start}:${end} is not counted`);
    return probe;
  }

  /** Returns the probes that a range of the source map lies in. */
  around({ start, length }: SourceRange): readonly Probe[] {
    const end = start + length;
    const key = `${start}:${end}`;
    const known = this.#around.get(key);
    if (known !== undefined) return known;
    this.#sorted ??= this.#probes.sort((left, right) => left.span.start - right.span.start);
    const found: Probe[] = [];
    for (const probe of this.#sorted) {
      if (probe.span.start > start) break;
      if (probe.span.end >= end) found.push(probe);
    }
    this.#around.set(key, found);
    return found;
  }
}

/** Adds what the opcodes of a code counted to the probes of the files, by the indexes that the source map uses. */
export function countCode(
  code: Uint8Array,
  counts: OpcodeCounts,
  map: SourceMap,
  files: ReadonlyMap<number, FileProbes | null>,
): void {
  const open = new Map<Probe, Copy>();
  const last = new Map<Probe, number>();
  let ordinal = 0;
  let previousPc = -1;
  for (let pc = 0; pc < code.length; pc++) {
    const opcode = code[pc] ?? 0;
    const range = map.rangeAt(pc);
    const file = range === null ? undefined : files.get(range.file);
    // `null` is a file of the user that is left out, which interrupts a copy like any other.
    if (file !== undefined) {
      ordinal++;
      if (file !== null && range !== null) {
        for (const probe of file.around(range)) {
          visit(probe, { pc, opcode, range, previousPc, ordinal, code, counts, map, open, last });
        }
      }
    }
    previousPc = pc;
    if (opcode >= PUSH1 && opcode <= PUSH32) pc += opcode - PUSH1 + 1;
  }
  for (const [probe, copy] of open) complete(probe, copy, code, counts);
  for (const [probe, times] of last) probe.ends += times;
}

interface Visit {
  readonly pc: number;
  readonly opcode: number;
  readonly range: SourceRange;
  readonly previousPc: number;
  readonly ordinal: number;
  readonly code: Uint8Array;
  readonly counts: OpcodeCounts;
  readonly map: SourceMap;
  readonly open: Map<Probe, Copy>;
  /** How often the last instruction of just the range of a probe ran. */
  readonly last: Map<Probe, number>;
}

function visit(probe: Probe, at: Visit): void {
  const { pc, opcode, range, ordinal, code, counts, map, open } = at;
  const times = counts.at(pc);
  let copy = open.get(probe);
  if (copy === undefined || copy.last !== ordinal - 1) {
    if (copy !== undefined) complete(probe, copy, code, counts);
    copy = { last: ordinal, lastPc: pc, hasJump: false };
    open.set(probe, copy);
    probe.hasCode = true;
    probe.entries += times;
    probe.fallsIn += opcode === JUMPDEST ? fallsInto(at) : times;
  }
  copy.last = ordinal;
  copy.lastPc = pc;
  const { span } = probe;
  if (range.start !== span.start || range.start + range.length !== span.end) return;
  at.last.set(probe, times);
  if (opcode === JUMP && map.jumpAt(pc) === 'out') probe.returns += times;
  if (opcode === JUMPI && !copy.hasJump) {
    const falls = counts.fallsOf(pc);
    const jumps = Math.max(0, times - falls);
    // A jump over nothing but a jump (`if (…) break;`) is written as one jump, the other way round: its target is the body's.
    const target = map.rangeAt(at.previousPc);
    const isTurned = target !== null && target.start > span.start;
    copy.hasJump = true;
    probe.hasJump = true;
    probe.falls += isTurned ? jumps : falls;
    probe.jumps += isTurned ? falls : jumps;
  }
}

/** Returns how often the instruction before the one that is visited was followed by it without a jump. */
function fallsInto({ previousPc, code, counts }: Visit): number {
  const opcode = code[previousPc] ?? INVALID;
  if (previousPc < 0 || ENDS.has(opcode)) return 0;
  return opcode === JUMPI ? counts.fallsOf(previousPc) : counts.at(previousPc);
}

function complete(probe: Probe, { lastPc }: Copy, code: Uint8Array, counts: OpcodeCounts): void {
  if (!ENDS.has(code[lastPc] ?? INVALID)) probe.completions += counts.at(lastPc);
}
