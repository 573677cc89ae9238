import type { ExecutionResult } from '../../evm/engine.ts';
import { type CheckInterrupt, uninterrupted } from '../../primitives/interrupt.ts';
import { isPromise } from '../../primitives/task.ts';
import type { CallToken } from '../../storage/chain-events.ts';
import { type BlockSelector, isPending } from '../block-selector.ts';
import type { ChainCore } from '../chain-core.ts';
import type { BlockProducer } from '../mining/block-producer.ts';
import { ancestorsOf } from '../mining/parent-context.ts';
import {
  type CallMessage,
  type CallSite,
  environmentOf,
  estimateGas,
  executeCall,
} from './call-execution.ts';
import type { KnownBlocks } from './known-blocks.ts';
import { type CallOverrides, NO_OVERRIDES, overrideSite } from './state-overrides.ts';

/** The most gas of a call on the network's nodes, whatever the gas of the block (`rpc.callGasCap`). */
const NETWORK_CALL_GAS = 10_000_000n;

/** Runs messages on what a chain is, or was, without changing it. */
export class ChainCalls {
  readonly #core: ChainCore;
  readonly #blocks: KnownBlocks;
  readonly #producer: BlockProducer;

  constructor(core: ChainCore, blocks: KnownBlocks, producer: BlockProducer) {
    this.#core = core;
    this.#blocks = blocks;
    this.#producer = producer;
  }

  /** Returns the site of a call that runs as if in the block. Rejects with a `BlockNotFoundError`. */
  async site(selector: BlockSelector, checkInterrupt: CheckInterrupt): Promise<CallSite> {
    const { engine, ruleSet, blockchain, pool } = this.#core;
    if (isPending(selector) && pool.size === 0) {
      // Nothing runs before the call, so that the sample of a whole block can be spared.
      const environment = this.#producer.nextEnvironment();
      return { engine, ruleSet, state: blockchain.headState, environment, checkInterrupt };
    }
    const { block, state } = await this.#blocks.view(selector);
    const ancestors = this.#blocks.isBeside(block)
      ? this.#blocks.ancestors(block)
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
    caller: CallToken | null = null,
  ): Promise<ExecutionResult> {
    const overridden = overrideSite(await this.site(selector, checkInterrupt), overrides);
    const site = isPromise(overridden) ? await overridden : overridden;
    const { networkLimits } = this.#core.options;
    const result = await executeCall(networkLimits ? { ...site, gasCap: NETWORK_CALL_GAS } : site, message);
    if (result.console !== undefined) this.#core.events.emit('console', result.console, caller);
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
