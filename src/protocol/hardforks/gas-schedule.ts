import { OPCODES, type OpcodeName, opcodeRange } from './opcodes.ts';

/** What SSTORE costs where only the present and the new value count. */
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
 * What SSTORE costs where the value that the slot had before the transaction (`original`) counts as well (EIP-1283,
 * EIP-2200):
 *
 * - `new = current`: `unchanged`.
 * - `current = original`, `original` zero: `set`; else `reset`, and `clearRefund` is given back for `new` zero.
 * - `current ≠ original`: `unchanged`. With `original` not zero, `clearRefund` is taken back when `current` is zero,
 *   and given when `new` is. With `new = original`, `restoredZeroRefund` is given for an `original` of zero,
 *   `restoredValueRefund` for another.
 *
 * A cold slot adds {@link AccessGas.coldSlot}.
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
 * What an account or slot costs that the transaction has not touched yet (EIP-2929). The first access of BALANCE, the
 * EXTCODE opcodes, SLOAD and the calls costs the cold price in place of the warm one, which is their static gas.
 */
export interface AccessGas {
  readonly warm: number;
  /** SELFDESTRUCT adds it to its static gas for a cold beneficiary; a cold delegate (EIP-7702) costs it, too. */
  readonly coldAccount: number;
  /** SSTORE adds it to its price. */
  readonly coldSlot: number;
  /** The block's coinbase is warm from the start (EIP-3651). */
  readonly isCoinbaseWarm: boolean;
}

/** What the calls and SELFDESTRUCT cost on top of their static gas. */
export interface CallGas {
  /** CALL and CALLCODE with a value. */
  readonly value: number;
  /** Gas that the callee of a CALL or CALLCODE with a value gets on top of what was asked for. */
  readonly stipend: number;
  /** CALL and SELFDESTRUCT, in the cases that `newAccountCharge` names. */
  readonly newAccount: number;
}

/** What EXP, copies, logs, hashes and creations cost for the size of their operands. */
export interface SizeGas {
  /** Each byte of the exponent that is not a leading zero (EIP-160). */
  readonly exponentByte: number;
  /** Each 32 bytes copied. */
  readonly copyWord: number;
  /** Each 32 bytes hashed, by KECCAK256 and by CREATE2 (EIP-1014). */
  readonly keccakWord: number;
  readonly logTopic: number;
  readonly logByte: number;
  /** Each 32 bytes of the initcode of CREATE and CREATE2 (EIP-3860). */
  readonly initcodeWord: number;
  /** Each byte of a new contract's code. */
  readonly codeByte: number;
}

/** What memory of `w` words costs in all: `word * w + w² / quadraticDivisor`, rounded down. */
export interface MemoryGas {
  readonly word: number;
  readonly quadraticDivisor: number;
  /** An opcode that needs more bytes than this halts for want of gas; `null` where there is no limit. */
  readonly maximumSize: number | null;
}

/** What code pays for, in gas. */
export interface GasSchedule {
  /** Each opcode's price, by its byte, before what depends on operands and state; 0 for a byte that is no opcode. */
  readonly opcode: readonly number[];
  readonly size: SizeGas;
  readonly memory: MemoryGas;
  readonly storage: FlatStorageGas | NetStorageGas;
  /** `null` where a first access costs no more than another. */
  readonly access: AccessGas | null;
  readonly call: CallGas;
  /** Given back for each contract that ends by SELFDESTRUCT. */
  readonly selfDestructRefund: number;
  /** At most the gas used divided by this is given back. */
  readonly refundQuotient: number;
}

type Prices = Partial<Record<OpcodeName, number>>;

/** The static gas of the schedule with other prices for some opcodes. */
function repriced(base: readonly number[], prices: Prices): readonly number[] {
  const opcode = [...base];
  for (const [name, price] of Object.entries(prices)) opcode[OPCODES[name as OpcodeName]] = price;
  return opcode;
}

function staticGas(tiers: readonly (readonly [price: number, opcodes: readonly number[]])[]): number[] {
  const gas = new Array<number>(256).fill(0);
  for (const [price, opcodes] of tiers) for (const opcode of opcodes) gas[opcode] = price;
  return gas;
}

// The tiers of the yellow paper, appendix G; later tiers overwrite earlier ones. All logs have the price of LOG0 here.
const CONSTANTINOPLE_STATIC_GAS = staticGas([
  [3, [...opcodeRange('ADD', 'SUB'), ...opcodeRange('LT', 'SAR')]],
  [5, [OPCODES.MUL, ...opcodeRange('DIV', 'SMOD'), OPCODES.SIGNEXTEND]],
  [8, [OPCODES.ADDMOD, OPCODES.MULMOD]],
  [10, [OPCODES.EXP]],
  [30, [OPCODES.KECCAK256]],
  [2, [...opcodeRange('ADDRESS', 'EXTCODEHASH'), ...opcodeRange('COINBASE', 'GASLIMIT')]],
  [3, [OPCODES.CALLDATALOAD, OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.RETURNDATACOPY]],
  // EIP-150, EIP-1052
  [400, [OPCODES.BALANCE, OPCODES.EXTCODEHASH]],
  [700, [OPCODES.EXTCODESIZE, OPCODES.EXTCODECOPY]],
  [20, [OPCODES.BLOCKHASH]],
  [2, [OPCODES.POP, OPCODES.PC, OPCODES.MSIZE, OPCODES.GAS]],
  [3, opcodeRange('MLOAD', 'MSTORE8')],
  [200, [OPCODES.SLOAD]],
  [8, [OPCODES.JUMP]],
  [10, [OPCODES.JUMPI]],
  [1, [OPCODES.JUMPDEST]],
  [3, opcodeRange('PUSH1', 'SWAP16')],
  [375, opcodeRange('LOG0', 'LOG4')],
  [32_000, [OPCODES.CREATE, OPCODES.CREATE2]],
  [700, [OPCODES.CALL, OPCODES.CALLCODE, OPCODES.DELEGATECALL, OPCODES.STATICCALL]],
  [5_000, [OPCODES.SELFDESTRUCT]],
]);

