import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { FieldNames } from '../../wire/header.ts';
import { asObject, tolerantFixedData, tolerantQuantity } from '../../wire/tolerant.ts';

/** Members of blocks, transactions, receipts and logs that are quantities, whatever the upstream makes of them. */
const QUANTITIES: ReadonlySet<string> = new Set([
  'baseFeePerGas',
  'blockNumber',
  'blockTimestamp',
  'chainId',
  'cumulativeDifficulty',
  'cumulativeGasUsed',
  'difficulty',
  'effectiveGasPrice',
  'gas',
  'gasLimit',
  'gasPrice',
  'gasUsed',
  'logIndex',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'minimumGasPrice',
  'number',
  'paidFees',
  'size',
  'status',
  'timestamp',
  'totalDifficulty',
  'transactionIndex',
  'type',
  'value',
]);

/** Methods that answer one quantity. */
const QUANTITY_METHODS: ReadonlySet<string> = new Set([
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getTransactionCount',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
]);

const MERGED_MINING = /^(?:parentchain|bitcoin)(?=MergedMining)/;
const PREFIXES: Readonly<Record<FieldNames, string>> = { service: 'parentchain', native: 'bitcoin' };

function quantityView(value: unknown): unknown {
  const quantity = typeof value === 'string' ? tolerantQuantity(value) : undefined;
  return quantity === undefined ? value : toQuantity(quantity);
}

function fieldView(name: string, value: unknown, fieldNames: FieldNames): unknown {
  return QUANTITIES.has(name) ? quantityView(value) : objectView(value, fieldNames);
}

function objectView(value: unknown, fieldNames: FieldNames): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => objectView(item, fieldNames));
  const fields = asObject(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name.replace(MERGED_MINING, PREFIXES[fieldNames]),
      fieldView(name, field, fieldNames),
    ]),
  );
}

/**
 * An answer of the upstream as this node would spell it: quantities without leading zeros, merged-mining fields by the
 * names that are asked for. What the upstream has besides stays, and what it does not have is not made up.
 */
export function upstreamView(method: string, answer: unknown, fieldNames: FieldNames): unknown {
  if (QUANTITY_METHODS.has(method)) return quantityView(answer);
  if (method === 'eth_getStorageAt') {
    const word = tolerantFixedData(answer, 32);
    return word === undefined ? answer : toHex(word);
  }
  // Traces and the like have members of the same names that mean something else.
  return method.startsWith('eth_get') ? objectView(answer, fieldNames) : answer;
}
