/**
 * The control flow of a code: its blocks, how often each edge was taken, and which blocks dominate others. An
 * internal call pushes its return address. The block at this address counts as reached from the block that
 * pushed it, not from the end of the called function.
 */

import type { SourceMap } from '../../artifacts/source-map.ts';
import type { OpcodeCounts } from '../../evm/execution-counts.ts';
import type { Steps } from '../../primitives/steps.ts';
import { OPCODES, operandLength } from '../../protocol/hardforks/opcodes.ts';

const { JUMP, JUMPI, JUMPDEST, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT } = OPCODES;
const PUSH1 = 0x60;
const PUSH4 = 0x63;
/** Opcodes that do not always continue with the next opcode. */
const ENDS: ReadonlySet<number> = new Set([JUMP, STOP, RETURN, REVERT, INVALID, SELFDESTRUCT]);

/** Units of work per block and per byte of it. The figures are for cold code that V8 has not compiled yet. */
const BLOCK_WORK = 200;
const BYTE_WORK = 50;

/** Returns the units of work for the opcodes of a block. */
export function workOf({ start, last }: Pick<FlowBlock, 'start' | 'last'>): number {
  return BLOCK_WORK + BYTE_WORK * (last + 1 - start);
}

/** How often a block was reached from another one. */
export interface FlowEdge {
  readonly from: number;
  readonly times: number;
  /** True for an internal call. */
  readonly isCall: boolean;
}

/** Opcodes that run one after the other. */
export interface FlowBlock {
  readonly index: number;
  /** The program counters of the first and the last opcode. */
  readonly start: number;
  readonly last: number;
  /** The target of the final jump if it is pushed directly before the jump; otherwise -1. */
  jumpsTo: number;
  /** The next block in the code if execution can continue there; otherwise -1. */
  readonly fallsTo: number;
  /** True if the final jump is an internal call. */
  isCall: boolean;
  /** The last block whose address is pushed for later; -1 for none. */
  pushes: number;
  /** The edges into the block. */
  readonly edges: FlowEdge[];
}

/** A block address that is pushed but not the target of the next jump. */
interface PushedPlace {
  readonly block: number;
  readonly pc: number;
}

/** The blocks of a code with their counts. */
export class CodeFlow {
  readonly blocks: readonly FlowBlock[];
  readonly code: Uint8Array;
  readonly counts: OpcodeCounts;
  /** The immediate dominator of each block; -1 for none. */
  #dominators: Int32Array = new Int32Array();
  /** The program counters of pushed block addresses. */
  readonly #places = new Set<number>();

  private constructor(code: Uint8Array, counts: OpcodeCounts) {
    this.code = code;
    this.counts = counts;
    this.blocks = blocksOf(code);
  }

  static *of(code: Uint8Array, counts: OpcodeCounts, map: SourceMap): Steps<CodeFlow> {
    const flow = new CodeFlow(code, counts);
    const pushed = yield* flow.#connect(map);
    yield* flow.#returns(pushed);
    flow.#dominators = yield* dominatorsOf(flow.blocks);
    return flow;
  }

  /** Returns how often the block's final jump was taken. */
  jumpsOf({ last }: FlowBlock): number {
    const times = this.counts.at(last);
    return this.code[last] === JUMPI ? Math.max(0, times - this.counts.fallsOf(last)) : times;
  }

  /** Returns the immediate dominator of the block; -1 for none. */
  dominatorOf(block: number): number {
    return this.#dominators[block] ?? -1;
  }

  /** Returns true if the first block always runs before the second one, or is the same. */
  dominates(first: number, second: number): boolean {
    for (let at = second; at >= 0; at = this.dominatorOf(at)) if (at === first) return true;
    return false;
  }

  /** Returns true if the opcode pushes a number, not a block address. */
  isNumber(pc: number): boolean {
    return operandLength(this.code, pc) > 0 && !this.#places.has(pc);
  }

  /** Returns the program counter of the block's second-last opcode. */
  beforeLast({ start, last }: FlowBlock): number {
    let before = start;
    for (let pc = start; pc < last; pc += 1 + operandLength(this.code, pc)) before = pc;
    return before;
  }

  /** Returns the only successor of a block (for an internal call, the block after it); otherwise `null`. */
  next(block: FlowBlock): FlowBlock | null {
    const opcode = this.code[block.last];
    if (opcode === JUMPI) return null;
    if (opcode !== JUMP) return this.blocks[block.fallsTo] ?? null;
    return this.blocks[block.isCall ? block.pushes : block.jumpsTo] ?? null;
  }

