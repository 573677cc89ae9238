import type { SerialQueue } from '../chain/serial-queue.ts';
import type { ChainIdentity } from '../chain/settings/chain-identity.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import type { Snapshots } from '../chain/snapshots/snapshots.ts';
import type { Engine } from '../evm/engine.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { ForkNotKeptError } from '../storage/errors.ts';
import type { ForkTarget } from './fork-options.ts';
import type { LiveFork } from './live-fork.ts';

/** What a chain becomes another fork with; all of it belongs to one chain. */
export interface ForkSwitchParts {
  readonly fork: LiveFork;
  readonly options: ChainOptions;
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
  readonly snapshots: Snapshots;
  readonly identity: ChainIdentity;
  readonly changes: SerialQueue;
  /** What keeps the chain on disk, which no fork is; `null` where nothing does. */
  readonly createDurability: object | null;
}

/** Makes a chain a fork of another chain, or of another block of the same. The rules stay those that it started with. */
export class ForkSwitch {
  readonly #parts: ForkSwitchParts;

  constructor(parts: ForkSwitchParts) {
    this.#parts = parts;
  }

  /**
   * Begins anew on another fork: no local blocks, an empty pool, no snapshots, settings as at the start. Rejects as the
   * opening of a fork does, and with a {@link ForkNotKeptError} for a chain that is kept in a directory; the chain stays
   * what it was then.
   */
  async to(target: ForkTarget): Promise<void> {
    const { fork, snapshots, identity, changes, createDurability, ...parts } = this.#parts;
    if (createDurability !== null) throw new ForkNotKeptError();
    const next = await fork.forking.open(target, fork.current);
    next.hold();
    try {
      const { forkOrigin } = await import('./fork-origin.ts');
      const origin = await forkOrigin(next, parts);
      await changes.run(() => {
        snapshots.beginAnew(origin, (settings) => next.settingsOn(settings, fork.forking.fixed));
        fork.replace(next);
        identity.renew();
      });
    } finally {
      next.release();
    }
  }
}
