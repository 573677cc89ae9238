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
/** Maximum number of checks in a row without the base. Then its absence is an error. */
const MAX_ABSENCES = 5;
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

interface StepLimits {
  /** False if an order to stop was given meanwhile. */
  isWanted(): boolean;
  /** Maximum number of steps in a row without the base. */
  readonly absences: number;
}

/** The path from the base to a later block. */
interface Path {
  readonly target: UpstreamHead;
  /** The number of the first new block. */
  readonly first: number;
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
  /** The steps of calls run one after another, but do not wait for the requests of a check. */
  #last: Promise<unknown> = Promise.resolve();
  /** Resolves when the present change of the chain has ended. */
  #moving: Promise<unknown> = Promise.resolve();
  /** The number of steps in a row without the base. */
  #absences = 0;
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
    else if ((change === 'moved' || change === 'loaded') && isFollowing) this.#beginAgain();
  }

  /** The fork of a loaded dump may not be able to follow its chain. */
  #beginAgain(): void {
    try {
      this.begin(this.#seconds);
    } catch (error) {
      if (!(error instanceof UnfollowableForkError)) throw error;
      this.#chain.core.events.emit('notice', error.message);
    }
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

  /** Stops following. Resolves to the upstream's block below the local blocks. */
  async pause(): Promise<unknown> {
    const fork = this.#fork();
    this.stop();
    await this.#moving.catch(() => undefined);
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
    const order = this.#orders;
    try {
      await this.#step('newest', null, {
        isWanted: () => order === this.#orders,
        absences: MAX_ABSENCES,
      });
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
    if (current === null)
      throw new UnfollowableForkError('it has no forked chain; start the node with --fork-url');
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
    const begin = (): Promise<unknown> => this.#step(reach, call, { isWanted: () => true, absences: 0 });
    const step = this.#last.then(begin, begin);
    this.#last = step;
    return step;
  }

  async #step(reach: Reach, call: CallToken | null, { isWanted, absences }: StepLimits): Promise<unknown> {
    const { core, baseChange, fork: handle } = this.#chain;
    const fork = this.#fork();
    const path = await this.#pathFrom(fork, reach, absences);
    if (path === null) return fork.block;
    const { target, first, inserted, replaced } = path;
    const base = fork.after(target.json, core.ruleSet, replaced.length > 0);
    await this.#fetchAccounts(base);
    const origin = base.first(core.ruleSet, core.options);
    const isPresent = (): boolean => handle.current === fork && !this.#isClosed && isWanted();
    const moving = baseChange.move(
      () => (isPresent() ? { base, origin, first, inserted, replaced } : null),
      call,
    );
    this.#moving = moving;
    const conflicts = await moving;
    if (handle.current !== base) return (handle.current ?? fork).block;
    this.#remember(path);
    for (const conflict of conflicts) core.events.emit('notice', conflictWords(conflict));
    return base.block;
  }

  /**
   * Returns the path to the next or newest block; `null` if the base is still the newest one. Rejects with a
   * {@link ForkPointError} if the upstream lacked the base more than `absences` times in a row.
   */
  async #pathFrom(fork: Fork, reach: Reach, absences: number): Promise<Path | null> {
    const { number: own, hash } = fork.upstream.pin;
    const newest = await this.#head(fork, 'latest');
    if (newest === null || newest.block.header.number < own) {
      await this.#checkBase(fork, newest, absences);
      return null;
    }
    this.#absences = 0;
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
    return { target, first: common + 1, inserted, replaced };
  }

  /** A node of a balanced provider can lag behind, but the chain can also have been restarted. */
  async #checkBase(fork: Fork, newest: UpstreamHead | null, absences: number): Promise<void> {
    const { number } = fork.upstream.pin;
    if ((await this.#head(fork, toQuantity(number))) !== null) return;
    this.#absences++;
    if (this.#absences <= absences) return;
    const last = newest === null ? 'it has no block' : `its newest block is ${newest.block.header.number}`;
    throw new ForkPointError(
      `the fork URL no longer has block ${number} of this fork: ${last}; if its chain was restarted, reset the fork with evm_reset`,
    );
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

  /** Fetches the accounts that were written here, and the senders of the pool, in the state after the new base. */
  async #fetchAccounts(base: Fork): Promise<void> {
    const { answers } = base.upstream;
    let names: string[] = [];
    const fetch = async (): Promise<void> => {
      const questions = names.flatMap(accountQuestions);
      names = [];
      await answers.fetchAll(questions.filter((question) => answers.get(question) === undefined));
    };
    const { blockchain, pool } = this.#chain.core;
    for (const { address } of blockchain.head.state.accounts()) {
      names.push(toHex(address));
      if (names.length === ACCOUNTS_AT_ONCE) await fetch();
    }
    for (const { transaction } of pool.entries()) names.push(toHex(transaction.sender));
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