  /** Adds the edges that the code defines directly. Returns the addresses pushed for later, by block. */
  *#connect(map: SourceMap): Steps<ReadonlyMap<number, readonly PushedPlace[]>> {
    const { code, counts, blocks } = this;
    const starts = new Map(
      blocks.flatMap((block) => (code[block.start] === JUMPDEST ? [[block.start, block] as const] : [])),
    );
    const pushed = new Map<number, PushedPlace[]>();
    const widths = new Map<number, number>();
    const later: { readonly target: FlowBlock; readonly width: number; readonly place: PushedPlace }[] = [];
    for (const block of blocks) {
      for (let pc = block.start; pc <= block.last; pc++) {
        const opcode = code[pc] ?? 0;
        const width = operandLength(code, pc);
        const target =
          opcode >= PUSH1 && opcode <= PUSH4 ? starts.get(numberAt(code, pc + 1, width)) : undefined;
        pc += width;
        if (target === undefined) continue;
        const next = code[pc + 1];
        if (next === JUMP || next === JUMPI) {
          this.#places.add(pc - width);
          block.jumpsTo = target.index;
          widths.set(width, (widths.get(width) ?? 0) + 1);
        } else later.push({ target, width, place: { block: block.index, pc: pc - width } });
      }
      const { fallsTo, jumpsTo, index, last } = block;
      if (fallsTo >= 0) {
        const times = code[last] === JUMPI ? counts.fallsOf(last) : counts.at(last);
        blocks[fallsTo]?.edges.push({ from: index, times, isCall: false });
      }
      if (jumpsTo >= 0) {
        block.isCall = map.jumpAt(last) === 'into';
        blocks[jumpsTo]?.edges.push({ from: index, times: this.jumpsOf(block), isCall: block.isCall });
      }
      yield workOf(block);
    }
    // Compilers push all addresses in the same width. Other pushes that equal an address are numbers.
    const [usual] = [...widths].sort(([, one], [, other]) => other - one)[0] ?? [0];
    for (const { target, width, place } of later) {
      if (width !== usual) continue;
      this.#places.add(place.pc);
      pushed.set(target.index, [...(pushed.get(target.index) ?? []), place]);
      const block = blocks[place.block];
      if (block !== undefined) block.pushes = target.index;
    }
    return pushed;
  }

  /** Adds the edges to addresses that were pushed earlier. */
  *#returns(pushed: ReadonlyMap<number, readonly PushedPlace[]>): Steps<void> {
    const { counts, blocks } = this;
    for (const block of blocks) {
      const places = pushed.get(block.index) ?? [];
      const known = block.edges.reduce((sum, { times }) => sum + times, 0);
      const rest = Math.max(0, counts.at(block.start) - known);
      const total = places.reduce((sum, { pc }) => sum + counts.at(pc), 0);
      for (const place of places) {
        const share = total === 0 ? 0 : (rest * counts.at(place.pc)) / total;
        block.edges.push({ from: place.block, times: share, isCall: false });
      }
      if (rest > 0 && total === 0) block.edges.push({ from: -1, times: rest, isCall: false });
      yield BLOCK_WORK * (1 + places.length);
    }
  }
}

function numberAt(code: Uint8Array, start: number, length: number): number {
  let number = 0;
  for (let at = start; at < start + length; at++) number = number * 256 + (code[at] ?? 0);
  return number;
}

function blocksOf(code: Uint8Array): FlowBlock[] {
  const blocks: FlowBlock[] = [];
  let start = 0;
  const close = (last: number): void => {
    const index = blocks.length;
    const fallsTo = ENDS.has(code[last] ?? INVALID) ? -1 : index + 1;
    blocks.push({ index, start, last, jumpsTo: -1, fallsTo, isCall: false, pushes: -1, edges: [] });
  };
  let previous = -1;
  for (let pc = 0; pc < code.length; pc += 1 + operandLength(code, pc)) {
    const opcode = code[pc] ?? 0;
    if (opcode === JUMPDEST && pc > start) {
      close(previous);
      start = pc;
    }
    previous = pc;
    if (opcode === JUMPI || ENDS.has(opcode)) {
      close(pc);
      start = pc + 1;
    }
  }
  if (start <= previous) close(previous);
  return blocks;
}

/** Returns the immediate dominators (Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm). */
function* dominatorsOf(blocks: readonly FlowBlock[]): Steps<Int32Array> {
  const followers = blocks.map((): number[] => []);
  for (const { index, edges } of blocks)
    for (const { from } of edges) if (from >= 0) followers[from]?.push(index);
  const order = orderOf(followers);
  const position = new Int32Array(blocks.length).fill(-1);
  for (const [at, index] of order.entries()) position[index] = at;
  const found = new Int32Array(blocks.length).fill(-1);
  const shared = (one: number, other: number): number => {
    let [left, right] = [one, other];
    while (left !== right) {
      if ((position[left] ?? 0) > (position[right] ?? 0)) left = found[left] ?? 0;
      else right = found[right] ?? 0;
    }
    return left;
  };
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const index of order) {
      if (index === 0) continue;
      let dominator = -1;
      const edges = blocks[index]?.edges ?? [];
      yield BLOCK_WORK * edges.length;
      for (const { from } of edges) {
        if (from < 0 || (from !== 0 && (found[from] ?? -1) < 0)) continue;
        dominator = dominator < 0 ? from : shared(from, dominator);
      }
      if (found[index] === dominator) continue;
      found[index] = dominator;
      isChanged = true;
    }
  }
  return found;
}

/** Returns the reachable blocks in reverse postorder: each block before its successors, except in loops. */
function orderOf(followers: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const isSeen = new Uint8Array(followers.length);
  const open: { readonly index: number; next: number }[] = [];
  const visit = (index: number): void => {
    if (isSeen[index] === 1 || index >= followers.length) return;
    isSeen[index] = 1;
    open.push({ index, next: 0 });
  };
  visit(0);
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const following = followers[top.index]?.[top.next++];
    if (following !== undefined) visit(following);
    else {
      order.push(top.index);
      open.pop();
    }
  }
  return order.reverse();
}
