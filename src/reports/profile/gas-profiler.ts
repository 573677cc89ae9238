/** Attributes the gas of one execution to contracts, functions and lines. */

import type { ExecutionResult } from '../../evm/engine.ts';
import type { ExecutionObserver, ExecutionStep, FrameEnd, FrameStart } from '../../evm/observer.ts';
import type { SourceIndex } from '../../inspect/source-index.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';

/** The data of a frame's code that a profile needs. */
export interface ProfiledCode {
  /** The name of the frame's call: `Token.transfer`. */
  readonly name: string;
  /** Tracks internal functions; `null` without a source map. */
  readonly guide: SourceIndex | null;
  /** `contracts/Token.sol:12` by program counter; `null` for code without a place. */
  readonly lineAt: (pc: number) => string | null;
}

/** Gas by stack: the calls from the transaction inwards, then the line, if known. */
export interface GasSample {
  readonly calls: readonly string[];
  readonly line: string | null;
  readonly gas: bigint;
}

/** A call or internal function, with its own gas. */
interface CallNode {
  readonly name: string;
  readonly outer: CallNode | null;
  readonly inner: Map<string, CallNode>;
  readonly gas: Map<string | null, bigint>;
  readonly depth: number;
}

/** A function that was entered and not yet left. */
interface EnteredFunction {
  readonly node: CallNode;
  readonly definition: number;
  readonly outer: EnteredFunction | null;
}

interface OpenFrame {
  readonly code: ProfiledCode;
  within: EnteredFunction;
  /** The number of entered functions beyond the limit. */
  uncounted: number;
  /** Gas left before the current opcode; `null` before the first one. */
  lastGas: bigint | null;
  line: string | null;
  /** True if the previous opcode jumped into a function. The next opcode is its destination. */
  jumps: boolean;
  /** Gas of the frames that the current opcode started. */
  insideOpcode: bigint;
  /** The gas attributed so far, including inner frames. */
  told: bigint;
}

/** Maximum depth of calls. The gas of deeper recursion counts for the last call within the limit. */
const MAX_DEPTH = 256;
/** Code without an artifact. */
const UNKNOWN: ProfiledCode = { name: '<unknown>', guide: null, lineAt: () => null };

/** Profiles one execution. It attributes all gas of a frame, so samples add up to the execution's gas. */
export class GasProfiler implements ExecutionObserver {
  readonly #codes: readonly ProfiledCode[];
  readonly #root: CallNode = { name: '', outer: null, inner: new Map(), gas: new Map(), depth: 0 };
  readonly #open: OpenFrame[] = [];
  #frames = 0;
  #executed = 0n;

  /** `codes` by index of the frame, in call order. */
  constructor(codes: readonly ProfiledCode[]) {
    this.#codes = codes;
  }

