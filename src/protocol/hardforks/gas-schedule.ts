/** The types of the prices, in gas, that a rule set has for what code does besides its opcodes' static gas. */

/** The price of SSTORE where only the present and the new value count. */
export interface FlatStorageGas {
  readonly scheme: 'flat';
  /** From zero to another value. */
  readonly set: number;
  /** Any other write, also one that changes nothing. */
  readonly reset: number;
  /** Given back when a value becomes zero. */
  readonly clearRefund: number;
}

/**
 * The price of SSTORE where the value that the slot had before the transaction (`original`) counts as well (EIP-1283,
 * EIP-2200):
 *
 * - `new = current`: `unchanged`.
 * - `current = original`, `original` zero: `set`; else `reset`, and `clearRefund` is given back for `new` zero.
 * - `current ≠ original`: `unchanged`. With `original` not zero, `clearRefund` is taken back when `current` is zero,
 *   and given when `new` is. With `new = original`, `restoredZeroRefund` is given for an `original` of zero,
 *   `restoredValueRefund` for another.
 *
 * A cold slot adds {@link AccessGas.coldSlotOfStore}.
 */
export interface NetStorageGas {
  readonly scheme: 'net';
  /** SSTORE halts for want of gas when no more than this is left (EIP-2200); 0 where there is no such rule. */
  readonly sentry: number;
  readonly unchanged: number;
  readonly set: number;
  readonly reset: number;
  readonly clearRefund: number;
  readonly restoredZeroRefund: number;
  readonly restoredValueRefund: number;
}

/**
 * The price of an account or slot that the transaction has not touched yet (EIP-2929). The first access of BALANCE, the
 * EXTCODE opcodes, SLOAD and the calls costs the cold price in place of the warm one, which is their static gas.
 */
export interface AccessGas {
  readonly warm: number;
  /** SELFDESTRUCT adds it to its static gas for a cold beneficiary; a cold delegate (EIP-7702) costs it, too. */
  readonly coldAccount: number;
  readonly coldSlot: number;
  /** SSTORE of a cold slot adds it to its price. */
  readonly coldSlotOfStore: number;
  /** The block's coinbase is warm from the start (EIP-3651). */
  readonly isCoinbaseWarm: boolean;
}

/** The prices of calls and SELFDESTRUCT on top of their static gas. */
export interface CallGas {
  /** CALL and CALLCODE with a value. */
  readonly value: number;
  /** Gas that the callee of a CALL or CALLCODE with a value gets on top of what was asked for. */
  readonly stipend: number;
  /** CALL, in the cases that `newAccountCharge` names. */
  readonly newAccount: number;
  /** SELFDESTRUCT, in the cases that `newAccountCharge` names. */
  readonly newBeneficiary: number;
}

/** The prices of EXP, copies, logs, hashes and creations for the size of their operands. */
export interface SizeGas {
  /** Each byte of the exponent that is not a leading zero (EIP-160). */
  readonly exponentByte: number;
  /** Each 32 bytes copied. */
  readonly copyWord: number;
  /** Each 32 bytes hashed, by KECCAK256 and by CREATE2 (EIP-1014). */
  readonly keccakWord: number;
  readonly logTopic: number;
  readonly logByte: number;
  /** Each 32 bytes of initcode, of CREATE, CREATE2 and transactions (EIP-3860); 0 before Shanghai. */
  readonly initcodeWord: number;
  /** Each byte of a new contract's code. */
  readonly codeByte: number;
  /** Each 32 bytes of a new contract's code, which are hashed (EIP-8037). */
  readonly codeWord: number;
}

/**
 * The gas of what remains in the state for good (EIP-8037), which is metered apart from the gas of execution. Gas of a transaction
 * beyond `executionLimit` is a reservoir for it; where that is used up, it is taken from the gas of the frame that needs it. It comes
 * back, first to the frame as far as that one gave it, when what was paid for is undone.
 */
export interface StateGas {
  /** The most gas of a transaction that is for execution (EIP-7825). */
  readonly executionLimit: bigint;
  /** An account that begins to exist. */
  readonly newAccount: number;
  /** A slot that was zero before the transaction, and no longer is. */
  readonly slot: number;
  /** Each byte of a new contract's code. */
  readonly codeByte: number;
  /** The code of an account that begins to stand for that of another (EIP-7702). */
  readonly delegation: number;
  /** The gas of execution for the first write to an account that an authorization names. */
  readonly authorityWrite: number;
}

/** The price of memory: `w` words cost `word * w + w² / quadraticDivisor` in all, rounded down. */
export interface MemoryGas {
  readonly word: number;
  readonly quadraticDivisor: number;
  /** An opcode that needs more bytes than this halts for want of gas; `null` where there is no limit. */
  readonly maximumSize: number | null;
}

/** The prices of code, in gas, on top of the static gas of its opcodes. */
export interface GasSchedule {
  readonly size: SizeGas;
  readonly memory: MemoryGas;
  readonly storage: FlatStorageGas | NetStorageGas;
  /** `null` where a first access costs no more than another. */
  readonly access: AccessGas | null;
  readonly call: CallGas;
  /** `null` where there is one kind of gas. */
  readonly state: StateGas | null;
  /** Given back for each contract that ends by SELFDESTRUCT. */
  readonly selfDestructRefund: number;
  /** At most the gas used divided by this is given back. */
  readonly refundQuotient: number;
}
