// Creates blocks and their coinbase transactions.

import { concatBytes } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { COIN } from './amounts.ts';
import { BlockTimeError } from './errors.ts';
import type { MempoolEntry } from './mempool.ts';
import {
  type BlockHeaderContent,
  headerHash,
  medianTimePast,
  meetsRegtestTarget,
  merkleRoot,
  merkleRootOfBlock,
  type ParentBlock,
  REGTEST_BITS,
} from './parent-block.ts';
import type { ParentChain } from './parent-chain.ts';
import {
  createTransaction,
  FINAL_SEQUENCE,
  hashBytes,
  NO_TXID,
  type ParentOutput,
  type ParentTransaction,
} from './parent-transaction.ts';
import { OP, pushOperation } from './script/opcodes.ts';
import { encodeNumber } from './script/script-values.ts';

const BLOCK_VERSION = 0x20000000;
const TRANSACTION_VERSION = 2;
const FIRST_SUBSIDY = 50n * COIN;
/** Blocks between two halvings of the subsidy on regtest. */
const HALVING = 150;
/** The most weight of a block's transactions, without its header and coinbase transaction. */
const MAX_CONTENT_WEIGHT = 3_992_000;
const MAX_TIME = 0xffffffff;
/** The first bytes of an output with the root of the witnesses (BIP-141): OP_RETURN, a push of 36 bytes, a tag. */
export const WITNESS_TAG: Uint8Array = Uint8Array.of(OP.RETURN, 36, 0xaa, 0x21, 0xa9, 0xed);
/** The only witness item of a coinbase transaction. */
const WITNESS_NONCE = new Uint8Array(32);

/** Returns the new coins of a block, in satoshis. */
export function subsidy(height: number): bigint {
  const halvings = Math.floor(height / HALVING);
  return halvings >= 64 ? 0n : FIRST_SUBSIDY >> BigInt(halvings);
}

/** Returns the operation that starts a coinbase script with the height (BIP-34). */
export function heightPush(height: number): Uint8Array {
  return pushOperation(encodeNumber(height));
}

/** Returns the hash that the coinbase transaction commits to (BIP-141). `others` are the transactions after the coinbase. */
export function witnessCommitment(others: readonly ParentTransaction[], nonce: Uint8Array): Uint8Array {
  const root = merkleRoot([NO_TXID, ...others.map(({ wtxid }) => wtxid)]);
  return doubleSha256(concatBytes(hashBytes(root), nonce));
}

/** The content of a block before its proof of work. */
export interface BlockTemplate {
  readonly parent: ParentBlock;
  /** With the nonce 0. */
  readonly header: BlockHeaderContent;
  /** The coinbase transaction first. */
  readonly transactions: readonly ParentTransaction[];
}

interface TemplateOptions {
  /** The output script that receives the subsidy and the fees. */
  readonly script: Uint8Array;
  /** The transactions after the coinbase, parents before their children. Default: the mempool. */
  readonly entries?: readonly MempoolEntry[];
  /** Outputs of the coinbase transaction after the witness commitment. */
  readonly extraOutputs?: readonly ParentOutput[];
}

/** Returns the transactions of the mempool that fit into a block, in the order of acceptance. */
function fittingEntries(chain: ParentChain): MempoolEntry[] {
  const left = new Set<string>();
  const fitting: MempoolEntry[] = [];
  let weight = 0;
  for (const entry of chain.mempool.entries) {
    const { transaction } = entry;
    const isFitting = weight + transaction.weight <= MAX_CONTENT_WEIGHT;
    if (isFitting && transaction.inputs.every(({ txid }) => !left.has(txid))) {
      fitting.push(entry);
      weight += transaction.weight;
    } else left.add(transaction.txid);
  }
  return fitting;
}

function createCoinbase(
  height: number,
  reward: ParentOutput,
  others: readonly ParentTransaction[],
  extraOutputs: readonly ParentOutput[],
): ParentTransaction {
  const commitment = concatBytes(WITNESS_TAG, witnessCommitment(others, WITNESS_NONCE));
  return createTransaction({
    version: TRANSACTION_VERSION,
    inputs: [
      {
        txid: NO_TXID,
        index: FINAL_SEQUENCE,
        script: concatBytes(heightPush(height), Uint8Array.of(OP.PUSH_0)),
        sequence: FINAL_SEQUENCE,
        witness: [WITNESS_NONCE],
      },
    ],
    outputs: [reward, { value: 0n, script: commitment }, ...extraOutputs],
    lockTime: 0,
  });
}

/** Returns the time of the next block: the time of the clock, but later than the median time past. Throws {@link BlockTimeError}. */
function nextBlockTime(chain: ParentChain): number {
  const time = Math.max(Math.floor(chain.clock.now()), medianTimePast(chain.tip) + 1);
  if (time > MAX_TIME) throw new BlockTimeError(time);
  return time;
}

/** Returns the next block without its proof of work. Throws {@link BlockTimeError}. */
export function createTemplate(chain: ParentChain, options: TemplateOptions): BlockTemplate {
  const parent = chain.tip;
  const entries = options.entries ?? fittingEntries(chain);
  const others = entries.map(({ transaction }) => transaction);
  const fees = entries.reduce((sum, { fee }) => sum + fee, 0n);
  const height = parent.height + 1;
  const reward = { value: subsidy(height) + fees, script: options.script };
  const coinbase = createCoinbase(height, reward, others, options.extraOutputs ?? []);
  const transactions = [coinbase, ...others];
  const header = {
    version: BLOCK_VERSION,
    parentHash: parent.hash,
    merkleRoot: merkleRootOfBlock(transactions),
    time: nextBlockTime(chain),
    bits: REGTEST_BITS,
    nonce: 0,
  };
  return { parent, header, transactions };
}

/** Finds the lowest nonce. On regtest, every second hash meets the target. */
export function solveTemplate({ parent, header, transactions }: BlockTemplate): ParentBlock {
  for (let nonce = 0; ; nonce++) {
    const solved = { ...header, nonce };
    const hash = headerHash(solved);
    if (meetsRegtestTarget(hash)) {
      return { parent, height: parent.height + 1, hash, header: solved, transactions };
    }
  }
}

/** Mines a block with the mempool's transactions and connects it. Throws {@link BlockTimeError}. */
export function mineBlock(chain: ParentChain, options: TemplateOptions): ParentBlock {
  const block = solveTemplate(createTemplate(chain, options));
  chain.connect(block);
  return block;
}
