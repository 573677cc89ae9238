import { OPCODES, opcodeRange } from '../../protocol/hardforks/opcodes.ts';
import type { ExecutionStep } from '../observer.ts';

const { SWAP1, SWAP16 } = OPCODES;

/** The opcodes that take or change so many of the topmost items, but for the swaps; what is not named takes none. */
const TAKING: readonly (readonly number[])[] = [
  [],
  [
    ...[OPCODES.ISZERO, OPCODES.NOT, OPCODES.BALANCE, OPCODES.CALLDATALOAD, OPCODES.EXTCODESIZE],
    ...[OPCODES.EXTCODEHASH, OPCODES.BLOCKHASH, OPCODES.BLOBHASH, OPCODES.POP, OPCODES.MLOAD],
    ...[OPCODES.SLOAD, OPCODES.TLOAD, OPCODES.JUMP, OPCODES.SELFDESTRUCT],
  ],
  [
    ...opcodeRange('ADD', 'SMOD'),
    ...opcodeRange('EXP', 'SIGNEXTEND'),
    ...opcodeRange('LT', 'EQ'),
    ...opcodeRange('AND', 'XOR'),
    ...opcodeRange('BYTE', 'SAR'),
    ...[OPCODES.KECCAK256, OPCODES.MSTORE, OPCODES.MSTORE8, OPCODES.SSTORE, OPCODES.TSTORE],
    ...[OPCODES.JUMPI, OPCODES.RETURN, OPCODES.REVERT, OPCODES.LOG0],
  ],
  [
    ...[OPCODES.ADDMOD, OPCODES.MULMOD, OPCODES.CALLDATACOPY, OPCODES.CODECOPY],
    ...[OPCODES.RETURNDATACOPY, OPCODES.MCOPY, OPCODES.CREATE, OPCODES.LOG0 + 1],
  ],
  [OPCODES.EXTCODECOPY, OPCODES.CREATE2, OPCODES.LOG0 + 2],
  [OPCODES.LOG0 + 3],
  [OPCODES.DELEGATECALL, OPCODES.STATICCALL, OPCODES.LOG4],
  [OPCODES.CALL, OPCODES.CALLCODE],
];

function takenItems(opcode: number): number {
  if (opcode >= SWAP1 && opcode <= SWAP16) return opcode - SWAP1 + 2;
  return Math.max(
    0,
    TAKING.findIndex((opcodes) => opcodes.includes(opcode)),
  );
}

const TAKEN_ITEMS = Uint8Array.from({ length: 256 }, (_, opcode) => takenItems(opcode));

/**
 * The items of the stacks of nested frames as texts. Most of a stack outlives an opcode, and so do its texts: an item
 * is spelled when it comes, not at each step.
 */
export class StackTexts {
  readonly #spell: (item: bigint) => string;
  readonly #frames: { texts: readonly string[]; kept: number }[] = [];

  constructor(spell: (item: bigint) => string) {
    this.#spell = spell;
  }

  /** A frame begins. */
  open(): void {
    this.#frames.push({ texts: [], kept: 0 });
  }

  /** The innermost frame ends. */
  close(): void {
    this.#frames.pop();
  }

  /** The innermost frame's stack before the step, its top last. To be asked at each step of the frame. */
  before(step: ExecutionStep): readonly string[] {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return step.stack().map(this.#spell);
    const height = step.stackHeight;
    const texts = frame.texts.slice(0, frame.kept);
    for (let distance = height - texts.length - 1; distance >= 0; distance--) {
      texts.push(this.#spell(step.stackItem(distance) ?? 0n));
    }
    frame.texts = texts;
    frame.kept = Math.max(0, height - (TAKEN_ITEMS[step.opcode] ?? height));
    return texts;
  }
}
