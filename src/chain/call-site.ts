import type { BlockEnvironment, Engine, Message } from '../evm/engine.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { WorldState } from '../state/world-state.ts';

/** The place of a call: a state, and the block that code sees around it; and the check that ends it before its time. */
export interface CallSite {
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly state: WorldState;
  readonly environment: BlockEnvironment;
  /** The most gas that a call can have; left out where it is that of the block. */
  readonly gasCap?: bigint;
  readonly checkInterrupt: CheckInterrupt;
}

/** A message with all that it ran on, so that it can be run again after the chain has gone on. */
export interface HeldCall {
  readonly site: CallSite;
  /** With the nonce and the gas that it ran with. */
  readonly message: Message;
}
