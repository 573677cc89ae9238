import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import type { Log, Receipt } from './receipt.ts';
import type { RuleSet } from './rule-set.ts';
import type { TransactionType } from './transaction.ts';

const SUCCESS = Uint8Array.of(1);

/** The field form of logs: address, topics, data each. */
export function logItems(logs: readonly Log[]): RlpItem {
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
  const shared = [
    status,
    bigIntToBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    logItems(receipt.logs),
  ];
  if (encoding === 'network') return encodeRlp([...shared, bigIntToBytes(receipt.gasUsed), status]);
  const list = encodeRlp(shared);
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list);
}
