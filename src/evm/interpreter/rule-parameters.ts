import type { NetStorageGas } from '../../protocol/hardforks/gas-schedule.ts';
import { OPCODES } from '../../protocol/hardforks/opcodes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';

/** Limits that are not part of the execution rules. */
export interface CodeLimits {
  /** Bytes; `null` where there is no limit. */
  readonly code: number | null;
  readonly initcode: number | null;
}

const NO_LIMIT = 2 ** 52;

const NO_NET_STORAGE: Omit<NetStorageGas, 'scheme' | 'set' | 'reset' | 'clearRefund'> = {
  sentry: 0,
  unchanged: 0,
  restoredZeroRefund: 0,
  restoredValueRefund: 0,
};

const NO_ACCESS = { warm: 0, coldAccount: 0, coldSlot: 0 };

/** What the module is told of a rule set: the numbers of `assembly/rules.ts`, in their order. */
export function ruleParameters(ruleSet: RuleSet, limits: CodeLimits): bigint[] {
  const { gas, calls, creations, accounts, precompiles } = ruleSet;
  const { size, memory, storage } = gas;
  const net = storage.scheme === 'net' ? storage : NO_NET_STORAGE;
  const access = gas.access ?? NO_ACCESS;
  const numbers: (number | boolean)[] = [
    size.exponentByte,
    size.copyWord,
    size.keccakWord,
    size.logTopic,
    size.logByte,
    size.initcodeWord,
    size.codeByte,
    memory.word,
    memory.quadraticDivisor,
    memory.maximumSize ?? NO_LIMIT,
    storage.scheme === 'net',
    net.sentry,
    net.unchanged,
    storage.set,
    storage.reset,
    storage.clearRefund,
    net.restoredZeroRefund,
    net.restoredValueRefund,
    gas.access !== null,
    access.warm,
    access.coldAccount,
    access.coldSlot,
    gas.call.value,
    gas.call.stipend,
    gas.call.newAccount,
    gas.selfDestructRefund,
    calls.maximumDepth,
    calls.keepsOneSixtyFourth,
    calls.isStipendFree,
    calls.newAccountCharge === 'any to a missing account',
    calls.followsDelegations,
    creations.nonceByTransaction,
    creations.refusesEfCode,
    creations.returnsRevertData,
    accounts.clearsEmpty,
    accounts.selfDestructRemoves === 'created in the same transaction',
    precompiles.failureTakes === 'its price',
    precompiles.looksLikeContract,
    limits.code ?? NO_LIMIT,
    limits.initcode ?? NO_LIMIT,
    precompiles.failureInTransactionSucceeds,
  ];
  return numbers.map((number) => BigInt(number));
}

const NO_OPCODE = 0xffffffff;

/** How many items the opcodes take from the stack and leave on it, except for those that come in rows. */
const STACK_USE: readonly (readonly [taken: number, left: number, opcodes: readonly number[]])[] = [
  [0, 0, [OPCODES.STOP, OPCODES.JUMPDEST, OPCODES.INVALID]],
  [1, 0, [OPCODES.POP, OPCODES.JUMP, OPCODES.SELFDESTRUCT]],
  [2, 0, [OPCODES.MSTORE, OPCODES.MSTORE8, OPCODES.SSTORE, OPCODES.JUMPI, OPCODES.TSTORE]],
  [2, 0, [OPCODES.RETURN, OPCODES.REVERT]],
  [3, 0, [OPCODES.CALLDATACOPY, OPCODES.CODECOPY, OPCODES.RETURNDATACOPY, OPCODES.MCOPY]],
  [4, 0, [OPCODES.EXTCODECOPY]],
  [1, 1, [OPCODES.ISZERO, OPCODES.NOT, OPCODES.BALANCE, OPCODES.CALLDATALOAD, OPCODES.EXTCODESIZE]],
  [1, 1, [OPCODES.EXTCODEHASH, OPCODES.BLOCKHASH, OPCODES.BLOBHASH, OPCODES.MLOAD, OPCODES.SLOAD]],
  // 0x1e is CLZ (EIP-7939), which no rule set has yet.
  [1, 1, [OPCODES.TLOAD, 0x1e]],
  [2, 1, [OPCODES.ADD, OPCODES.MUL, OPCODES.SUB, OPCODES.DIV, OPCODES.SDIV, OPCODES.MOD, OPCODES.SMOD]],
  [2, 1, [OPCODES.EXP, OPCODES.SIGNEXTEND, OPCODES.LT, OPCODES.GT, OPCODES.SLT, OPCODES.SGT, OPCODES.EQ]],
  [2, 1, [OPCODES.AND, OPCODES.OR, OPCODES.XOR, OPCODES.BYTE, OPCODES.SHL, OPCODES.SHR, OPCODES.SAR]],
  [2, 1, [OPCODES.KECCAK256]],
  [3, 1, [OPCODES.ADDMOD, OPCODES.MULMOD, OPCODES.CREATE]],
  [4, 1, [OPCODES.CREATE2]],
  [6, 1, [OPCODES.DELEGATECALL, OPCODES.STATICCALL]],
  [7, 1, [OPCODES.CALL, OPCODES.CALLCODE]],
];

function stackUse(): (readonly [taken: number, left: number])[] {
  // Whatever is not named pushes one item: the pushes, and what tells of the environment.
  const use = new Array<readonly [number, number]>(256).fill([0, 1]);
  for (const [taken, left, opcodes] of STACK_USE) for (const opcode of opcodes) use[opcode] = [taken, left];
  for (let count = 1; count <= 16; count++) {
    use[OPCODES.DUP1 + count - 1] = [count, count + 1];
    use[OPCODES.SWAP1 + count - 1] = [count + 1, count + 1];
  }
  for (let topics = 0; topics <= 4; topics++) use[OPCODES.LOG0 + topics] = [2 + topics, 0];
  return use;
}

/** The table of opcodes as `assembly/layout.ts` wants it: static gas, items taken, items left. */
export function opcodeTable({ opcodes }: RuleSet): number[] {
  return stackUse().map(([taken, left], opcode) => {
    const price = opcodes[opcode] ?? null;
    return price === null ? NO_OPCODE : (price | (taken << 16) | (left << 24)) >>> 0;
  });
}
