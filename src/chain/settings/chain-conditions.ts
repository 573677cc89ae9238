import type { Impersonation, ImpersonationRecord } from '../cheats/impersonation.ts';
import type { Miner, MiningMode } from '../mining/miner.ts';
import type { BlockSettings, LiveSettings } from './block-settings.ts';
import type { ChainClock, ClockSetting } from './chain-clock.ts';

/** The conditions of a chain: what decides besides its blocks, its state and its pool how it goes on. Never changed. */
export interface ChainConditions {
  readonly clock: ClockSetting;
  readonly mining: MiningMode;
  readonly settings: BlockSettings;
  readonly impersonation: ImpersonationRecord;
}

/** What holds the conditions of one chain; each replaces what it holds instead of changing it. */
export interface ConditionParts {
  readonly clock: ChainClock;
  readonly miner: Miner;
  readonly settings: LiveSettings;
  readonly impersonation: Impersonation;
}

/** The conditions as they are now. */
export function conditionsOf({ clock, miner, settings, impersonation }: ConditionParts): ChainConditions {
  return {
    clock: clock.setting,
    mining: miner.mode,
    settings: settings.current,
    impersonation: impersonation.record,
  };
}

/** Makes the conditions what they were. */
export function restoreConditions(
  { clock, miner, settings, impersonation }: ConditionParts,
  conditions: ChainConditions,
): void {
  clock.restore(conditions.clock);
  settings.restore(conditions.settings);
  impersonation.restore(conditions.impersonation);
  miner.setMode(conditions.mining);
}
