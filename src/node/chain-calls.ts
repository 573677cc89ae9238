import type { Blockchain } from '../chain/blockchain.ts';
import type { ChainEvents } from '../chain/chain-events.ts';
import type { Engine, ExecutionResult } from '../engine/engine.ts';
import { type CheckInterrupt, uninterrupted } from '../primitives/interrupt.ts';
import { isPromise } from '../primitives/steps.ts';
import type { Block } from '../rules/block.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { WorldState } from '../state/world-state.ts';
import { ancestorsOf } from './block-production.ts';
import type { BlockSelector } from './block-selector.ts';
import {
  type CallMessage,
  type CallSite,
  environmentOf,
  estimateGas,
  executeCall,
} from './call-execution.ts';
import { type CallOverrides, NO_OVERRIDES, overrideSite } from './state-overrides.ts';

/** What calls are run with; all of it belongs to one chain. */
export interface ChainCallParts {
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly blockchain: Blockchain;
  readonly events: ChainEvents;
  /** The state after the block of the selector. Rejects with a `BlockNotFoundError`. */
  view(selector: BlockSelector): Promise<{ readonly block: Block; readonly state: WorldState }>;
}

/** Runs messages on what a chain is, or was, without changing it. */
export class ChainCalls {
  readonly #parts: ChainCallParts;

  constructor(parts: ChainCallParts) {
    this.#parts = parts;
  }

  /** Where a call runs that is as if in the block. Rejects with a `BlockNotFoundError`. */
  async site(selector: BlockSelector, checkInterrupt: CheckInterrupt): Promise<CallSite> {
    const { engine, ruleSet, blockchain } = this.#parts;
    const { block, state } = await this.#parts.view(selector);
    const environment = environmentOf(block, ancestorsOf(blockchain, block.header.number));
    return { engine, ruleSet, state, environment, checkInterrupt };
  }

  /**
   * Runs the message on the state after the block, as if in that block; nothing stays, but listeners hear what code
   * tells the console. Rejects with `BlockNotFoundError` or `CallRejectedError`, and with what `checkInterrupt` throws.
   */
  async call(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides = NO_OVERRIDES,
    checkInterrupt = uninterrupted,
  ): Promise<ExecutionResult> {
    const overridden = overrideSite(await this.site(selector, checkInterrupt), overrides);
    const site = isPromise(overridden) ? await overridden : overridden;
    const result = await executeCall(site, message);
    if (result.console !== undefined) this.#parts.events.emit('console', result.console);
    return result;
  }

  /**
   * The least gas with which the message succeeds on the state after the block. Rejects with `BlockNotFoundError`,
   * `CallRejectedError` or `EstimateFailedError`, and with what `checkInterrupt` throws.
   */
  async estimateGas(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides = NO_OVERRIDES,
    checkInterrupt = uninterrupted,
  ): Promise<bigint> {
    const site = await this.site(selector, checkInterrupt);
    return estimateGas(await overrideSite(site, overrides), message);
  }
}
