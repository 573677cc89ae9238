/**
 * The registers of the machine: what describes the frame that runs.
 *
 * The run loop keeps `gas`, `sp`, `ip` and the address of the memory in locals, which are much faster, and writes them
 * here before it calls what changes frames.
 */

/** The number of the message; warm and original values hold within one. */
export let epoch: u32 = 0;
/** 0 when no code runs, 1 for the message itself, and so on. */
export let depth: u32 = 0;

/** Gas of the frame. */
export let frameGas: i64 = 0;
/** The gas at which the run loop stops for the host to yield the event loop; 0 to run to the end. */
export let gasFloor: i64 = 0;
/** Work of this slice that no gas stands for, in gas: `gasFloor` has been raised by it. */
export let sliceDebt: i64 = 0;

/** Takes gas from the slice for work that takes longer than its gas suggests. */
@inline
export function chargeSliceBy(gas: i64): void {
  sliceDebt += gas;
  gasFloor += gas;
}

/** The top item of the stack; it is empty when this is `stackBase`. */
export let stackPointer: usize = 0;
export let instructionPointer: usize = 0;

export let stackBase: usize = 0;
/** The code that runs, the table of its jumps, and its length in bytes. */
export let code: usize = 0;
export let jumps: usize = 0;
export let codeLength: u32 = 0;
/** The length of the code for which the table of jumps is filled; 0 while each opcode is decoded by itself. */
export let scanned: u32 = 0;
/** True while the frame's opcodes are decoded one by one. */
export let isExact: bool = false;
/** The account whose storage the code works on. */
export let self: usize = 0;
export let isStatic: u32 = 0;

/** The memory of the frame: its address, and its size in bytes, a whole number of words. */
export let memoryBase: usize = 0;
export let memorySize: u64 = 0;

/** The data of the frame: its distance from the start of the memories, since those may move. */
export let inputOffset: u32 = 0;
export let inputLength: u32 = 0;

/** The length of the data that the last call inside the frame returned, which stands in `returnData`. */
export let returnLength: u32 = 0;

/** Gas to be given back at the end. */
export let refund: i64 = 0;

/** The opcode that was none, for `End.INVALID_OPCODE`. */
export let invalidOpcode: i32 = 0;

/** 1 while frames are reported to the host. */
export let isTraced: u32 = 0;

/** 1 while logs are reported to the host too, and frames that halt do so for the very reason. */
export let isLogged: u32 = 0;

/** 1 while each opcode of the frames that the host wants is decoded by itself and reported to it, with faults. */
export let isStepped: u32 = 0;

/** 1 while the host wants the steps of the frame that began last. */
export let isFrameStepped: u32 = 0;

/** 1 while the places of all steps are kept for the host. */
export let isTrailed: u32 = 0;

/** The number of places that are kept. */
export let trailLength: u32 = 0;
