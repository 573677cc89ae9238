/** The imports from the host. If the host must fetch state, it returns 0 and the module suspends. */

/** Fills in an account record: balance, nonce, code hash and length, flags. */
@external('host', 'loadAccount')
export declare function loadAccount(account: usize): i32;

/** Fills in `Slot.CURRENT`. */
@external('host', 'loadSlot')
export declare function loadSlot(slot: usize, account: usize): i32;

/** Writes the code of the account (`Account.CODE_LENGTH` bytes) to `target`. */
@external('host', 'loadCode')
export declare function loadCode(account: usize, target: usize): i32;

/** Writes the hash of the block (32 bytes) to `target`. */
@external('host', 'loadBlockHash')
export declare function loadBlockHash(number: f64, target: usize): i32;

/**
 * Runs a precompile. `Event.GAS` is the gas available, and afterwards the price. The output is written to the
 * buffer of `reserveReturnData`. `kind` is the kind of call; `sent` is the address of the word with its
 * value. Returns a `PrecompileAnswer`.
 */
@external('host', 'callPrecompile')
export declare function callPrecompile(account: usize, input: usize, length: u32, kind: u32, sent: usize): i32;

/**
 * Computes or fetches a part of the result of a `Flag.STEPPED` precompile. Returns 1 if the precompile may be
 * called, 0 if the same call must be prepared again. `Event.GAS` is the gas available. The arguments are the
 * same as in `callPrecompile`.
 */
@external('host', 'preparePrecompile')
export declare function preparePrecompile(account: usize, input: usize, length: u32, kind: u32, sent: usize): i32;

/** Throws, because the memory has reached its bound. */
@external('host', 'outOfMemory')
export declare function outOfMemory(): void;

/** Records a call to the Solidity console. */
@external('host', 'callConsole')
export declare function callConsole(caller: usize, input: usize, length: u32): void;

/**
 * Starts a frame. `Event.GAS` is its gas; `value` is 0 if there is none. Returns 1 if the steps of the frame
 * are wanted, otherwise 0.
 */
@external('host', 'frameStart')
export declare function frameStart(
  kind: u32,
  depth: u32,
  from: usize,
  to: usize,
  input: usize,
  length: u32,
  value: usize,
  isPrecompile: i32,
): i32;

/** Ends the innermost frame. `Event.GAS` is the gas it used. */
@external('host', 'frameEnd')
export declare function frameEnd(end: i32, output: usize, length: u32): void;

/** Called before an opcode is executed. `EVENT` contains the gas left, the cost and the refund. */
@external('host', 'step')
export declare function step(pc: u32, opcode: i32, depth: u32, sp: usize): void;

/** Makes the host read the full trail. */
@external('host', 'trail')
export declare function tellTrail(): void;

/** The opcode of the last step ends its frame. */
@external('host', 'fault')
export declare function fault(end: i32): void;

/**
 * Only in the counting module: reports an executed code. Calls of `counted` for this code follow. `isShared`
 * is 0 for initcode, whose record has no hash.
 */
@external('host', 'countedCode')
export declare function countedCode(record: usize, raw: usize, length: u32, isShared: u32): void;

/** Adds `times` to the counts of the opcodes from `start` to `end`; `times` may be negative. */
@external('host', 'counted')
export declare function counted(start: u32, end: u32, times: f64): void;

/** A log was added at `log`. */
@external('host', 'log')
export declare function tellLog(log: usize): void;
