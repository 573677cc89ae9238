/** The type of a rule set: everything that differs between the chains this node can play, in one record. */

import type { FeeRule } from '../fees.ts';
import type { Encoding } from '../field-kinds.ts';
import type { TransactionType } from '../transaction.ts';
import type { GasSchedule } from './gas-schedule.ts';
import type { OpcodePrices } from './opcodes.ts';
import type { PrecompileGas, PrecompileName } from './precompiles.ts';
import type { SystemContract } from './system-contracts.ts';

/** The gas that is charged before any code runs. The price of initcode is that of CREATE, see `SizeGas`. */
export interface IntrinsicGas {
  readonly transaction: bigint;
  readonly creation: bigint;
  /** A call of another account than the sender (EIP-2780). */
  readonly recipient: bigint;
  /** Wei that are sent to another account than the sender (EIP-2780); none of a creation. */
  readonly value: bigint;
  readonly zeroByte: bigint;
  readonly nonZeroByte: bigint;
  readonly accessListAddress: bigint;
  readonly accessListSlot: bigint;
  /** Per EIP-7702 authorization. */
  readonly authorization: bigint;
  /** Least gas per token of data (EIP-7623); 0 before Prague. A byte that is not zero is four tokens. */
  readonly floorPerToken: bigint;
  /** The prices that this least gas begins with: that of a transaction alone, or those of creation, recipient and value too. */
  readonly floorBegins: 'with the transaction' | 'with creation, recipient and value';
  /** The tokens of a zero byte: 1, or as many as of any other (EIP-7976). */
  readonly zeroByteTokens: 1 | 4;
  /**
   * The tokens of each byte of access lists, addresses and slots: 0, or 4 (EIP-7981), each of which costs `floorPerToken` whatever else the
   * transaction does.
   */
  readonly accessListByteTokens: 0 | 4;
}

/** The rules of the gas of frames, and of how deep they nest. */
export interface CallRules {
  /** The deepest frame; the message itself is 0. A call or creation in that frame pushes 0, its gas comes back. */
  readonly maximumDepth: number;
  /** A frame keeps one 64th of its gas from those inside it (EIP-150); else it may give all, and a creation gets all. */
  readonly keepsOneSixtyFourth: boolean;
  /**
   * True when the stipend comes from nowhere. Where it does not, the callee of a call with value gets the gas asked for
   * and the stipend, as far as it is there, and the caller pays for all of it; with less than the stipend left, the
   * call halts its frame for want of gas.
   */
  readonly isStipendFree: boolean;
  /**
   * The operations that pay the surcharge for a new account. `value to an empty account`: CALL with a value, and SELFDESTRUCT with a
   * balance, to an account that is empty or missing (EIP-161). `any to a missing account`: each CALL and SELFDESTRUCT
   * to an account that does not exist, whatever the value. Precompiles are never new accounts under the second.
   */
  readonly newAccountCharge: 'value to an empty account' | 'any to a missing account';
  /** Code may stand for that of another account (EIP-7702). */
  readonly followsDelegations: boolean;
  /** Each transfer of wei to another account leaves a log of the system address, like that of a token (EIP-7708). */
  readonly logsTransfers: boolean;
}

/** The rules of creating contracts. */
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

/** The conditions under which accounts exist and are removed. */
export interface AccountRules {
  /**
   * An account with nonce and balance 0 and no code is one that does not exist, and is removed once it has taken part
   * in a transaction (EIP-161). Where it is not so, a call leaves an account behind whose address had none, and an
   * empty account exists for EXTCODEHASH and for the surcharge on new accounts.
   */
  readonly clearsEmpty: boolean;
  /** The contracts that SELFDESTRUCT removes when the transaction ends (EIP-6780); the others only give their balance. */
  readonly selfDestructRemoves: 'all' | 'created in the same transaction';
  /**
   * The fate of the balance of a contract that SELFDESTRUCT removes, where it is its own beneficiary or gets wei later in the
   * transaction: it is burned with it, or stays behind in an account without code (EIP-8246).
   */
  readonly removedBalance: 'is burned' | 'stays';
  /** An account with code, other than that of a delegation, sends no signed transactions (EIP-3607). */
  readonly codeKeepsFromSending: boolean;
}

