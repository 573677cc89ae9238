import { LiveSettings } from '../chain/settings/block-settings.ts';
import { ChainClock } from '../chain/settings/chain-clock.ts';
import type { ChainSnapshot } from '../chain/snapshots/snapshots.ts';
import { ChainEvents } from '../storage/chain-events.ts';
import type { ChainParts } from './chain-parts.ts';

/**
 * What a chain is made of that begins as another one was at the snapshot, and goes on by itself. Everything is shared
 * until one of them changes it, so that it costs the same whatever the other holds.
 */
export function forkedParts(parts: ChainParts, snapshot: ChainSnapshot): ChainParts {
  const settings = new LiveSettings(snapshot.settings);
  const turns = parts.turns.sibling();
  const clock = new ChainClock(parts.wallClock, null, parts.options);
  clock.restore(snapshot.clock);
  const blockchain = parts.blockchain.fork(snapshot.head);
  blockchain.replaceHeadState(snapshot.headState);
  const wallet = parts.wallet.fork({ now: () => clock.milliseconds() });
  return {
    ...parts,
    settings,
    engine: parts.engines.engineOf(settings, turns),
    turns,
    blockchain,
    start: { snapshot, blockchain: blockchain.fork(), accounts: wallet.record() },
    createDurability: null,
    wallet,
    clock,
    fork: parts.fork.successor(),
    events: new ChainEvents(),
  };
}
