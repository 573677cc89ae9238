/** Chains at blocks up to the fork block, for methods that the upstream does not serve. */

import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { ForkPointError } from '../fork/errors.ts';
import type { Fork } from '../fork/fork.ts';
import type { PastNode, PastNodes, PastPoint } from '../rpc/rpc-node.ts';
import { type CancelCheck, unlessCancelled } from '../scheduling/cancel-check.ts';
import type { OpenNode } from './open-past-node.ts';

/** Maximum number of unused open chains. */
const MAX_KEPT = 4;

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

  /** Loads the code on demand. */
  async #openAt(point: PastPoint, checkCancelled: CancelCheck): Promise<PastNode> {
    const { openPastNode } = await import('./open-past-node.ts');
    return openPastNode(point, this.#options, this.#open, checkCancelled);
  }
}
