import { type BlockEnvironment, type Engine, UnexecutableError } from '../../evm/engine.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { SLICE_MILLISECONDS, type Turns } from '../../primitives/scheduler.ts';
import { type Task, waitFor } from '../../primitives/task.ts';
import type { Block } from '../../protocol/block.ts';
import { nextBaseFee } from '../../protocol/fees.ts';
import { selectUncles } from '../../protocol/fork-choice.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { WorldState } from '../../state/world-state.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import { type RangeTemplate, ReservedRange } from '../../storage/reserved-range.ts';
import { BlockNotFoundError } from '../errors.ts';
import type { BlockSettings } from '../settings/block-settings.ts';
import type { ChainOptions } from '../settings/chain-options.ts';
import { gasLimitAfter, minimumGasPriceAfter, transactionGas } from '../settings/next-limits.ts';
import type { BlockClosing } from './block-builder.ts';
import { BlockBuilder } from './block-builder.ts';
import type { SideBlocks } from './side-blocks.ts';

/** What code in a block can ask of the blocks before it. */
export type Ancestors = Pick<BlockEnvironment, 'blockHash' | 'ancestor'>;

const BLOCK_HASH_WINDOW = 256;
const NO_HASH = new Uint8Array(32);

/** Answers BLOCKHASH in a block with that number: the hashes of the 256 blocks before it, zeros for others. */
export function windowed(
  blockNumber: number,
  hashOf: (number: number) => Uint8Array,
): (number: number) => Uint8Array {
  return (number) => {
    const isKnown = number >= 0 && number < blockNumber && number >= blockNumber - BLOCK_HASH_WINDOW;
    return isKnown ? hashOf(number) : NO_HASH;
  };
}

/** As {@link windowed}, with the hashes of the chain; zeros beyond its head. */
function blockHashReader(blockchain: Blockchain, blockNumber: number): (number: number) => Uint8Array {
  return windowed(blockNumber, (number) =>
    number <= blockchain.head.header.number ? hashOf(blockchain, number) : NO_HASH,
  );
}

/**
 * The hash of a block of the chain, or of the one that it was forked from. Of blocks below a first one with a number above
 * 0 the chain knows the hash of its parent; it gives zeros for those before. Throws a `RangeError` for a block beyond the
 * head, `MissingStateError` when the hash must be fetched first.
 */
export function hashOf(blockchain: Blockchain, number: number): Uint8Array {
  const { first } = blockchain;
  if (number >= first) return blockchain.summary(number).hash;
  const elsewhere = blockchain.headState.blockHashElsewhere(number);
  if (elsewhere !== undefined) return elsewhere;
  return number === first - 1 ? (blockchain.block(first)?.header.parentHash ?? NO_HASH) : NO_HASH;
}

/** As {@link blockHashReader}, but with the hashes of now, whatever becomes of the chain while they are asked for. */
function rememberedBlockHashes(blockchain: Blockchain, blockNumber: number): (number: number) => Uint8Array {
  const first = Math.max(blockchain.first, blockNumber - BLOCK_HASH_WINDOW);
  const hashes: Uint8Array[] = [];
  for (let number = first; number < blockNumber; number++) hashes.push(blockchain.summary(number).hash);
  // What was before a fork does not change.
  return windowed(blockNumber, (number) =>
    number < first ? hashOf(blockchain, number) : (hashes[number - first] ?? NO_HASH),
  );
}

/** What code is told of the blocks before one of the chain that has that number. */
export function ancestorsOf(blockchain: Blockchain, blockNumber: number): Ancestors {
  return {
    blockHash: blockHashReader(blockchain, blockNumber),
    ancestor: (number) => blockchain.block(number),
  };
}

/**
 * As {@link ancestorsOf} for a block that was looked up a while ago, but with the hashes of now, as
 * {@link rememberedBlockHashes} gives them. Throws a {@link BlockNotFoundError} when its parent has left the chain since.
 */
export function rememberedAncestors(blockchain: Blockchain, { header }: Block): Ancestors {
  const { number, parentHash } = header;
  const { head, first } = blockchain;
  const isParentHere =
    number <= first ||
    (number - 1 <= head.header.number && equalBytes(blockchain.summary(number - 1).hash, parentHash));
  if (!isParentHere) throw new BlockNotFoundError(`${number}`, head.header.number);
  return {
    blockHash: rememberedBlockHashes(blockchain, number),
    ancestor: (ancestor) => blockchain.block(ancestor),
  };
}

/** Wei per gas of the base fee in the block after the parent: what is set for it alone, or what the rules say. */
export function baseFeeAfter(parent: Block, settings: BlockSettings, ruleSet: RuleSet): bigint | null {
  return ruleSet.hasBaseFee ? (settings.next.baseFeePerGas ?? nextBaseFee(parent.header)) : null;
}

