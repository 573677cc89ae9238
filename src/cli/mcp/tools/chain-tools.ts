// Tools that change the chain: snapshots, blocks, time and lanes.

import { z } from 'zod';
import { StartError } from '../../../config/errors.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { isRecord } from '../../../primitives/record.ts';
import { statusOf } from '../../commands/status.ts';
import { AnsweredError, type NodeClient } from '../../node-client.ts';
import { lane, textIn } from '../contract-call.ts';
import { type Session, ToolError } from '../session.ts';
import { defineTool, type Tool, type ToolAnswer } from '../tool.ts';
import { blockParameter } from './contract-tools.ts';

/** Resolves to an answer about the latest block; its text starts with `first`. */
async function headAnswer(node: NodeClient, first: string): Promise<ToolAnswer> {
  const block = await node.ask('eth_getBlockByNumber', ['latest', false]);
  const [number, timestamp] = [Number(textIn(block, 'number')), Number(textIn(block, 'timestamp'))];
  const transactions = isRecord(block) && Array.isArray(block.transactions) ? block.transactions : [];
  const time = new Date(1_000 * timestamp).toISOString();
  return {
    text: `${first}The latest block is ${number} (${time}) with ${transactions.length} ${transactions.length === 1 ? 'transaction' : 'transactions'}.`,
    content: { blockNumber: number, timestamp, transactions },
  };
}

/** Resolves to the answer for a created lane, which exists even if its status cannot be read. */
async function madeLane(session: Session, key: string, url: string): Promise<ToolAnswer> {
  const called = `is at ${url}. Pass "lane": "${key}" to the tools.`;
  try {
    const { chainId, hardfork, blockNumber } = await statusOf(await session.node(key));
    return {
      text: `Lane ${key} (chain id ${chainId}, ${hardfork}, block ${blockNumber}) ${called}`,
      content: { lane: key, url, chainId, hardfork, blockNumber },
    };
  } catch (error) {
    if (!NO_STATUS.some((kind) => error instanceof kind)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return {
      text: `Lane ${key} ${called} The lane exists, but its status cannot be read: ${reason}`,
      content: { lane: key, url },
    };
  }
}

/** Errors of a node that does not report its status. */
const NO_STATUS = [AnsweredError, StartError, ToolError] as const;

const LANE_NAME = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{1,128}$/, 'expected 1 to 128 letters, digits or . _ ~ -');

