/** A user operation of ERC-4337 as an EntryPoint from 0.7 on takes it, and as answers show it. */

import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
} from '../../primitives/bytes.ts';
import { fromHex, type Hex, toHex, toQuantity } from '../../primitives/hex.ts';
import { DELEGATION_MARKER, type UserOperation } from '../codecs/user-operation.ts';

/** A user operation as an EntryPoint takes it; bytes in hexadecimal. */
export interface PackedUserOperation {
  readonly sender: Hex;
  readonly nonce: bigint;
  readonly initCode: Hex;
  readonly callData: Hex;
  readonly accountGasLimits: Hex;
  readonly preVerificationGas: bigint;
  readonly gasFees: Hex;
  readonly paymasterAndData: Hex;
  readonly signature: Hex;
}

const HALF = 16;
const ADDRESS_SIZE = 20;
/** Ends the data of a paymaster whose signature follows the rest (EntryPoint 0.9). */
const PAYMASTER_SIGNATURE_MAGIC = fromHex('0x22e325a297439656');
const PAYMASTER_HEAD = ADDRESS_SIZE + 2 * HALF;

function pair(high: bigint, low: bigint): Hex {
  return toHex(concatBytes(bigIntToFixedBytes(high, HALF), bigIntToFixedBytes(low, HALF)));
}

function paymasterPart(operation: UserOperation): Uint8Array {
  const { paymaster, paymasterData, paymasterSignature } = operation;
  if (paymaster === null) return EMPTY_BYTES;
  const signed =
    paymasterSignature === null
      ? []
      : [
          paymasterSignature,
          bigIntToFixedBytes(BigInt(paymasterSignature.length), 2),
          PAYMASTER_SIGNATURE_MAGIC,
        ];
  return concatBytes(
    paymaster,
    bigIntToFixedBytes(operation.paymasterVerificationGasLimit, HALF),
    bigIntToFixedBytes(operation.paymasterPostOpGasLimit, HALF),
    paymasterData,
    ...signed,
  );
}

/** Returns the operation as an EntryPoint takes it. */
export function packed(operation: UserOperation): PackedUserOperation {
  const { factory, factoryData } = operation;
  return {
    sender: toHex(operation.sender),
    nonce: operation.nonce,
    initCode: toHex(factory === null ? EMPTY_BYTES : concatBytes(factory, factoryData)),
    callData: toHex(operation.callData),
    accountGasLimits: pair(operation.verificationGasLimit, operation.callGasLimit),
    preVerificationGas: operation.preVerificationGas,
    gasFees: pair(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
    paymasterAndData: toHex(paymasterPart(operation)),
    signature: toHex(operation.signature),
  };
}

function halves(word: Hex): readonly [bigint, bigint] {
  const bytes = fromHex(word);
  return [bytesToBigInt(bytes.subarray(0, HALF)), bytesToBigInt(bytes.subarray(HALF))];
}

/** Returns the form of a packed operation as ERC-7769 has it: fields that it does not have are left out. */
export function packedView(operation: PackedUserOperation): object {
  const [verificationGasLimit, callGasLimit] = halves(operation.accountGasLimits);
  const [maxPriorityFeePerGas, maxFeePerGas] = halves(operation.gasFees);
  const initCode = fromHex(operation.initCode);
  const paymaster = fromHex(operation.paymasterAndData);
  return {
    sender: operation.sender.toLowerCase(),
    nonce: toQuantity(operation.nonce),
    ...(initCode.length === 0 ? {} : factoryView(initCode)),
    callData: operation.callData,
    callGasLimit: toQuantity(callGasLimit),
    verificationGasLimit: toQuantity(verificationGasLimit),
    preVerificationGas: toQuantity(operation.preVerificationGas),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
    ...(paymaster.length < PAYMASTER_HEAD ? {} : paymasterView(paymaster)),
    signature: operation.signature,
  };
}

function factoryView(initCode: Uint8Array): object {
  const factory = initCode.subarray(0, ADDRESS_SIZE);
  return {
    factory: equalBytes(factory, DELEGATION_MARKER) ? '0x7702' : toHex(factory),
    factoryData: toHex(initCode.subarray(ADDRESS_SIZE)),
  };
}

function paymasterView(bytes: Uint8Array): object {
  const [verification, postOp] = halves(toHex(bytes.subarray(ADDRESS_SIZE, PAYMASTER_HEAD)));
  return {
    paymaster: toHex(bytes.subarray(0, ADDRESS_SIZE)),
    paymasterVerificationGasLimit: toQuantity(verification),
    paymasterPostOpGasLimit: toQuantity(postOp),
    paymasterData: toHex(bytes.subarray(PAYMASTER_HEAD)),
  };
}
