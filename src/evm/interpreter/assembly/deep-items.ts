/** DUPN, SWAPN and EXCHANGE (EIP-8024): the byte after the opcode selects the stack items. */

import { NO_OPCODE, Opcode } from './generated/protocol';
import { OPCODE_TABLE } from './layout';

/** Returns true for DUPN, SWAPN and EXCHANGE, if the rules include them. */
@inline
export function isDeep(opcode: i32): bool {
  return opcode >= Opcode.DUPN && opcode <= Opcode.EXCHANGE && load<u32>(OPCODE_TABLE + (opcode << 2)) != NO_OPCODE;
}

/**
 * Returns true if the immediate byte is valid for the opcode. Otherwise the opcode is invalid, so that bytes
 * of JUMPDEST and PUSH keep their meaning.
 */
@inline
export function isAllowed(opcode: i32, immediate: u32): bool {
  return immediate >= 0x80 || immediate <= <u32>(opcode == Opcode.EXCHANGE ? 0x51 : 0x5a);
}

@inline
function single(immediate: u32): u32 {
  return (immediate + 145) & 0xff;
}

/** Returns the distance of the first item from the top of the stack. */
export function nearDistance(opcode: i32, immediate: u32): u32 {
  if (opcode == Opcode.DUPN) return single(immediate) - 1;
  if (opcode == Opcode.SWAPN) return single(immediate);
  const pair = immediate ^ 0x8f;
  return min<u32>(pair >> 4, pair & 0xf) + 1;
}

/** Returns the distance of the deepest item from the top of the stack (for EXCHANGE, the second item). */
export function farDistance(opcode: i32, immediate: u32): u32 {
  if (opcode != Opcode.EXCHANGE) return nearDistance(opcode, immediate);
  const pair = immediate ^ 0x8f;
  const high = pair >> 4, low = pair & 0xf;
  return high < low ? low + 1 : 29 - high;
}
