// Selects coins for a transaction, and adds inputs and change.

import { dustLimit, feeOf } from '../amounts.ts';
import type { Coin } from '../chain-index.ts';
import { ParentChainError } from '../errors.ts';
import type { ParentOutput } from '../parent-transaction.ts';
import { sizeWithLength } from '../parent-transaction.ts';
import { witnessProgram } from '../script/templates.ts';
import type { KeyRing } from './key-ring.ts';
import { dummyUnlocking } from './sign-transaction.ts';

/** Thrown if the coins do not cover the outputs and the fee. */
export class InsufficientFundsError extends ParentChainError {
  constructor() {
    super('Insufficient funds');
  }
}

/** Thrown for a request that no selection of coins satisfies. */
export class FundingError extends ParentChainError {}

const OUTPOINT_AND_SEQUENCE_SIZE = 40;
/** Version, lock time, and the marker and flag of a witness. */
const FIXED_WEIGHT = 4 * 8 + 2;
/** The mempool rejects heavier transactions. */
const MAX_WEIGHT = 400_000;

interface FundingRequest {
  readonly outputs: readonly ParentOutput[];
  /** The coins of inputs that must be used. */
  readonly required: readonly Coin[];
  /** Further coins in the order of selection. */
  readonly available: readonly Coin[];
  /** In satoshis per 1000 virtual bytes. */
  readonly feeRate: bigint;
  readonly changeScript: Uint8Array;
  /** The indexes of the outputs that pay the fee; empty if the sender pays it. */
  readonly feeFrom: readonly number[];
  readonly ring: KeyRing;
}

export interface Funding {
  /** The required coins first. */
  readonly coins: readonly Coin[];
  /** The outputs without change, after the fee was taken from them. */
  readonly outputs: readonly ParentOutput[];
  /** `null` if the change would be dust. */
  readonly change: ParentOutput | null;
  readonly fee: bigint;
}

function inputWeight(coin: Coin, ring: KeyRing): number {
  const unlocking = dummyUnlocking(coin.script, ring);
  if (unlocking === undefined) {
    throw new FundingError(
      'Missing solving data for estimating transaction size of an input: import its script or key first',
    );
  }
  const { script, witness } = unlocking;
  const witnessSize = witness.reduce((size, item) => size + sizeWithLength(item), 1);
  return 4 * (OUTPOINT_AND_SEQUENCE_SIZE + sizeWithLength(script)) + witnessSize;
}

function outputWeight({ script }: ParentOutput): number {
  return 4 * (8 + sizeWithLength(script));
}

function countSize(count: number): number {
  return count < 0xfd ? 1 : 3;
}

/** Subtracts the fee from outputs in equal parts. The first one pays the remainder. */
function withoutFee(
  outputs: readonly ParentOutput[],
  feeFrom: readonly number[],
  fee: bigint,
): ParentOutput[] {
  const payers = BigInt(feeFrom.length);
  return outputs.map((output, index) => {
    const order = feeFrom.indexOf(index);
    if (order === -1) return output;
    const value = output.value - fee / payers - (order === 0 ? fee % payers : 0n);
    if (value < dustLimit(output.script, witnessProgram(output.script) !== undefined)) {
      throw new FundingError('The transaction amount is too small to send after the fee has been deducted');
    }
    return { ...output, value };
  });
}

/** Selects coins. Throws {@link InsufficientFundsError} or {@link FundingError}. */
export function fundTransaction(request: FundingRequest): Funding {
  const { outputs, required, available, feeRate, feeFrom, ring } = request;
  const target = outputs.reduce((sum, { value }) => sum + value, 0n);
  const changeWeight = outputWeight({ value: 0n, script: request.changeScript });
  const outputsWeight = outputs.reduce((sum, output) => sum + outputWeight(output), 0);
  const coins: Coin[] = [];
  let inputsWeight = 0;
  let total = 0n;
  const add = (coin: Coin): void => {
    coins.push(coin);
    inputsWeight += inputWeight(coin, ring);
    total += coin.value;
  };
  for (const coin of required) add(coin);
  const rest = available[Symbol.iterator]();
  for (;;) {
    const weight =
      FIXED_WEIGHT +
      4 * (countSize(coins.length) + countSize(outputs.length + 1)) +
      inputsWeight +
      outputsWeight;
    if (weight > MAX_WEIGHT) {
      let most = total;
      for (let left = rest.next(); left.done !== true; left = rest.next()) most += left.value.value;
      throw coins.length > 0 && most < target
        ? new InsufficientFundsError()
        : new FundingError('Transaction too large');
    }
    const fee = feeOf(feeRate, Math.ceil(weight / 4));
    const needed = target + (feeFrom.length === 0 ? fee : 0n);
    if (coins.length > 0 && total >= needed) {
      return withChange(request, {
        coins,
        total,
        target,
        fee,
        feeWithChange: feeOf(feeRate, Math.ceil((weight + changeWeight) / 4)),
      });
    }
    const next = rest.next();
    if (next.done === true) throw new InsufficientFundsError();
    add(next.value);
  }
}

interface Selection {
  readonly coins: readonly Coin[];
  readonly total: bigint;
  readonly target: bigint;
  readonly fee: bigint;
  readonly feeWithChange: bigint;
}

function withChange(
  request: FundingRequest,
  { coins, total, target, fee, feeWithChange }: Selection,
): Funding {
  const { outputs, changeScript, feeFrom } = request;
  const isFeeOnTop = feeFrom.length === 0;
  const value = total - target - (isFeeOnTop ? feeWithChange : 0n);
  const isChange = value >= dustLimit(changeScript, witnessProgram(changeScript) !== undefined);
  if (isChange) {
    return {
      coins,
      outputs: isFeeOnTop ? outputs : withoutFee(outputs, feeFrom, feeWithChange),
      change: { value, script: changeScript },
      fee: feeWithChange,
    };
  }
  // The dust goes to the miner.
  const paid = isFeeOnTop
    ? outputs
    : withoutFee(outputs, feeFrom, fee > total - target ? fee - (total - target) : 0n);
  return {
    coins,
    outputs: paid,
    change: null,
    fee: total - paid.reduce((sum, output) => sum + output.value, 0n),
  };
}
