// A fork that chains share, with its lifetime.

import type { BlockSettings } from '../chain/settings/block-settings.ts';
import { type FundingOptions, fundsOf } from '../chain/settings/chain-options.ts';
import type { ChainOrigin } from '../chain/snapshots/snapshots.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../protocol/hardforks/registry.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { StateSource } from '../state/state-source.ts';
import { WorldState } from '../state/world-state.ts';
import { AccessHints } from './access-hints.ts';
import type { FixedSettings, ForkOptions, ForkRecord } from './fork-options.ts';
import { ForkState, type Funds, hasBridge } from './fork-state.ts';
import type { BlockPin } from './upstream/upstream-call.ts';
import { blockOfUpstream, ruleSetOfBlock, UpstreamFields } from './upstream-block.ts';
import type { UpstreamChain } from './upstream-chain.ts';

export interface OpenedFork {
  readonly options: ForkOptions;
  readonly upstream: UpstreamChain;
  /** The upstream's chain id. */
  readonly chainId: number;
  /** The pinned block as returned by `eth_getBlockByNumber`. */
  readonly block: unknown;
  /** The fork starts within this block, after `index` transactions of it; `null` for a fork after a block. */
  readonly before: { readonly block: unknown; readonly index: number } | null;
  /** True if a file for CI records the responses; default: false. */
  readonly isRecorded?: boolean;
  /** Called after the first {@link Fork.hold}; optional. */
  readonly open?: () => void;
  /** Cancels pending requests. */
  readonly close: () => void;
  /** The accounts whose funds differ from the upstream's; `null` to use the chain's options. */
  readonly funds: Funds | null;
}

/** The default sender of calls, and the default coinbase. */
const NOBODY = new Uint8Array(20);

/** Throws a `ForkPointError` for an invalid block. */
function pinOf(block: unknown): BlockPin {
  const fields = new UpstreamFields(block, 'block');
  return { number: fields.number('number'), hash: fields.fixed('hash', 32) };
}

/**
 * A fork of an upstream at one block. Chains forked from each other share it, and so do their states and
 * snapshots. It is reference-counted. Holders are the chains on it or started on it (see `ForkHandle`), and
 * temporarily the code that opens or assigns it. The last release closes it: pending requests fail and no new
 * ones are sent.
 */
export class Fork {
  readonly options: ForkOptions;
  readonly upstream: UpstreamChain;
  readonly chainId: number;
  readonly before: OpenedFork['before'];
  /** True if a file for CI records the responses. */
  readonly isRecorded: boolean;
  /** The pinned block as returned by `eth_getBlockByNumber`. */
  readonly block: unknown;
  readonly #open: () => void;
  readonly #close: () => void;
  readonly #funds: Funds | null;
  /** The fork that opened the client. */
  #opener: Fork = this;
  #holders = 0;

  constructor(opened: OpenedFork) {
    this.options = opened.options;
    this.upstream = opened.upstream;
    this.chainId = opened.chainId;
    this.before = opened.before;
    this.isRecorded = opened.isRecorded === true;
    this.block = opened.block;
    this.#open = opened.open ?? (() => undefined);
    this.#close = opened.close;
    this.#funds = opened.funds;
  }

