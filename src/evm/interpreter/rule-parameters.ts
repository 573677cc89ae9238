import type { NetStorageGas } from '../../protocol/hardforks/gas-schedule.ts';
import { STACK_USE } from '../../protocol/hardforks/opcodes.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';

/** Limits that are not part of the rule set. */
export interface CodeLimits {
  /** Bytes; `null` for no limit. */
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

const NO_ACCESS = { warm: 0, coldAccount: 0, coldSlot: 0, coldSlotOfStore: 0 };

const NO_STATE_GAS = { newAccount: 0, slot: 0, codeByte: 0 };

/**
 * Returns the parameters of a rule set for the module, in the order of the module's memory. The build
 * generates the module's `Rule` enumeration from these keys.
 */
export function ruleParameters(
  ruleSet: RuleSet,
  limits: CodeLimits,
): Readonly<Record<string, number | boolean>> {
  const { gas, calls, creations, accounts, precompiles } = ruleSet;
  const { size, memory, storage } = gas;
  const net = storage.scheme === 'net' ? storage : NO_NET_STORAGE;
  const access = gas.access ?? NO_ACCESS;
  const state = gas.state ?? NO_STATE_GAS;
  return {
    exponentByte: size.exponentByte,
    copyWord: size.copyWord,
    keccakWord: size.keccakWord,
    logTopic: size.logTopic,
    logByte: size.logByte,
    initcodeWord: size.initcodeWord,
    codeByte: size.codeByte,
    codeWord: size.codeWord,
    memoryWord: memory.word,
    memoryDivisor: memory.quadraticDivisor,
    memoryMaximum: memory.maximumSize ?? NO_LIMIT,
    // Otherwise, only the current and the new value count.
    storeIsNet: storage.scheme === 'net',
    storeSentry: net.sentry,
    storeUnchanged: net.unchanged,
    storeSet: storage.set,
    storeReset: storage.reset,
    storeClearRefund: storage.clearRefund,
    storeRestoredZeroRefund: net.restoredZeroRefund,
    storeRestoredValueRefund: net.restoredValueRefund,
    hasAccess: gas.access !== null,
    isCoinbaseWarm: gas.access?.isCoinbaseWarm === true,
    warm: access.warm,
    coldAccount: access.coldAccount,
    coldSlot: access.coldSlot,
    coldSlotOfStore: access.coldSlotOfStore,
    callValue: gas.call.value,
    callStipend: gas.call.stipend,
    callNewAccount: gas.call.newAccount,
    newBeneficiary: gas.call.newBeneficiary,
    stateNewAccount: state.newAccount,
    stateSlot: state.slot,
    stateCodeByte: state.codeByte,
    delegateIsPaid: gas.state !== null,
    delegationsAreAccesses: calls.delegationsAreAccesses,
    selfdestructRefund: gas.selfDestructRefund,
    maximumDepth: calls.maximumDepth,
    keepsOneSixtyFourth: calls.keepsOneSixtyFourth,
    isStipendFree: calls.isStipendFree,
    newAccountIfMissing: calls.newAccountCharge === 'any to a missing account',
    followsDelegations: calls.followsDelegations,
    logsTransfers: calls.logsTransfers,
    transactionNonce: creations.nonceByTransaction,
    refusesEf: creations.rejectsEfCode,
    returnsRevertData: creations.returnsRevertData,
    clearsEmpty: accounts.clearsEmpty,
    endsOnlyCreated: accounts.selfDestructRemoves === 'created in the same transaction',
    removedBalanceStays: accounts.removedBalance === 'stays',
    failureTakesPrice: precompiles.failureTakes === 'its price',
    precompileLooksLikeContract: precompiles.looksLikeContract,
    maximumCode: limits.code ?? NO_LIMIT,
    maximumInitcode: limits.initcode ?? NO_LIMIT,
    failedPrecompileSucceedsAtTop: precompiles.failureInTransactionSucceeds,
  };
}

/** The table entry of an undefined opcode. */
export const NO_OPCODE = 0xffffffff;

/** Returns the opcode table, per entry from bit 0: static gas (16), items taken (8), left (8). */
export function opcodeTable({ opcodes }: RuleSet): number[] {
  return STACK_USE.map(({ taken, left }, opcode) => {
    const price = opcodes[opcode] ?? null;
    return price === null ? NO_OPCODE : (price | (taken << 16) | (left << 24)) >>> 0;
  });
}
