/**
 * User operations of ERC-4337 in the packed form (EntryPoint 0.7 and later) and in JSON, and the calls to
 * EntryPoints. viem encodes them.
 */

import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';
import type { CallMessage } from '../chain/execution/calls.ts';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
} from '../primitives/bytes.ts';
import { fromHex, type Hex, toHex, toQuantity } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp, encodeRlpList } from '../primitives/rlp.ts';
import { NO_BLOBS } from '../protocol/transaction.ts';
import { DELEGATION_MARKER, type UserOperation } from './user-operation.ts';

/** A user operation in the packed form of an EntryPoint; bytes are hex. */
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
/** Ends the data of a paymaster with a separate signature (EntryPoint 0.9). */
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

/** Returns the packed form of an operation. */
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

/** Returns a packed operation in the form of ERC-7769, without absent fields. */
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

const PACKED =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)';

/** The functions of EntryPoints, accounts and paymasters that a bundler needs; unchanged from 0.7 to 0.9. */
export const BUNDLER_ABI = parseAbi([
  `function handleOps(${PACKED}[] ops, address beneficiary)`,
  `function getUserOpHash(${PACKED} userOp) view returns (bytes32)`,
  `function validateUserOp(${PACKED} userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256)`,
  `function validatePaymasterUserOp(${PACKED} userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)`,
  `function executeUserOp(${PACKED} userOp, bytes32 userOpHash)`,
  'function postOp(uint8 mode, bytes context, uint256 actualGasCost, uint256 actualUserOpFeePerGas)',
  'function getDepositInfo(address account) view returns ((uint256 deposit,bool staked,uint112 stake,uint32 unstakeDelaySec,uint48 withdrawTime) info)',
  'function initEip7702Sender(address sender, bytes initData)',
  'error FailedOp(uint256 opIndex, string reason)',
  'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'event BeforeExecution()',
]);

/** Returns the data of a `handleOps` call with one operation. */
export function handleOpsData(operation: PackedUserOperation, beneficiary: Uint8Array): Uint8Array {
  const args = [[operation], toHex(beneficiary)] as const;
  return fromHex(encodeFunctionData({ abi: BUNDLER_ABI, functionName: 'handleOps', args }));
}

/** Returns the operations in the data of a `handleOps` call; empty for other data. */
export function operationsIn(data: Uint8Array): readonly PackedUserOperation[] {
  try {
    const called = decodeFunctionData({ abi: BUNDLER_ABI, data: toHex(data) });
    return called.functionName === 'handleOps' ? (called.args[0] as readonly PackedUserOperation[]) : [];
  } catch {
    // Any account may call an EntryPoint with invalid data.
    return [];
  }
}

/** Returns the contract that creates senders: the first contract that the EntryPoint created. */
export function senderCreatorOf(entryPoint: Uint8Array): Uint8Array {
  return keccak256(encodeRlpList([encodeRlp(entryPoint), encodeRlp(Uint8Array.of(1))])).subarray(12);
}

export function freeCall(sender: Uint8Array, to: Uint8Array, data: Uint8Array): CallMessage {
  const free = { value: 0n, gasLimit: null, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  return { sender, to, data, ...free, accessList: [], authorizationList: [], ...NO_BLOBS };
}
