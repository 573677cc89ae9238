/**
 * Counts outside calls of functions by the selector comparisons in the code. Optimizers may leave no code
 * with the place of a short function, but its selector comparison always remains.
 */

import type { Steps } from '../../primitives/steps.ts';
import { OPCODES, operandLength } from '../../protocol/hardforks/opcodes.ts';
import type { FlowBlock } from './code-flow.ts';
import type { OutsideCalls, Reading } from './code-probes.ts';

const { JUMP, JUMPI, CALLDATASIZE, EQ, ISZERO, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT } = OPCODES;
const COMPLETIONS: ReadonlySet<number> = new Set([STOP, RETURN, SELFDESTRUCT]);
const PUSH1 = 0x60;
const PUSH4 = 0x63;
const DUP1 = 0x80;
const DUP16 = 0x8f;
/** Maximum blocks between the selector and the function. They check the value and the arguments. */
const MAX_WAY_LENGTH = 24;

/** Units of work to check if a block is behind another one. */
const COMPLETION_WORK = 40;

/** Returns the calls by selector (eight digits). */
export function* callsBySelector(reading: Reading): Steps<Map<string, OutsideCalls>> {
  const { flow, counts } = reading;
  const found = new Map<string, OutsideCalls>();
  for (const block of flow.blocks) {
    const compared = comparedIn(block, reading);
    const target =
      compared === null ? undefined : flow.blocks[compared.isNegated ? block.fallsTo : block.jumpsTo];
    if (compared === null || target === undefined || found.has(compared.selector)) continue;
    const times = compared.isNegated ? counts.fallsOf(block.last) : flow.jumpsOf(block);
    const calls = callsBehind(target, times, reading);
    const completions = Math.min(calls, completionsBehind(target, reading));
    found.set(compared.selector, { calls, completions });
    // Each block where execution ends is checked for domination by the function.
    yield COMPLETION_WORK * flow.blocks.length;
  }
  return found;
}

/** The calls of `receive` and `fallback`. */
export interface OtherCalls {
  readonly receive: OutsideCalls;
  readonly fallback: OutsideCalls;
}

/** Returns the calls of `receive` and `fallback`; `null` if the code does not separate them. */
export function otherCalls(reading: Reading): OtherCalls | null {
  const { flow, code, counts } = reading;
  for (const block of flow.blocks) {
    const before: number[] = [];
    for (let pc = block.start; pc < block.last; pc += 1 + operandLength(code, pc)) before.push(code[pc] ?? 0);
    const isTurned = before.at(-2) === ISZERO;
    const isOfSize = code[block.last] === JUMPI && before.at(isTurned ? -3 : -2) === CALLDATASIZE;
    const [jumped, fallen] = [flow.blocks[block.jumpsTo], flow.blocks[block.fallsTo]];
    if (!isOfSize || jumped === undefined || fallen === undefined) continue;
    const onJump = behind(jumped, flow.jumpsOf(block));
    const onFall = behind(fallen, counts.fallsOf(block.last));
    return isTurned ? { receive: onJump, fallback: onFall } : { receive: onFall, fallback: onJump };
  }
  return null;

  function behind(target: FlowBlock, times: number): OutsideCalls {
    const calls = callsBehind(target, times, reading);
    return { calls, completions: Math.min(calls, completionsBehind(target, reading)) };
  }
}

/** Returns how often a creation began and how often it completed. */
export function creations(reading: Reading): OutsideCalls {
  return { calls: reading.counts.at(0), completions: completionsBehind(reading.flow.blocks[0], reading) };
}

/** Reads `PUSH selector, EQ, PUSH place, JUMPI` at the end of a block, with optional opcodes in between. */
function comparedIn(
  block: FlowBlock,
  { code }: Reading,
): { readonly selector: string; readonly isNegated: boolean } | null {
  if (code[block.last] !== JUMPI || block.jumpsTo < 0) return null;
  let selector: number | null = null;
  let isCompared = false;
  let isNegated = false;
  for (let pc = block.start; pc < block.last; pc += 1 + operandLength(code, pc)) {
    const opcode = code[pc] ?? 0;
    const isPush = opcode >= PUSH1 && opcode <= PUSH4;
    if (opcode === EQ) isCompared = selector !== null;
    else if (opcode === ISZERO && isCompared) isNegated = !isNegated;
    else if (isPush && !isCompared) {
      selector = Buffer.from(code.subarray(pc + 1, pc + 2 + opcode - PUSH1)).readUIntBE(
        0,
        1 + opcode - PUSH1,
      );
    } else if (!isPush && (opcode < DUP1 || opcode > DUP16)) {
      selector = null;
      isCompared = false;
      isNegated = false;
    }
  }
  return isCompared && selector !== null
    ? { selector: selector.toString(16).padStart(8, '0'), isNegated }
    : null;
}

/** Returns how often execution passed the checks of value and arguments. These checks reject with REVERT. */
function callsBehind(target: FlowBlock, times: number, { flow, code, counts, map, files }: Reading): number {
  let at: FlowBlock | undefined = target;
  let calls = times;
  for (let steps = 0; at !== undefined && steps < MAX_WAY_LENGTH; steps++) {
    if (isUsersCode(at)) return calls;
    if (code[at.last] === JUMPI) {
      const jumped: FlowBlock | undefined = flow.blocks[at.jumpsTo];
      const fallen: FlowBlock | undefined = flow.blocks[at.fallsTo];
      const jumpRefuses = refuses(jumped);
      const fallRefuses = refuses(fallen);
      if (jumpRefuses === fallRefuses) return calls;
      calls = Math.min(calls, jumpRefuses ? counts.fallsOf(at.last) : flow.jumpsOf(at));
      at = jumpRefuses ? fallen : jumped;
    } else at = flow.next(at) ?? undefined;
  }
  return calls;

  function isUsersCode({ start, last }: FlowBlock): boolean {
    for (let pc = start; pc <= last; pc += 1 + operandLength(code, pc)) {
      const range = map.rangeAt(pc);
      const file = range === null ? null : files.get(range.file);
      if (range !== null && file?.isInStatement(range.start, range.start + range.length) === true)
        return true;
    }
    return false;
  }

  function refuses(block: FlowBlock | undefined): boolean {
    const opcode = block === undefined ? JUMP : code[block.last];
    return block !== undefined && (opcode === REVERT || opcode === INVALID) && !isUsersCode(block);
  }
}

/**
 * Returns how often execution ended successfully after the block. It counts ends in dominated blocks, and
 * ends that the optimizer merged for several functions.
 */
function completionsBehind(target: FlowBlock | undefined, { flow, code, counts }: Reading): number {
  if (target === undefined) return 0;
  const isBehind = (index: number): boolean => index >= 0 && flow.dominates(target.index, index);
  let completions = 0;
  for (const block of flow.blocks) {
    const isOwn = isBehind(block.index);
    if (isOwn && COMPLETIONS.has(code[block.last] ?? INVALID)) completions += counts.at(block.last);
    if (isOwn) continue;
    const ways = block.edges.filter(({ from }) => isBehind(from));
    if (ways.length > 0 && endsWell(block)) completions += ways.reduce((sum, { times }) => sum + times, 0);
  }
  return Math.round(completions);

  /** Returns true if execution continues straight to a successful end. */
  function endsWell(block: FlowBlock): boolean {
    let at: FlowBlock | null = block;
    for (let steps = 0; at !== null && steps < MAX_WAY_LENGTH; steps++) {
      if (COMPLETIONS.has(code[at.last] ?? INVALID)) return true;
      if (at.isCall) return false;
      at = flow.next(at);
    }
    return false;
  }
}
