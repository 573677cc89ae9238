/** Builds a block without adding it to the chain (testing_buildBlockV1). */

import { UnexecutableError } from '../../evm/engine.ts';
import type { Block } from '../../protocol/block.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { WorldState } from '../../state/world-state.ts';
import { isUncalled, uncalledThrough } from '../../storage/blocks-without-calls.ts';
import type { ChainCore } from '../chain-core.ts';
import { NotIncludableError } from '../errors.ts';
import type { BlockBuilder, CandidateBlock } from '../mining/block-builder.ts';
import { type Ancestors, openBlock, type ParentContext, windowed } from '../mining/parent-context.ts';

/** The fields of a block to build, and its transactions. */
export interface TestBlockRequest {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 20 bytes. */
  readonly coinbase: Uint8Array;
  /** 32 bytes. */
  readonly prevRandao: Uint8Array;
  /** 32 bytes. */
  readonly parentBeaconBlockRoot: Uint8Array;
  /** `null` for the slot of a local block. Unused before EIP-7843. */
  readonly slotNumber: bigint | null;
  /** The gas limit moves from the parent's towards this target; `null` for the settings of the chain. */
  readonly targetGasLimit: bigint | null;
  /** `null` for the extra data of the chain. */
  readonly extraData: Uint8Array | null;
  /** `null` for the executable transactions of the pool that fit. */
  readonly transactions: readonly Transaction[] | null;
}

/** The parent of a block to build, with the state after it. */
export interface TestBlockParent {
  readonly block: Block;
  readonly state: WorldState;
  /** The blocks below the parent. */
  readonly ancestors: Ancestors;
}

/** Adds all transactions in order. Rejects with {@link NotIncludableError}. */
async function addAll(
  builder: BlockBuilder,
  transactions: readonly Transaction[],
  checkCancelled: CancelCheck,
): Promise<void> {
  for (const [index, transaction] of transactions.entries()) {
    await yieldToOthers(checkCancelled);
    if (transaction.gasLimit > builder.gasLeft)
      throw new NotIncludableError(index, `gas limit ${transaction.gasLimit} above ${builder.gasLeft}`);
    if (transaction.blobVersionedHashes.length > builder.blobsLeft)
      throw new NotIncludableError(index, `more blobs than the ${builder.blobsLeft} left in the block`);
    try {
      await builder.add(transaction);
    } catch (error) {
      if (error instanceof UnexecutableError) throw new NotIncludableError(index, error.message);
      throw error;
    }
  }
}

/**
 * Resolves to a block on the parent, without a proof of work. The chain and the pool stay unchanged. Rejects with
 * {@link NotIncludableError} for a transaction that breaks a rule, and with any error of `checkCancelled`.
 */
export async function buildTestBlock(
  core: ChainCore,
  { block: parent, state: parentState, ancestors }: TestBlockParent,
  request: TestBlockRequest,
  checkCancelled: CancelCheck,
): Promise<CandidateBlock> {
  const { settings, pool, engine, yielder } = core;
  const { current } = settings;
  const { timestamp, coinbase, prevRandao, parentBeaconBlockRoot, extraData, transactions } = request;
  const settingsOfBlock = {
    ...current,
    coinbase,
    slotNumber: request.slotNumber,
    gasLimitTarget: request.targetGasLimit ?? current.gasLimitTarget,
    extraData: extraData ?? current.extraData,
    next: { baseFeePerGas: null, prevRandao, parentBeaconBlockRoot },
  };
  const { number } = parent.header;
  const context: ParentContext = {
    parent,
    parentState,
    blockHash: windowed(number + 1, (wanted) =>
      wanted === number ? parent.hash : ancestors.blockHash(wanted),
    ),
    ancestor: (wanted) => (wanted === number ? parent : ancestors.ancestor(wanted)),
    uncalled: () => (isUncalled(parent) ? uncalledThrough(parent, ancestors.uncalled) : undefined),
  };
  const builder = openBlock(core, settingsOfBlock, context, timestamp, engine);
  if (transactions === null) {
    await runTask(builder.fill(pool.executable(), yielder), new TimeSlice(checkCancelled));
  } else await addAll(builder, transactions, checkCancelled);
  return runTask(builder.candidate(), new TimeSlice(checkCancelled));
}
