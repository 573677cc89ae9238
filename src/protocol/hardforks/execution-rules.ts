import {
  BERLIN_GAS,
  CANCUN_GAS,
  CONSTANTINOPLE_GAS,
  type GasSchedule,
  ISTANBUL_GAS,
  LONDON_GAS,
  PETERSBURG_GAS,
  ROOTSTOCK_GAS,
  SHANGHAI_GAS,
} from './gas-schedule.ts';
import {
  CANCUN_OPCODES,
  CONSTANTINOPLE_OPCODES,
  ISTANBUL_OPCODES,
  LONDON_OPCODES,
  type OpcodeAvailability,
  ROOTSTOCK_OPCODES,
  SHANGHAI_OPCODES,
} from './opcode-availability.ts';
import {
  BERLIN_PRECOMPILE_GAS,
  CONSTANTINOPLE_PRECOMPILE_GAS,
  ISTANBUL_PRECOMPILE_GAS,
  type PrecompileGas,
} from './precompile-gas.ts';
import type { KnownRuleSetName } from './rule-set.ts';

/** How frames get their gas, and how deep they nest. */
export interface CallRules {
  /** The deepest frame; the message itself is 0. A call or creation in that frame pushes 0, its gas comes back. */
  readonly maximumDepth: number;
  /** A frame keeps one 64th of its gas from those inside it (EIP-150); else it may give all, and a creation gets all. */
  readonly keepsOneSixtyFourth: boolean;
  /**
   * Whether the stipend comes from nowhere. Where it does not, the callee of a call with value gets the gas asked for
   * and the stipend, as far as it is there, and the caller pays for all of it; with less than the stipend left, the
   * call halts its frame for want of gas.
   */
  readonly isStipendFree: boolean;
  /**
   * Who pays the surcharge for a new account. `value to an empty account`: CALL with a value, and SELFDESTRUCT with a
   * balance, to an account that is empty or missing (EIP-161). `any to a missing account`: each CALL and SELFDESTRUCT
   * to an account that does not exist, whatever the value. Precompiles are never new accounts under the second.
   */
  readonly newAccountCharge: 'value to an empty account' | 'any to a missing account';
  /** Code may stand for that of another account (EIP-7702). */
  readonly followsDelegations: boolean;
}

/** How contracts come to be. */
export interface CreationRules {
  /** The nonce of a contract that a transaction creates. One that an opcode creates begins with 1 (EIP-161). */
  readonly nonceByTransaction: 0 | 1;
  /** Code that begins with 0xef is refused (EIP-3541). */
  readonly refusesEfCode: boolean;
  /** A contract that ended earlier in the same block still holds its address. */
  readonly isTakenUntilBlockEnds: boolean;
  /** RETURNDATA after a creation that reverted is what it reverted with (EIP-211); else empty. */
  readonly returnsRevertData: boolean;
}

/** When accounts come and go. */
export interface AccountRules {
  /**
   * An account with nonce and balance 0 and no code is one that does not exist, and is removed once it has taken part
   * in a transaction (EIP-161). Where it is not so, a call leaves an account behind whose address had none, and an
   * empty account exists for EXTCODEHASH and for the surcharge on new accounts.
   */
  readonly clearsEmpty: boolean;
  /** Which contracts SELFDESTRUCT removes when the transaction ends (EIP-6780); the others only give their balance. */
  readonly selfDestructRemoves: 'all' | 'created in the same transaction';
}

/** How precompiles differ from other accounts. */
export interface PrecompileRules {
  readonly gas: PrecompileGas;
  /**
   * What a precompile takes that cannot work on its input: all gas given, or its price alone. One that is given less
   * than its price takes all in either case.
   */
  readonly failureTakes: 'all gas' | 'its price';
  /**
   * Precompiles look like contracts: EXTCODESIZE is 2^256 - 1, EXTCODEHASH the hash of nothing, whether or not there is
   * an account. Else they look like any account.
   */
  readonly looksLikeContract: boolean;
  /**
   * A transaction to a precompile that cannot work on its input succeeds, without transferring its value. Its receipt has
   * the gas that was used, but the sender pays for the whole gas limit.
   */
  readonly failureInTransactionSucceeds: boolean;
}

/** What code is told of its block. */
export interface EnvironmentRules {
  /** What opcode 0x44 answers: DIFFICULTY, or PREVRANDAO (EIP-4399). */
  readonly difficultyAnswers: 'difficulty' | 'prevRandao';
  /** What BASEFEE answers where the rule set has it. */
  readonly baseFeeAnswers: 'baseFeePerGas' | 'minimumGasPrice';
}

/**
 * What code may do and what it costs under a rule set. What a transaction pays before any code runs, and the limits on
 * code and initcode, are in its `RuleSet`.
 *
 * The same under all of them: a call that asks for more gas than may be given gets what may be given. A creation or a
 * call with value that fails for depth or balance costs its opcode alone, and raises no nonce. Other creations raise
 * the creator's nonce whatever becomes of them. An address is taken by code, by a nonce, and by storage (EIP-7610); a
 * creation there takes all gas given. So does one whose code is too large, is refused, or cannot be paid for. CREATE
 * and CREATE2 halt their frame when the initcode is too large. A new contract keeps the balance of its address. A
 * static call may not write storage, log, create, end a contract or CALL with a value (EIP-214). A halt takes all gas
 * of its frame.
 */
