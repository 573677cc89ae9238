/** Counts which way the decisions of a source went, by the conditional jumps of one code. */

import type { SourceRange } from '../../artifacts/source-map.ts';
import { OPCODES, operandLength } from '../../protocol/hardforks/opcodes.ts';
import type { Task } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { type CodeFlow, type FlowBlock, workOf } from './code-flow.ts';
import type { Decision, FileProbes, Reading } from './code-probes.ts';
import type { BranchItem, Span } from './source-items.ts';

const { JUMPI, JUMPDEST, REVERT, INVALID } = OPCODES;
/** Blocks that are looked through for the side of a decision that they belong to. */
const LONGEST_WAY = 6;

/** Returns true for the first block that the test holds for on the way on from a block, before the way parts. */
function leadsTo(flow: CodeFlow, from: FlowBlock | undefined, test: (block: FlowBlock) => boolean): boolean {
  let at = from ?? null;
  for (let steps = 0; at !== null && steps < LONGEST_WAY; steps++) {
    if (test(at)) return true;
    at = flow.next(at);
  }
  return false;
}

/** Returns the way in which a jump decides: 1 when it leads to the first side, -1 to the second one, 0 where that is not known. */
function sideOfJump(
  block: FlowBlock,
  { kind, sides }: BranchItem,
  file: number,
  reading: Reading,
): -1 | 0 | 1 {
  const { flow, map, code } = reading;
  const [jumped, fallen] = [flow.blocks[block.jumpsTo], flow.blocks[block.fallsTo]];
  const balance = (first: boolean, second: boolean): -1 | 0 | 1 => (first === second ? 0 : first ? 1 : -1);
  if (kind === 'require') {
    const aborts = (at: FlowBlock): boolean => {
      const opcode = code[at.last];
      return opcode === REVERT || opcode === INVALID;
    };
    return balance(leadsTo(flow, fallen, aborts), leadsTo(flow, jumped, aborts));
  }
  const lies = (range: SourceRange | null, side: Span | null): boolean =>
    range?.file === file &&
    side !== null &&
    range.start >= side.start &&
    range.start + range.length <= side.end;
  const isIn =
    (side: Span | null) =>
    ({ start, last }: FlowBlock): boolean => {
      for (let pc = start; pc <= last; pc += 1 + operandLength(code, pc))
        if (lies(map.rangeAt(pc), side)) return true;
      return false;
    };
  const [first, second] = sides;
  // A jump over nothing but a jump (`if (…) break;`) is written as one jump, whose target is the body's.
  const target = map.rangeAt(flow.beforeLast(block));
  if (lies(target, first) || lies(target, second)) return lies(target, first) ? 1 : -1;
  return balance(
    leadsTo(flow, jumped, isIn(first)) || leadsTo(flow, fallen, isIn(second)),
    leadsTo(flow, fallen, isIn(first)) || leadsTo(flow, jumped, isIn(second)),
  );
}

/** A conditional jump that a decision may be taken by. */
interface DecidingJump {
  readonly block: FlowBlock;
  readonly side: -1 | 0 | 1;
  /** True where the source map gives the jump just the range of the decision. */
  readonly isOwn: boolean;
}

/** Adds how often the decisions of the files went each way. */
export function* countDecisions(reading: Reading, pieces: WorkPieces): Task<void> {
  const { flow, counts, code, origin } = reading;
  const found = new Map<Decision, DecidingJump[]>();
  for (const block of flow.blocks) {
    if (code[block.last] !== JUMPI) continue;
    for (const [decision, jump] of decisionsOf(block, reading)) {
      found.set(decision, [...(found.get(decision) ?? []), jump]);
    }
    // The ways from both sides of the jump are looked through too.
    const turn = pieces.spend(2 * LONGEST_WAY * workOf(block));
    if (turn !== undefined) yield turn;
  }
  for (const [decision, jumps] of found) {
    const { kind, sides } = decision.item;
    const used = likeliest(jumps, reading);
    for (const { block, side } of used) {
      const isRepeated = used.some(
        (other) => other.block !== block && flow.dominates(other.block.index, block.index),
      );
      if (isRepeated) continue;
      const falls = counts.fallsOf(block.last);
      const taken = flow.jumpsOf(block);
      // The code of an `if` follows its jump, that of the others is jumped to. The IR pipeline jumps to it, and over it where
      // there is an `else`; Vyper jumps straight to where `continue` and `break` lead.
      const isJumpedTo =
        kind !== 'if' || (origin.viaIR && sides[1] === null) || (origin.isVyper && !decision.hasFirstCode);
      const isJumped = side === 0 ? isJumpedTo : side > 0;
      decision.isSeen = true;
      decision.first += isJumped ? taken : falls;
      decision.second += isJumped ? falls : taken;
    }
  }
}

/** Returns the jumps that say most about a decision: those that lead to code of one side before others. */
function likeliest(jumps: readonly DecidingJump[], { origin }: Reading): readonly DecidingJump[] {
  const own = jumps.filter(({ isOwn }) => isOwn);
  const known = own.filter(({ side }) => side !== 0);
  if (known.length > 0) return known;
  if (!origin.viaIR && own.length > 0) return own;
  const others = jumps.filter(({ side }) => side !== 0);
  return others.length > 0 || !(origin.viaIR || origin.isVyper) ? others : jumps;
}

/** Returns the decisions that the jump at the end of a block may be of. */
function decisionsOf(block: FlowBlock, reading: Reading): [Decision, DecidingJump][] {
  const { map, files, origin } = reading;
  const range = map.rangeAt(block.last);
  const file = range === null ? null : (files.get(range.file) ?? null);
  const own = file === null || range === null ? undefined : file.decision(spanOf(range));
  if (own !== undefined && range !== null) {
    return [[own, { block, side: sideOfJump(block, own.item, range.file, reading), isOwn: true }]];
  }
  if (!origin.optimizer && !origin.viaIR) return [];
  const around = lastInDecision(block, reading);
  if (around === null) return [];
  const candidates = around.decisions.map((decision): [Decision, DecidingJump] => {
    return [
      decision,
      { block, side: sideOfJump(block, decision.item, around.range.file, reading), isOwn: false },
    ];
  });
  const sure = candidates.find(([, { side }]) => side !== 0) ?? candidates[0];
  return sure === undefined ? [] : [sure];
}

const spanOf = ({ start, length }: SourceRange): Span => ({ start, end: start + length });

/** Returns the last place in a block that is in the condition of a decision, with these decisions, the innermost first. */
function lastInDecision(
  block: FlowBlock,
  { flow, map, files, code }: Reading,
): { readonly range: SourceRange; readonly decisions: readonly Decision[] } | null {
  let found: { readonly range: SourceRange; readonly file: FileProbes } | null = null;
  for (let pc = block.start; pc <= block.last; pc += 1 + operandLength(code, pc)) {
    const range = map.rangeAt(pc);
    const file = range === null ? null : (files.get(range.file) ?? null);
    if (range === null || file === null || code[pc] === JUMPDEST || flow.isNumber(pc)) continue;
    if (file.isInStatement(range.start, range.start + range.length)) found = { range, file };
  }
  if (found === null) return null;
  const { start, end } = spanOf(found.range);
  const decisions = found.file
    .around(start, end)
    .map(({ span }) => found.file.decision(span))
    .filter((decision) => decision !== undefined)
    .filter(({ item }) => item.sides.every((side) => side === null || start < side.start || end > side.end))
    .sort((one, other) => lengthOf(one.item.span) - lengthOf(other.item.span));
  return { range: found.range, decisions };
}

const lengthOf = ({ start, end }: Span): number => end - start;
