/** The context of a new block: its parent, the parent's state, and the ancestors that code can read. */
import type { BlockEnvironment, BlocksWithoutCalls, Engine } from '../../evm/engine.ts';
import { hasSystemCalls } from '../../execution/system-calls.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { nextExcessBlobGas } from '../../protocol/blobs.ts';
import type { Block, ParentBlock } from '../../protocol/block.ts';
import { selectUncles } from '../../protocol/fork-choice.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { type BlocksBelow, uncalledBelow } from '../../storage/blocks-without-calls.ts';
import { EmptyBlockRange, type RangeTemplate } from '../../storage/empty-block-range.ts';
import type { ChainCore } from '../chain-core.ts';
import { BlockNotFoundError } from '../errors.ts';
import {
  type BlockSettings,
  baseFeeAfter,
  gasForTransactions,
  gasLimitAfter,
  minimumGasPriceAfter,
} from '../settings/block-settings.ts';
import { BlockBuilder } from './block-builder.ts';

/** The ancestors of a block that code can read. */
export type Ancestors = Pick<BlockEnvironment, 'blockHash' | 'ancestor' | 'uncalled'>;

const BLOCK_HASH_WINDOW = 256;
const NO_HASH = new Uint8Array(32);

/** Returns the BLOCKHASH function for a block: hashes of the 256 blocks before it, zeros for others. */
export function windowed(
  blockNumber: number,
  hashOf: (number: number) => Uint8Array,
): (number: number) => Uint8Array {
  return (number) => {
    const isKnown = number >= 0 && number < blockNumber && number >= blockNumber - BLOCK_HASH_WINDOW;
    return isKnown ? hashOf(number) : NO_HASH;
  };
}

/** Like {@link windowed}, with the chain's hashes; zeros above the head. */
function blockHashReader(blockchain: Blockchain, blockNumber: number): (number: number) => Uint8Array {
  return windowed(blockNumber, (number) =>
    number <= blockchain.head.block.header.number ? hashOf(blockchain, number) : NO_HASH,
  );
}

/**
 * Returns the hash of a block of the chain or of the forked chain. If the chain's first block has a number
 * above 0, only its parent's hash is available below it; other blocks return zeros. Throws a `RangeError`
 * above the head, and `MissingStateError` if the hash must be fetched first.
 */
export function hashOf(blockchain: Blockchain, number: number): Uint8Array {
  const { lowest } = blockchain;
  if (number >= lowest) return blockchain.summary(number).hash;
  const fromSource = blockchain.head.state.sourceBlockHash(number);
  if (fromSource !== undefined) return fromSource;
  return number === lowest - 1 ? (blockchain.ancestor(lowest)?.header.parentHash ?? NO_HASH) : NO_HASH;
}

/** Maximum length of the shared list. A chain with many failed calls then looks up each hash about once. */
const MAX_KEPT = 4 * BLOCK_HASH_WINDOW;

/**
 * Caches block hashes for replays. Unlike {@link blockHashReader}, the result keeps the present hashes if the
 * chain is reorganized later. Blocks of one branch share an append-only list.
 */
export class RememberedHashes {
  readonly #blockchain: Blockchain;
  /** Number of the first hash, and the hashes from it. Readers of lower blocks ignore appended hashes. */
  #first = 0;
  #hashes: Uint8Array[] = [];

  constructor(blockchain: Blockchain) {
    this.#blockchain = blockchain;
  }

  /** Returns the BLOCKHASH function for the canonical block with this number. */
  before(blockNumber: number): (number: number) => Uint8Array {
    const blockchain = this.#blockchain;
    const first = Math.max(blockchain.lowest, blockNumber - BLOCK_HASH_WINDOW);
    if (!this.#continuesAt(first)) {
      this.#first = first;
      this.#hashes = [];
    }
    const start = this.#first;
    const hashes = this.#hashes;
    for (let number = start + hashes.length; number < blockNumber; number++) {
      hashes.push(blockchain.summary(number).hash);
    }
    // Blocks before a fork do not change.
    return windowed(blockNumber, (number) =>
      number < first ? hashOf(blockchain, number) : (hashes[number - start] ?? NO_HASH),
    );
  }

