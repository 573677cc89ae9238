import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import { orderedTrieProof } from '../state/trie/trie-encoding.ts';
import type { Block } from './block.ts';
import type { RuleSet } from './hardforks/rule-set.ts';
import type { Log, Receipt } from './receipt.ts';
import type { TransactionType } from './transaction.ts';

const SUCCESS = Uint8Array.of(1);
/** Gas of the network's form, which knows no empty number: zero is one zero byte. */
function networkGas(gas: bigint): Uint8Array {
  return gas === 0n ? Uint8Array.of(0) : bigIntToBytes(gas);
}

/** The field form of logs: address, topics, data each. */
function logItems(logs: readonly Log[]): RlpItem {
  return logs.map((log) => [log.address, log.topics, log.data]);
}

/**
 * The receipt as it stands in the receipts trie. The network's form carries the status twice and the gas of the
 * transaction; the Ethereum form is that of EIP-658 and EIP-2718.
 */
export function encodeReceipt(
  receipt: Receipt,
  type: TransactionType,
  encoding: RuleSet['encoding'],
): Uint8Array {
  const status = receipt.succeeded ? SUCCESS : EMPTY_BYTES;
  const { cumulativeGasUsed, gasUsed, logsBloom } = receipt;
  const logs = logItems(receipt.logs);
  if (encoding === 'network') {
    return encodeRlp([status, networkGas(cumulativeGasUsed), logsBloom, logs, networkGas(gasUsed), status]);
  }
  const list = encodeRlp([status, bigIntToBytes(cumulativeGasUsed), logsBloom, logs]);
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list);
}

/**
 * The encoded nodes of the block's receipts trie from the root to the receipt of the transaction at the index: they prove
 * the receipt to whoever has the header's `receiptsRoot`.
 */
export function receiptProof(block: Block, index: number, encoding: RuleSet['encoding']): Uint8Array[] {
  const receipts = block.receipts.map((receipt, position) =>
    encodeReceipt(receipt, block.transactions[position]?.type ?? 0, encoding),
  );
  return orderedTrieProof(receipts, index);
}
