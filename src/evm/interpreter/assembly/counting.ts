/**
 * Counts executions per block, in the counting module.
 *
 * Each block and each exactly decoded opcode has a counter. The non-zero counters of a message are linked by
 * code, so collecting them is linear in their number. A block may be left in its middle and continue opcode
 * by opcode. These opcodes are counted separately. The first of them records how many counts of the block
 * must be subtracted.
 */

import { endsBlock, isSamePage, isSpoilt, operandLength, tableOf } from './decoder';
import { NO_OPCODE, Opcode } from './generated/protocol';
import { counted, countedCode } from './host';
import { Code, Counter, Instruction } from './layout';
import { Operation } from './operations';
import { code } from './registers';

/** The first code with non-zero counters. */
let countedCodes: usize = 0;

/** Counts an execution of the instruction before the counter, in the running code. */
@inline
export function count(counter: usize): void {
  const times = load<u64>(counter, Counter.TIMES);
  store<u64>(counter, times + 1, Counter.TIMES);
  if (times == 0) chain(counter);
}

function chain(counter: usize): void {
  const first = load<u32>(code, Code.COUNTERS);
  store<u32>(counter, first, Counter.NEXT);
  store<u32>(code, <u32>counter, Code.COUNTERS);
  if (first) return;
  store<u32>(code, <u32>countedCodes, Code.COUNTED_NEXT);
  store<u32>(code, 0, Code.COUNTED_BEFORE);
  if (countedCodes) store<u32>(countedCodes, <u32>code, Code.COUNTED_BEFORE);
  countedCodes = code;
}

/** Records that the running block is left before the opcode of this `STEP`. */
export function leaveBlock(step: usize): void {
  const counter = step + Instruction.SIZE;
  store<u32>(counter, load<u32>(counter, Counter.LEFT) + 1, Counter.LEFT);
}

/** Reports all counts to the host and resets them. */
export function takeCounts(): void {
  while (countedCodes) takeCountsOf(countedCodes);
}

/** Reports the counts of a code to the host and resets them. Also called before the code is discarded. */
export function takeCountsOf(record: usize): void {
  let counter = <usize>load<u32>(record, Code.COUNTERS);
  if (counter == 0) return;
  const raw = load<u32>(record, Code.RAW), length = load<u32>(record, Code.LENGTH);
  countedCode(record, raw, length, load<u32>(record, Code.IS_SHARED));
  while (counter) {
    const instruction = counter - Instruction.SIZE;
    const times = <f64>load<u64>(counter, Counter.TIMES);
    const next = load<u32>(counter, Counter.NEXT);
    if (load<i32>(instruction) == Operation.BEGIN) {
      counted(load<u32>(instruction, 12), load<u32>(counter, Counter.END), times);
    } else {
      const pc = load<u32>(instruction, Instruction.ARGUMENT);
      const left = load<u32>(counter, Counter.LEFT);
      counted(pc, pc + 1, times);
      if (left) counted(pc, blockEndFrom(raw, length, pc), -<f64>left);
      store<u32>(counter, 0, Counter.LEFT);
    }
    store<u64>(counter, 0, Counter.TIMES);
    counter = next;
  }
  store<u32>(record, 0, Code.COUNTERS);
  const before = <usize>load<u32>(record, Code.COUNTED_BEFORE), after = <usize>load<u32>(record, Code.COUNTED_NEXT);
  if (before) store<u32>(before, <u32>after, Code.COUNTED_NEXT);
  else countedCodes = after;
  if (after) store<u32>(after, <u32>before, Code.COUNTED_BEFORE);
}

/** Returns the end of the block that contains the opcode at `pc`. */
function blockEndFrom(raw: usize, length: u32, pc: u32): u32 {
  let at = pc;
  while (at < length) {
    const opcode: i32 = load<u8>(raw + at);
    if ((opcode == Opcode.JUMPDEST && at != pc) || !isSamePage(at, pc)) break;
    const isKnown = tableOf(opcode) != NO_OPCODE && !isSpoilt(opcode, raw + at);
    at += operandLength(opcode, raw + at) + 1;
    if (!isKnown || endsBlock(opcode)) break;
  }
  return at;
}
