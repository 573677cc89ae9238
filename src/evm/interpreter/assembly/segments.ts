/**
 * Lazy decoding of code in segments.
 *
 * Most of a long code never runs. Segments are therefore decoded when they are first reached, and jump
 * destinations are found only up to that point. The duration of a step is bounded, however long the code.
 */

import { allocate, blockSize, release } from './allocator';
import { decoded, decodeExactly, decodeFused, operandLength, SEGMENT_SHIFT } from './decoder';
import { Opcode } from './generated/protocol';
import { Code, Counter, Instruction, IS_COUNTING, MARKED, Segment } from './layout';
import { Operation } from './operations';
import { chargeSliceBy, code, isExact, scanned } from './registers';

/** Returned instead of an instruction: retry the jump, because more code must be scanned first. */
export const NOT_KNOWN_YET: usize = 1;

/** Segments to scan for jump destinations in one step (less than a millisecond). */
const SCANNED_AT_ONCE: u32 = 64;

/** Slice gas to decode a byte. */
const DECODED_BYTE: i64 = 16;

/** The total size of the decoded parts in bytes. */
export let segmentBytes: u32 = 0;

@inline
function segmentAt(record: usize, index: u32): usize {
  return <usize>load<u32>(record, Code.SEGMENTS) + <usize>index * Segment.SIZE;
}

/** Prepares new code to run. */
export function beginSegments(record: usize): void {
  const length = load<u32>(record, Code.LENGTH);
  const count = (length >> SEGMENT_SHIFT) + 2;
  const jumpsAt = count * <u32>Segment.SIZE;
  const size = jumpsAt + (length << 2);
  const block = allocate(size);
  memory.fill(block, 0, jumpsAt);
  store<u32>(record, <u32>block, Code.SEGMENTS);
  store<u32>(record, <u32>block + jumpsAt, Code.JUMPS);
  store<u32>(record, size, Code.BLOCK_SIZE);
  store<u32>(record, 0, Code.SCANNED);
  segmentBytes += blockSize(size);
}

/** Discards the decoded parts of a code. */
export function discardSegments(record: usize): void {
  const size = load<u32>(record, Code.BLOCK_SIZE);
  if (size == 0) return;
  const end = load<u32>(record, Code.SCANNED);
  for (let index: u32 = 0; index << SEGMENT_SHIFT < end; index++) {
    const segment = segmentAt(record, index);
    discardPart(load<u32>(segment, Segment.FUSED), load<u32>(segment, Segment.FUSED_SIZE));
    discardPart(load<u32>(segment, Segment.EXACT), load<u32>(segment, Segment.EXACT_SIZE));
  }
  discardPart(load<u32>(record, Code.SEGMENTS), size);
}

@inline
function discardPart(block: usize, size: u32): void {
  if (size == 0) return;
  segmentBytes -= blockSize(size);
  release(block, size);
}

/** Finds the jump destinations of the next segment. */
function scanNext(record: usize): void {
  const raw = load<u32>(record, Code.RAW), length = load<u32>(record, Code.LENGTH);
  const jumps = load<u32>(record, Code.JUMPS);
  let pc = load<u32>(record, Code.SCANNED);
  const index = pc >> SEGMENT_SHIFT;
  const end = min<u32>((index + 1) << SEGMENT_SHIFT, length);
  memory.fill(jumps + (pc << 2), 0, (min<u32>(end + 32, length) - pc) << 2);
  while (pc < end) {
    const opcode: i32 = load<u8>(raw + pc);
    if (opcode == Opcode.JUMPDEST) store<u32>(jumps + (pc << 2), <u32>MARKED);
    pc += operandLength(opcode, raw + pc) + 1;
  }
  pc = min<u32>(pc, length);
  store<u32>(segmentAt(record, index + 1), pc, Segment.START);
  store<u32>(record, pc, Code.SCANNED);
}

/** Finds the jump destinations up to `pc`; returns false if more steps are needed. */
function scanTo(record: usize, pc: u32): bool {
  let left = SCANNED_AT_ONCE;
  while (load<u32>(record, Code.SCANNED) <= pc) {
    if (left-- == 0) return false;
    scanNext(record);
  }
  return true;
}