export const CHAIN_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'snapshot',
    title: 'Take a snapshot',
    description:
      'Saves the current chain (state, blocks, pool, clock) in microseconds and returns the id for the `revert` tool. Take a snapshot before an experiment.',
    effect: 'adds',
    input: z.strictObject({
      name: z
        .string()
        .optional()
        .describe(
          'The name of a checkpoint: a snapshot that the `revert` tool can restore any number of times.',
        ),
      lane,
    }),
    async run({ name, lane: named }, session) {
      const node = await session.node(named);
      const id = await node.ask('evm_snapshot', name === undefined ? [] : [name]);
      const uses = name === undefined ? 'once' : 'any number of times';
      return {
        text: `Saved as ${String(id)}; revert {"id": "${String(id)}"} restores it ${uses}.`,
        content: { id },
      };
    },
  }),
  defineTool({
    name: 'revert',
    title: 'Revert to a snapshot',
    description:
      'Reverts the chain to a snapshot or checkpoint and discards all later changes. A revert to a snapshot without a name invalidates its id and all later ids; take a new snapshot to revert again. A checkpoint (a snapshot with a name) stays valid.',
    effect: 'destroys',
    input: z.strictObject({
      id: z
        .string()
        .describe('The id returned by the `snapshot` tool, such as "0x1", or the name of a checkpoint.'),
      lane,
    }),
    async run({ id, lane: named }, session) {
      const node = await session.node(named);
      if ((await node.ask('evm_revert', [id])) === true) return headAnswer(node, `Reverted to ${id}. `);
      const kept = (await node.ask('evm_listSnapshots', [])) as readonly { readonly id: string }[];
      const listed = kept.map((snapshot) => snapshot.id).join(', ');
      throw new ToolError(
        `unknown snapshot ${id}; ${listed === '' ? 'the chain has no snapshots' : `expected one of ${listed}`}`,
        'A revert to a snapshot without a name invalidates its id and all later ids. Call snapshot to save the current chain.',
      );
    },
  }),
  defineTool({
    name: 'mine',
    title: 'Mine blocks',
    description:
      'Mines blocks immediately. The first block contains the pending transactions. Use this tool if the node does not automine, or if a contract counts blocks.',
    effect: 'adds',
    input: z.strictObject({
      blocks: z
        .int()
        .min(1)
        .optional()
        .describe('Number of blocks; 1 by default. Mining many empty blocks takes little time.'),
      secondsBetween: z.int().nonnegative().optional().describe('Seconds between blocks; 1 by default.'),
      lane,
    }),
    async run({ blocks = 1, secondsBetween = 1, lane: named }, session) {
      const node = await session.node(named);
      await node.ask('hardhat_mine', [toQuantity(blocks), toQuantity(secondsBetween)]);
      return headAnswer(node, '');
    },
  }),
  defineTool({
    name: 'travel_time',
    title: 'Move the clock',
    description:
      'Moves the clock of the chain forward by a number of seconds or to a given time, then mines a block. Use this tool to test locks, vesting, auctions and deadlines.',
    effect: 'adds',
    input: z.strictObject({
      seconds: z
        .int()
        .positive()
        .optional()
        .describe('Number of seconds to move the clock forward; 86400 is a day.'),
      timestamp: z
        .int()
        .positive()
        .optional()
        .describe('The time of the next block, in seconds since 1970; use it instead of seconds.'),
      lane,
    }),
    async run({ seconds, timestamp, lane: named }, session) {
      if ((seconds === undefined) === (timestamp === undefined))
        throw new ToolError('expected either seconds or timestamp', 'Pass one of them.');
      const node = await session.node(named);
      if (seconds !== undefined) await node.ask('evm_increaseTime', [seconds]);
      else await node.ask('evm_setNextBlockTimestamp', [timestamp]);
      await node.ask('evm_mine', []);
      return headAnswer(node, '');
    },
  }),
  defineTool({
    name: 'create_lane',
    title: 'Create a lane',
    description:
      'Creates a lane: an isolated copy of the base chain or of another lane, at its latest block, an earlier block or a snapshot. It takes microseconds. Use one lane for each isolated experiment or test, or for another network (chainId, hardfork, forkUrl). Pass the name of the lane to the tools as the parameter lane. Give other programs the URL of the lane.',
    effect: 'adds',
    input: z.strictObject({
      name: LANE_NAME.optional().describe('The name of the lane; by default the node chooses a name.'),
      from: z
        .strictObject({
          lane: z.string().optional().describe('The lane to copy; the base chain by default.'),
          block: z
            .union([z.int().nonnegative(), z.string()])
            .optional()
            .describe('Copy the state after this block.'),
          snapshot: z
            .string()
            .optional()
            .describe('Copy the state of this snapshot; use it instead of block.'),
        })
        .optional()
        .describe('The state to copy; by default the latest state of the base chain.'),
      chainId: z
        .int()
        .min(1)
        .optional()
        .describe('The chain id of the lane; by default the chain id of the base chain.'),
      hardfork: z
        .string()
        .optional()
        .describe(
          'Another hardfork, such as "cancun". The lane then starts with its own genesis block, without the blocks and contracts of the base chain.',
        ),
      forkUrl: z.string().optional().describe('The URL of a node to fork; use it instead of from.'),
      forkBlockNumber: z
        .int()
        .nonnegative()
        .optional()
        .describe('The fork block: the last block that the lane has in common with the forked chain.'),
      group: LANE_NAME.optional().describe(
        'The name of a group. All lanes of a group share one clock: travel_time on one lane moves the clock of all of them.',
      ),
    }),
    async run({ name, from, ...options }, session) {
      const base = await session.node();
      // Throws before the lane is created if the URL of the node cannot have a lane.
      session.laneUrl(name ?? '');
      const { block, ...rest } = from ?? {};
      const origin = block === undefined ? rest : { ...rest, block: blockParameter(block) };
      const key = await base.ask('lane_create', [
        {
          ...(name === undefined ? {} : { key: name }),
          ...(from === undefined ? {} : { from: origin }),
          ...options,
        },
      ]);
      const url = session.laneUrl(String(key));
      return madeLane(session, String(key), url);
    },
  }),
  defineTool({
    name: 'list_lanes',
    title: 'List the lanes',
    description: 'Lists the names of the lanes of the node.',
    effect: 'reads',
    input: z.strictObject({}),
    async run(_, session) {
      const lanes = await session.lanes(await session.node());
      return {
        text:
          lanes.length === 0
            ? 'The node has no lanes; create_lane creates one.'
            : `Lanes: ${lanes.join(', ')}`,
        content: { lanes },
      };
    },
  }),
  defineTool({
    name: 'drop_lane',
    title: 'Remove a lane',
    description: 'Removes a lane and its chain. To reset a lane instead, call lane_reset with rpc_call.',
    effect: 'destroys',
    input: z.strictObject({ lane: z.string().describe('The name of the lane.') }),
    async run({ lane: named }, session) {
      await session.node(
        named,
        'Pass a lane that list_lanes returns. If the lane was already removed, no call is needed.',
      );
      await (await session.node()).ask('lane_drop', [named]);
      return { text: `Lane ${named} was removed.`, content: { lane: named } };
    },
  }),
];
