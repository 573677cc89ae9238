import type { Engine, ExecutionResult } from '../../evm/engine.ts';
import { type CheckInterrupt, uninterrupted, yieldToOthers } from '../../primitives/interrupt.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Block } from '../../protocol/block.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { Overlay } from '../../state/overlay.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { CallRejectedError } from '../errors.ts';
import type { KnownBlocks } from '../mining/known-blocks.ts';
import { type AccessListOutcome, createAccessList } from './access-list.ts';
import { type BlockSelector, isPending } from './block-selector.ts';
import {
  type CallMessage,
  type CallSite,
  completeMessage,
  environmentOf,
  executeMessage,
} from './call-execution.ts';
import { stateBefore } from './replay.ts';
import {
  type SimulatedBlock,
  type SimulatedBlockRequest,
  type SimulationOptions,
  simulateBlocks,
} from './simulation.ts';
import {
  type AccountOverride,
  type CallOverrides,
  overrideEnvironment,
  overrideSite,
} from './state-overrides.ts';

/** What a chain's simulations work with. */
export interface SimulationParts {
  readonly blockchain: Blockchain;
  readonly known: KnownBlocks;
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly chainId: () => number;
  /** A state and the block that it stands after. */
  readonly view: (selector: BlockSelector) => Promise<{ readonly block: Block; readonly state: WorldState }>;
  /** Where a call runs that is to see the state after that block. */
  readonly callSite: (selector: BlockSelector, checkInterrupt: CheckInterrupt) => Promise<CallSite>;
}

/** Messages that run one after the other in one block. */
export interface CallBundle {
  readonly messages: readonly CallMessage[];
  readonly block: CallOverrides['block'];
}

/** Units of work for a bundle besides its messages. */
const BUNDLE_WORK = 128;

/** Where the bundles begin. */
export interface BundleSite {
  readonly selector: BlockSelector;
  /** The transaction of the block before which they run; `null` for the end of the block. */
  readonly transactionIndex: number | null;
  readonly accounts: readonly AccountOverride[];
}

/** Answers what would happen if, when that takes more than one run. Nothing stays. */
export class ChainSimulation {
  readonly #parts: SimulationParts;

  constructor(parts: SimulationParts) {
    this.#parts = parts;
  }

  /** What a message touches on the state after a block. Rejects with `BlockNotFoundError` or `CallRejectedError`. */
  async accessList(
    message: CallMessage,
    selector: BlockSelector,
    overrides: CallOverrides,
    checkInterrupt = uninterrupted,
  ): Promise<AccessListOutcome> {
    const site = await overrideSite(await this.#parts.callSite(selector, checkInterrupt), overrides);
    return createAccessList(site, message);
  }

  /**
   * Runs bundles of messages, each message on the state that the one before left; one that cannot be run at all gives
   * the error and changes nothing. Rejects with `BlockNotFoundError`.
   */
  async bundles(
    bundles: readonly CallBundle[],
    { selector, transactionIndex, accounts }: BundleSite,
    checkInterrupt = uninterrupted,
  ): Promise<(ExecutionResult | CallRejectedError)[][]> {
    const start = await this.#siteBefore(selector, transactionIndex, checkInterrupt);
    const site = await overrideSite(start, { accounts, block: {} });
    const state = new Overlay(site.state);
    const results: (ExecutionResult | CallRejectedError)[][] = [];
    const pieces = new WorkPieces(checkInterrupt);
    for (const { messages, block } of bundles) {
      await pieces.spend(BUNDLE_WORK);
      const environment = overrideEnvironment(site.environment, block);
      const ofBundle: (ExecutionResult | CallRejectedError)[] = [];
      for (const message of messages) {
        await yieldToOthers(checkInterrupt);
        ofBundle.push(await attempt({ ...site, environment, state: state.toWorldState() }, message, state));
      }
      results.push(ofBundle);
    }
    return results;
  }

  async #siteBefore(
    selector: BlockSelector,
    transactionIndex: number | null,
    checkInterrupt: CheckInterrupt,
  ): Promise<CallSite> {
    const { known, engine, ruleSet } = this.#parts;
    const { block, state } = await this.#parts.view(selector);
    const environment = environmentOf(block, known.ancestors(block));
    const isAtEnd = transactionIndex === null || isPending(selector);
    const before = isAtEnd ? state : await this.stateBefore(block, transactionIndex, checkInterrupt);
    return { engine, ruleSet, environment, state: before, checkInterrupt };
  }

  /** The state in a block before its transaction at `index`; after the last one for an index beyond. */
  async stateBefore(block: Block, index: number, checkInterrupt = uninterrupted): Promise<WorldState> {
    return (await stateBefore(this.#parts, block, index, checkInterrupt)).toWorldState();
  }

  /** Simulates blocks on top of one. Rejects with `BlockNotFoundError` or `SimulationError`. */
  async blocks(
    requests: readonly SimulatedBlockRequest[],
    selector: BlockSelector,
    options: SimulationOptions,
    checkInterrupt = uninterrupted,
  ): Promise<SimulatedBlock[]> {
    const { known, engine, ruleSet, chainId } = this.#parts;
    const { block: parent, state } = await this.#parts.view(selector);
    const ancestors = known.ancestors(parent);
    const ground = { engine, ruleSet, chainId: BigInt(chainId()), parent, state, ancestors, checkInterrupt };
    return simulateBlocks(ground, requests, options);
  }
}

async function attempt(
  site: CallSite,
  message: CallMessage,
  state: Overlay,
): Promise<ExecutionResult | CallRejectedError> {
  try {
    return await executeMessage(site, completeMessage(site, message), state);
  } catch (error) {
    if (error instanceof CallRejectedError) return error;
    throw error;
  }
}