/** Returns the decoded segment at the index. The start of the segment must be known. */
function decodedSegment(record: usize, index: u32): usize {
  const segment = segmentAt(record, index);
  const start = load<u32>(segment, Segment.START);
  scanTo(record, start);
  if (!isExact) {
    if (load<u32>(segment, Segment.FUSED) == 0) decodeSegment(record, segment, index, start);
  } else if (load<u32>(segment, Segment.EXACT) == 0) decodeSegmentExactly(record, segment, index, start);
  if (record == code) scanned = isExact ? 0 : load<u32>(record, Code.SCANNED);
  return segment;
}

@inline
function endOf(record: usize, index: u32): u32 {
  return min<u32>((index + 1) << SEGMENT_SHIFT, load<u32>(record, Code.LENGTH));
}

function decodeSegment(record: usize, segment: usize, index: u32, start: u32): void {
  const jumps = load<u32>(record, Code.JUMPS), end = endOf(record, index);
  const size = decodeFused(load<u32>(record, Code.RAW), load<u32>(record, Code.LENGTH), start, end, jumps);
  const instructions = keep(segment + Segment.FUSED, size, 0);
  // Convert offsets to addresses.
  for (let pc = start; pc < end; pc++) {
    const distance = load<u32>(jumps + (pc << 2));
    if (distance) store<u32>(jumps + (pc << 2), <u32>instructions + distance - 1);
  }
  chargeSliceBy(<i64>(end - start) * DECODED_BYTE);
}

function decodeSegmentExactly(record: usize, segment: usize, index: u32, start: u32): void {
  const end = endOf(record, index);
  const size = decodeExactly(load<u32>(record, Code.RAW), load<u32>(record, Code.LENGTH), start, end);
  const table = ((end - start) * 4 + 15) & ~15;
  const instructions = keep(segment + Segment.EXACT, size, table);
  for (let at = instructions; at < instructions + size; at += Instruction.SIZE) {
    const operation = load<i32>(at);
    if (operation == Operation.PUSH_WORD) at += 32;
    if (operation == Operation.STEP) {
      store<u32>(instructions - table + ((load<u32>(at, Instruction.ARGUMENT) - start) << 2), <u32>at);
    }
    if (IS_COUNTING) if (operation == Operation.STEP || operation == Operation.BEGIN) at += Counter.SIZE;
  }
  chargeSliceBy(<i64>(end - start) * DECODED_BYTE);
}

/** Stores the last decoded instructions after a table of `table` bytes, and its address at `place`. */
function keep(place: usize, size: u32, table: u32): usize {
  const block = allocate(table + size);
  memory.copy(block + table, decoded(), size);
  store<u32>(place, <u32>block);
  store<u32>(place, table + size, 4);
  segmentBytes += blockSize(table + size);
  return block + table;
}

/** Returns the first instruction of a segment of the running code. The previous segment must be decoded. */
export function nextSegment(index: u32): usize {
  const segment = decodedSegment(code, index);
  return isExact ? exactInstruction(segment, load<u32>(segment, Segment.START)) : load<u32>(segment, Segment.FUSED);
}

/** Returns the instruction of the opcode at `pc` in an exactly decoded segment. */
@inline
function exactInstruction(segment: usize, pc: u32): usize {
  const table = <usize>load<u32>(segment, Segment.EXACT);
  return load<u32>(table + ((pc - load<u32>(segment, Segment.START)) << 2));
}

/** Returns the exactly decoded instruction at `pc`. The opcode must have been reached. */
export function exactInstructionAt(pc: u32): usize {
  return exactInstruction(decodedSegment(code, pc >> SEGMENT_SHIFT), pc);
}

/** Target instruction of a jump to `pc`; 0 if not a JUMPDEST, or `NOT_KNOWN_YET`. */
export function jumpTarget(pc: u64): usize {
  if (pc >= <u64>load<u32>(code, Code.LENGTH)) return 0;
  const place = <u32>pc;
  const isKnown = scanTo(code, place);
  if (!isExact) scanned = load<u32>(code, Code.SCANNED);
  if (!isKnown) return NOT_KNOWN_YET;
  const entry = <usize>load<u32>(code, Code.JUMPS) + (<usize>place << 2);
  if (load<u32>(entry) == 0) return 0;
  const segment = decodedSegment(code, place >> SEGMENT_SHIFT);
  return isExact ? exactInstruction(segment, place) : <usize>load<u32>(entry);
}
