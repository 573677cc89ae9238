/** The type of a rule set: all differences between the supported chains, in one record. */

import type { FeeRule } from '../fees.ts';
import type { Encoding } from '../field-kinds.ts';
import type { TransactionType } from '../transaction.ts';
import type { GasSchedule } from './gas-schedule.ts';
import type { OpcodePrices } from './opcodes.ts';
import type { PegDraft, PrecompileGas, PrecompileName } from './precompiles.ts';
import type { SystemContract } from './system-contracts.ts';

/** The gas charged before any code runs. Initcode has the price of CREATE; see `SizeGas`. */
export interface IntrinsicGas {
  readonly transaction: bigint;
  readonly creation: bigint;
  /** For a call to an account other than the sender (EIP-2780). */
  readonly recipient: bigint;
  /** For sending wei to an account other than the sender, except in creations (EIP-2780). */
  readonly value: bigint;
  readonly zeroByte: bigint;
  readonly nonZeroByte: bigint;
  readonly accessListAddress: bigint;
  readonly accessListSlot: bigint;
  /** Per byte of a non-empty access list in RLP (RSKIP-546). */
  readonly accessListByte: bigint;
  /** Per EIP-7702 authorization. */
  readonly authorization: bigint;
  /** The refund per valid authorization, if the authority already is an account of this kind. */
  readonly authorizationRefund: { readonly gas: bigint; readonly authority: 'existing' | 'delegated' };
  /** Minimum gas per calldata token (EIP-7623); 0 before Prague. A non-zero byte is four tokens. */
  readonly floorPerToken: bigint;
  /** The base of the minimum gas: only the transaction, or also creation, recipient and value. */
  readonly floorBegins: 'with the transaction' | 'with creation, recipient and value';
  /** Tokens of a zero byte: 1, or the same as a non-zero byte (EIP-7976). */
  readonly zeroByteTokens: 1 | 4;
  /** Tokens per byte of access lists: 0 or 4 (EIP-7981). Each costs `floorPerToken` extra. */
  readonly accessListByteTokens: 0 | 4;
}

/** The rules for the gas and depth of frames. */
export interface CallRules {
  /** Maximum depth; the top-level message has depth 0. A deeper call pushes 0 and returns its gas. */
  readonly maximumDepth: number;
  /**
   * True if a frame keeps 1/64 of its gas in calls and creations (EIP-150). Otherwise a call may pass all
   * gas, and a creation passes all gas.
   */
  readonly keepsOneSixtyFourth: boolean;
  /**
   * True if the stipend is free. Otherwise, the caller also pays for it: the callee gets the requested gas
   * plus the stipend, capped by the gas left. With less gas than the stipend, the call halts as out of gas.
   */
  readonly isStipendFree: boolean;
  /**
   * The operations that pay the surcharge for a new account:
   *
   * - `value to an empty account`: CALL with value, and SELFDESTRUCT with balance, to an empty or missing
   *   account (EIP-161)
   * - `any to a missing account`: every CALL and SELFDESTRUCT to a missing account, except precompiles
   */
  readonly newAccountCharge: 'value to an empty account' | 'any to a missing account';
  /** True if delegations are followed (EIP-7702). */
  readonly followsDelegations: boolean;
  /**
   * True if delegates and authorities are accessed accounts (EIP-2929): they become warm, and a call pays for
   * the delegate.
   */
  readonly delegationsAreAccesses: boolean;
  /** True if each transfer of wei to another account emits a log of the system address (EIP-7708). */
  readonly logsTransfers: boolean;
}

/** The rules of contract creation. */
export interface CreationRules {
  /** Initial nonce of a contract created by a transaction; 1 if created by an opcode (EIP-161). */
  readonly nonceByTransaction: 0 | 1;
  /** True if code with the prefix 0xef is rejected (EIP-3541). */
  readonly rejectsEfCode: boolean;
  /** True if a contract destroyed earlier in the block still reserves its address. */
  readonly isTakenUntilBlockEnds: boolean;
  /** True if the return data after a reverted creation is its revert data (EIP-211), not empty. */
  readonly returnsRevertData: boolean;
}

/** The rules for the existence and removal of accounts. */
export interface AccountRules {
  /**
   * True if empty accounts do not exist and are removed when a transaction touches them (EIP-161). Otherwise
   * a call creates an account at an unused address, and an empty account exists for EXTCODEHASH and the
   * new-account surcharge.
   */
  readonly clearsEmpty: boolean;
  /** The contracts that SELFDESTRUCT removes (EIP-6780). Others only send their balance. */
  readonly selfDestructRemoves: 'all' | 'created in the same transaction';
  /**
   * The remaining balance of a removed contract is burned, or stays in an account without
   * code (EIP-8246). A balance remains if the contract is its own beneficiary or receives wei later in the
   * transaction.
   */
  readonly removedBalance: 'is burned' | 'stays';
  /** True if an account with code, except a delegation, may not send transactions (EIP-3607). */
  readonly codeKeepsFromSending: boolean;
  /** True if the pool accepts only one transaction of an account with a delegation (RSKIP-545). */
  readonly delegatedSendOnlyOne: boolean;
}