/** The rules of precompiles. */
export interface PrecompileRules {
  /** The precompiles that code can call, by address. */
  readonly contracts: readonly PrecompileName[];
  readonly gas: PrecompileGas;
  /**
   * The gas that a precompile takes that cannot work on its input: all gas given, or its price alone. One that is given
   * less than its price takes all in either case.
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

/** The limits of blobs, and their price (EIP-4844). Blob gas has a base fee of its own. */
export interface BlobRules {
  /** The blobs of a block at which the base fee of blob gas stays as it is, and the most of a block. */
  readonly target: number;
  readonly maximum: number;
  /** The most blobs of one transaction. */
  readonly maximumInTransaction: number;
  /** Wei per blob gas below which its base fee does not fall. */
  readonly leastBaseFee: bigint;
  /** By how much blob gas in excess of the target moves its base fee: the less, the faster. */
  readonly baseFeeUpdateFraction: bigint;
  /**
   * The gas of execution that a blob is to cost at least: where blob gas is cheaper, its base fee does not fall (EIP-7918). `null`
   * where nothing holds it up.
   */
  readonly reserveGas: bigint | null;
  /** The proofs by which a transaction shows that its blobs belong to its hashes: one for each blob, or one for each cell (EIP-7594). */
  readonly sidecar: 'blob proofs' | 'cell proofs';
}

/** The answers of opcodes about the block. */
export interface EnvironmentRules {
  /** The answer of opcode 0x44: DIFFICULTY, or PREVRANDAO (EIP-4399). */
  readonly difficultyAnswers: 'difficulty' | 'prevRandao';
  /** The answer of BASEFEE where the rule set has it. */
  readonly baseFeeAnswers: 'baseFeePerGas' | 'minimumGasPrice';
}

/** The state of a hardfork that is not final: which of its EIPs the rules have. */
export interface Preview {
  /** The EIPs that are played, by their numbers, with what each changes. */
  readonly included: Readonly<Record<number, string>>;
  /** The EIPs that would change what this node does but are not played. */
  readonly leftOut: Readonly<Record<number, string>>;
  /** The other EIPs of the hardfork by their numbers, of the consensus layer or of the network between nodes alone, and their subjects. */
  readonly elsewhere: Readonly<Record<number, string>>;
}

/** The rules for the reference engine, in the terms of its library (`@ethereumjs/vm`). */
export interface ReferenceRules {
  /** The library's name of the hardfork whose rules it plays. */
  readonly hardfork: string;
  /** The EIPs of that hardfork by the library's numbers, where they are not those that the library gives it; else `null`. */
  readonly eips: readonly number[] | null;
  /** Parameters that are other ones than the library's, by EIP and name. */
  readonly parameters: Readonly<Record<number, Readonly<Record<string, number>>>>;
  /** The machine that runs the code: the library's own, or the one with the network's opcodes, contracts and call gas. */
  readonly machine: 'ethereum' | 'network';
}

/** An account that owns coins in the first block of a chain. */
export interface InitialBalance {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Wei. */
  readonly balance: bigint;
}

/**
 * The rules of a chain.
 *
 * The same under all of them: a call that asks for more gas than may be given gets what may be given. A creation or a
 * call with value that fails for depth or balance costs its opcode alone, and raises no nonce. Other creations raise
 * the creator's nonce whatever becomes of them. An address is taken by code, by a nonce, and by storage (EIP-7610); a
 * creation there takes all gas given. So does one whose code is too large, is refused, or cannot be paid for. CREATE
 * and CREATE2 halt their frame when the initcode is too large. A new contract keeps the balance of its address. A
 * static call may not write storage, log, create, end a contract or CALL with a value (EIP-214). A halt takes all gas
 * of its frame.
 */
export interface RuleSet {
  /** The name that the registry has the rule set under. */
  readonly name: string;
  /** Transaction types that may stand in a block (EIP-2718). */
  readonly transactionTypes: readonly TransactionType[];
  readonly fees: FeeRule;
  /** Proof of stake: difficulty 0 and PREVRANDAO in its place (EIP-4399). */
  readonly isProofOfStake: boolean;
  /** The difficulty of every local block: 0 under proof of stake, else at least 1. */
  readonly difficulty: bigint;
  /** Headers carry the root of withdrawals (EIP-4895). */
  readonly hasWithdrawals: boolean;
  /** Headers carry blob gas and the beacon root (EIP-4844, EIP-4788). */
  readonly hasBlobFields: boolean;
  /** `null` where transactions carry no blobs. */
  readonly blobs: BlobRules | null;
  /** Headers carry the hash of requests (EIP-7685). */
  readonly hasRequests: boolean;
  /** Blocks have access lists, and headers carry their hash (EIP-7928). */
  readonly hasAccessLists: boolean;
  /** Headers carry the number of the slot, which code can ask for (EIP-7843). */
  readonly hasSlotNumbers: boolean;
  /** The gas of a transaction that counts for its block: that paid for, or that before the refund (EIP-7778). */
  readonly blockGas: 'paid for' | 'before the refund';
  /** The EIPs in the rules of a hardfork that is not final yet and may change; `null` for one that is final. */
  readonly preview: Preview | null;
  /** The list of fields that headers and receipts are encoded by. */
  readonly encoding: Encoding;
  readonly initialBalances: readonly InitialBalance[];
  /** The contracts that the protocol itself calls in each block, in the order of the calls. */
  readonly systemContracts: readonly SystemContract[];
  /** The contract whose deposits of stakes blocks have among their requests (EIP-6110): 20 bytes; `null` where they have none. */
  readonly depositContract: Uint8Array | null;
  readonly intrinsicGas: IntrinsicGas;
  /** Bytes (EIP-170). */
  readonly maximumCodeSize: number;
  /** Bytes (EIP-3860); `null` where there is no limit. */
  readonly maximumInitcodeSize: number | null;
  /** Gas that one transaction can have in any block (EIP-7825); `null` where only the block bounds it. */
  readonly maximumTransactionGas: bigint | null;
  /** Bytes of an encoded block (EIP-7934); `null` where there is no limit. */
  readonly maximumBlockSize: number | null;
  /** Gas of a block where nothing else is said; clients of Ethereum agree on it (EIP-7935). */
  readonly usualBlockGas: bigint;
  /** The sender must pay at least this many percent more to replace a pending transaction. */
  readonly replacementBumpPercent: bigint;
  readonly opcodes: OpcodePrices;
  readonly gas: GasSchedule;
  readonly calls: CallRules;
  readonly creations: CreationRules;
  readonly accounts: AccountRules;
  readonly precompiles: PrecompileRules;
  readonly environment: EnvironmentRules;
  readonly reference: ReferenceRules;
  /** The Ethereum hardfork by which tools are to run code of a chain with these rules. */
  readonly toolHardfork: string;
}

/** Maximum gas of a transaction: an amount, none, or that of the hardfork (EIP-7825). */
export type TransactionGasLimit = bigint | 'none' | 'hardfork';

/** More gas than any block has; the reference engine takes it as a number. */
const UNBOUNDED_GAS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Returns the rule set with that limit; the same object for that of the hardfork. If new state has a gas of its own (EIP-8037), the
 * limit is that of the gas for execution.
 */
export function withTransactionGasLimit(ruleSet: RuleSet, limit: TransactionGasLimit): RuleSet {
  if (limit === 'hardfork') return ruleSet;
  const { gas, reference } = ruleSet;
  if (gas.state === null) return { ...ruleSet, maximumTransactionGas: limit === 'none' ? null : limit };
  const executionLimit = limit === 'none' || limit > UNBOUNDED_GAS ? UNBOUNDED_GAS : limit;
  const library = { maxTransactionGasLimit: Number(executionLimit) };
  return {
    ...ruleSet,
    gas: { ...gas, state: { ...gas.state, executionLimit } },
    reference: { ...reference, parameters: { ...reference.parameters, 7825: library } },
  };
}

/** Returns the rule set with another difficulty, or as it is under proof of stake, where blocks have none. */
export function withDifficulty(ruleSet: RuleSet, difficulty: bigint): RuleSet {
  return ruleSet.isProofOfStake ? ruleSet : { ...ruleSet, difficulty };
}
