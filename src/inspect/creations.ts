/**
 * Finds the frame that created a contract, and the program counter in its creator's code. These distinguish
 * contracts with the same code.
 */

import type { CodeSide } from '../artifacts/contract-index.ts';
import type { Chain } from '../chain/chain.ts';
import { ranCode } from '../chain/execution/chain-history.ts';
import { TraceMismatchError } from '../chain/execution/tracing.ts';
import type { ExecutionResult } from '../evm/engine.ts';
import type { ExecutionStep, FrameEnd, FrameStart } from '../evm/observer.ts';
import { isCreation } from '../evm/observer.ts';
import type { Tracer, TracerFactory, TraceSubject } from '../evm/tracers/tracer.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import type { Block } from '../protocol/block.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { Log } from '../protocol/receipt.ts';
import { isRemascTransaction } from '../protocol/remasc.ts';
import type { Overlay } from '../state/overlay.ts';
import { fetchingState } from '../state/state-source.ts';
import { ExecutionRecorder, type RecordedExecution } from './execution-recorder.ts';
import type { BlockPosition, CreatingFrame, CreationSearch, FoundCreation } from './known-contracts.ts';

/** The program counters of creations in their creators' code, by index of the created frame. */
export type CreationIndexes = ReadonlyMap<number, number>;

export interface RecordedCreations extends RecordedExecution {
  readonly places: CreationIndexes;
}

const WANTED: ReadonlySet<number> = new Set([OPCODES.CREATE, OPCODES.CREATE2]);

/** Returns the side of the contract's code that the frame ran. */
export function sideOf(start: Pick<FrameStart, 'kind'>): CodeSide {
  return isCreation(start.kind) ? 'creation' : 'deployed';
}

/** Records the frames of an execution and the program counters of creations. */
export class CreationRecorder implements Tracer<RecordedCreations> {
  readonly wantedSteps = WANTED;
  readonly #execution: ExecutionRecorder;
  readonly #places = new Map<number, number>();
  #frames = 0;
  #pc: number | null = null;

  constructor(subject: TraceSubject) {
    this.#execution = new ExecutionRecorder(subject);
  }

  step({ pc, opcode }: ExecutionStep): void {
    if (WANTED.has(opcode)) this.#pc = pc;
  }

  frameStart(start: FrameStart): void {
    if (isCreation(start.kind) && this.#pc !== null) this.#places.set(this.#frames, this.#pc);
    this.#frames++;
    this.#pc = null;
    this.#execution.frameStart(start);
  }

  frameEnd(end: FrameEnd): void {
    this.#execution.frameEnd(end);
  }

  log(log: Log): void {
    this.#execution.log(log);
  }

  *result(result: ExecutionResult, after: Overlay): Steps<RecordedCreations> {
    return { ...(yield* this.#execution.result(result, after)), places: this.#places };
  }
}

/** Runs an execution again and resolves to the program counters of its creations. Rejects like `run`. */
export async function creationIndexes(
  run: (createTracer: TracerFactory<RecordedCreations>) => Promise<RecordedCreations>,
): Promise<CreationIndexes> {
  return (await run((subject) => new CreationRecorder(subject))).places;
}

export function placeOf({ header: { number }, hash }: Block): BlockPosition {
  return { number, hash };
}

/** The creations of a block, by address of the contract. */
type CreatingFrames = ReadonlyMap<string, CreatingFrame>;

/** Finds the creations of a chain by running the transactions of their blocks again. It needs no index. */
export class Creations implements CreationSearch {
  readonly #chain: Chain;
  /** The last searched block. Later searches often need the same block. */
  #last: { readonly hash: Uint8Array; readonly frames: Promise<CreatingFrames> } | null = null;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  isCurrent({ number, hash }: BlockPosition): boolean {
    const { blocks } = this.#chain;
    // After a reset, or if old blocks are pruned, the chain's first block may be above this block.
    const isKept = number >= blocks.first && number <= blocks.head.block.header.number;
    return isKept && equalBytes(blocks.summary(number).hash, hash);
  }

  async of(address: Uint8Array): Promise<FoundCreation | null> {
    const block = await fetchingState(() => this.#chain.history.creationBlock(address));
    if (block === undefined) return null;
    return { block: placeOf(block), frame: await this.#in(block, address) };
  }

  async #in(block: Block, address: Uint8Array): Promise<CreatingFrame | null> {
    const index = block.receipts.findIndex(
      ({ contractAddress }) => contractAddress !== null && equalBytes(contractAddress, address),
    );
    const transaction = block.transactions[index];
    if (transaction !== undefined) return { initcode: transaction.data, maker: null };
    if (this.#last === null || !equalBytes(this.#last.hash, block.hash))
      this.#last = { hash: block.hash, frames: this.#framesOf(block) };
    return (await this.#last.frames).get(hexKey(address)) ?? null;
  }

  async #framesOf(block: Block): Promise<CreatingFrames> {
    const found = new Map<string, CreatingFrame>();
    const { ruleSet, tracing } = this.#chain;
    const isWanted = (index: number): boolean => {
      const [transaction, receipt] = [block.transactions[index], block.receipts[index]];
      const mayCreate = receipt?.succeeded === true && transaction !== undefined;
      return mayCreate && !isRemascTransaction(transaction) && ranCode(ruleSet, transaction, receipt);
    };
    try {
      const traced = await tracing.block(block, (subject) => new CreationRecorder(subject), {
        isWanted: (_, index) => isWanted(index),
      });
      for (const { trace } of traced) addCreations(trace, found);
    } catch (error) {
      // The creations stay unknown if the block cannot run again. Its code may read hashes of blocks that
      // left the chain. It may also be too large, or leave the chain during the run.
      if (!(error instanceof TraceMismatchError || error instanceof CodedError)) throw error;
    }
    return found;
  }
}

/** Adds the creations that were not reverted. */
function addCreations({ frames, places }: RecordedCreations, found: Map<string, CreatingFrame>): void {
  const kept: boolean[] = [];
  for (const { start, end, parent, code, index } of frames) {
    kept[index] = end.outcome === 'success' && (parent === null || kept[parent.index] === true);
    if (!isCreation(start.kind) || kept[index] !== true) continue;
    const pc = places.get(index);
    const maker =
      parent === null || pc === undefined ? null : { side: sideOf(parent.start), code: parent.code, pc };
    found.set(hexKey(start.to), { initcode: code, maker });
  }
}
