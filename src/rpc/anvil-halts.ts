import { HALT_REASONS } from '../evm/halt-reasons.ts';

/** Halt reasons by the names of revm's `InstructionResult`, which Anvil prints. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [HALT_REASONS.outOfGas, 'OutOfGas'],
  [HALT_REASONS.stackUnderflow, 'StackUnderflow'],
  [HALT_REASONS.stackOverflow, 'StackOverflow'],
  [HALT_REASONS.invalidJump, 'InvalidJump'],
  [HALT_REASONS.staticCall, 'StateChangeDuringStaticCall'],
  [HALT_REASONS.codeTooLarge, 'CreateContractSizeLimit'],
  [HALT_REASONS.initcodeTooLarge, 'CreateInitCodeSizeLimit'],
  [HALT_REASONS.codeStartsWithEf, 'CreateContractStartingWithEF'],
  [HALT_REASONS.addressTaken, 'CreateCollision'],
  [HALT_REASONS.balanceOverflow, 'OverflowPayment'],
  [HALT_REASONS.balanceTooLow, 'OutOfFunds'],
  [HALT_REASONS.callTooDeep, 'CallTooDeep'],
  [HALT_REASONS.nonceOverflow, 'NonceOverflow'],
  [HALT_REASONS.precompileFailed, 'PrecompileError'],
  [HALT_REASONS.outOfMemory, 'MemoryLimitOOG'],
]);

const INVALID_OPCODE = /^invalid opcode (0x[0-9a-f]{2})$/;

/** Anvil's message for a halted execution: `EVM error InvalidFEOpcode`. */
export function anvilHaltMessage(reason: string): string {
  const opcode = INVALID_OPCODE.exec(reason)?.[1];
  if (opcode !== undefined) return `EVM error ${opcode === '0xfe' ? 'InvalidFEOpcode' : 'OpcodeNotFound'}`;
  return `EVM error ${NAMES.get(reason) ?? reason}`;
}
