/** Runs an execution again with recorders of its frames, and finds the contracts of the frames. */

import type { Chain } from '../chain/chain.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { creationIndexes, placeOf } from './creations.ts';
import { TooManyStepsError } from './execution-recorder.ts';
import { type InspectedExecution, minedBlockOf, type Run, runOf } from './executions.ts';
import { contractsOfFrames } from './inspection.ts';
import { inspectionRecorder, type RecordedInspection, type RecordingOptions } from './inspection-recorder.ts';
import type { BlockPosition, ContractsOfFrames, KnownContracts } from './known-contracts.ts';
import { guidesOf, type SourceIndex, type SourceIndexes } from './source-index.ts';

/** The frames of an execution, their contracts, and a function that runs the execution again. */
export interface FramesOfExecution {
  readonly run: Run;
  readonly recorded: RecordedInspection;
  readonly contracts: ContractsOfFrames;
}

export class FrameRecordings {
  readonly #chain: Chain;
  readonly #contracts: KnownContracts;
  /** Guides of contracts that failed. */
  readonly #guides: SourceIndexes = new WeakMap();

  constructor(chain: Chain, contracts: KnownContracts) {
    this.#chain = chain;
    this.#contracts = contracts;
  }

  /**
   * Records the frames of an execution. A recording of steps costs ten times as much, but only steps show where
   * a frame ended and which slots it wrote. `run` runs the execution, if its block was replayed before. Rejects
   * like the run.
   */
  async of(
    execution: InspectedExecution,
    checkCancelled: CancelCheck,
    run = runOf(this.#chain, execution, checkCancelled),
  ): Promise<FramesOfExecution> {
    const recorded = await run(inspectionRecorder({ guides: null, hasState: false }));
    const contracts = await contractsOfFrames(
      recorded,
      this.#contracts,
      checkCancelled,
      () => creationIndexes(run),
      this.#placeOf(execution),
    );
    return { run, recorded, contracts };
  }

  /** Records again with steps. If there are too many steps, the stack trace has no lines. */
  async stepped(
    { run, recorded }: FramesOfExecution,
    options: RecordingOptions,
  ): Promise<RecordedInspection> {
    try {
      return await run(inspectionRecorder(options));
    } catch (error) {
      if (!(error instanceof TooManyStepsError)) throw error;
      return options.hasState ? run(inspectionRecorder({ ...options, guides: null })) : recorded;
    }
  }

  /** Resolves to the guides of contracts, by frame; `null` for a frame without a known contract. */
  guidesOf(contracts: ContractsOfFrames): Promise<(SourceIndex | null)[]> {
    return guidesOf(contracts, this.#guides);
  }

  /** Resolves to the guides of the failed frames. */
  guidesOfFailed({ recorded: { frames }, contracts }: FramesOfExecution): Promise<(SourceIndex | null)[]> {
    return this.guidesOf(
      contracts.map((contract, index) => (frames[index]?.end.outcome === 'success' ? null : contract)),
    );
  }

  /** The block of an execution; `null` for a call, and for the next block, whose state is the current state. */
  #placeOf(execution: InspectedExecution): BlockPosition | null {
    const block = minedBlockOf(execution);
    if (block === null || equalBytes(block.header.parentHash, this.#chain.head().hash)) return null;
    return placeOf(block);
  }
}
