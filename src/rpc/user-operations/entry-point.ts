/** The calls of a bundler to EntryPoints, accounts and paymasters, and their answers. Encoding is viem's. */

import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils';
import type { CallMessage } from '../../chain/execution/calls.ts';
import { fromHex, toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { encodeRlp, encodeRlpList } from '../../primitives/rlp.ts';
import { NO_BLOBS } from '../../protocol/transaction.ts';
import type { PackedUserOperation } from './packed-operation.ts';

const PACKED =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)';

/** The functions of EntryPoints, accounts and paymasters that a bundler needs; the same from 0.7 to 0.9. */
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

/** Returns the data of a call of `handleOps` with that operation alone. */
export function handleOpsData(operation: PackedUserOperation, beneficiary: Uint8Array): Uint8Array {
  const args = [[operation], toHex(beneficiary)] as const;
  return fromHex(encodeFunctionData({ abi: BUNDLER_ABI, functionName: 'handleOps', args }));
}

/** Returns the operations in the data of a call of `handleOps`; none in other data. */
export function operationsIn(data: Uint8Array): readonly PackedUserOperation[] {
  try {
    const called = decodeFunctionData({ abi: BUNDLER_ABI, data: toHex(data) });
    return called.functionName === 'handleOps' ? (called.args[0] as readonly PackedUserOperation[]) : [];
  } catch {
    // Any account may call an EntryPoint with data that are no call of it.
    return [];
  }
}

/** Returns the contract by which an EntryPoint creates senders: the first that it created itself. */
export function senderCreatorOf(entryPoint: Uint8Array): Uint8Array {
  return keccak256(encodeRlpList([encodeRlp(entryPoint), encodeRlp(Uint8Array.of(1))])).subarray(12);
}

/** Returns a call without a gas price and without value. */
export function freeCall(sender: Uint8Array, to: Uint8Array, data: Uint8Array): CallMessage {
  const free = { value: 0n, gasLimit: null, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  return { sender, to, data, ...free, accessList: [], authorizationList: [], ...NO_BLOBS };
}
