import { FOLLOW_SECONDS } from '../../../fork/follow-seconds.ts';
import type { ForkFollower } from '../../../fork/fork-follower.ts';
import { BLOCK_JSON_SCHEMA } from '../../../wire/block.ts';
import { followSeconds } from '../../codecs/settings.ts';
import { NoForkError } from '../../errors.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

const RESULT = {
  description: 'The block of the forked chain below the local blocks, with transaction hashes',
  schema: BLOCK_JSON_SCHEMA,
} as const;

/** Returns the block that `act` resolves to, in this node's notation. */
async function blockAfter(
  { node, settings }: RpcContext,
  act: (follower: ForkFollower) => Promise<unknown>,
): Promise<unknown> {
  if (node.fork.current === null) throw new NoForkError();
  const block = await act(await node.follower());
  const { upstreamView } = await import('../../fork/answer-on-fork.ts');
  return upstreamView('blockOfNumber', block, settings.fieldNames);
}

export const FORK_FOLLOWING: readonly Method[] = [
  /**
   * Inserts the new blocks of the forked chain below the local blocks, now and from now on. Local blocks keep
   * their transactions, receipts and state changes, and get new numbers and hashes. The node checks for new
   * blocks every `seconds` seconds. Over a WebSocket URL, it subscribes to them.
   */
  defineMethod({
    name: 'fork_follow',
    summary: 'Follows the forked chain: inserts its new blocks below the local blocks',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [optional('seconds', followSeconds, FOLLOW_SECONDS)],
    result: RESULT,
    handler: (context, seconds) => blockAfter(context, (follower) => follower.follow(seconds, context.call)),
  }),
  defineMethod({
    name: 'fork_pause',
    summary: 'Stops following the forked chain; the node stays at its present block',
    differs: 'Not in Anvil, Hardhat or Ganache',
    result: RESULT,
    handler: (context) => blockAfter(context, (follower) => follower.pause()),
  }),
  /** Without a later block, it changes nothing. */
  defineMethod({
    name: 'fork_step',
    summary: 'Inserts the next block of the forked chain below the local blocks',
    differs: 'Not in Anvil, Hardhat or Ganache',
    result: RESULT,
    handler: (context) => blockAfter(context, (follower) => follower.step(context.call)),
  }),
];