/** What a block is built on. */
export interface ParentContext {
  readonly parent: Block;
  readonly parentState: WorldState;
  /** The hash of a block up to the parent. */
  readonly blockHash: (number: number) => Uint8Array;
  /** The block with that number, up to the parent; `undefined` for one that is not there, as below a fork. */
  readonly ancestor: (number: number) => Block | undefined;
}

/** What builders of a chain's blocks have in common. */
export interface BuilderParts {
  readonly engine: Engine;
  readonly ruleSet: RuleSet;
  readonly options: Pick<ChainOptions, 'networkLimits'>;
  /** What ends each block; `null` where nothing does. */
  readonly closing: BlockClosing | null;
  /** Where uncles come from. */
  readonly sideBlocks: SideBlocks;
}

/** A builder for a block on that ground, at `timestamp` (seconds since 1970). */
export function openBlock(
  { engine, ruleSet, options, closing, sideBlocks }: BuilderParts,
  settings: BlockSettings,
  ground: ParentContext,
  timestamp: number,
): BlockBuilder {
  const { parent, parentState, blockHash, ancestor } = ground;
  const gasLimit = gasLimitAfter(parent, settings);
  return new BlockBuilder(engine, ruleSet, {
    parent,
    parentState,
    blockHash,
    ancestor,
    timestamp,
    coinbase: settings.coinbase,
    gasLimit,
    gasForTransactions: transactionGas(gasLimit, options.networkLimits),
    minimumGasPrice: minimumGasPriceAfter(parent, settings),
    baseFeePerGas: baseFeeAfter(parent, settings, ruleSet),
    prevRandao: settings.next.prevRandao,
    closing,
    uncles: selectUncles(sideBlocks.blocks, parent.header.number + 1, ancestor),
    extraData: settings.extraData,
  });
}

/** The block with that number. Throws a `RangeError` when there is none. */
export function existingBlock(blockchain: Blockchain, number: number): Block {
  const block = blockchain.block(number);
  if (block === undefined) throw new RangeError(`there is no block ${number}`);
  return block;
}

/** The ground of a block on top of the head. */
export function headContext(blockchain: Blockchain): ParentContext {
  const parent = blockchain.head;
  return {
    parent,
    parentState: blockchain.headState,
    blockHash: blockHashReader(blockchain, parent.header.number + 1),
    ancestor: (number) => blockchain.block(number),
  };
}

/**
 * The reserved blocks up to the number `last` that come on top of a block; see {@link ReservedRange}. Gas limit and
 * minimum gas price, which can drift from block to block, are the same in all of them.
 */
export function reserveAbove(
  { parent, parentState }: Pick<ParentContext, 'parent' | 'parentState'>,
  ruleSet: RuleSet,
  settings: BlockSettings,
  range: Pick<RangeTemplate, 'firstTimestamp' | 'interval'> & { readonly last: number },
): ReservedRange {
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
  return ReservedRange.create(template, parentState, range.last, ruleSet);
}

/** The ground of a block on top of reserved blocks; `below` gives what stands below these. */
export function reservedRangeContext(
  range: ReservedRange,
  below: { hash(number: number): Uint8Array; block(number: number): Block | undefined },
): ParentContext {
  return {
    parent: range.block(range.last),
    parentState: range.state,
    blockHash: windowed(range.last + 1, (number) =>
      range.includes(number) ? range.hashOf(number) : below.hash(number),
    ),
    ancestor: (number) => (range.includes(number) ? range.block(number) : below.block(number)),
  };
}

/**
 * Adds the transactions that fit, in their order. One that does not fit or cannot be executed stays out, and with it the
 * later ones of its sender, who is put into `passedOver` for a block that is filled further. Lets others be heard between
 * two of them when the event loop has been held for a slice of time. Throws what the engine throws, once `onFailure` has
 * been told for which transaction.
 */
export function* fillBlock(
  builder: BlockBuilder,
  transactions: readonly Transaction[],
  turns: Turns,
  onFailure: (failed: Transaction) => void = () => undefined,
  passedOver: Set<string> = new Set(),
): Task<void> {
  for (const [index, transaction] of transactions.entries()) {
    if (index > 0 && turns.held() >= SLICE_MILLISECONDS) yield* waitFor(turns.wait());
    const sender = hexKey(transaction.sender);
    if (passedOver.has(sender)) continue;
    try {
      if (!(yield* tryAdd(builder, transaction))) passedOver.add(sender);
    } catch (error) {
      onFailure(transaction);
      throw error;
    }
  }
}

/** Adds the transaction if it fits and can be executed; false, the block unchanged, when not. */
function* tryAdd(builder: BlockBuilder, transaction: Transaction): Task<boolean> {
  const { baseFeePerGas, minimumGasPrice } = builder.environment;
  if (transaction.gasLimit > builder.gasLeft) return false;
  if (transaction.maxFeePerGas < minimumGasPrice) return false;
  if (baseFeePerGas !== null && transaction.maxFeePerGas < baseFeePerGas) return false;
  try {
    yield* waitFor(builder.add(transaction));
    return true;
  } catch (error) {
    if (error instanceof UnexecutableError) return false;
    throw error;
  }
}
