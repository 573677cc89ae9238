/** Chains at blocks up to the fork block, for methods that the upstream does not serve. */

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
import type { PastNode, PastNodes, PastPoint, RpcNode } from '../rpc/rpc-node.ts';
import { type CancelCheck, unlessCancelled } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { asObject } from '../wire/tolerant.ts';

/** Maximum number of unused open chains. */
const MAX_KEPT = 4;

/** Opens the node of a chain in memory. */
type OpenNode = (options: ChainOptions, forking: ForkConfig) => Promise<RpcNode>;

/** The comparison of a replay with the receipts of the forked chain. */
type Comparison = Pick<PastNode, 'difference' | 'isExact'>;

interface KeptPast {
  readonly point: PastPoint;
  /** The checks of the requests that use the chain. */
  readonly users: Set<CancelCheck>;
  readonly opening: Promise<PastNode>;
}

/** Returns a check that throws if all users have ended. */
function sharedCheck(users: ReadonlySet<CancelCheck>): CancelCheck {
  return () => {
    let ended: unknown;
    for (const check of users) {
      try {
        check();
        return;
      } catch (error) {
        ended = error;
      }
    }
    throw ended ?? new ForkPointError('the request has ended');
  };
}

/** True if a chain at `kept` has all that is wanted. Later transactions of the block do not change a trace. */
function covers(kept: PastPoint, wanted: PastPoint): boolean {
  if (kept.fork !== wanted.fork || kept.number !== wanted.number) return false;
  return wanted.replayed === null || kept.replayed === null
    ? wanted.replayed === kept.replayed
    : kept.replayed >= wanted.replayed;
}

/** Opens chains at earlier blocks, and keeps the last ones. */
export class RecentPastNodes implements PastNodes {
  readonly reported = new WeakSet<Fork>();
  readonly #options: ChainOptions;
  readonly #open: OpenNode;
  /** The last used one is last. */
  #kept: readonly KeptPast[] = [];

  /** `options` are the options of the chain on the fork. */
  constructor(options: ChainOptions, open: OpenNode) {
    this.#options = options;
    this.#open = open;
  }

  /** @inheritdoc */
  async at<Result>(
    point: PastPoint,
    checkCancelled: CancelCheck,
    use: (past: PastNode) => Promise<Result>,
  ): Promise<Result> {
    // Requests of a batch share their check.
    const user = (): void => checkCancelled();
    const kept = this.#find(point, user);
    try {
      return await use(await unlessCancelled(kept.opening, checkCancelled));
    } finally {
      kept.users.delete(user);
      this.#evict();
    }
  }

  #find(point: PastPoint, user: CancelCheck): KeptPast {
    const known = this.#kept.find((one) => covers(one.point, point));
    known?.users.add(user);
    const found = known ?? this.#begin(point, user);
    this.#kept = [...this.#kept.filter((one) => one !== found), found];
    return found;
  }

  #begin(point: PastPoint, user: CancelCheck): KeptPast {
    const users = new Set([user]);
    const opening = this.#openAt(point, sharedCheck(users));
    const kept = { point, users, opening };
    opening.catch(() => {
      this.#kept = this.#kept.filter((one) => one !== kept);
    });
    return kept;
  }

  #evict(): void {
    const unused = this.#kept.filter(({ users }) => users.size === 0);
    const evicted = new Set(unused.slice(0, Math.max(0, unused.length - MAX_KEPT)));
    this.#kept = this.#kept.filter((one) => !evicted.has(one));
    for (const { opening } of evicted)
      void opening.then(
        ({ node }) => node.chain.close(),
        () => undefined,
      );
  }

  async #openAt({ fork, number, replayed }: PastPoint, checkCancelled: CancelCheck): Promise<PastNode> {
    const block = await blockAt(fork, number, replayed !== null);
    // The first block of a chain has no parent and no transactions.
    const parent = replayed === null || number === 0 ? null : await fork.upstream.block(number - 1);
    if (replayed === null || parent === null)
      return { node: await this.#nodeAfter(fork, block, block), difference: null, isExact: true };
    const node = await this.#nodeAfter(fork, parent, block);
    const task = `cannot replay block ${number} of the fork URL`;
    const wanted = transactionsOf(block).slice(0, replayed);
    const receipts = fork.upstream.answers.fetchAll(receiptQuestions(wanted));
    const [comparison] = await Promise.all([
      node.chain.change((core) => appendReplay(core, block, wanted, task, checkCancelled, receipts)),
      receipts,
    ]);
    return { node, ...comparison };
  }

  /** Opens a chain after a block, by the rules of `ruled`. */
  async #nodeAfter(fork: Fork, block: unknown, ruled: unknown): Promise<RpcNode> {
    const past = fork.at(block);
    past.hold();
    const options = past.settingsOn(pastOptions(this.#options, fork.chainId, ruled), NOTHING_FIXED);
    try {
      return await this.#open(options, { ...NO_FORKING, fork: past });
    } finally {
      past.release();
    }
  }
}

const NOTHING_FIXED = { chainId: false, gasLimit: false, minimumGasPrice: false };

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
