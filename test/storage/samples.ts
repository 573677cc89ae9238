import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import type { Block } from '../../src/protocol/block.ts';
import { createGenesis } from '../../src/protocol/genesis.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../src/protocol/hardforks/rule-set.ts';
import { headerHash } from '../../src/protocol/header-encoding.ts';
import { bloomOf, type Log, RECEIPT_DEFAULTS, type Receipt } from '../../src/protocol/receipt.ts';
import type { Transaction } from '../../src/protocol/transaction.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { EmptyBlockRange } from '../../src/storage/empty-block-range.ts';
import { transactionOf } from '../chain/pool/samples.ts';

export const RULE_SET = ruleSetNamed('rootstock');

/** A first block and the state after it. */
export const GENESIS = createGenesis({
  ruleSet: RULE_SET,
  timestamp: 0,
  gasLimit: 30_000_000n,
  minimumGasPrice: 0n,
  allocation: [],
});

/** A unique state: one account with `balance` wei. */
export function stateOf(balance: number): WorldState {
  const overlay = new Overlay(WorldState.empty());
  overlay.setAccount(bigIntToFixedBytes(1n, 20), { nonce: 0n, balance: BigInt(balance) });
  return overlay.toWorldState();
}

/** A receipt with these logs and default values elsewhere. */
function receiptOf(logs: readonly Log[]): Receipt {
  return {
    ...RECEIPT_DEFAULTS,
    succeeded: true,
    cumulativeGasUsed: 21_000n,
    gasUsed: 21_000n,
    effectiveGasPrice: 0n,
    logs,
    logsBloom: bloomOf(logs),
    contractAddress: null,
  };
}

/** The fields of a sample block. Blocks of the same number differ if their `time` differs. */
export interface BlockParts {
  readonly time?: number;
  readonly transactions?: readonly Transaction[];
  /** The logs of each transaction. */
  readonly logs?: readonly (readonly Log[])[];
}

/** The fields that differ between ranges with the same numbers. */
export interface RangeParts {
  readonly state?: WorldState;
  /** The hash of the block below the first. */
  readonly below?: Uint8Array;
  readonly ruleSet?: RuleSet;
}

/** A block with this number. */
export function blockOf(
  number: number,
  { time = number, transactions = [], logs = [] }: BlockParts = {},
): Block {
  const receipts = logs.map(receiptOf);
  const header = {
    ...GENESIS.block.header,
    number,
    timestamp: time,
    logsBloom: bloomOf(receipts.flatMap(({ logs }) => logs)),
  };
  return {
    header,
    hash: headerHash(header, 'network'),
    transactions,
    receipts,
    uncles: [],
    totalDifficulty: BigInt(number + 1),
    size: 500,
  };
}

/** A block with this number and one transaction that no other block has. */
export function blockWithTransaction(number: number, time = number): Block {
  return blockOf(number, { time, transactions: [transactionOf(0, number)], logs: [[]] });
}

/**
 * The reserved blocks from `first` to `last`, ten seconds apart, on top of the block with the hash `below`.
 */
export function rangeOf(
  first: number,
  last: number,
  { state = stateOf(0), below = GENESIS.block.hash, ruleSet = RULE_SET }: RangeParts = {},
): EmptyBlockRange {
  const template = {
    base: { number: first - 1, hash: below, totalDifficulty: BigInt(first) },
    firstTimestamp: 1_000 + first,
    interval: 10,
    coinbase: new Uint8Array(20).fill(0xcc),
    gasLimit: 30_000_000n,
    minimumGasPrice: 5n,
    baseFeePerGas: ruleSet.fees.baseFee(1_000_000_000n),
    extraData: Uint8Array.of(7),
    stateRoot: state.root,
  };
  return EmptyBlockRange.create(template, state, last, ruleSet);
}
