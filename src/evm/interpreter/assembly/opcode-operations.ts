/** Which operation an opcode becomes when it is not fused with another. */

import { Opcode } from './opcodes';
import { Operation } from './operations';

/** Per opcode its operation, where the opcode alone says it. */
const OPERATIONS: usize = memory.data(256, 16);

/** The operation of an opcode that is no push. */
@inline
export function operationOf(opcode: i32): i32 {
  return load<u8>(OPERATIONS + opcode);
}

@inline
function mapOpcode(opcode: i32, operation: Operation): void {
  store<u8>(OPERATIONS + opcode, operation);
}

/** Fills the table. */
export function prepareOperations(): void {
  memory.fill(OPERATIONS, <u8>Operation.INVALID, 256);
  for (let i: i32 = Opcode.STOP; i <= Opcode.SIGNEXTEND; i++) mapOpcode(i, Operation.STOP + i);
  for (let i: i32 = Opcode.LT; i <= Opcode.SAR; i++) mapOpcode(i, Operation.LT + (i - Opcode.LT));
  mapOpcode(Opcode.CLZ, Operation.CLZ);
  mapOpcode(Opcode.KECCAK256, Operation.KECCAK256);
  for (let i: i32 = Opcode.ADDRESS; i <= Opcode.BLOBBASEFEE; i++) mapOpcode(i, Operation.CONTEXT);
  mapOpcode(Opcode.BALANCE, Operation.BALANCE);
  mapOpcode(Opcode.CALLDATALOAD, Operation.CALLDATALOAD);
  mapOpcode(Opcode.CALLDATASIZE, Operation.CALLDATASIZE);
  mapOpcode(Opcode.CALLDATACOPY, Operation.CALLDATACOPY);
  mapOpcode(Opcode.CODESIZE, Operation.CODESIZE);
  mapOpcode(Opcode.CODECOPY, Operation.CODECOPY);
  mapOpcode(Opcode.EXTCODESIZE, Operation.EXTCODESIZE);
  mapOpcode(Opcode.EXTCODECOPY, Operation.EXTCODECOPY);
  mapOpcode(Opcode.RETURNDATASIZE, Operation.RETURNDATASIZE);
  mapOpcode(Opcode.RETURNDATACOPY, Operation.RETURNDATACOPY);
  mapOpcode(Opcode.EXTCODEHASH, Operation.EXTCODEHASH);
  mapOpcode(Opcode.BLOCKHASH, Operation.BLOCKHASH);
  mapOpcode(Opcode.SELFBALANCE, Operation.SELFBALANCE);
  mapOpcode(Opcode.BLOBHASH, Operation.BLOBHASH);
  mapOpcode(Opcode.POP, Operation.POP);
  mapOpcode(Opcode.MLOAD, Operation.MLOAD);
  mapOpcode(Opcode.MSTORE, Operation.MSTORE);
  mapOpcode(Opcode.MSTORE8, Operation.MSTORE8);
  mapOpcode(Opcode.SLOAD, Operation.SLOAD);
  mapOpcode(Opcode.SSTORE, Operation.SSTORE);
  mapOpcode(Opcode.JUMP, Operation.JUMP);
  mapOpcode(Opcode.JUMPI, Operation.JUMPI);
  mapOpcode(Opcode.PC, Operation.PUSH);
  mapOpcode(Opcode.MSIZE, Operation.MSIZE);
  mapOpcode(Opcode.GAS, Operation.GAS);
  mapOpcode(Opcode.TLOAD, Operation.TLOAD);
  mapOpcode(Opcode.TSTORE, Operation.TSTORE);
  mapOpcode(Opcode.MCOPY, Operation.MCOPY);
  for (let i: i32 = Opcode.DUP1; i <= Opcode.DUP16; i++) mapOpcode(i, Operation.DUP);
  for (let i: i32 = Opcode.SWAP1; i <= Opcode.SWAP16; i++) mapOpcode(i, Operation.SWAP);
  for (let i: i32 = Opcode.LOG0; i <= Opcode.LOG4; i++) mapOpcode(i, Operation.LOG);
  mapOpcode(Opcode.CREATE, Operation.CREATE);
  mapOpcode(Opcode.CREATE2, Operation.CREATE);
  mapOpcode(Opcode.CALL, Operation.CALL);
  mapOpcode(Opcode.CALLCODE, Operation.CALL);
  mapOpcode(Opcode.DELEGATECALL, Operation.CALL);
  mapOpcode(Opcode.STATICCALL, Operation.CALL);
  mapOpcode(Opcode.RETURN, Operation.RETURN);
  mapOpcode(Opcode.REVERT, Operation.REVERT);
  mapOpcode(Opcode.SELFDESTRUCT, Operation.SELFDESTRUCT);
}
