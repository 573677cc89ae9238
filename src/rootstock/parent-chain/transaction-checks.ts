// The checks of a transaction that need no script: form, standardness, lock times and amounts.

import { dustLimit, formatCoins, MAX_MONEY } from './amounts.ts';
import { COINBASE_MATURITY, type Coin, isUnspendable } from './chain-index.ts';
import { RejectedTransactionError } from './errors.ts';
import { medianTimePast } from './parent-block.ts';
import type { ParentChain } from './parent-chain.ts';
import {
  FINAL_SEQUENCE,
  isCoinbase,
  NO_TXID,
  outpointKey,
  type ParentTransaction,
} from './parent-transaction.ts';
import { isPushOnly } from './script/opcodes.ts';
import { scriptForm, witnessProgram } from './script/templates.ts';
import { redeemScriptOf } from './script/verify-input.ts';

const MAX_BLOCK_WEIGHT = 4_000_000;
const MAX_STANDARD_WEIGHT = 400_000;
const MIN_STANDARD_SIZE = 65;
const MAX_SCRIPT_SIG_SIZE = 1650;
const MAX_NULL_DATA_SIZE = 83;
const MAX_STANDARD_VERSION = 3;
const MAX_STANDARD_KEYS = 3;
const LOCK_TIME_THRESHOLD = 500_000_000;
const SEQUENCE_DISABLED = 2 ** 31;
const SEQUENCE_IS_TIME = 0x400000;
const SEQUENCE_MASK = 0xffff;
/** Relative lock times in time count units of 512 seconds. */
const SEQUENCE_SECONDS = 512;
const WITNESS_LIMITS = { script: 3600, items: 100, itemSize: 80 } as const;

/** The checks of any transaction, without its inputs. Throws {@link RejectedTransactionError}. */
export function checkForm(transaction: ParentTransaction): void {
  const { inputs, outputs } = transaction;
  if (inputs.length === 0) throw new RejectedTransactionError('bad-txns-vin-empty');
  if (outputs.length === 0) throw new RejectedTransactionError('bad-txns-vout-empty');
  if (transaction.weight > MAX_BLOCK_WEIGHT) throw new RejectedTransactionError('bad-txns-oversize');
  let total = 0n;
  for (const { value } of outputs) {
    if (value < 0n) throw new RejectedTransactionError('bad-txns-vout-negative');
    if (value > MAX_MONEY) throw new RejectedTransactionError('bad-txns-vout-toolarge');
    total += value;
    if (total > MAX_MONEY) throw new RejectedTransactionError('bad-txns-txouttotal-toolarge');
  }
  if (new Set(inputs.map(outpointKey)).size < inputs.length) {
    throw new RejectedTransactionError('bad-txns-inputs-duplicate');
  }
  if (isCoinbase(transaction)) {
    const length = inputs[0]?.script.length ?? 0;
    if (length < 2 || length > 100) throw new RejectedTransactionError('bad-cb-length');
  } else if (inputs.some(({ txid, index }) => txid === NO_TXID && index === FINAL_SEQUENCE)) {
    throw new RejectedTransactionError('bad-txns-prevout-null');
  }
}

/** Returns the size without witness: three quarters of the weight consist of it. */
function baseSize(transaction: ParentTransaction): number {
  return (transaction.weight - transaction.bytes.length) / 3;
}

/** The rules of the mempool for the outputs and unlocking scripts. Throws {@link RejectedTransactionError}. */
export function checkStandardForm(transaction: ParentTransaction): void {
  const { version, inputs, outputs, weight } = transaction;
  if (isCoinbase(transaction)) throw new RejectedTransactionError('coinbase');
  if (version < 1 || version > MAX_STANDARD_VERSION) throw new RejectedTransactionError('version');
  if (weight > MAX_STANDARD_WEIGHT) throw new RejectedTransactionError('tx-size');
  for (const { script } of inputs) {
    if (script.length > MAX_SCRIPT_SIG_SIZE) throw new RejectedTransactionError('scriptsig-size');
    if (!isPushOnly(script)) throw new RejectedTransactionError('scriptsig-not-pushonly');
  }
  let nullData = 0;
  for (const { script, value } of outputs) {
    const form = scriptForm(script);
    const isTooLong = form.type === 'nulldata' && script.length > MAX_NULL_DATA_SIZE;
    const hasManyKeys = form.type === 'multisig' && form.keys.length > MAX_STANDARD_KEYS;
    if (form.type === 'nonstandard' || isTooLong || hasManyKeys)
      throw new RejectedTransactionError('scriptpubkey');
    if (form.type === 'nulldata') nullData++;
    else if (isDust(script, value)) throw new RejectedTransactionError('dust');
  }
  if (nullData > 1) throw new RejectedTransactionError('multi-op-return');
  if (baseSize(transaction) < MIN_STANDARD_SIZE) throw new RejectedTransactionError('tx-size-small');
}

