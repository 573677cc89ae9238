import type { FundingOptions } from '../chain/settings/chain-options.ts';
import type { ChainOrigin } from '../chain/snapshots/snapshots.ts';
import type { Engine } from '../evm/engine.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { fetchingState } from '../state/state-source.ts';
import { replay, replayBuilder, transactionsOf } from './block-replay.ts';
import { ForkPointError } from './errors.ts';
import type { Fork } from './fork.ts';
import { blockOfUpstream } from './upstream-block.ts';

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
  const task = 'cannot fork at this transaction';
  const { number, hash } = fork.upstream.pin;
  const builder = replayBuilder(engine, ruleSet, header, {
    parent: pinned.block,
    parentState: pinned.state,
    closing: null,
    blockHash: (of) => (of === number ? hash : (pinned.state.sourceBlockHash(of) ?? NO_HASH)),
    ancestor: (of) => {
      if (of === number) return pinned.block;
      throw new ForkPointError(
        `${task}: a replayed transaction of its block reads block ${of}, but only block ${number} is available`,
      );
    },
  });
  await replay(builder, transactionsOf(fork.before.block).slice(0, fork.before.index), task);
  return fetchingState(() => runTask(builder.seal(), new TimeSlice()));
}
