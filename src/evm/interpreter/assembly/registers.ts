/**
 * The registers of the running frame.
 *
 * The run loop keeps `gas`, `sp`, `ip` and the memory address in locals, for speed. It writes
 * them here before it calls functions that switch frames.
 */

/** The number of the message. Warm flags and original values are valid for one message. */
export let epoch: u32 = 0;
/** 0 if no code runs, 1 in the outermost frame, and so on. */
export let depth: u32 = 0;

/** The gas left in the frame. */
export let frameGas: i64 = 0;
/** If `gas` falls below this value, the run loop returns to the host to yield; 0 to run to the end. */
export let gasFloor: i64 = 0;
/** Work of this slice that its gas does not cover, in gas. `gasFloor` includes it. */
export let sliceDebt: i64 = 0;

/** Takes gas from the slice for work that takes longer than its gas suggests. */
@inline
export function chargeSliceBy(gas: i64): void {
  sliceDebt += gas;
  gasFloor += gas;
}

/** The top item of the stack. The stack is empty if it equals `stackBase`. */
export let stackPointer: usize = 0;
export let instructionPointer: usize = 0;

export let stackBase: usize = 0;
/** The running code, its jump table, and its length in bytes. */
export let code: usize = 0;
export let jumps: usize = 0;
export let codeLength: u32 = 0;
/** The length of the code with a filled jump table; 0 in exact decoding. */
export let scanned: u32 = 0;
/** True if the frame uses exact decoding. */
export let isExact: bool = false;
/** The account whose storage the code uses. */
export let self: usize = 0;
export let isStatic: u32 = 0;

/** The memory of the frame: its address, and its size in bytes (whole words). */
export let memoryBase: usize = 0;
export let memorySize: u64 = 0;

/** The calldata of the frame, as an offset from the start of the memories, because the memories may move. */
export let inputOffset: u32 = 0;
export let inputLength: u32 = 0;

/** The length of the last return data; see `returnData`. */
export let returnLength: u32 = 0;

/** Gas to refund at the end of the message. */
export let refund: i64 = 0;

/** The highest reduction of the message's gas limit with the same result; -1 if the code observed its gas. */
export let spareGas: i64 = 0;

/** The undefined opcode, for `End.INVALID_OPCODE`. */
export let invalidOpcode: i32 = 0;

/** 1 or more if frames are reported to the host. */
export let isTraced: u32 = 0;

/** 1 if logs are also reported, and halts have their exact reason. */
export let isLogged: u32 = 0;

/** 1 if faults and the wanted steps are reported, with exact decoding. */
export let isStepped: u32 = 0;

/** 1 if the host wants the steps of the current frame. */
export let isFrameStepped: u32 = 0;

/** 1 if the program counters of all steps are recorded. */
export let isTrailed: u32 = 0;

/** The number of recorded program counters. */
export let trailLength: u32 = 0;