/** Returns true if the output costs more to spend than it is worth. */
export function isDust(script: Uint8Array, value: bigint): boolean {
  return !isUnspendable(script) && value < dustLimit(script, witnessProgram(script) !== undefined);
}

/** The rules of the mempool for the spent outputs. Throws {@link RejectedTransactionError}. */
export function checkStandardInputs(transaction: ParentTransaction, coins: readonly Coin[]): void {
  for (const [index, { script: output }] of coins.entries()) {
    const { script: unlocking, witness } = transaction.inputs[index] ?? { script: output, witness: [] };
    const form = scriptForm(output);
    if (form.type === 'nonstandard' || form.type === 'witness_unknown') {
      throw new RejectedTransactionError('bad-txns-nonstandard-inputs');
    }
    if (witness.length === 0) continue;
    const redeem = form.type === 'scripthash' ? redeemScriptOf(unlocking) : output;
    const program = redeem === undefined ? undefined : witnessProgram(redeem);
    if (program === undefined) throw new RejectedTransactionError('bad-witness-nonstandard');
    if (program.version === 0 && program.program.length === 32 && exceedsWitnessLimits(witness)) {
      throw new RejectedTransactionError('bad-witness-nonstandard');
    }
  }
}

function exceedsWitnessLimits(witness: readonly Uint8Array[]): boolean {
  const items = witness.slice(0, -1);
  return (
    (witness.at(-1)?.length ?? 0) > WITNESS_LIMITS.script ||
    items.length > WITNESS_LIMITS.items ||
    items.some(({ length }) => length > WITNESS_LIMITS.itemSize)
  );
}

/** Returns true if the lock time permits the transaction in a block of this height (BIP-113). */
export function isFinal(
  { lockTime, inputs }: ParentTransaction,
  height: number,
  medianTime: number,
): boolean {
  const limit = lockTime < LOCK_TIME_THRESHOLD ? height : medianTime;
  return lockTime === 0 || lockTime < limit || inputs.every(({ sequence }) => sequence === FINAL_SEQUENCE);
}

/** Returns true if the relative lock times of the inputs permit the transaction in the next block (BIP-68). */
export function meetsSequenceLocks(
  { version, inputs }: ParentTransaction,
  coins: readonly Coin[],
  chain: ParentChain,
): boolean {
  if (version < 2) return true;
  const next = chain.tip.height + 1;
  return inputs.every(({ sequence }, index) => {
    if (sequence >= SEQUENCE_DISABLED) return true;
    const height = coins[index]?.height ?? next;
    const units = sequence & SEQUENCE_MASK;
    if ((sequence & SEQUENCE_IS_TIME) === 0) return height + units <= next;
    const before = chain.index.blockAt(Math.max(height - 1, 0)) ?? chain.tip;
    return medianTimePast(before) + units * SEQUENCE_SECONDS <= medianTimePast(chain.tip);
  });
}

/** Returns the fee of a transaction in a block of this height. Throws {@link RejectedTransactionError}. */
export function feeOfInputs(transaction: ParentTransaction, coins: readonly Coin[], height: number): bigint {
  let valueIn = 0n;
  for (const coin of coins) {
    const depth = height - (coin.height ?? height);
    if (coin.isCoinbase && depth < COINBASE_MATURITY) {
      throw new RejectedTransactionError(
        'bad-txns-premature-spend-of-coinbase',
        `tried to spend coinbase at depth ${depth}`,
      );
    }
    valueIn += coin.value;
  }
  const valueOut = transaction.outputs.reduce((sum, { value }) => sum + value, 0n);
  if (valueIn < valueOut) {
    throw new RejectedTransactionError(
      'bad-txns-in-belowout',
      `value in (${formatCoins(valueIn)}) < value out (${formatCoins(valueOut)})`,
    );
  }
  return valueIn - valueOut;
}
