import type { BlockSettings } from '../chain/settings/block-settings.ts';
import { type FundingOptions, fundsOf } from '../chain/settings/chain-options.ts';
import type { ChainOrigin } from '../chain/snapshots/snapshots.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { type RuleSet, type RuleSetName, ruleSetNamed } from '../protocol/hardforks/rule-set.ts';
import { WorldState } from '../state/world-state.ts';
import type { FixedSettings, ForkOptions, ForkRecord } from './fork-options.ts';
import { ForkState, type Funds } from './fork-state.ts';
import { blockOfUpstream, ruleSetOfBlock } from './upstream-block.ts';
import type { UpstreamChain } from './upstream-chain.ts';

/** Everything that was settled when a fork was opened. */
export interface OpenedFork {
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
  /** The accounts that have other funds than upstream; `null` for those that the chain's options name. */
  readonly funds: Funds | null;
}

/**
 * The point at which a chain leaves another one. Chains that come from one another share it, and so do their states and
 * snapshots. It belongs to those who hold it: the chains that are it or started as it (see `ForkHandle`), and whoever opens
 * it or makes it a chain's, until that is done. The last of them to let go closes it, whereupon the upstream is asked
 * nothing more and what is under way there fails.
 */
export class Fork {
  readonly options: ForkOptions;
  readonly upstream: UpstreamChain;
  readonly chainId: number;
  readonly before: OpenedFork['before'];
  readonly #close: () => void;
  readonly #block: unknown;
  readonly #funds: Funds | null;
  #holders = 0;

  constructor(opened: OpenedFork) {
    this.options = opened.options;
    this.upstream = opened.upstream;
    this.chainId = opened.chainId;
    this.before = opened.before;
    this.#close = opened.close;
    this.#block = opened.block;
    this.#funds = opened.funds;
  }

  /** Keeps the fork open until {@link release}. */
  hold(): void {
    this.#holders++;
  }

  /** Lets go of the fork; closes it if nobody else holds it. */
  release(): void {
    this.#holders--;
    if (this.#holders === 0) this.#close();
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
  first(ruleSet: RuleSet, options: FundingOptions): ChainOrigin {
    return {
      block: blockOfUpstream(this.#block, ruleSet),
      state: WorldState.beginningWith(new ForkState(this.upstream, this.#fundsWith(options))),
    };
  }

  #fundsWith(options: FundingOptions): Funds {
    return this.#funds ?? new Map(fundsOf(options).map(({ address, balance }) => [hexKey(address), balance]));
  }

  /** What a dump of a chain with those options tells of the fork. */
  record(options: FundingOptions): ForkRecord {
    return {
      urls: this.upstream.urls,
      chainId: this.chainId,
      ...this.upstream.pin,
      block: this.#block,
      before: this.before,
      funds: this.#fundsWith(options),
      answers: this.options.dumpsFetched ? this.upstream.answers() : null,
    };
  }

  /** True when a chain with those options begins as the one does that the record is of. */
  isOf(record: ForkRecord, options: FundingOptions): boolean {
    const funds = this.#fundsWith(options);
    return (
      this.chainId === record.chainId &&
      equalBytes(this.upstream.pin.hash, record.hash) &&
      this.before?.index === record.before?.index &&
      funds.size === record.funds.size &&
      [...funds].every(([address, balance]) => record.funds.get(address) === balance)
    );
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