  frameStart({ kind }: FrameStart): void {
    const code = this.#codes[this.#frames++] ?? UNKNOWN;
    const outer = this.#open.at(-1)?.within.node ?? this.#root;
    const node = innerNode(outer, kind === 'SELFDESTRUCT' ? '<selfdestruct>' : code.name);
    this.#open.push({
      code,
      within: { node, definition: 0, outer: null },
      uncounted: 0,
      lastGas: null,
      line: null,
      jumps: false,
      insideOpcode: 0n,
      told: 0n,
    });
  }

  step(step: ExecutionStep): void {
    const frame = this.#open.at(-1);
    if (frame === undefined) return;
    const { gas, pc, opcode } = step;
    this.#tellOpcode(frame, gas);
    const { guide } = frame.code;
    if (guide !== null && frame.jumps) enter(frame, guide, pc);
    frame.jumps = false;
    frame.lastGas = gas;
    frame.line = frame.code.lineAt(pc) ?? frame.line;
    if (guide === null || (opcode !== OPCODES.JUMP && opcode !== OPCODES.JUMPI)) return;
    const kind = guide.jumpAt(pc);
    if (kind === 'into') frame.jumps = true;
    else if (kind === 'out') leave(frame);
  }

  frameEnd({ gasUsed }: FrameEnd): void {
    const frame = this.#open.pop();
    if (frame === undefined) return;
    // The rest belongs to the last opcode: all gas on a halt, the gas for a new contract's code, or a
    // precompile's gas.
    const rest = gasUsed - frame.told - frame.insideOpcode;
    addGas(frame.within.node, frame.line, rest);
    const around = this.#open.at(-1);
    if (around === undefined) this.#executed += gasUsed;
    else around.insideOpcode += gasUsed;
  }

  /** Adds the gas of the previous opcode: the gas spent since then, without inner frames. */
  #tellOpcode(frame: OpenFrame, gas: bigint): void {
    if (frame.lastGas === null) return;
    const gone = frame.lastGas - gas;
    addGas(frame.within.node, frame.line, gone - frame.insideOpcode);
    frame.told += gone;
    frame.insideOpcode = 0n;
  }

  /** Returns the samples, which add up to the gas of the execution. Call it once, after the execution. */
  samples({ gasUsed, gasBeforeRefund }: ExecutionResult): GasSample[] {
    const samples: GasSample[] = [];
    const left: CallNode[] = [...this.#root.inner.values()];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      const calls = pathOf(node);
      for (const [line, gas] of node.gas) if (gas !== 0n) samples.push({ calls, line, gas });
      left.push(...node.inner.values());
    }
    const intrinsic = gasBeforeRefund - this.#executed;
    if (intrinsic > 0n) samples.push({ calls: [TRANSACTION], line: null, gas: intrinsic });
    return withoutRefund(samples, gasUsed);
  }
}

/** The intrinsic gas of a transaction, with its data. */
const TRANSACTION = '<transaction>';

function innerNode(outer: CallNode, name: string): CallNode {
  // Endless recursion would create a tree as deep as the call stack.
  if (outer.depth >= MAX_DEPTH) return outer;
  const known = outer.inner.get(name);
  if (known !== undefined) return known;
  const made = { name, outer, inner: new Map(), gas: new Map(), depth: outer.depth + 1 };
  outer.inner.set(name, made);
  return made;
}

function addGas(node: CallNode, line: string | null, gas: bigint): void {
  node.gas.set(line, (node.gas.get(line) ?? 0n) + gas);
}

function pathOf(node: CallNode): string[] {
  const path: string[] = [];
  for (let at: CallNode | null = node; at !== null && at.outer !== null; at = at.outer) path.push(at.name);
  return path.reverse();
}

/** Maximum depth of internal functions in one frame. */
const MAX_ENTERED = 1024;

function enter(frame: OpenFrame, guide: SourceIndex, to: number): void {
  const { within } = frame;
  let entered = 0;
  for (let at: EnteredFunction | null = within; at !== null; at = at.outer) entered++;
  if (entered >= MAX_ENTERED) {
    frame.uncounted++;
    return;
  }
  const definition = guide.isEntry(to) ? guide.definitionAt(to) : 0;
  const placed = guide.definition(definition);
  const name = placed === null ? null : nameOf(placed.definition);
  // The compiler's own functions, and the function in the frame's name, are not calls in the source.
  const isOwn = name === null || (within.outer === null && name === frame.code.name);
  const node = isOwn ? within.node : innerNode(within.node, name);
  frame.within = { node, definition, outer: within };
}

function nameOf({ name, contract }: { readonly name: string; readonly contract: string | null }): string {
  return contract === null ? name : `${contract}.${name}`;
}

function leave(frame: OpenFrame): void {
  if (frame.uncounted > 0) frame.uncounted--;
  else frame.within = frame.within.outer ?? frame.within;
}

/**
 * Scales the samples to the gas paid. A refund is distributed in proportion, because it is capped as a whole
 * and can exceed the cost of the opcode that earned it.
 */
function withoutRefund(samples: readonly GasSample[], gasUsed: bigint): GasSample[] {
  const total = samples.reduce((sum, { gas }) => sum + gas, 0n);
  if (total === gasUsed || total === 0n) return [...samples];
  let before = 0n;
  let given = 0n;
  return samples.flatMap((sample) => {
    before += sample.gas;
    const until = (before * gasUsed) / total;
    const gas = until - given;
    given = until;
    return gas === 0n ? [] : [{ ...sample, gas }];
  });
}