/** Direct calls of a precompile that cost no gas. */
export interface FreeCalls {
  /** 20 bytes: the address of the precompile. */
  readonly to: Uint8Array;
  /** The senders, as map keys. */
  readonly senders: ReadonlySet<string>;
}

/** The rules of precompiles. */
export interface PrecompileRules {
  /** Rootstock's proposals for the peg, in addition to the proposals of the chain (`rootstockUpgradesOf`). */
  readonly pegUpgrades: ReadonlySet<PegDraft>;
  /** The precompiles that code can call, by ascending address. */
  readonly contracts: readonly PrecompileName[];
  readonly gas: PrecompileGas;
  /** The gas that a failed precompile takes; always all gas if it is less than the price. */
  readonly failureTakes: 'all gas' | 'its price';
  /**
   * True if precompiles look like contracts: EXTCODESIZE is 2^256 - 1, and EXTCODEHASH is the hash of empty
   * code. Otherwise they look like any account.
   */
  readonly looksLikeContract: boolean;
  /**
   * True if a transaction to a failing precompile succeeds without transferring its value. Its receipt has
   * the gas used, but the sender pays the whole gas limit. Otherwise the transaction halts and uses all gas.
   */
  readonly failureInTransactionSucceeds: boolean;
  /** The direct calls of a precompile that cost no gas; `null` if there are none. */
  readonly freeCalls: FreeCalls | null;
}

/** The limits and prices of blobs (EIP-4844). Blob gas has its own base fee. */
export interface BlobRules {
  /** Blobs per block: the target, which keeps the blob base fee constant, and the maximum. */
  readonly target: number;
  readonly maximum: number;
  /** Maximum number of blobs per transaction. */
  readonly maximumInTransaction: number;
  /** Minimum blob base fee in wei per blob gas. */
  readonly minBaseFee: bigint;
  /** Determines the change of the blob base fee: a smaller fraction means faster changes. */
  readonly baseFeeUpdateFraction: bigint;
  /**
   * Minimum cost of a blob in execution gas: if blob gas is cheaper, its base fee does not fall (EIP-7918).
   * `null` without this rule.
   */
  readonly reserveGas: bigint | null;
  /** The proofs in a transaction with blobs: one per blob, or one per cell (EIP-7594). */
  readonly sidecar: 'blob proofs' | 'cell proofs';
}

/** The results of opcodes that read the block. */
export interface EnvironmentRules {
  /** The result of opcode 0x44: DIFFICULTY, or PREVRANDAO (EIP-4399). */
  readonly difficultyAnswers: 'difficulty' | 'prevRandao';
  /** The result of BASEFEE. */
  readonly baseFeeAnswers: 'baseFeePerGas' | 'minimumGasPrice';
}

/** The series of a proposal. */
export type ProposalKind = 'EIP' | 'RSKIP';

/** The proposals of a hardfork that is not final. */
export interface Preview {
  /** The series of all proposals below. */
  readonly kind: ProposalKind;
  /** The implemented proposals by number, with their changes. */
  readonly included: Readonly<Record<number, string>>;
  /** Proposals that affect this node but are not implemented. */
  readonly leftOut: Readonly<Record<number, string>>;
  /** The proposals that affect only the consensus layer or networking, by number. */
  readonly elsewhere: Readonly<Record<number, string>>;
}

/** The rules of the reference engine, in the terms of ethereumjs (`@ethereumjs/vm`). */
export interface ReferenceRules {
  /** The name of the hardfork in ethereumjs. */
  readonly hardfork: string;
  /** The EIPs of the hardfork, if they differ from ethereumjs; otherwise `null`. */
  readonly eips: readonly number[] | null;
  /** Parameters that differ from ethereumjs, by EIP and name. */
  readonly parameters: Readonly<Record<number, Readonly<Record<string, number>>>>;
  /** The virtual machine: ethereumjs' own, or one with Rootstock's opcodes, precompiles and call gas. */
  readonly machine: 'ethereum' | 'network';
}

/** An account with a balance in the genesis block. */
export interface InitialBalance {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Wei. */
  readonly balance: bigint;
}

/**
 * The rules of a chain.
 *
 * These rules are common to all rule sets:
 *
 * - A call that requests too much gas gets the maximum that may be passed.
 * - A creation or a call with value that fails for depth or balance costs only its opcode and does not change
 *   a nonce.
 * - All other creations increment the creator's nonce, even if they fail.
 * - An address with code, nonce or storage is taken (EIP-7610). A creation at a taken address uses up its
 *   gas.
 * - A creation also uses up its gas if its code is too large, rejected, or too expensive to deploy.
 * - CREATE and CREATE2 halt their frame if the initcode is too large.
 * - A new contract keeps the balance of its address.
 * - A static call may not write storage, log, create, selfdestruct, or CALL with value (EIP-214).
 * - A halt uses up all gas of its frame.
 */
