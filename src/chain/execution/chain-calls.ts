import type { BlockEnvironment, Engine, ExecutionResult } from '../../evm/engine.ts';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { isPromise } from '../../primitives/task.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import { ancestorsOf } from '../mining/block-production.ts';
import type { KnownBlocks } from '../mining/known-blocks.ts';
import type { TransactionPool } from '../pool/pool.ts';
import type { ChainOptions } from '../settings/chain-options.ts';
import { type BlockSelector, isPending } from './block-selector.ts';
import {
  type CallMessage,
  type CallSite,
  environmentOf,
  estimateGas,
  executeCall,
} from './call-execution.ts';
import { type CallOverrides, NO_OVERRIDES, overrideSite } from './state-overrides.ts';

/** The most gas of a call on the network's nodes, whatever the gas of the block (`rpc.callGasCap`). */
const NETWORK_CALL_GAS = 10_000_000n;

/** What calls are run with; all of it belongs to one chain. */
export interface ChainCallParts {
  readonly options: Pick<ChainOptions, 'networkLimits'>;
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly blockchain: Blockchain;
  readonly events: ChainEvents;
  readonly pool: TransactionPool;
  readonly known: KnownBlocks;
  /** The environment in which code would run in the block that would be mined now. */
  nextEnvironment(): BlockEnvironment;
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
    const { engine, ruleSet, blockchain, pool, known } = this.#parts;
    if (isPending(selector) && pool.size === 0) {
      // Nothing runs before the call, so that the sample of a whole block can be spared.
      const environment = this.#parts.nextEnvironment();
      return { engine, ruleSet, state: blockchain.headState, environment, checkInterrupt };
    }
    const { block, state } = await this.#parts.view(selector);
    const ancestors = known.isBeside(block)
      ? known.ancestors(block)
      : ancestorsOf(blockchain, block.header.number);
    const environment = environmentOf(block, ancestors);
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
    const { networkLimits } = this.#parts.options;
    const result = await executeCall(networkLimits ? { ...site, gasCap: NETWORK_CALL_GAS } : site, message);
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
