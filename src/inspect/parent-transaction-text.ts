/** Formats Bitcoin transactions in calls and events of the Bridge. */

import type { DecodedEntry } from '../artifacts/decoding.ts';
import { coinsText } from '../rootstock/peg/coins-text.ts';
import type { ParentInput, ParentOutput, ParentTransaction } from './parent-transaction.ts';

/** The id of the spent transaction in the input of a coinbase transaction. */
const COINBASE_ID = '0'.repeat(64);

/** Returns `3f…:1`, with the address of the spent output if it is known; `coinbase` for new coins. */
export function inputText({ id, index, address }: ParentInput): string {
  if (id === COINBASE_ID) return 'coinbase';
  return `${id}:${index}${address === null ? '' : ` of ${address}`}`;
}

/** Returns `0.5 BTC to 2N… (federation)`, or the instructions of a peg-in. */
export function outputText(output: ParentOutput): string {
  const { satoshis, address, isToFederation, data, instructions } = output;
  const amount = coinsText(BigInt(satoshis));
  if (instructions !== null) {
    const { version, receiver, refundAddress } = instructions;
    const refund = refundAddress === null ? '' : `, refunds to ${refundAddress}`;
    return `peg-in instructions of version ${version}: coins to ${receiver}${refund}`;
  }
  if (data !== null) return `data ${data}${satoshis === '0' ? '' : ` with ${amount}`}`;
  return `${amount} to ${address ?? 'a script without address'}${isToFederation ? ' (federation)' : ''}`;
}

/** Returns the name and the text of each part: the id, the inputs and the outputs. */
export function parentTransactionFacts(transaction: ParentTransaction): (readonly [string, string])[] {
  const { id, inputs, outputs, omitted } = transaction;
  return [
    ['Bitcoin transaction', id],
    ...inputs.map((input) => ['Bitcoin input', inputText(input)] as const),
    ...outputs.map((output) => ['Bitcoin output', outputText(output)] as const),
    ...(omitted === 0 ? [] : [['Bitcoin', `${omitted} more inputs and outputs`] as const]),
  ];
}

/** Bytes of a value that is printed as its size. */
const LONG_BYTES = 32;
/** Items of a list of bytes that are printed. */
const FEW_ITEMS = 2;

/**
 * Returns the entry of a Bridge call or event with long bytes replaced by their number. Headers, transactions
 * and proofs have hundreds of bytes, and transactions are also printed decoded.
 */
export function withoutLongBytes(entry: DecodedEntry): DecodedEntry {
  const parameters = entry.parameters.map((parameter) => {
    const { type, value } = parameter;
    if (type === 'bytes[]' && Array.isArray(value) && value.length > FEW_ITEMS)
      return { ...parameter, value: `${value.length} items` };
    const size = type === 'bytes' && typeof value === 'string' ? (value.length - 2) / 2 : 0;
    return size > LONG_BYTES ? { ...parameter, value: `${size} bytes` } : parameter;
  });
  return { ...entry, parameters };
}
