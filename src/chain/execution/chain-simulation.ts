import type { Block } from '../../protocol/block.ts';
import { neverCancelled, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { BlockSelector } from '../block-selector.ts';
import { type CallEnvironment, type CallResult, callGas, gasCapOf, withGasCut } from '../call-environment.ts';
import type { ChainCore } from '../chain-core.ts';
import { CallRejectedError, NotInRuleSetError } from '../errors.ts';
import type { CandidateBlock } from '../mining/block-builder.ts';
import { type AccessListOutcome, createAccessList } from './access-list.ts';
import type { BlockResolver } from './block-resolver.ts';
import type { BundleSimulation, BundleSimulationRequest } from './bundle-simulation.ts';
import {
  type CallMessage,
  type ChainCalls,
  completeMessage,
  environmentOf,
  executeMessage,
  overrideSite,
} from './calls.ts';
import { type InnerSite, runAgain, siteInside, stateBefore } from './replay.ts';
import { ResultBudget, withoutLogs } from './result-budget.ts';
import {
  type SimulatedBlock,
  type SimulatedBlockRequest,
  type SimulationOptions,
  simulateBlocks,
} from './simulation.ts';
import {
  type AccountOverride,
  type CallOverrides,
  environmentAfterBundle,
  overrideEnvironment,
} from './state-overrides.ts';
import type { TestBlockRequest } from './test-block.ts';

/** Messages that run one after another in one block. */
export interface CallBundle {
  readonly messages: readonly CallMessage[];
  readonly block: CallOverrides['block'];
}

/** Work units per bundle, in addition to its messages. */
const BUNDLE_WORK = 128;

/** Seconds between simulated blocks of a chain without interval, as in Anvil and MEV-Share. */
const BLOCK_DISTANCE = 12;

/** The block and transaction where the bundles start, with account overrides. */
export interface BundleSite extends InnerSite {
  readonly accounts: readonly AccountOverride[];
}

/** Runs simulations of several messages or blocks. All state changes are discarded. */
export class ChainSimulation {
  readonly #core: ChainCore;
  readonly #blocks: BlockResolver;
  readonly #calls: ChainCalls;

  constructor(core: ChainCore, blocks: BlockResolver, calls: ChainCalls) {
    this.#core = core;
    this.#blocks = blocks;
    this.#calls = calls;
  }

  /** Returns a message's access list. Rejects with `BlockNotFoundError` or `CallRejectedError`. */
  async accessList(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides,
    checkCancelled = neverCancelled,
  ): Promise<AccessListOutcome> {
    return createAccessList(await this.#calls.overriddenSite(selector, overrides, checkCancelled), message);
  }

  /**
   * Executes bundles of messages. Each message sees the changes of earlier ones. Logs are dropped. A message
   * that breaks a rule before execution returns the error and changes nothing. Rejects with
   * `BlockNotFoundError` or `ResultsTooLargeError`.
   */
  async bundles(
    bundles: readonly CallBundle[],
    start: BundleSite,
    checkCancelled = neverCancelled,
  ): Promise<(CallResult | CallRejectedError)[][]> {
    const { countedEngine: engine } = this.#core;
    const found = await siteInside(this.#core, this.#blocks, start, checkCancelled);
    const site = await overrideSite({ ...found, engine }, { accounts: start.accounts, block: {} });
    const state = new Overlay(site.state);
    const results: (CallResult | CallRejectedError)[][] = [];
    const slice = new TimeSlice(checkCancelled);
    const budget = new ResultBudget();
    let next = site.environment;
    for (const { messages, block } of bundles) {
      await slice.spend(BUNDLE_WORK);
      const environment = overrideEnvironment(next, block);
      next = environmentAfterBundle(environment);
      const ofBundle: (CallResult | CallRejectedError)[] = [];
      for (const message of messages) {
        await yieldToOthers(checkCancelled);
        const result = await attempt({ ...site, environment, state: state.toWorldState() }, message, state);
        if (!(result instanceof CallRejectedError)) budget.take(result);
        ofBundle.push(result);
      }
      results.push(ofBundle);
    }
    return results;
  }

  /** See `simulateBundle`. Loads the code on demand. */
  async signedBundle(
    request: BundleSimulationRequest,
    checkCancelled = neverCancelled,
  ): Promise<BundleSimulation> {
    const { simulateBundle } = await import('./bundle-simulation.ts');
    return simulateBundle(this.#core, this.#blocks, request, this.#distance(), checkCancelled);
  }

  /**
   * Resolves to the state in a block before its transaction at `index`. An index past the end gives the state
   * after the last transaction.
   */
  async stateBefore(block: Block, index: number, checkCancelled = neverCancelled): Promise<WorldState> {
    return (await stateBefore(this.#core, this.#blocks, block, index, checkCancelled)).toWorldState();
  }

  /**
   * Resolves to the state root (32 bytes) after each transaction of a block. Rejects with
   * `BlockNotFoundError` if the block's parent is no longer known.
   */
  async rootsInside(block: Block, checkCancelled = neverCancelled): Promise<Uint8Array[]> {
    const state = await stateBefore(this.#core, this.#blocks, block, 0, checkCancelled);
    const environment = environmentOf(block, this.#blocks.ancestors(block), this.#core.ruleSet);
    const slice = new TimeSlice(checkCancelled);
    const roots: Uint8Array[] = [];
    for (const transaction of block.transactions) {
      await runAgain(this.#core, { environment, state, transaction, checkCancelled });
      roots.push((await runTask(state.toWorldStateInSteps(), slice)).root);
      await yieldToOthers(checkCancelled);
    }
    return roots;
  }

  /**
   * Builds a block on the selected one without adding it to the chain. Rejects with `BlockNotFoundError` or
   * `NotIncludableError`, and with a `NotInRuleSetError` before Cancun, whose fields the request has.
   */
  async testBlock(
    selector: BlockSelector,
    request: TestBlockRequest,
    checkCancelled = neverCancelled,
  ): Promise<CandidateBlock> {
    const { ruleSet } = this.#core;
    if (ruleSet.blobs === null)
      throw new NotInRuleSetError('parent beacon block root', ruleSet.name, 'cancun');
    const { block, state } = await this.#blocks.view(selector);
    const ancestors = this.#blocks.ancestors(block);
    const { buildTestBlock } = await import('./test-block.ts');
    return buildTestBlock(this.#core, { block, state, ancestors }, request, checkCancelled);
  }

  /** Seconds between simulated blocks: the interval or the block time of the chain. */
  #distance(): number {
    const { clock, miner } = this.#core;
    const { blockTime } = miner.mode;
    const timed = typeof blockTime === 'number' ? Math.ceil(blockTime) : null;
    return Math.max(1, clock.setting.interval ?? timed ?? BLOCK_DISTANCE);
  }

  /** Rejects with `BlockNotFoundError`, `SimulationError` or `ResultsTooLargeError`. */
  async blocks(
    requests: readonly SimulatedBlockRequest[],
    selector: BlockSelector,
    options: SimulationOptions,
    checkCancelled = neverCancelled,
  ): Promise<SimulatedBlock[]> {
    const {
      countedEngine: engine,
      engine: plainEngine,
      ruleSet,
      settings,
      options: chainOptions,
    } = this.#core;
    const { impersonatedSigner } = settings;
    const { block: parent, state } = await this.#blocks.view(selector);
    const ancestors = this.#blocks.ancestors(parent);
    const chainId = BigInt(settings.current.chainId);
    const rules = { engine, plainEngine, ruleSet, chainId, impersonatedSigner };
    const gasCap = gasCapOf(chainOptions);
    const blockRules = { blockDistance: this.#distance(), isStrict: chainOptions.requiresValidRequests };
    const base = { ...rules, ...blockRules, parent, state, ancestors, gasCap, checkCancelled };
    return simulateBlocks(base, requests, options);
  }
}

async function attempt(
  site: CallEnvironment,
  message: CallMessage,
  state: Overlay,
): Promise<CallResult | CallRejectedError> {
  try {
    const result = await executeMessage(site, withoutLogs(completeMessage(site, message)), state);
    return withGasCut(result, callGas(site, message.gasLimit).gasCut);
  } catch (error) {
    if (error instanceof CallRejectedError) return error;
    throw error;
  }
}
