// Tools that move the chain: snapshots, blocks and time, and lanes, which are chains of their own.

import { z } from 'zod';
import { StartError } from '../../../config/errors.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { statusOf } from '../../commands/status.ts';
import { AnsweredError, isRecord, type NodeClient } from '../../node-client.ts';
import { lane, textIn } from '../contract-call.ts';
import { type Session, ToolError } from '../session.ts';
import { defineTool, type Tool, type ToolAnswer } from '../tool.ts';
import { blockParameter } from './contract-tools.ts';

/** Resolves to where the chain is, in words after `first`. */
async function headAnswer(node: NodeClient, first: string): Promise<ToolAnswer> {
  const block = await node.ask('eth_getBlockByNumber', ['latest', false]);
  const [number, timestamp] = [Number(textIn(block, 'number')), Number(textIn(block, 'timestamp'))];
  const transactions = isRecord(block) && Array.isArray(block.transactions) ? block.transactions : [];
  const time = new Date(1_000 * timestamp).toISOString();
  return {
    text: `${first}The newest block is ${number}, ${time}, with ${transactions.length} transactions.`,
    content: { blockNumber: number, timestamp, transactions },
  };
}

/** Resolves to the answer that a lane was made: it is there also where the node does not describe its chain. */
async function madeLane(session: Session, key: string, url: string): Promise<ToolAnswer> {
  const called = `is called at ${url}; give "lane": "${key}" to the tools.`;
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
      text: `Lane ${key} ${called} It was made, but the node does not tell of its chain: ${reason}`,
      content: { lane: key, url },
    };
  }
}

/** The errors of a node that cannot say how a chain is. */
const NO_STATUS = [AnsweredError, StartError, ToolError] as const;

const LANE_NAME = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{1,128}$/, 'expected 1 to 128 letters, digits or . _ ~ -');

export const CHAIN_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'snapshot',
    title: 'Keep the state of the chain',
    description:
      'Keeps the chain as it is (state, blocks, pool, clock) in no time, and tells the id that revert goes back to. Take one before an experiment.',
    effect: 'adds',
    input: z.strictObject({
      name: z
        .string()
        .optional()
        .describe('A name, for a checkpoint that revert can go back to any number of times.'),
      lane,
    }),
    async run({ name, lane: named }, session) {
      const node = await session.node(named);
      const id = await node.ask('evm_snapshot', name === undefined ? [] : [name]);
      const uses = name === undefined ? 'once' : 'any number of times';
      return {
        text: `Kept as ${String(id)}; revert {"id": "${String(id)}"} goes back to it, ${uses}.`,
        content: { id },
      };
    },
  }),
  defineTool({
    name: 'revert',
    title: 'Go back to a snapshot',
    description:
      'Puts the chain back to a snapshot or checkpoint: all that came later is undone. An id is used up by that, and so are those taken after it; take a new snapshot to go back again.',
    effect: 'destroys',
    input: z.strictObject({
      id: z.string().describe('The id that snapshot returned, such as "0x1", or the name.'),
      lane,
    }),
    async run({ id, lane: named }, session) {
      const node = await session.node(named);
      if ((await node.ask('evm_revert', [id])) === true) return headAnswer(node, `Back at ${id}. `);
      const kept = (await node.ask('evm_listSnapshots', [])) as readonly { readonly id: string }[];
      const listed = kept.map((snapshot) => snapshot.id).join(', ');
      throw new ToolError(
        `there is no snapshot ${id}; ${listed === '' ? 'there are none' : `there are ${listed}`}`,
        'Name one that is there: a revert uses up its id and later ones. snapshot keeps the chain as it is now.',
      );
    },
  }),
  defineTool({
    name: 'mine',
    title: 'Mine blocks',
    description:
      'Mines blocks now, with the waiting transactions in the first. Use it where the node does not mine each transaction at once, or where a contract counts blocks.',
    effect: 'adds',
    input: z.strictObject({
      blocks: z.int().min(1).optional().describe('How many; 1 by default. Many empty ones cost nothing.'),
      secondsBetween: z
        .int()
        .nonnegative()
        .optional()
        .describe('Seconds from each block to the next; 1 by default.'),
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
      'Moves the clock of the chain forward, by seconds or to a time, and mines a block then. Use it for locks, vesting, auctions and deadlines.',
    effect: 'adds',
    input: z.strictObject({
      seconds: z.int().positive().optional().describe('How far: 86400 is a day.'),
      timestamp: z
        .int()
        .positive()
        .optional()
        .describe('In place of seconds: the time of the next block, in seconds since 1970.'),
      lane,
    }),
    async run({ seconds, timestamp, lane: named }, session) {
      if ((seconds === undefined) === (timestamp === undefined))
        throw new ToolError('travel_time takes seconds or timestamp, and not both', 'Give one of them.');
      const node = await session.node(named);
      if (seconds !== undefined) await node.ask('evm_increaseTime', [seconds]);
      else await node.ask('evm_setNextBlockTimestamp', [timestamp]);
      await node.ask('evm_mine', []);
      return headAnswer(node, '');
    },
  }),
  defineTool({
    name: 'create_lane',
    title: 'Make a chain beside the base chain',
    description:
      'Makes a lane: a chain of its own that begins as the base chain, or another lane, is now or was at a block or snapshot. It takes microseconds and copies nothing. Use one for each of several experiments or tests that must not see each other, or for another network beside the first (chainId, hardfork, forkUrl); every tool takes its name as lane, and other programs its URL.',
    effect: 'adds',
    input: z.strictObject({
      name: LANE_NAME.optional().describe('Made up by the node where it is absent.'),
      from: z
        .strictObject({
          lane: z.string().optional().describe('The lane it comes from; the base chain by default.'),
          block: z
            .union([z.int().nonnegative(), z.string()])
            .optional()
            .describe('The block that it begins after.'),
          snapshot: z.string().optional().describe('The snapshot that it begins at, in place of block.'),
        })
        .optional()
        .describe('Where it begins; as the base chain is now by default.'),
      chainId: z.int().min(1).optional().describe('Another chain id than that of the base chain.'),
      hardfork: z
        .string()
        .optional()
        .describe(
          'Other rules, as "cancun": the lane then has a first block of its own, and nothing of the base chain.',
        ),
      forkUrl: z
        .string()
        .optional()
        .describe('The URL of a node whose chain the lane is a fork of, in place of from.'),
      forkBlockNumber: z.int().nonnegative().optional().describe('The block that the fork begins after.'),
      group: LANE_NAME.optional().describe(
        'The name of a group of lanes with one clock: travel_time on one of them moves all.',
      ),
    }),
    async run({ name, from, ...options }, session) {
      const base = await session.node();
      // Refused before a lane is made, where the URL of the node has no place for one.
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
          lanes.length === 0 ? 'There are no lanes; create_lane makes one.' : `Lanes: ${lanes.join(', ')}`,
        content: { lanes },
      };
    },
  }),
  defineTool({
    name: 'drop_lane',
    title: 'End a lane',
    description:
      'Ends a lane, with all that happened there. rpc_call lane_reset puts one back to where it began instead.',
    effect: 'destroys',
    input: z.strictObject({ lane: z.string().describe('Its name.') }),
    async run({ lane: named }, session) {
      await session.node(named, 'Name one that is there; a lane that is not there need not be ended.');
      await (await session.node()).ask('lane_drop', [named]);
      return { text: `Lane ${named} is gone.`, content: { lane: named } };
    },
  }),
];
