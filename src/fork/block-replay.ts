// Executes the transactions of an upstream block again.

import { BlockBuilder, type BlockTemplate, type BuiltBlock } from '../chain/mining/block-builder.ts';
import { type Engine, UnexecutableError } from '../evm/engine.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { Block, BlockHeader } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Receipt } from '../protocol/receipt.ts';
import { type CancelCheck, neverCancelled, yieldToOthers } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import type { TimeSlice } from '../scheduling/time-slice.ts';
import { fetchingState } from '../state/state-source.ts';
import { asObject, tolerantData, tolerantFixedData, tolerantQuantity } from '../wire/tolerant.ts';
import { ForkPointError } from './errors.ts';
import { blockOfUpstream, isClosingTransaction, transactionOfUpstream } from './upstream-block.ts';

/** The context of a replayed block. */
export type ReplayContext = Pick<
  BlockTemplate,
  'parent' | 'parentState' | 'blockHash' | 'ancestor' | 'closing'
>;

/** Returns the builder of a block with the environment of an upstream block. */
export function replayBuilder(
  engine: Engine,
  ruleSet: RuleSet,
  header: BlockHeader,
  context: ReplayContext,
): BlockBuilder {
  return new BlockBuilder(engine, ruleSet, {
    ...context,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    gasLimit: header.gasLimit,
    gasForTransactions: header.gasLimit,
    maximumTransactions: null,
    minimumGasPrice: header.minimumGasPrice,
    baseFeePerGas: header.ethereum.baseFeePerGas,
    excessBlobGas: header.ethereum.excessBlobGas,
    prevRandao: header.ethereum.mixHash,
    parentBeaconBlockRoot: header.ethereum.parentBeaconBlockRoot,
    slotNumber: header.ethereum.slotNumber,
    extraData: header.extraData,
    recording: null,
    recordsFrames: false,
    isStrict: false,
    uncles: [],
  });
}

/** Returns the transactions of a block that was requested with them. */
export function transactionsOf(block: unknown): readonly unknown[] {
  const transactions = asObject(block)?.transactions;
  return Array.isArray(transactions) ? transactions : [];
}

/**
 * Executes upstream transactions as the next ones of a block. `task` begins the errors. Rejects with a
 * {@link ForkPointError} for a transaction that the rules or this node do not allow, and with any error of
 * `checkCancelled`.
 */
export async function replay(
  builder: BlockBuilder,
  transactions: readonly unknown[],
  task: string,
  checkCancelled: CancelCheck = neverCancelled,
): Promise<void> {
  for (const one of transactions) {
    if (isClosingTransaction(one)) continue;
    const transaction = transactionOfUpstream(one, task);
    try {
      await fetchingState(() => builder.add(transaction));
    } catch (error) {
      if (!(error instanceof UnexecutableError)) throw error;
      throw new ForkPointError(
        `${task}: a replayed transaction of its block cannot be executed: ${error.message}`,
      );
    }
    await yieldToOthers(checkCancelled);
  }
}

/**
 * Returns the built block with header and hash of the upstream's block. Its receipts are local, so that
 * they agree with later traces.
 */
export async function replayedBlock(
  builder: BlockBuilder,
  block: unknown,
  ruleSet: RuleSet,
  slice: TimeSlice,
): Promise<BuiltBlock> {
  const built = await fetchingState(() => runTask(builder.candidate(), slice));
  const { header, hash, totalDifficulty, size } = blockOfUpstream(block, ruleSet);
  return { ...built, block: { ...built.block, header, hash, totalDifficulty, size } };
}

function isSameData(answer: unknown, bytes: Uint8Array): boolean {
  const data = tolerantData(answer);
  return data !== undefined && equalBytes(data, bytes);
}

function hasSameLogs(answer: unknown, { logs }: Receipt): boolean {
  if (!Array.isArray(answer) || answer.length !== logs.length) return false;
  return logs.every(({ address, topics, data }, index) => {
    const fields = asObject(answer[index]);
    const others = fields?.topics;
    return (
      isSameData(fields?.address, address) &&
      isSameData(fields?.data ?? '0x', data) &&
      Array.isArray(others) &&
      others.length === topics.length &&
      topics.every((topic, place) => {
        const other = tolerantFixedData(others[place], 32);
        return other !== undefined && equalBytes(other, topic);
      })
    );
  });
}

/** Returns the first difference of a local receipt from the upstream's, or `null`. */
function differenceOf(answer: unknown, receipt: Receipt): string | null {
  const fields = asObject(answer);
  if (fields === undefined) return 'has no receipt at the fork URL';
  const gasUsed = tolerantQuantity(fields.gasUsed);
  if (gasUsed !== receipt.gasUsed) return `used ${receipt.gasUsed} gas here and ${gasUsed} there`;
  // Receipts before Byzantium have no status.
  const status = tolerantQuantity(fields.status);
  if (status !== undefined && (status === 1n) !== receipt.succeeded)
    return receipt.succeeded ? 'succeeded here and failed there' : 'failed here and succeeded there';
  return hasSameLogs(fields.logs, receipt) ? null : 'emitted other logs';
}

/** Returns the first difference of the first transactions of a block from the upstream's receipts, or `null`. */
export function replayDifference(block: Block, receipts: readonly unknown[]): string | null {
  for (const [index, answer] of receipts.entries()) {
    const receipt = block.receipts[index];
    const difference = receipt === undefined ? 'is missing here' : differenceOf(answer, receipt);
    if (difference !== null) return `transaction ${index} ${difference}`;
  }
  return null;
}