export interface ExecutionRules {
  readonly name: KnownRuleSetName;
  readonly opcodes: OpcodeAvailability;
  readonly gas: GasSchedule;
  readonly calls: CallRules;
  readonly creations: CreationRules;
  readonly accounts: AccountRules;
  readonly precompiles: PrecompileRules;
  readonly environment: EnvironmentRules;
}

const CONSTANTINOPLE: ExecutionRules = {
  name: 'constantinople',
  opcodes: CONSTANTINOPLE_OPCODES,
  gas: CONSTANTINOPLE_GAS,
  calls: {
    maximumDepth: 1_024,
    keepsOneSixtyFourth: true,
    isStipendFree: true,
    newAccountCharge: 'value to an empty account',
    followsDelegations: false,
  },
  creations: {
    nonceByTransaction: 1,
    refusesEfCode: false,
    isTakenUntilBlockEnds: false,
    returnsRevertData: true,
  },
  accounts: { clearsEmpty: true, selfDestructRemoves: 'all' },
  precompiles: {
    gas: CONSTANTINOPLE_PRECOMPILE_GAS,
    failureTakes: 'all gas',
    looksLikeContract: false,
    failureInTransactionSucceeds: false,
  },
  environment: { difficultyAnswers: 'difficulty', baseFeeAnswers: 'baseFeePerGas' },
};

const PETERSBURG: ExecutionRules = { ...CONSTANTINOPLE, name: 'petersburg', gas: PETERSBURG_GAS };

const ISTANBUL: ExecutionRules = {
  ...PETERSBURG,
  name: 'istanbul',
  opcodes: ISTANBUL_OPCODES,
  gas: ISTANBUL_GAS,
  precompiles: { ...PETERSBURG.precompiles, gas: ISTANBUL_PRECOMPILE_GAS },
};

const BERLIN: ExecutionRules = {
  ...ISTANBUL,
  name: 'berlin',
  gas: BERLIN_GAS,
  precompiles: { ...ISTANBUL.precompiles, gas: BERLIN_PRECOMPILE_GAS },
};

const LONDON: ExecutionRules = {
  ...BERLIN,
  name: 'london',
  opcodes: LONDON_OPCODES,
  gas: LONDON_GAS,
  creations: { ...BERLIN.creations, refusesEfCode: true },
};

const PARIS: ExecutionRules = {
  ...LONDON,
  name: 'paris',
  environment: { ...LONDON.environment, difficultyAnswers: 'prevRandao' },
};

const SHANGHAI: ExecutionRules = { ...PARIS, name: 'shanghai', opcodes: SHANGHAI_OPCODES, gas: SHANGHAI_GAS };

const CANCUN: ExecutionRules = {
  ...SHANGHAI,
  name: 'cancun',
  opcodes: CANCUN_OPCODES,
  gas: CANCUN_GAS,
  accounts: { ...SHANGHAI.accounts, selfDestructRemoves: 'created in the same transaction' },
};

const PRAGUE: ExecutionRules = {
  ...CANCUN,
  name: 'prague',
  calls: { ...CANCUN.calls, followsDelegations: true },
};

/**
 * The network's own. Its old feature by which code that begins with 0xfc has a header of version numbers is left out:
 * such code runs, and halts, as that byte is no opcode.
 */
const ROOTSTOCK: ExecutionRules = {
  ...PETERSBURG,
  name: 'rootstock',
  opcodes: ROOTSTOCK_OPCODES,
  gas: ROOTSTOCK_GAS,
  calls: {
    // RSKIP-150
    maximumDepth: 400,
    keepsOneSixtyFourth: false,
    isStipendFree: false,
    newAccountCharge: 'any to a missing account',
    followsDelegations: false,
  },
  creations: {
    nonceByTransaction: 0,
    // RSKIP-544
    refusesEfCode: true,
    isTakenUntilBlockEnds: true,
    returnsRevertData: false,
  },
  accounts: { clearsEmpty: false, selfDestructRemoves: 'all' },
  precompiles: {
    gas: ISTANBUL_PRECOMPILE_GAS,
    failureTakes: 'its price',
    looksLikeContract: true,
    failureInTransactionSucceeds: true,
  },
  // RSKIP-412
  environment: { difficultyAnswers: 'difficulty', baseFeeAnswers: 'minimumGasPrice' },
};

const EXECUTION_RULES: Readonly<Record<KnownRuleSetName, ExecutionRules>> = {
  rootstock: ROOTSTOCK,
  constantinople: CONSTANTINOPLE,
  petersburg: PETERSBURG,
  istanbul: ISTANBUL,
  berlin: BERLIN,
  london: LONDON,
  paris: PARIS,
  shanghai: SHANGHAI,
  cancun: CANCUN,
  prague: PRAGUE,
};

/** What code may do and what it costs under the rule set of that name. */
export function executionRulesOf(name: KnownRuleSetName): ExecutionRules {
  return EXECUTION_RULES[name];
}
