/** Opens chains at blocks up to the fork block. */

import type { ChainCore } from '../chain/chain-core.ts';
import { headContext } from '../chain/mining/parent-context.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import type { Engine } from '../evm/engine.ts';
import {
  replay,
  replayBuilder,
  replayDifference,
  replayedBlock,
  transactionsOf,
} from '../fork/block-replay.ts';
import { ForkPointError } from '../fork/errors.ts';
import type { Fork } from '../fork/fork.ts';
import { type ForkConfig, NO_FORKING } from '../fork/fork-handle.ts';
import { blockQuestion, receiptQuestion } from '../fork/upstream/upstream-call.ts';
import { blockOfUpstream, isClosingTransaction, UpstreamFields } from '../fork/upstream-block.ts';
import { toQuantity } from '../primitives/hex.ts';
import { scheduledRuleSet } from '../protocol/hardforks/public-chains.ts';
import { ruleSetNamed } from '../protocol/hardforks/registry.ts';
import type { PastNode, PastPoint, RpcNode } from '../rpc/rpc-node.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { asObject } from '../wire/tolerant.ts';

/** Opens the node of a chain in memory. */
export type OpenNode = (options: ChainOptions, forking: ForkConfig) => Promise<RpcNode>;

/** The comparison of a replay with the receipts of the forked chain. */
type Comparison = Pick<PastNode, 'difference' | 'isExact'>;

const NOTHING_FIXED = { chainId: false, gasLimit: false, minimumGasPrice: false };

/**
 * Opens a chain at a block up to the fork block. `options` are the options of the chain on the fork. Rejects
 * with the errors of the upstream, of the replay and of `checkCancelled`.
 */
export async function openPastNode(
  { fork, number, replayed }: PastPoint,
  options: ChainOptions,
  open: OpenNode,
  checkCancelled: CancelCheck,
): Promise<PastNode> {
  const nodeAfter = (block: unknown, ruled: unknown): Promise<RpcNode> =>
    openAfter(fork, block, pastOptions(options, fork.chainId, ruled), open);
  const block = await blockAt(fork, number, replayed !== null);
  // The first block of a chain has no parent and no transactions.
  const parent = replayed === null || number === 0 ? null : await fork.upstream.block(number - 1);
  if (replayed === null || parent === null)
    return { node: await nodeAfter(block, block), difference: null, isExact: true };
  const node = await nodeAfter(parent, block);
  const task = `cannot replay block ${number} of the fork URL`;
  const wanted = transactionsOf(block).slice(0, replayed);
  const receipts = fork.upstream.answers.fetchAll(receiptQuestions(wanted));
  const [comparison] = await Promise.all([
    node.chain.change((core) => appendReplay(core, block, wanted, task, checkCancelled, receipts)),
    receipts,
  ]);
  return { node, ...comparison };
}

async function openAfter(
  fork: Fork,
  block: unknown,
  options: ChainOptions,
  open: OpenNode,
): Promise<RpcNode> {
  const past = fork.at(block);
  past.hold();
  try {
    return await open(past.settingsOn(options, NOTHING_FIXED), { ...NO_FORKING, fork: past });
  } finally {
    past.release();
  }
}

/** Returns the block with this number, with its transactions if wanted. */
async function blockAt(fork: Fork, number: number, isFull: boolean): Promise<unknown> {
  const block = await fork.upstream.ask(blockQuestion(toQuantity(number), isFull));
  if (block === null) throw new ForkPointError(`the fork URL has no block ${number}`);
  return block;
}

/**
 * Returns the options of a chain at a block. The rules come from the schedule of the forked chain. If the
 * schedule is unknown, they are the rules of the fork.
 */
function pastOptions(options: ChainOptions, chainId: number, block: unknown): ChainOptions {
  const fields = new UpstreamFields(block, 'block');
  const scheduled = scheduledRuleSet(chainId, fields.number('number'), fields.number('timestamp'));
  const ruleSet = scheduled ?? options.ruleSet;
  const isUsualSize = options.codeSizeLimit === ruleSetNamed(options.ruleSet).maximumCodeSize;
  return {
    ...options,
    ruleSet,
    codeSizeLimit: isUsualSize ? ruleSetNamed(ruleSet).maximumCodeSize : options.codeSizeLimit,
    genesisTimestamp: null,
    baseFee: null,
    automine: false,
    blockTime: null,
    remasc: false,
    dataDirectory: null,
    keptBlocks: null,
  };
}

function receiptQuestions(transactions: readonly unknown[]) {
  return transactions.map((one) => receiptQuestion(asObject(one)?.hash));
}

/** Executes the transactions, appends the block with them, and compares it with the receipts. */
async function appendReplay(
  core: ChainCore,
  block: unknown,
  transactions: readonly unknown[],
  task: string,
  checkCancelled: CancelCheck,
  receipts: Promise<readonly unknown[]>,
): Promise<Comparison> {
  const { blockchain, ruleSet, yielder } = core;
  const check = Object.assign(() => checkCancelled(), { yielder });
  const all = transactionsOf(block);
  const last = all.at(-1);
  const closes = last !== undefined && isClosingTransaction(last);
  const builder = replayBuilder(
    cancellable(core.engine, check),
    ruleSet,
    blockOfUpstream(block, ruleSet).header,
    { ...headContext(blockchain), closing: closes ? await closingOf(core) : null },
  );
  await replay(builder, transactions, task, check);
  const slice = new TimeSlice(check);
  const { block: replayed, state } = await replayedBlock(builder, block, ruleSet, slice);
  await runTask(blockchain.append({ block: replayed, state, range: null }), slice);
  const found = await receipts;
  // The payments of a closing transaction depend on blocks that are not available here.
  const difference = replayDifference(replayed, closes ? found.slice(0, all.length - 1) : found);
  return { difference, isExact: replayDifference(replayed, found) === null };
}

async function closingOf({ ruleSet }: ChainCore) {
  const { remascClosing } = await import('../chain/mining/remasc-closing.ts');
  return remascClosing(ruleSet);
}

/** Returns the engine with a check for all executions of transactions. */
function cancellable(engine: Engine, check: CancelCheck): Engine {
  return {
    ...engine,
    transact: (environment, state, message, observer, _check, costs) =>
      engine.transact(environment, state, message, observer, check, costs),
  };
}
