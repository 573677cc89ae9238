// Follows the forked chain: moves the local blocks onto its new blocks.

import type { ChainCore } from '../chain/chain-core.ts';
import type { CallToken } from '../chain/changes.ts';
import type { BaseChange } from '../chain/mining/base-change.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { NonceConflict } from '../state/change-of-source.ts';
import { ForkPointError, UnfollowableForkError } from './errors.ts';
import { FOLLOW_SECONDS } from './follow-seconds.ts';
import type { Fork } from './fork.ts';
import type { ForkChange, ForkHandle } from './fork-handle.ts';
import { accountQuestions } from './state-questions.ts';
import { blockQuestion } from './upstream/upstream-call.ts';
import { blockOfUpstream } from './upstream-block.ts';

/** Maximum number of new blocks that subscribers are notified of. The others can be read. */
const MAX_REPORTED = 256;
/** Number of remembered blocks of the forked chain, to find the common ancestor after a reorganization. */
const MAX_REMEMBERED = 256;
/** Accounts per batch of questions. */
const ACCOUNTS_AT_ONCE = 512;

/** Watches for new blocks until `stop`. */
export interface HeadWatcher {
  stop(): void;
}

/** Calls `onTurn`, which never rejects, if the upstream may have a new block, at least every `seconds`. */
export type WatchHeads = (fork: Fork, seconds: number, onTurn: () => Promise<void>) => HeadWatcher;

/** A block of the forked chain as `eth_getBlockByNumber` returns it, and its converted header. */
interface UpstreamHead {
  readonly json: unknown;
  readonly block: Block;
}

/** How far one step goes. */
type Reach = 'next' | 'newest';

/** The path from the base to a later block. */
interface Path {
  readonly target: UpstreamHead;
  /** The last reported blocks up to the target, lowest first. */
  readonly inserted: readonly Block[];
  /** The blocks that they replace, highest first. */
  readonly replaced: readonly Block[];
}

export interface FollowedChain {
  readonly core: ChainCore;
  readonly baseChange: BaseChange;
  readonly fork: ForkHandle;
}

export class ForkFollower {
  readonly #chain: FollowedChain;
  readonly #watchHeads: WatchHeads;
  /** Seconds between two checks from the start on; `null` if the chain does not follow at its start. */
  readonly #initial: number | null;
  #watch: HeadWatcher | null = null;
  #seconds: number;
  /** Counts the orders to follow and to stop. The last one takes effect. */
  #orders = 0;
  #isClosed = false;
  /** The steps run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  /** The blocks of the forked chain that subscribers know, by number. */
  readonly #known = new Map<number, Block>();
  /** The last failure in the log, so that an outage is reported once. */
  #reported: string | null = null;

  constructor(chain: FollowedChain, initial: number | null, watchHeads: WatchHeads) {
    this.#chain = chain;
    this.#initial = initial;
    this.#seconds = initial ?? FOLLOW_SECONDS;
    this.#watchHeads = watchHeads;
    chain.fork.onChange((change) => this.#adapt(change));
    if (initial !== null) this.begin(initial);
  }

  /** A chain that was moved to a given block stays there. */
  #adapt(change: ForkChange): void {
    const isFollowing = this.#watch !== null;
    this.stop();
    this.#isClosed = change === 'closed';
    this.#known.clear();
    if (change === 'restored' && this.#initial !== null) this.begin(this.#initial);
    else if (change === 'moved' && isFollowing) this.begin(this.#seconds);
  }

  /**
   * Follows the forked chain from now on. `seconds` is the time between two checks for new blocks, if the
   * upstream does not announce them. Rejects with an {@link UnfollowableForkError}.
   */
  begin(seconds: number): void {
    const fork = this.#fork();
    this.#watch?.stop();
    this.#seconds = seconds;
    this.#watch = this.#watchHeads(fork, seconds, () => this.#turn());
  }

  /**
   * Moves to the newest block and follows from now on. Resolves to the upstream's block below the local blocks.
   * Rejects with an {@link UnfollowableForkError} or the errors of the upstream; then nothing changes. A later
   * `pause` or a reset during the move takes precedence.
   */
  async follow(seconds: number, call: CallToken | null = null): Promise<unknown> {
    this.#fork();
    this.#orders++;
    const order = this.#orders;
    const block = await this.#advance('newest', call);
    if (order === this.#orders) this.begin(seconds);
    return block;
  }

  /** Stops following, after the present step. Resolves to the upstream's block below the local blocks. */
  async pause(): Promise<unknown> {
    const fork = this.#fork();
    this.stop();
    await this.#last.catch(() => undefined);
    return (this.#chain.fork.current ?? fork).block;
  }

  /** Moves to the next block, if there is one. Resolves and rejects as {@link follow}. */
  async step(call: CallToken | null = null): Promise<unknown> {
    this.#fork();
    return this.#advance('next', call);
  }

  /** Stops following. */
  stop(): void {
    this.#orders++;
    this.#watch?.stop();
    this.#watch = null;
  }

  async #turn(): Promise<void> {
    const { events } = this.#chain.core;
    try {
      await this.#advance('newest', null);
      this.#reported = null;
    } catch (error) {
      // Closing the chain cancels its requests.
      if (this.#isClosed) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#reported) events.emit('notice', `The fork cannot follow its chain: ${reason}`);
      this.#reported = reason;
    }
  }

  /** Returns the present fork. Throws an {@link UnfollowableForkError}. */
  #fork(): Fork {
    const { core, fork } = this.#chain;
    const { current } = fork;
    if (current === null) throw new UnfollowableForkError('the node is not a fork; start it with --fork-url');
    const reason =
      core.durability !== null
        ? 'its blocks are in a data directory; start the node without --data-dir'
        : core.options.keptBlocks !== null
          ? 'old blocks are pruned; start the node without --prune-history'
          : current.options.isOffline
            ? 'it is offline; start the node without --offline'
            : current.isRecorded
              ? 'the run is recorded; start the node without --fork-record'
              : current.before !== null
                ? 'it starts within a block; start the node with --fork-block-number instead of a transaction'
                : null;
    if (reason !== null) throw new UnfollowableForkError(reason);
    return current;
  }

  #advance(reach: Reach, call: CallToken | null): Promise<unknown> {
    const step = this.#last.then(
      () => this.#step(reach, call),
      () => this.#step(reach, call),
    );
    this.#last = step;
    return step;
  }

  async #step(reach: Reach, call: CallToken | null): Promise<unknown> {
    const { core, baseChange, fork: handle } = this.#chain;
    const fork = this.#fork();
    const path = await this.#pathFrom(fork, reach);
    if (path === null) return fork.block;
    const { target, inserted, replaced } = path;
    const base = fork.after(target.json, core.ruleSet, replaced.length > 0);
    await this.#fetchAccounts(base);
    const origin = base.first(core.ruleSet, core.options);
    const isPresent = (): boolean => handle.current === fork && !this.#isClosed;
    const conflicts = await baseChange.move(
      () => (isPresent() ? { base, origin, inserted, replaced } : null),
      call,
    );
    if (handle.current !== base) return (handle.current ?? fork).block;
    this.#remember(path);
    for (const conflict of conflicts) core.events.emit('notice', conflictWords(conflict));
    return base.block;
  }

