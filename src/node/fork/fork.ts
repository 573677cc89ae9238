import { keyOf } from '../../primitives/hex.ts';
import { type RuleSet, type RuleSetName, ruleSetNamed } from '../../rules/rule-set.ts';
import { WorldState } from '../../state/world-state.ts';
import type { BlockSettings } from '../block-settings.ts';
import type { ChainOptions } from '../chain-options.ts';
import type { ChainOrigin } from '../snapshots.ts';
import type { FixedSettings, ForkOptions } from './fork-options.ts';
import { ForkState } from './fork-state.ts';
import { blockOfUpstream, ruleSetOfBlock } from './upstream-block.ts';
import type { UpstreamChain } from './upstream-chain.ts';

/** What a fork is made of. */
export interface ForkParts {
  readonly options: ForkOptions;
  readonly upstream: UpstreamChain;
  /** The upstream's chain id. */
  readonly chainId: number;
  /** The pinned block as `eth_getBlockByNumber` gives it. */
  readonly block: unknown;
  /**
   * The block of the transaction that the fork begins before, with its transactions, and where that one stands in it;
   * `null` for a fork that begins after a block.
   */
  readonly before: { readonly block: unknown; readonly index: number } | null;
  /** Ends what is under way. */
  readonly close: () => void;
}

/** The point at which a chain leaves another one. Chains that come from one another share it. */
export class Fork {
  readonly options: ForkOptions;
  readonly upstream: UpstreamChain;
  readonly chainId: number;
  readonly before: ForkParts['before'];
  readonly close: () => void;
  readonly #block: unknown;

  constructor(parts: ForkParts) {
    this.options = parts.options;
    this.upstream = parts.upstream;
    this.chainId = parts.chainId;
    this.before = parts.before;
    this.close = parts.close;
    this.#block = parts.block;
  }

  /** The number of the last block that is the upstream's. */
  get number(): number {
    return this.upstream.pin.number;
  }

  /** The rules that the upstream seems to have. */
  get ruleSet(): RuleSetName {
    return ruleSetOfBlock(this.#block, this.chainId);
  }

  /** The pinned block and the state after it, in which the chain's accounts have their funds. */
  first(
    ruleSet: RuleSet,
    options: Pick<ChainOptions, 'devAccounts' | 'fundedAccounts' | 'balance'>,
  ): ChainOrigin {
    const { devAccounts, fundedAccounts, balance } = options;
    const addresses = [...devAccounts.map(({ address }) => address), ...fundedAccounts];
    const funds = new Map(addresses.map((address) => [keyOf(address), balance]));
    return {
      block: blockOfUpstream(this.#block, ruleSet),
      state: WorldState.beginningWith(new ForkState(this.upstream, funds)),
    };
  }

  /** The settings of a chain that goes on from here: what was not fixed is as in the pinned block. */
  settingsOn<Settings extends Pick<BlockSettings, 'chainId' | 'gasLimit' | 'minimumGasPrice'>>(
    settings: Settings,
    fixed: FixedSettings,
  ): Settings {
    const { header } = blockOfUpstream(this.#block, ruleSetNamed(this.ruleSet));
    return {
      ...settings,
      ...(fixed.chainId ? {} : { chainId: this.chainId }),
      ...(fixed.gasLimit ? {} : { gasLimit: header.gasLimit }),
      ...(fixed.minimumGasPrice ? {} : { minimumGasPrice: header.minimumGasPrice }),
    };
  }
}
