import type { TransactionType } from '../transaction.ts';

/** The rule sets by name: the network's own, and Ethereum's hardforks from Istanbul to Prague. */
export const RULE_SET_NAMES = [
  'rootstock',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
] as const;

export type RuleSetName = (typeof RULE_SET_NAMES)[number];

/**
 * Rule sets that no chain is offered: the public state tests of these hardforks check the gas and the calls that the
 * network shares with them. Tests call Petersburg `ConstantinopleFix`.
 */
export const HISTORIC_RULE_SET_NAMES = ['constantinople', 'petersburg'] as const;

/** A rule set that a chain can have, or one for tests alone. */
export type KnownRuleSetName = RuleSetName | (typeof HISTORIC_RULE_SET_NAMES)[number];

/** Gas charged before any code runs, and what transactions pay for their parts. */
export interface IntrinsicGas {
  readonly transaction: bigint;
  readonly creation: bigint;
  readonly zeroByte: bigint;
  readonly nonZeroByte: bigint;
  /** Per 32 bytes of initcode (EIP-3860); 0 before Shanghai. */
  readonly initcodeWord: bigint;
  readonly accessListAddress: bigint;
  readonly accessListSlot: bigint;
  /** Per EIP-7702 authorization. */
  readonly authorization: bigint;
  /** Least gas per token of data (EIP-7623); 0 before Prague. */
  readonly floorPerToken: bigint;
}

/** What the network is: everything that differs between the chains this node can play. */
export interface RuleSet {
  readonly name: KnownRuleSetName;
  /** Transaction types that may stand in a block (EIP-2718). */
  readonly transactionTypes: readonly TransactionType[];
  /** Headers carry a base fee that follows the blocks' fullness (EIP-1559). */
  readonly hasBaseFee: boolean;
  /** Proof of stake: difficulty 0 and PREVRANDAO in its place (EIP-4399). */
  readonly isProofOfStake: boolean;
  /** The difficulty of every local block: 0 under proof of stake, else at least 1. */
  readonly difficulty: bigint;
  /** Headers carry the root of withdrawals (EIP-4895). */
  readonly hasWithdrawals: boolean;
  /** Headers carry blob gas and the beacon root (EIP-4844, EIP-4788). */
  readonly hasBlobFields: boolean;
  /** By how much blob gas moves its price (EIP-4844, EIP-7691); `null` where headers have no blob gas. */
  readonly blobBaseFeeUpdateFraction: number | null;
  /** Headers carry the hash of requests (EIP-7685). */
  readonly hasRequests: boolean;
  /** Which field list headers and receipts are encoded by. */
  readonly encoding: 'network' | 'ethereum';
  readonly intrinsicGas: IntrinsicGas;
  /** Bytes (EIP-170). */
  readonly maximumCodeSize: number;
  /** Bytes (EIP-3860); `null` where there is no limit. */
  readonly maximumInitcodeSize: number | null;
  /** The sender must pay at least this many percent more to replace a pending transaction. */
  readonly replacementBumpPercent: bigint;
}

const ISTANBUL: RuleSet = {
  name: 'istanbul',
  transactionTypes: [0],
  hasBaseFee: false,
  isProofOfStake: false,
  difficulty: 1n,
  hasWithdrawals: false,
  hasBlobFields: false,
  blobBaseFeeUpdateFraction: null,
  hasRequests: false,
  encoding: 'ethereum',
  intrinsicGas: {
    transaction: 21_000n,
    creation: 32_000n,
    zeroByte: 4n,
    nonZeroByte: 16n,
    initcodeWord: 0n,
    accessListAddress: 2_400n,
    accessListSlot: 1_900n,
    authorization: 25_000n,
    floorPerToken: 0n,
  },
  maximumCodeSize: 24_576,
  maximumInitcodeSize: null,
  replacementBumpPercent: 10n,
};

// Calldata is dearer before EIP-2028.
const PETERSBURG: RuleSet = {
  ...ISTANBUL,
  name: 'petersburg',
  intrinsicGas: { ...ISTANBUL.intrinsicGas, nonZeroByte: 68n },
};
const CONSTANTINOPLE: RuleSet = { ...PETERSBURG, name: 'constantinople' };

const BERLIN: RuleSet = { ...ISTANBUL, name: 'berlin', transactionTypes: [0, 1] };
const LONDON: RuleSet = { ...BERLIN, name: 'london', transactionTypes: [0, 1, 2], hasBaseFee: true };
const PARIS: RuleSet = { ...LONDON, name: 'paris', isProofOfStake: true, difficulty: 0n };
const SHANGHAI: RuleSet = {
  ...PARIS,
  name: 'shanghai',
  hasWithdrawals: true,
  maximumInitcodeSize: 49_152,
  intrinsicGas: { ...PARIS.intrinsicGas, initcodeWord: 2n },
};
const CANCUN: RuleSet = {
  ...SHANGHAI,
  name: 'cancun',
  hasBlobFields: true,
  blobBaseFeeUpdateFraction: 3_338_477,
};
const PRAGUE: RuleSet = {
  ...CANCUN,
  name: 'prague',
  hasRequests: true,
  blobBaseFeeUpdateFraction: 5_007_716,
  transactionTypes: [0, 1, 2, 4],
  intrinsicGas: { ...CANCUN.intrinsicGas, floorPerToken: 10n },
};

/** The network's own rules: legacy transactions, no base fee, a minimum gas price in each header. */
const ROOTSTOCK: RuleSet = {
  ...ISTANBUL,
  name: 'rootstock',
  encoding: 'network',
  maximumInitcodeSize: 49_152,
  intrinsicGas: { ...ISTANBUL.intrinsicGas, initcodeWord: 2n },
  replacementBumpPercent: 40n,
};

const RULE_SETS: Readonly<Record<KnownRuleSetName, RuleSet>> = {
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

/** The rule set of that name. */
export function ruleSetNamed(name: KnownRuleSetName): RuleSet {
  return RULE_SETS[name];
}

/** The rule set with another difficulty; as it is under proof of stake, where blocks have none. */
export function withDifficulty(ruleSet: RuleSet, difficulty: bigint): RuleSet {
  return ruleSet.isProofOfStake ? ruleSet : { ...ruleSet, difficulty };
}
