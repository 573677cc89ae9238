/** The functions that the host provides. Where the host must wait for something, it returns 0 and the module suspends. */

/** Fills in the account record: balance, nonce, code hash and length, flags. */
@external('host', 'loadAccount')
export declare function loadAccount(account: usize): i32;

/** Fills in `Slot.CURRENT`. */
@external('host', 'loadSlot')
export declare function loadSlot(slot: usize, account: usize): i32;

/** Writes the code of the account, `Account.CODE_LENGTH` bytes, to `target`. */
@external('host', 'loadCode')
export declare function loadCode(account: usize, target: usize): i32;

/** Writes the hash of the block (32 bytes) to `target`. */
@external('host', 'loadBlockHash')
export declare function loadBlockHash(number: f64, target: usize): i32;

/**
 * Runs a precompile. `CELLS[0]` holds the gas it is given, and afterwards its price; the output is put where
 * `reserveReturnData` says. `kind` is how it is called, `sent` the word of its value. Returns 1 when it succeeded, 2 when
 * it refused its input, 3 when the gas does not suffice.
 */
@external('host', 'callPrecompile')
export declare function callPrecompile(account: usize, input: usize, length: u32, kind: u32, sent: usize): i32;

/**
 * Computes or fetches a part of the answer of a precompile with `Flag.STEPPED`. `CELLS[0]` holds the gas that it is given; the
 * arguments are those of `callPrecompile`. Returns 1 if it may be called. Returns 0 if the same call must be prepared again.
 */
@external('host', 'preparePrecompile')
export declare function preparePrecompile(account: usize, input: usize, length: u32, kind: u32, sent: usize): i32;

/** Throws: the memory is at its bound. */
@external('host', 'outOfMemory')
export declare function outOfMemory(): void;

/** The console of contracts is called. */
@external('host', 'callConsole')
export declare function callConsole(caller: usize, input: usize, length: u32): void;

/** A frame begins. `CELLS[0]` is its gas. `value` is 0 for none. Returns 1 where its steps are wanted, 0 where not. */
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

/** The frame that began last ends. `CELLS[0]` is the gas it used. */
@external('host', 'frameEnd')
export declare function frameEnd(end: i32, output: usize, length: u32): void;

/** An opcode is about to be executed. `CELLS[0..2]` are the gas left, its cost, and the refund. */
@external('host', 'step')
export declare function step(pc: u32, opcode: i32, depth: u32, sp: usize): void;

/** The trail is full; the host takes it. */
@external('host', 'trail')
export declare function tellTrail(): void;

/** The opcode of the last step ends its frame. */
@external('host', 'fault')
export declare function fault(end: i32): void;

/**
 * Only in the module that counts: code of the record ran. Calls of `counted` follow, for this code. `isShared` is 0 for the
 * code of a creation, whose record has no hash.
 */
@external('host', 'countedCode')
export declare function countedCode(record: usize, raw: usize, length: u32, isShared: u32): void;

/** The opcodes from `start` up to `end` ran so often more; less, if it is negative. */
@external('host', 'counted')
export declare function counted(start: u32, end: u32, times: f64): void;

/** A log was added; it stands at `log`. */
@external('host', 'log')
export declare function tellLog(log: usize): void;
