// The network's gas prices of calls and creations, for the library.

import type { Common } from '@ethereumjs/common';
import { EVMError } from '@ethereumjs/evm';
import { bigIntMin, createAddressFromBigInt } from '@ethereumjs/util';
import type { RunState } from '../reference-step.ts';

/** Words of the largest memory: 2^30 bytes. */
const MAXIMUM_WORDS = 2n ** 25n;

/** Halts the frame, as when out of gas, if its memory would exceed the maximum. */
export function checkMemorySize({ memoryWordCount }: Pick<RunState, 'memoryWordCount'>): void {
  if (memoryWordCount > MAXIMUM_WORDS) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
}

/** Returns the cost of expanding memory to these bytes, and sets the library's memory size. */
function memoryGas(runState: RunState, offset: bigint, length: bigint): bigint {
  if (length === 0n) return 0n;
  const words = (offset + length + 31n) / 32n;
  checkMemorySize({ memoryWordCount: words });
  if (words <= runState.memoryWordCount) return 0n;
  const total = 3n * words + (words * words) / 512n;
  const added = total - runState.highestMemCost;
  runState.memoryWordCount = words;
  runState.highestMemCost = total;
  return added;
}

/** Gas that the callee of a call with value gets in addition to the requested gas. */
const STIPEND = 2_300n;

const { errorMessages } = EVMError;

/** Returns the price of an opcode in the library: the gas of its operands and state, including `baseFee`. */
export type GasFunction = (runState: RunState, baseFee: bigint, common: Common) => Promise<bigint>;

/** Returns the address in the lower 20 bytes of a word. */
export function addressIn(word: bigint | undefined): ReturnType<typeof createAddressFromBigInt> {
  return createAddressFromBigInt(BigInt.asUintN(160, word ?? 0n));
}

/** Halts the frame when it may not change state (EIP-214). */
function refuseStatic({ interpreter }: RunState): void {
  if (interpreter.isStatic()) throw new EVMError(errorMessages.STATIC_STATE_CHANGE);
}

/**
 * Returns the surcharge for an account that does not exist. Precompiles always do: the network's first block holds
 * them.
 */
async function newAccountGas(runState: RunState, word: bigint | undefined, common: Common): Promise<bigint> {
  const address = addressIn(word);
  if (runState.interpreter._evm.getPrecompile(address) !== undefined) return 0n;
  const account = await runState.stateManager.getAccount(address);
  return account === undefined ? common.param('callNewAccountGas') : 0n;
}

/**
 * Settles the gas that a call passes on: the requested gas and the stipend, at most the gas left after `cost`. The
 * caller pays all of it.
 */
function passOn(runState: RunState, cost: bigint, requested: bigint, value: bigint): bigint {
  const left = runState.interpreter.getGasLeft() - cost;
  const stipend = value === 0n ? 0n : STIPEND;
  if (left < stipend) throw new EVMError(errorMessages.OUT_OF_GAS);
  runState.messageGasLimit = bigIntMin(left, requested + stipend);
  return cost;
}

/** CALL: pays for value, and for any account that does not exist, whatever the value. */
export const callGas: GasFunction = async (runState, baseFee, common) => {
  const [requested = 0n, to, value = 0n, ...areas] = runState.stack.peek(7);
  if (value !== 0n) refuseStatic(runState);
  const [inOffset = 0n, inLength = 0n, outOffset = 0n, outLength = 0n] = areas;
  let gas = baseFee + memoryGas(runState, inOffset, inLength) + memoryGas(runState, outOffset, outLength);
  gas += await newAccountGas(runState, to, common);
  if (value !== 0n) gas += common.param('callValueTransferGas');
  return passOn(runState, gas, requested, value);
};

/** CALLCODE: pays for value. */
export const callCodeGas: GasFunction = async (runState, baseFee, common) => {
  const [requested = 0n, , value = 0n, ...areas] = runState.stack.peek(7);
  const [inOffset = 0n, inLength = 0n, outOffset = 0n, outLength = 0n] = areas;
  let gas = baseFee + memoryGas(runState, inOffset, inLength) + memoryGas(runState, outOffset, outLength);
  if (value !== 0n) gas += common.param('callValueTransferGas');
  return passOn(runState, gas, requested, value);
};

/** DELEGATECALL and STATICCALL, which have no value of their own. */
export const valuelessCallGas: GasFunction = async (runState, baseFee) => {
  const [requested = 0n, , ...areas] = runState.stack.peek(6);
  const [inOffset = 0n, inLength = 0n, outOffset = 0n, outLength = 0n] = areas;
  const gas = baseFee + memoryGas(runState, inOffset, inLength) + memoryGas(runState, outOffset, outLength);
  return passOn(runState, gas, requested, 0n);
};

/**
 * Returns the gas function of a creation with so many operands, whose initcode is hashed `hashes` times. It passes on
 * all remaining gas.
 */
function creationGas(operands: number, hashes: bigint): GasFunction {
  return async (runState, baseFee, common) => {
    refuseStatic(runState);
    const [, offset = 0n, length = 0n] = runState.stack.peek(operands);
    const words = (length + 31n) / 32n;
    const perWord = common.param('initCodeWordGas') + hashes * common.param('keccak256WordGas');
    const gas = baseFee + memoryGas(runState, offset, length) + words * perWord;
    runState.messageGasLimit = runState.interpreter.getGasLeft() - gas;
    return gas;
  };
}

export const createGas = creationGas(3, 0n);
export const create2Gas = creationGas(4, 1n);

/** SELFDESTRUCT: pays for a beneficiary that does not exist, even when it gets nothing. */
export const selfDestructGas: GasFunction = async (runState, baseFee, common) => {
  refuseStatic(runState);
  return baseFee + (await newAccountGas(runState, runState.stack.peek(1)[0], common));
};
