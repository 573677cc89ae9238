/** Counts which side the decisions of a source took, from the conditional jumps of one code. */

import type { SourceRange } from '../../artifacts/source-map.ts';
import type { Steps } from '../../primitives/steps.ts';
import { OPCODES, operandLength } from '../../protocol/hardforks/opcodes.ts';
import { type CodeFlow, type FlowBlock, workOf } from './code-flow.ts';
import type { Decision, FileProbes, Reading } from './code-probes.ts';
import type { BranchItem, Span } from './source-items.ts';

const { JUMPI, JUMPDEST, REVERT, INVALID } = OPCODES;
/** Maximum blocks to search for the side of a decision. */
const MAX_WAY_LENGTH = 6;

/** Returns true if the test is true for a block on the path from `from`, before the path splits. */
function leadsTo(flow: CodeFlow, from: FlowBlock | undefined, test: (block: FlowBlock) => boolean): boolean {
  let at = from ?? null;
  for (let steps = 0; at !== null && steps < MAX_WAY_LENGTH; steps++) {
    if (test(at)) return true;
    at = flow.next(at);
  }
  return false;
}

/** Returns 1 if the jump leads to the first side, -1 if it leads to the second, 0 if unknown. */
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
  // A jump over a single jump (`if (…) break;`) compiles to one jump. Its target has the place of the body.
  const target = map.rangeAt(flow.beforeLast(block));
  if (lies(target, first) || lies(target, second)) return lies(target, first) ? 1 : -1;
  return balance(
    leadsTo(flow, jumped, isIn(first)) || leadsTo(flow, fallen, isIn(second)),
    leadsTo(flow, fallen, isIn(first)) || leadsTo(flow, jumped, isIn(second)),
  );
}

/** A conditional jump that may implement a decision. */
interface DecidingJump {
  readonly block: FlowBlock;
  readonly side: -1 | 0 | 1;
  /** True if the jump's source range is exactly the decision. */
  readonly isOwn: boolean;
}

/** Adds how often the decisions of the files took each side. */
export function* countDecisions(reading: Reading): Steps<void> {
  const { flow, counts, code, origin } = reading;
  const found = new Map<Decision, DecidingJump[]>();
  for (const block of flow.blocks) {
    if (code[block.last] !== JUMPI) continue;
    for (const [decision, jump] of decisionsOf(block, reading)) {
      found.set(decision, [...(found.get(decision) ?? []), jump]);
    }
    // The search follows the paths from both sides of the jump.
    yield 2 * MAX_WAY_LENGTH * workOf(block);
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
      // The code of an `if` follows its jump; other decisions jump to the code of the first side. The IR
      // pipeline jumps to the code, or over it if there is an `else`. Vyper jumps directly to the target of
      // `continue` and `break`.
      const isJumpedTo =
        kind !== 'if' || (origin.viaIR && sides[1] === null) || (origin.isVyper && !decision.hasFirstCode);
      const isJumped = side === 0 ? isJumpedTo : side > 0;
      decision.isSeen = true;
      decision.first += isJumped ? taken : falls;
      decision.second += isJumped ? falls : taken;
    }
  }
}

/** Returns the most reliable jumps of a decision. Jumps that lead to code of one side come first. */
function likeliest(jumps: readonly DecidingJump[], { origin }: Reading): readonly DecidingJump[] {
  const own = jumps.filter(({ isOwn }) => isOwn);
  const known = own.filter(({ side }) => side !== 0);
  if (known.length > 0) return known;
  if (!origin.viaIR && own.length > 0) return own;
  const others = jumps.filter(({ side }) => side !== 0);
  return others.length > 0 || !(origin.viaIR || origin.isVyper) ? others : jumps;
}

/** Returns the decisions that the block's final jump may implement. */
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

/** Returns the block's last place within the condition of a decision, with its decisions, innermost first. */
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