export interface RuleSet {
  /** The name in the registry. */
  readonly name: string;
  /** The transaction types allowed in a block (EIP-2718). */
  readonly transactionTypes: readonly TransactionType[];
  /** True if the first byte 0x02 and a byte up to 0x7f start an envelope of Rootstock's own types (RSKIP-543). */
  readonly hasOwnEnvelopes: boolean;
  /** True if the items of access lists are warm (EIP-2930). Otherwise the lists have no effect (RSKIP-546). */
  readonly accessListsWarm: boolean;
  readonly fees: FeeRule;
  /** True under proof of stake: difficulty 0, and PREVRANDAO instead of DIFFICULTY (EIP-4399). */
  readonly isProofOfStake: boolean;
  /** The difficulty of local blocks: 0 under proof of stake, otherwise at least 1. */
  readonly difficulty: bigint;
  /** True if headers contain the withdrawals root (EIP-4895). */
  readonly hasWithdrawals: boolean;
  /** True if headers contain blob gas and the beacon root (EIP-4844, EIP-4788). */
  readonly hasBlobFields: boolean;
  /** `null` if transactions have no blobs. */
  readonly blobs: BlobRules | null;
  /** True if headers contain the requests hash (EIP-7685). */
  readonly hasRequests: boolean;
  /** True if headers contain the hash of the block's access list (EIP-7928). */
  readonly hasAccessLists: boolean;
  /** True if headers contain the slot number, which code can read (EIP-7843). */
  readonly hasSlotNumbers: boolean;
  /** The transaction gas that counts for its block: after the refund, or before it (EIP-7778). */
  readonly blockGas: 'paid for' | 'before the refund';
  /** The EIPs that were added to the hardfork on their own. */
  readonly addedEips: readonly number[];
  /** The EIPs of a hardfork that is not final and may change; `null` if it is final. */
  readonly preview: Preview | null;
  /** The encoding of headers and receipts. */
  readonly encoding: Encoding;
  readonly initialBalances: readonly InitialBalance[];
  /** The contracts that the protocol calls in each block, in order. */
  readonly systemContracts: readonly SystemContract[];
  /** 20 bytes: the deposit contract of validators (EIP-6110); `null` if there is none. */
  readonly depositContract: Uint8Array | null;
  readonly intrinsicGas: IntrinsicGas;
  /** Bytes (EIP-170). */
  readonly maximumCodeSize: number;
  /** Bytes (EIP-3860); `null` for no limit. */
  readonly maximumInitcodeSize: number | null;
  /**
   * Maximum gas of a transaction (EIP-7825), including state gas (EIP-8037); `null` if only the block limits it.
   */
  readonly maximumTransactionGas: bigint | null;
  /** Maximum size of an encoded block in bytes (EIP-7934); `null` for no limit. */
  readonly maximumBlockSize: number | null;
  /** The default block gas limit, as in Ethereum's clients (EIP-7935). */
  readonly usualBlockGas: bigint;
  /** Minimum price increase in percent to replace a pending transaction. */
  readonly replacementBumpPercent: bigint;
  readonly opcodes: OpcodePrices;
  readonly gas: GasSchedule;
  readonly calls: CallRules;
  readonly creations: CreationRules;
  readonly accounts: AccountRules;
  readonly precompiles: PrecompileRules;
  readonly environment: EnvironmentRules;
  readonly reference: ReferenceRules;
  /** The Ethereum hardfork that tools should use for code of this chain. */
  readonly toolHardfork: string;
}

/** Maximum gas of a transaction: an amount, no limit, or the limit of the hardfork (EIP-7825). */
export type TransactionGasLimit = bigint | 'none' | 'hardfork';

/** More gas than any block has. The reference engine needs a number. */
const UNBOUNDED_GAS = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the larger limit; `null` for none. */
function higherLimit(first: bigint | null, second: bigint): bigint | null {
  return first !== null && first < second ? second : first;
}

/**
 * Returns the rule set with this limit, or unchanged for `hardfork`. The limit applies to execution gas if state gas
 * is separate (EIP-8037). The limit of all gas is then at least as high.
 */
export function withTransactionGasLimit(ruleSet: RuleSet, limit: TransactionGasLimit): RuleSet {
  if (limit === 'hardfork') return ruleSet;
  const { gas, reference } = ruleSet;
  if (gas.state === null) return { ...ruleSet, maximumTransactionGas: limit === 'none' ? null : limit };
  const executionLimit = limit === 'none' || limit > UNBOUNDED_GAS ? UNBOUNDED_GAS : limit;
  const library = { maxTransactionGasLimit: Number(executionLimit) };
  return {
    ...ruleSet,
    maximumTransactionGas: limit === 'none' ? null : higherLimit(ruleSet.maximumTransactionGas, limit),
    gas: { ...gas, state: { ...gas.state, executionLimit } },
    reference: { ...reference, parameters: { ...reference.parameters, 7825: library } },
  };
}

/** Returns the rule set with a different difficulty, or unchanged under proof of stake. */
export function withDifficulty(ruleSet: RuleSet, difficulty: bigint): RuleSet {
  return ruleSet.isProofOfStake ? ruleSet : { ...ruleSet, difficulty };
}
