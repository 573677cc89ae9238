// The JSON forms of blocks, transactions and scripts.

import { hexKey } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { addressOfScript } from '../../bitcoin/address.ts';
import { toCoins } from '../amounts.ts';
import { withChecksum } from '../descriptor-checksum.ts';
import { BLOCK_WORK, blockBytes, headerBytes, medianTimePast, type ParentBlock } from '../parent-block.ts';
import type { ParentChain } from '../parent-chain.ts';
import {
  isCoinbase,
  type ParentInput,
  type ParentOutput,
  type ParentTransaction,
  virtualSize,
} from '../parent-transaction.ts';
import { scriptText } from '../script/script-text.ts';
import { scriptForm } from '../script/templates.ts';
import type { JsonObject } from './call.ts';

/** The difficulty of regtest's target. */
export const DIFFICULTY = 4.656542373906925e-10;
const BITS_TEXT = '207fffff';

/** Returns the descriptor of an output script, with its checksum. */
export function descriptorOf(script: Uint8Array): string {
  const form = scriptForm(script);
  const address = addressOfScript(script);
  if (address !== undefined) return withChecksum(`addr(${address})`);
  if (form.type === 'pubkey') return withChecksum(`pk(${hexKey(form.key)})`);
  if (form.type === 'multisig') {
    return withChecksum(`multi(${form.required},${form.keys.map(hexKey).join(',')})`);
  }
  return withChecksum(`raw(${hexKey(script)})`);
}

export function scriptView(script: Uint8Array): JsonObject {
  const address = addressOfScript(script);
  return {
    asm: scriptText(script),
    desc: descriptorOf(script),
    hex: hexKey(script),
    ...(address !== undefined && { address }),
    type: scriptForm(script).type,
  };
}

function outputView({ value, script }: ParentOutput, index: number): JsonObject {
  return { value: toCoins(value), n: index, scriptPubKey: scriptView(script) };
}

function inputView(input: ParentInput, isCreated: boolean): JsonObject {
  const witness = input.witness.length > 0 && { txinwitness: input.witness.map(hexKey) };
  if (isCreated) return { coinbase: hexKey(input.script), ...witness, sequence: input.sequence };
  return {
    txid: input.txid,
    vout: input.index,
    scriptSig: { asm: scriptText(input.script, true), hex: hexKey(input.script) },
    ...witness,
    sequence: input.sequence,
  };
}

/** Work units to describe an input or output. */
const ITEM_WORK = 2 ** 8;
/** Work units per byte of a script. */
const BYTE_WORK = 2 ** 3;

/** Returns a transaction. `describe` returns more about an input that spends an output. */
export function* transactionView(
  transaction: ParentTransaction,
  describe: (input: ParentInput) => JsonObject = () => ({}),
): Steps<JsonObject> {
  const { inputs, outputs, weight } = transaction;
  const isCreated = isCoinbase(transaction);
  const vin: JsonObject[] = [];
  for (const input of inputs) {
    vin.push({ ...inputView(input, isCreated), ...(!isCreated && describe(input)) });
    yield ITEM_WORK + input.script.length * BYTE_WORK;
  }
  const vout: JsonObject[] = [];
  for (const [index, output] of outputs.entries()) {
    vout.push(outputView(output, index));
    yield ITEM_WORK + output.script.length * BYTE_WORK;
  }
  return {
    txid: transaction.txid,
    hash: transaction.wtxid,
    version: transaction.version,
    size: transaction.bytes.length,
    vsize: virtualSize(weight),
    weight,
    locktime: transaction.lockTime,
    vin,
    vout,
  };
}

/** Returns the output that an input of a known transaction spends. */
export function spentOutput(chain: ParentChain, { txid, index }: ParentInput): ParentOutput | undefined {
  return chain.transaction(txid)?.transaction.outputs[index];
}

/** Returns the fee of a transaction whose inputs are known; `undefined` for a coinbase transaction. */
export function feeOfTransaction(
  chain: ParentChain,
  { inputs, outputs }: ParentTransaction,
): bigint | undefined {
  let fee = 0n;
  for (const input of inputs) {
    const output = spentOutput(chain, input);
    if (output === undefined) return undefined;
    fee += output.value;
  }
  return outputs.reduce((rest, { value }) => rest - value, fee);
}

function prevoutView(chain: ParentChain, input: ParentInput): JsonObject {
  const found = chain.transaction(input.txid);
  const output = found?.transaction.outputs[input.index];
  if (found === undefined || output === undefined) return {};
  const prevout = {
    generated: isCoinbase(found.transaction),
    height: found.mined?.block.height ?? chain.tip.height + 1,
    value: toCoins(output.value),
    scriptPubKey: scriptView(output.script),
  };
  return { prevout };
}

/** Returns a transaction with its fee, and with the outputs that its inputs spend if `withPrevouts`. */
export function* transactionViewWithFee(
  chain: ParentChain,
  transaction: ParentTransaction,
  withPrevouts: boolean,
): Steps<JsonObject> {
  const fee = feeOfTransaction(chain, transaction);
  const view = yield* transactionView(transaction, (input) =>
    withPrevouts ? prevoutView(chain, input) : {},
  );
  return { ...view, ...(fee !== undefined && { fee: toCoins(fee) }) };
}

/** Returns the total work of the chain up to a height, as 64 digits. */
export function chainWork(height: number): string {
  return (BLOCK_WORK * BigInt(height + 1)).toString(16).padStart(64, '0');
}

/** Returns the header of a block of the best chain. */
export function headerView(chain: ParentChain, block: ParentBlock): JsonObject {
  const { header, height, hash } = block;
  const next = chain.index.blockAt(height + 1);
  return {
    hash,
    confirmations: chain.confirmations(height),
    height,
    version: header.version,
    versionHex: header.version.toString(16).padStart(8, '0'),
    merkleroot: header.merkleRoot,
    time: header.time,
    mediantime: medianTimePast(block),
    nonce: header.nonce,
    bits: BITS_TEXT,
    difficulty: DIFFICULTY,
    chainwork: chainWork(height),
    nTx: block.transactions.length,
    ...(block.parent !== null && { previousblockhash: block.parent.hash }),
    ...(next !== undefined && { nextblockhash: next.hash }),
  };
}

export function headerHex({ header }: ParentBlock): string {
  return hexKey(headerBytes(header));
}

/** The sizes of a block: without witnesses, with witnesses, and its weight. */
export function blockSizes(block: ParentBlock): JsonObject {
  const size = blockBytes(block).length;
  const contentSize = block.transactions.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const contentWeight = block.transactions.reduce((sum, { weight }) => sum + weight, 0);
  const frame = size - contentSize;
  return {
    strippedsize: frame + (contentWeight - contentSize) / 3,
    size,
    weight: 4 * frame + contentWeight,
  };
}
