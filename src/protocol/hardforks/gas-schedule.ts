/** The types of gas prices in addition to the static gas of opcodes. */

/** The price of SSTORE if only the current and the new value count. */
export interface FlatStorageGas {
  readonly scheme: 'flat';
  /** From zero to non-zero. */
  readonly set: number;
  /** Any other write, even without a change. */
  readonly reset: number;
  /** Refunded if a value becomes zero. */
  readonly clearRefund: number;
}

/**
 * The price of SSTORE if the value before the transaction (`original`) also counts (EIP-1283, EIP-2200):
 *
 * - `new = current`: `unchanged`
 * - `current = original`: `set` if `original` is zero, otherwise `reset`; refunds `clearRefund` if `reset`
 *   writes zero
 * - `current ≠ original`: `unchanged`. If `original` is not zero, reverses `clearRefund` if `current` is
 *   zero, and refunds it if `new` is zero. If `new = original`, refunds `restoredZeroRefund` for zero,
 *   otherwise `restoredValueRefund`
 *
 * A cold slot adds {@link AccessGas.coldSlotOfStore}.
 */
export interface NetStorageGas {
  readonly scheme: 'net';
  /** SSTORE halts as out of gas if the gas left is not above this value (EIP-2200); 0 without this rule. */
  readonly sentry: number;
  readonly unchanged: number;
  readonly set: number;
  readonly reset: number;
  readonly clearRefund: number;
  readonly restoredZeroRefund: number;
  readonly restoredValueRefund: number;
}

/**
 * The prices of cold accesses (EIP-2929). The first access by BALANCE, EXTCODE opcodes, SLOAD and calls costs
 * the cold price instead of the warm price, their static gas.
 */
export interface AccessGas {
  readonly warm: number;
  /** Also the price of a cold delegate (EIP-7702). SELFDESTRUCT adds it for a cold beneficiary. */
  readonly coldAccount: number;
  readonly coldSlot: number;
  /** SSTORE adds it for a cold slot. */
  readonly coldSlotOfStore: number;
  /** True if the coinbase of the block is initially warm (EIP-3651). */
  readonly isCoinbaseWarm: boolean;
}

/** The prices of calls and SELFDESTRUCT in addition to their static gas. */
export interface CallGas {
  /** CALL and CALLCODE with value. */
  readonly value: number;
  /** Extra gas of the callee in a CALL or CALLCODE with value. */
  readonly stipend: number;
  /** CALL, if `newAccountCharge` applies. */
  readonly newAccount: number;
  /** SELFDESTRUCT, if `newAccountCharge` applies. */
  readonly newBeneficiary: number;
}

/** The prices that depend on the size of operands: EXP, copies, logs, hashes and creations. */
export interface SizeGas {
  /** Per byte of the exponent, without leading zeros (EIP-160). */
  readonly exponentByte: number;
  /** Per 32 bytes copied. */
  readonly copyWord: number;
  /** Per 32 bytes hashed by KECCAK256 and CREATE2 (EIP-1014). */
  readonly keccakWord: number;
  readonly logTopic: number;
  readonly logByte: number;
  /** Per 32 bytes of initcode in CREATE, CREATE2 and transactions (EIP-3860); 0 before Shanghai. */
  readonly initcodeWord: number;
  /** Per byte of a new contract's code. */
  readonly codeByte: number;
  /** Per 32 bytes of a new contract's code, for its hash (EIP-8037). */
  readonly codeWord: number;
}

/**
 * State gas (EIP-8037), metered separately from execution gas. The gas of a transaction above
 * `executionLimit` is its reservoir. After the reservoir is used up, state gas is taken from the frame's gas.
 * A revert refunds it, first to the frame up to the gas that it paid.
 */
export interface StateGas {
  /** Maximum execution gas of a transaction (EIP-7825). */
  readonly executionLimit: bigint;
  /** A new account. */
  readonly newAccount: number;
  /** A slot that was zero before the transaction and becomes non-zero. */
  readonly slot: number;
  /** Per byte of a new contract's code. */
  readonly codeByte: number;
  /** The code of a new delegation (EIP-7702). */
  readonly delegation: number;
  /** Execution gas of the first write to an account that an authorization names. */
  readonly authorityWrite: number;
}

/** The price of memory: `w` words cost `word * w + w² / quadraticDivisor` in total, rounded down. */
export interface MemoryGas {
  readonly word: number;
  readonly quadraticDivisor: number;
  /** An opcode that needs more bytes halts as out of gas; `null` for no limit. */
  readonly maximumSize: number | null;
}

/** The gas prices of code, in addition to the static gas of its opcodes. */
export interface GasSchedule {
  readonly size: SizeGas;
  readonly memory: MemoryGas;
  readonly storage: FlatStorageGas | NetStorageGas;
  /** `null` if cold and warm accesses have the same price. */
  readonly access: AccessGas | null;
  readonly call: CallGas;
  /** `null` if there is only one kind of gas. */
  readonly state: StateGas | null;
  /** Refunded for each contract destroyed by SELFDESTRUCT. */
  readonly selfDestructRefund: number;
  /** The maximum refund is the gas used divided by this number. */
  readonly refundQuotient: number;
}
