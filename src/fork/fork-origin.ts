import { BlockBuilder } from '../chain/mining/block-builder.ts';
import type { FundingOptions } from '../chain/settings/chain-options.ts';
import type { ChainOrigin } from '../chain/snapshots/snapshots.ts';
import { type Engine, UnexecutableError } from '../evm/engine.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { fetchingState } from '../state/state-source.ts';
import { asObject } from '../wire/tolerant.ts';
import { ForkPointError } from './errors.ts';
import type { Fork } from './fork.ts';
import { blockOfUpstream, isClosingTransaction, transactionOfUpstream } from './upstream-block.ts';

const NO_HASH = new Uint8Array(32);

/**
 * Returns the first block of a forked chain. It is the upstream's pinned block. For a fork at a transaction, it
 * is a local block that replays the first transactions of the upstream's block in the same environment. Rejects
 * with a {@link ForkPointError}, and with the errors of the upstream client.
 */
export async function forkOrigin(
  fork: Fork,
  engine: Engine,
  ruleSet: RuleSet,
  options: FundingOptions,
): Promise<ChainOrigin> {
  const pinned = fork.first(ruleSet, options);
  if (fork.before === null) return pinned;
  const { header } = blockOfUpstream(fork.before.block, ruleSet);
  const builder = new BlockBuilder(engine, ruleSet, {
    parent: pinned.block,
    parentState: pinned.state,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    gasLimit: header.gasLimit,
    gasForTransactions: header.gasLimit,
    minimumGasPrice: header.minimumGasPrice,
    baseFeePerGas: header.ethereum.baseFeePerGas,
    excessBlobGas: header.ethereum.excessBlobGas,
    prevRandao: header.ethereum.mixHash,
    parentBeaconBlockRoot: header.ethereum.parentBeaconBlockRoot,
    slotNumber: header.ethereum.slotNumber,
    extraData: header.extraData,
    closing: null,
    recording: null,
    recordsFrames: false,
    uncles: [],
    blockHash: (number) =>
      number === pinned.block.header.number
        ? pinned.block.hash
        : (pinned.state.sourceBlockHash(number) ?? NO_HASH),
    ancestor: (number) => {
      if (number === pinned.block.header.number) return pinned.block;
      throw new ForkPointError(
        `cannot fork at this transaction: a replayed transaction of its block reads block ${number}, but only block ${pinned.block.header.number} is available`,
      );
    },
  });
  const transactions = asObject(fork.before.block)?.transactions;
  const replayed = Array.isArray(transactions) ? transactions.slice(0, fork.before.index) : [];
  for (const one of replayed) {
    if (isClosingTransaction(one)) continue;
    const transaction = transactionOfUpstream(one);
    try {
      await fetchingState(() => builder.add(transaction));
    } catch (error) {
      if (!(error instanceof UnexecutableError)) throw error;
      throw new ForkPointError(
        `cannot fork at this transaction: a replayed transaction of its block cannot be executed: ${error.message}`,
      );
    }
  }
  return fetchingState(() => runTask(builder.seal(), new TimeSlice()));
}