  /** True if the list matches the present chain, or can be extended with the block of this number. */
  #continuesAt(number: number): boolean {
    const hashes = this.#hashes;
    const hash = hashes.at(-1);
    const last = this.#first + hashes.length - 1;
    if (hash === undefined || hashes.length > MAX_KEPT || number < this.#first || number > last + 1)
      return false;
    const { head, lowest } = this.#blockchain;
    if (last < lowest || last > head.block.header.number) return false;
    // Blocks with the same hash have the same ancestors.
    return equalBytes(this.#blockchain.summary(last).hash, hash);
  }
}

/** Returns the ancestors for code at the end of a canonical block. Initial system calls do not repeat. */
export function ancestorsOf(blockchain: Blockchain, blockNumber: number): Ancestors {
  return {
    blockHash: blockHashReader(blockchain, blockNumber),
    ancestor: (number) => blockchain.ancestor(number),
  };
}

/** Returns a lookup of the chain's blocks for a block that is built on them. */
export function blocksOf(blockchain: Blockchain): BlocksBelow {
  return {
    lowest: blockchain.lowest,
    rangeAt: (number) => blockchain.rangeAt(number),
    hash: (number) => hashOf(blockchain, number),
    block: (number) => blockchain.ancestor(number),
  };
}

/**
 * Like {@link ancestorsOf} for a block that was looked up earlier, with the present hashes from the cache.
 * Throws a {@link BlockNotFoundError} if the block's parent has left the chain.
 */
export function rememberedAncestors(
  blockchain: Blockchain,
  remembered: RememberedHashes,
  { header }: Block,
): Ancestors {
  const { number, parentHash } = header;
  const { head, lowest } = blockchain;
  const isParentHere =
    number <= lowest ||
    (number - 1 <= head.block.header.number && equalBytes(blockchain.summary(number - 1).hash, parentHash));
  if (!isParentHere) throw new BlockNotFoundError(`${number}`, head.block.header.number);
  return {
    blockHash: remembered.before(number),
    ancestor: (ancestor) => blockchain.ancestor(ancestor),
    uncalled: uncalledBelow(number, blocksOf(blockchain)),
  };
}

/** The context of a new block. */
export interface ParentContext {
  readonly parent: ParentBlock;
  readonly parentState: WorldState;
  /** Hash of a block up to the parent. */
  readonly blockHash: (number: number) => Uint8Array;
  /** Block with this number, up to the parent; `undefined` if unavailable, for example below a fork. */
  readonly ancestor: (number: number) => Block | undefined;
  /** Returns the blocks up to the parent without system calls; `undefined` if there are no such blocks. */
  readonly uncalled: () => BlocksWithoutCalls | undefined;
}

/** Returns a builder for a block in this context at `timestamp` (seconds since 1970). */
export function openBlock(
  core: ChainCore,
  settings: BlockSettings & { readonly slotNumber?: bigint | null },
  context: ParentContext,
  timestamp: number,
  engine: Engine,
  checkCancelled?: CancelCheck,
): BlockBuilder {
  const { ruleSet, options, closing, sideBlocks, recordsFrames } = core;
  const { parent, parentState, blockHash, ancestor, uncalled } = context;
  const { impersonatedSigner } = core.settings;
  const chainId = BigInt(core.settings.current.chainId);
  const gasLimit = gasLimitAfter(parent, settings);
  const { competitors } = sideBlocks;
  return new BlockBuilder(engine, ruleSet, {
    parent,
    parentState,
    blockHash,
    ancestor,
    uncalled: hasSystemCalls(ruleSet) ? uncalled() : undefined,
    timestamp,
    coinbase: settings.coinbase,
    gasLimit,
    gasForTransactions: gasForTransactions(gasLimit, options.networkLimits),
    maximumTransactions: options.maximumTransactions,
    minimumGasPrice: minimumGasPriceAfter(parent, settings),
    baseFeePerGas: baseFeeAfter(parent, settings, ruleSet),
    excessBlobGas: nextExcessBlobGas(parent.header, ruleSet.blobs),
    prevRandao: settings.next.prevRandao,
    parentBeaconBlockRoot: settings.next.parentBeaconBlockRoot,
    slotNumber: settings.slotNumber ?? null,
    closing,
    recording: ruleSet.hasAccessLists ? { engine: core.engine, chainId, impersonatedSigner } : null,
    recordsFrames,
    isStrict: options.requiresValidRequests,
    createWork: core.parentChain?.createWork,
    uncles: competitors.length === 0 ? [] : selectUncles(competitors, parent.header.number + 1, ancestor),
    extraData: settings.extraData,
    checkCancelled,
  });
}

/** Throws a `RangeError` for a missing block. */
export function existingBlock(blockchain: Blockchain, number: number): Block {
  const block = blockchain.block(number);
  if (block === undefined) throw new RangeError(`block ${number} does not exist`);
  return block;
}

export function headContext(blockchain: Blockchain): ParentContext {
  const { block: parent, state: parentState } = blockchain.head;
  const number = parent.header.number + 1;
  return {
    parent,
    parentState,
    blockHash: blockHashReader(blockchain, number),
    ancestor: (ancestor) => blockchain.ancestor(ancestor),
    uncalled: () => uncalledBelow(number, blocksOf(blockchain)),
  };
}

/**
 * Returns reserved blocks up to the number `last`. All have the same gas limit and minimum gas price,
 * although both can drift in ordinary blocks. See {@link EmptyBlockRange}.
 */
export function reserveAbove(
  { parent, parentState }: Pick<ParentContext, 'parent' | 'parentState'>,
  ruleSet: RuleSet,
  settings: BlockSettings,
  range: Pick<RangeTemplate, 'firstTimestamp' | 'interval'> & { readonly last: number },
): EmptyBlockRange {
  const { hash, totalDifficulty } = parent;
  const template = {
    base: { number: parent.header.number, hash, totalDifficulty },
    firstTimestamp: range.firstTimestamp,
    interval: range.interval,
    coinbase: settings.coinbase,
    gasLimit: gasLimitAfter(parent, settings),
    minimumGasPrice: minimumGasPriceAfter(parent, settings),
    baseFeePerGas: baseFeeAfter(parent, settings, ruleSet),
    extraData: settings.extraData,
    stateRoot: parentState.root,
  };
  return EmptyBlockRange.create(template, parentState, range.last, ruleSet);
}

/** Returns the context of a block on reserved blocks. `below` reads the blocks below them. */
export function reservedRangeContext(range: EmptyBlockRange, below: BlocksBelow): ParentContext {
  const number = range.last + 1;
  const blocks: BlocksBelow = {
    lowest: below.lowest,
    rangeAt: (of) => (range.includes(of) ? range : below.rangeAt(of)),
    hash: (of) => (range.includes(of) ? range.hashOf(of) : below.hash(of)),
    block: (of) => (range.includes(of) ? range.block(of) : below.block(of)),
  };
  return {
    parent: range.top,
    parentState: range.state,
    blockHash: windowed(number, blocks.hash),
    ancestor: blocks.block,
    uncalled: () => uncalledBelow(number, blocks),
  };
}
