import type { Blockchain } from '../chain/blockchain.ts';
import { type RangeTemplate, ReservedRange } from '../chain/reserved-range.ts';
import { BlockBuilder, type BuiltBlock } from '../engine/block-builder.ts';
import { type Engine, UnexecutableError } from '../engine/engine.ts';
import { keyOf } from '../primitives/hex.ts';
import { nextBaseFee } from '../rules/base-fee.ts';
import type { Block } from '../rules/block.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockSettings } from './block-settings.ts';

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
export function blockHashReader(blockchain: Blockchain, blockNumber: number): (number: number) => Uint8Array {
  return windowed(blockNumber, (number) =>
    number <= blockchain.head.header.number ? blockchain.summary(number).hash : NO_HASH,
  );
}

/** As {@link blockHashReader}, but with the hashes of now, whatever becomes of the chain while they are asked for. */
export function rememberedBlockHashes(
  blockchain: Blockchain,
  blockNumber: number,
): (number: number) => Uint8Array {
  const first = Math.max(0, blockNumber - BLOCK_HASH_WINDOW);
  const hashes: Uint8Array[] = [];
  for (let number = first; number < blockNumber; number++) hashes.push(blockchain.summary(number).hash);
  return (number) => hashes[number - first] ?? NO_HASH;
}

/** Wei per gas of the base fee in the block after the parent: what is set for it alone, or what the rules say. */
export function baseFeeAfter(parent: Block, settings: BlockSettings, ruleSet: RuleSet): bigint | null {
  return ruleSet.hasBaseFee ? (settings.next.baseFeePerGas ?? nextBaseFee(parent.header)) : null;
}

/** What a block is built on. */
export interface BlockGround {
  readonly parent: Block;
  readonly parentState: WorldState;
  /** The hash of a block up to the parent. */
  readonly blockHash: (number: number) => Uint8Array;
}

/** A builder for a block on that ground, at `timestamp` (seconds since 1970). */
export function openBlock(
  { engine, ruleSet }: { readonly engine: Engine; readonly ruleSet: RuleSet },
  settings: BlockSettings,
  ground: BlockGround,
  timestamp: number,
): BlockBuilder {
  return new BlockBuilder(engine, ruleSet, {
    ...ground,
    timestamp,
    coinbase: settings.coinbase,
    gasLimit: settings.gasLimit,
    minimumGasPrice: settings.minimumGasPrice,
    baseFeePerGas: baseFeeAfter(ground.parent, settings, ruleSet),
    prevRandao: settings.next.prevRandao,
    extraData: settings.extraData,
  });
}

/** The ground of a block on top of the head. */
export function groundAtHead(blockchain: Blockchain): BlockGround {
  const parent = blockchain.head;
  return {
    parent,
    parentState: blockchain.headState,
    blockHash: blockHashReader(blockchain, parent.header.number + 1),
  };
}

/** The reserved blocks up to the number `last` that come on top of a block; see {@link ReservedRange}. */
export function reserveAbove(
  { parent, parentState }: Pick<BlockGround, 'parent' | 'parentState'>,
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
    gasLimit: settings.gasLimit,
    minimumGasPrice: settings.minimumGasPrice,
    baseFeePerGas: baseFeeAfter(parent, settings, ruleSet),
    extraData: settings.extraData,
    stateRoot: parentState.root,
  };
  return ReservedRange.create(template, parentState, range.last, ruleSet);
}

/** The ground of a block on top of reserved blocks; `hashBelow` gives the hash of a block below these. */
export function groundAbove(range: ReservedRange, hashBelow: (number: number) => Uint8Array): BlockGround {
  return {
    parent: range.block(range.last),
    parentState: range.state,
    blockHash: windowed(range.last + 1, (number) =>
      range.includes(number) ? range.hashOf(number) : hashBelow(number),
    ),
  };
}

/**
 * Adds the transactions that fit, in their order, and seals the block. One that does not fit or cannot be executed
 * stays out, and with it the later ones of its sender.
 */
export async function fillBlock(
  builder: BlockBuilder,
  transactions: readonly Transaction[],
): Promise<BuiltBlock> {
  const passedOver = new Set<string>();
  for (const transaction of transactions) {
    const sender = keyOf(transaction.sender);
    if (passedOver.has(sender)) continue;
    if (!(await tryAdd(builder, transaction))) passedOver.add(sender);
  }
  return builder.seal();
}

/** Adds the transaction if it fits and can be executed; false, the block unchanged, when not. */
export async function tryAdd(builder: BlockBuilder, transaction: Transaction): Promise<boolean> {
  const { baseFeePerGas } = builder.environment;
  if (transaction.gasLimit > builder.gasLeft) return false;
  if (baseFeePerGas !== null && transaction.maxFeePerGas < baseFeePerGas) return false;
  try {
    await builder.add(transaction);
    return true;
  } catch (error) {
    if (error instanceof UnexecutableError) return false;
    throw error;
  }
}
