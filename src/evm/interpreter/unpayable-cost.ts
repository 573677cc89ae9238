import type { GasSchedule } from '../../protocol/hardforks/gas-schedule.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';

/** What an opcode finds on the stack, by its distance from the top. */
type Item = (distance: number) => bigint;

/** What an opcode does with memory: where, how many bytes, and what it costs besides. */
interface MemoryUse {
  readonly offset: bigint;
  readonly length: bigint;
  readonly besides: bigint;
}

function words(bytes: bigint): bigint {
  return (bytes + 31n) / 32n;
}

function memoryUse(opcode: number, item: Item, { size }: GasSchedule): MemoryUse {
  const copied = (length: bigint): bigint => words(length) * BigInt(size.copyWord);
  switch (opcode) {
    case OPCODES.KECCAK256:
      return { offset: item(0), length: item(1), besides: words(item(1)) * BigInt(size.keccakWord) };
    case OPCODES.MLOAD:
    case OPCODES.MSTORE:
      return { offset: item(0), length: 32n, besides: 0n };
    case OPCODES.MSTORE8:
      return { offset: item(0), length: 1n, besides: 0n };
    case OPCODES.EXTCODECOPY:
      return { offset: item(1), length: item(3), besides: copied(item(3)) };
    case OPCODES.MCOPY:
      return { offset: item(0) > item(1) ? item(0) : item(1), length: item(2), besides: copied(item(2)) };
    case OPCODES.CREATE:
    case OPCODES.CREATE2: {
      const hashed = opcode === OPCODES.CREATE2 ? size.keccakWord : 0;
      const besides = words(item(2)) * BigInt(size.initcodeWord + hashed);
      return { offset: item(1), length: item(2), besides };
    }
    case OPCODES.RETURN:
    case OPCODES.REVERT:
      return { offset: item(0), length: item(1), besides: 0n };
    default:
      break;
  }
  const topics = opcode - OPCODES.LOG0;
  if (topics < 0) return { offset: item(0), length: item(2), besides: copied(item(2)) };
  const besides = item(1) * BigInt(size.logByte) + BigInt(topics * size.logTopic);
  return { offset: item(0), length: item(1), besides };
}

/**
 * What an opcode costs that asks for more memory than any gas pays for. The interpreter does not count so far; observers
 * are told nevertheless, what a cold account costs apart. Where memory has a limit, it is the static gas that they are told.
 */
export function unpayableCost(opcode: number, item: Item, memorySize: number, gas: GasSchedule): bigint {
  const base = BigInt(gas.opcode[opcode] ?? 0);
  const { word, quadraticDivisor, maximumSize } = gas.memory;
  if (maximumSize !== null) return base;
  const total = (count: bigint): bigint => count * BigInt(word) + (count * count) / BigInt(quadraticDivisor);
  const { offset, length, besides } = memoryUse(opcode, item, gas);
  return base + besides + total(words(offset + length)) - total(BigInt(memorySize / 32));
}