/** The gas of Constantinople, whose SSTORE is priced by EIP-1283. */
export const CONSTANTINOPLE_GAS: GasSchedule = {
  opcode: CONSTANTINOPLE_STATIC_GAS,
  size: {
    exponentByte: 50,
    copyWord: 3,
    keccakWord: 6,
    logTopic: 375,
    logByte: 8,
    initcodeWord: 0,
    codeByte: 200,
  },
  memory: { word: 3, quadraticDivisor: 512, maximumSize: null },
  storage: {
    scheme: 'net',
    sentry: 0,
    unchanged: 200,
    set: 20_000,
    reset: 5_000,
    clearRefund: 15_000,
    restoredZeroRefund: 19_800,
    restoredValueRefund: 4_800,
  },
  access: null,
  call: { value: 9_000, stipend: 2_300, newAccount: 25_000 },
  selfDestructRefund: 24_000,
  refundQuotient: 2,
};

const FLAT_STORAGE_GAS: FlatStorageGas = { scheme: 'flat', set: 20_000, reset: 5_000, clearRefund: 15_000 };

/** Petersburg takes EIP-1283 back (EIP-1716). */
export const PETERSBURG_GAS: GasSchedule = { ...CONSTANTINOPLE_GAS, storage: FLAT_STORAGE_GAS };

const ISTANBUL_STORAGE_GAS: NetStorageGas = {
  scheme: 'net',
  sentry: 2_300,
  unchanged: 800,
  set: 20_000,
  reset: 5_000,
  clearRefund: 15_000,
  restoredZeroRefund: 19_200,
  restoredValueRefund: 4_200,
};

/** SLOAD, BALANCE and EXTCODEHASH are dearer (EIP-1884), SSTORE is metered net again (EIP-2200). */
export const ISTANBUL_GAS: GasSchedule = {
  ...PETERSBURG_GAS,
  opcode: repriced(PETERSBURG_GAS.opcode, {
    SLOAD: 800,
    BALANCE: 700,
    EXTCODEHASH: 700,
    CHAINID: 2,
    SELFBALANCE: 5,
  }),
  storage: ISTANBUL_STORAGE_GAS,
};

const BERLIN_STORAGE_GAS: NetStorageGas = {
  ...ISTANBUL_STORAGE_GAS,
  unchanged: 100,
  reset: 2_900,
  restoredZeroRefund: 19_900,
  restoredValueRefund: 2_800,
};

/** A first access is cold and dear, any other is warm and cheap (EIP-2929). */
export const BERLIN_GAS: GasSchedule = {
  ...ISTANBUL_GAS,
  opcode: repriced(ISTANBUL_GAS.opcode, {
    SLOAD: 100,
    BALANCE: 100,
    EXTCODESIZE: 100,
    EXTCODECOPY: 100,
    EXTCODEHASH: 100,
    CALL: 100,
    CALLCODE: 100,
    DELEGATECALL: 100,
    STATICCALL: 100,
  }),
  storage: BERLIN_STORAGE_GAS,
  access: { warm: 100, coldAccount: 2_600, coldSlot: 2_100, isCoinbaseWarm: false },
};

/** Less is given back (EIP-3529); BASEFEE (EIP-3198). Paris changes nothing. */
export const LONDON_GAS: GasSchedule = {
  ...BERLIN_GAS,
  opcode: repriced(BERLIN_GAS.opcode, { BASEFEE: 2 }),
  storage: { ...BERLIN_STORAGE_GAS, clearRefund: 4_800 },
  selfDestructRefund: 0,
  refundQuotient: 5,
};

/** A warm coinbase (EIP-3651), PUSH0 (EIP-3855), initcode paid by the word (EIP-3860). */
export const SHANGHAI_GAS: GasSchedule = {
  ...LONDON_GAS,
  opcode: repriced(LONDON_GAS.opcode, { PUSH0: 2 }),
  size: { ...LONDON_GAS.size, initcodeWord: 2 },
  access: { warm: 100, coldAccount: 2_600, coldSlot: 2_100, isCoinbaseWarm: true },
};

/** TLOAD, TSTORE (EIP-1153), MCOPY (EIP-5656), BLOBHASH (EIP-4844), BLOBBASEFEE (EIP-7516). Prague changes nothing. */
export const CANCUN_GAS: GasSchedule = {
  ...SHANGHAI_GAS,
  opcode: repriced(SHANGHAI_GAS.opcode, { TLOAD: 100, TSTORE: 100, MCOPY: 3, BLOBHASH: 3, BLOBBASEFEE: 2 }),
};

/** The network's: Petersburg's, with the prices of the opcodes added since, and a limit on memory. */
export const ROOTSTOCK_GAS: GasSchedule = {
  ...PETERSBURG_GAS,
  opcode: repriced(PETERSBURG_GAS.opcode, {
    CHAINID: 2,
    SELFBALANCE: 5,
    BASEFEE: 2,
    PUSH0: 2,
    TLOAD: 100,
    TSTORE: 100,
    MCOPY: 3,
  }),
  size: { ...PETERSBURG_GAS.size, initcodeWord: 2 },
  memory: { ...PETERSBURG_GAS.memory, maximumSize: 2 ** 30 },
};