  /** Keeps the fork open until {@link release}. */
  hold(): void {
    this.#holders++;
    if (this.#holders === 1) this.#open();
  }

  /** Releases the fork, and closes it after the last holder. */
  release(): void {
    this.#holders--;
    if (this.#holders === 0) this.#close();
  }

  /** The number of present holders. */
  get holders(): number {
    return this.#holders;
  }

  /**
   * Returns a fork of the same chain at an earlier block, without local funds. It shares the client and all
   * responses, and stays open as long as this fork. Throws a `ForkPointError` for an invalid block.
   */
  at(block: unknown): Fork {
    const { options, chainId } = this;
    const upstream = this.upstream.at(pinOf(block), block);
    return new Fork({
      options: { ...options, follow: null },
      upstream,
      chainId,
      block,
      before: null,
      funds: new Map(),
      close: () => {},
    });
  }

  /**
   * Returns a fork of the same chain at a later block, with the same funds and client. `isReorganized` if the chain
   * has replaced blocks since. While the fork is held, it holds the fork that opened the client. Throws a
   * `ForkPointError` for an invalid block.
   */
  after(block: unknown, { accounts }: RuleSet, isReorganized: boolean): Fork {
    const { options, chainId } = this;
    const keepsCode = accounts.selfDestructRemoves === 'created in the same transaction';
    const upstream = this.upstream.after(pinOf(block), block, { keepsCode, isReorganized });
    const opener = this.#opener;
    const fork = new Fork({
      options,
      upstream,
      chainId,
      block,
      before: null,
      funds: this.#funds,
      open: () => opener.hold(),
      close: () => opener.release(),
    });
    fork.#opener = opener;
    return fork;
  }

  /** The number of the pinned block. */
  get number(): number {
    return this.upstream.pin.number;
  }

  /** The timestamp of the pinned block, in seconds since 1970. */
  get timestamp(): number {
    return new UpstreamFields(this.block, 'block to fork at').number('timestamp');
  }

  /** The detected rule set of the upstream. */
  get ruleSet(): RuleSetName {
    return ruleSetOfBlock(this.block, this.chainId);
  }

  /** Returns the pinned block and the state after it, with the funds of the chain's accounts. */
  first(ruleSet: RuleSet, options: FundingOptions): ChainOrigin {
    return {
      block: blockOfUpstream(this.block, ruleSet),
      state: WorldState.beginningWith(this.#stateWith(this.#fundsWith(options), ruleSet)),
    };
  }

  /** Returns the state after the pinned block and a description of the fork, for a stored chain. */
  point(ruleSet: RuleSet, options: FundingOptions): { readonly source: StateSource; readonly words: string } {
    const { number, hash } = this.upstream.pin;
    const before = this.before === null ? '' : ` before transaction ${this.before.index} of the next block`;
    const words = `of chain ${this.chainId} at block ${number} (${toHex(hash)})${before}`;
    const { source } = this.first(ruleSet, options).state;
    if (source === null) throw new Error('the state of a fork has no source');
    return { source, words };
  }

  #stateWith(funds: Funds, { systemContracts }: RuleSet): ForkState {
    const { hints, isOffline } = this.options;
    const companions = [NOBODY, ...systemContracts.map(({ address }) => address)];
    return new ForkState(this.upstream.answers, funds, {
      hasBridge: hasBridge(this.chainId),
      hints: hints === 'auto' && !isOffline ? new AccessHints(this.upstream) : null,
      companions: isOffline ? [] : companions,
    });
  }

  #fundsWith(options: FundingOptions): Funds {
    return this.#funds ?? new Map(fundsOf(options).map(({ address, balance }) => [hexKey(address), balance]));
  }

  record(options: FundingOptions): ForkRecord {
    return {
      urls: this.upstream.urls,
      chainId: this.chainId,
      ...this.upstream.pin,
      block: this.block,
      before: this.before,
      funds: this.#fundsWith(options),
      answers: this.options.dumpsFetched ? this.upstream.answers.all() : null,
    };
  }

  /** True if a chain with these options starts like the recorded one. */
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

  /** Returns the settings on this fork. Settings without an explicit value come from the pinned block. */
  settingsOn<Settings extends Pick<BlockSettings, 'chainId' | 'gasLimit' | 'minimumGasPrice'>>(
    settings: Settings,
    fixed: FixedSettings,
  ): Settings {
    const { header } = blockOfUpstream(this.block, ruleSetNamed(this.ruleSet));
    return {
      ...settings,
      ...(fixed.chainId ? {} : { chainId: this.chainId }),
      ...(fixed.gasLimit ? {} : { gasLimit: header.gasLimit }),
      ...(fixed.minimumGasPrice ? {} : { minimumGasPrice: header.minimumGasPrice }),
    };
  }
}
