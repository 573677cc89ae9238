import type { Blockchain } from '../chain/blockchain.ts';
import { BlockBuilder, type BuiltBlock } from '../engine/block-builder.ts';
import { type Engine, UnexecutableError } from '../engine/engine.ts';
import { keyOf } from '../primitives/hex.ts';
import { nextBaseFee } from '../rules/base-fee.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import type { Transaction } from '../rules/transaction.ts';

/** What the next blocks are made with. */
export interface BlockSettings {
  readonly coinbase: Uint8Array;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly minimumGasPrice: bigint;
  readonly extraData: Uint8Array;
}

const BLOCK_HASH_WINDOW = 256;
const NO_HASH = new Uint8Array(32);

/** Answers BLOCKHASH in a block with that number: the hashes of the 256 blocks before it, zeros for others. */
export function blockHashReader(blockchain: Blockchain, blockNumber: number): (number: number) => Uint8Array {
  return (number) => {
    const isKnown = number >= 0 && number < blockNumber && number >= blockNumber - BLOCK_HASH_WINDOW;
    return isKnown && number <= blockchain.head.header.number ? blockchain.summary(number).hash : NO_HASH;
  };
}

/** A builder for a block on top of the head, at `timestamp` (seconds since 1970). */
export function openBlock(
  parts: { readonly blockchain: Blockchain; readonly engine: Engine; readonly ruleSet: RuleSet },
  settings: BlockSettings,
  timestamp: number,
): BlockBuilder {
  const { blockchain, engine, ruleSet } = parts;
  const parent = blockchain.head;
  return new BlockBuilder(engine, ruleSet, {
    parent,
    parentState: blockchain.headState,
    timestamp,
    coinbase: settings.coinbase,
    gasLimit: settings.gasLimit,
    minimumGasPrice: settings.minimumGasPrice,
    baseFeePerGas: ruleSet.hasBaseFee ? nextBaseFee(parent.header) : null,
    extraData: settings.extraData,
    blockHash: blockHashReader(blockchain, parent.header.number + 1),
  });
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