  /** Returns the path to the next or newest block; `null` if the base is still the newest one. */
  async #pathFrom(fork: Fork, reach: Reach): Promise<Path | null> {
    const { number: own, hash } = fork.upstream.pin;
    const newest = await this.#head(fork, 'latest');
    // A node that lags behind can return an earlier block.
    if (newest === null || newest.block.header.number < own) return null;
    if (equalBytes(newest.block.hash, hash)) return null;
    const replaced = await this.#replacedBlocks(fork);
    const common = own - replaced.length;
    const last = reach === 'next' ? common + 1 : newest.block.header.number;
    const first = Math.max(common + 1, last - MAX_REPORTED + 1);
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const heads = await Promise.all(
      numbers.map((number) =>
        number === newest.block.header.number ? newest : this.#head(fork, toQuantity(number)),
      ),
    );
    const inserted = heads.flatMap((head) => (head === null ? [] : [head.block]));
    const target = heads.at(-1);
    // A reorganization between two responses; the next step sees its result.
    if (target === undefined || target === null || !areLinked(inserted, heads.length)) return null;
    return { target, inserted, replaced };
  }

  /** Returns the known blocks that are no longer on the forked chain, highest first. */
  async #replacedBlocks(fork: Fork): Promise<readonly Block[]> {
    const { ruleSet } = this.#chain.core;
    const replaced: Block[] = [];
    let known: Block | undefined = blockOfUpstream(fork.block, ruleSet);
    while (known !== undefined) {
      const { number } = known.header;
      const head = await this.#head(fork, toQuantity(number));
      if (head === null) throw new ForkPointError(`the fork URL has no block ${number}`);
      if (equalBytes(head.block.hash, known.hash)) break;
      replaced.push(known);
      known = this.#known.get(number - 1);
    }
    return replaced;
  }

  async #head(fork: Fork, name: string): Promise<UpstreamHead | null> {
    const json = await fork.upstream.askNow(blockQuestion(name, false));
    if (json === null || json === undefined) return null;
    return { json, block: blockOfUpstream(json, this.#chain.core.ruleSet) };
  }

  /** Fetches the accounts that were written here in the state after the new base. */
  async #fetchAccounts(base: Fork): Promise<void> {
    const { answers } = base.upstream;
    let names: string[] = [];
    const fetch = async (): Promise<void> => {
      const questions = names.flatMap(accountQuestions);
      names = [];
      await answers.fetchAll(questions.filter((question) => answers.get(question) === undefined));
    };
    for (const { address } of this.#chain.core.blockchain.head.state.accounts()) {
      names.push(toHex(address));
      if (names.length === ACCOUNTS_AT_ONCE) await fetch();
    }
    await fetch();
  }

  #remember({ inserted, replaced }: Path): void {
    for (const { header } of replaced) this.#known.delete(header.number);
    for (const block of inserted) {
      this.#known.delete(block.header.number);
      this.#known.set(block.header.number, block);
    }
    for (const number of this.#known.keys()) {
      if (this.#known.size <= MAX_REMEMBERED) return;
      this.#known.delete(number);
    }
  }
}

/** True if each block is the parent of the next one, and none is missing. */
function areLinked(blocks: readonly Block[], count: number): boolean {
  return (
    blocks.length === count &&
    blocks.every(({ header }, index) => {
      const parent = blocks[index - 1];
      return parent === undefined || equalBytes(header.parentHash, parent.hash);
    })
  );
}

function conflictWords({ address, local, source }: NonceConflict): string {
  return `Account ${toHex(address)} has nonce ${local} here and ${source} on the forked chain: it now has nonce ${source}`;
}
