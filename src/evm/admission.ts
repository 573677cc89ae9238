// Checks before a message is executed, the gas left in a block, and the charges before any code runs.

import { blobCost, blobGasOf, blobsFault } from '../protocol/blobs.ts';
import type { FeeRule } from '../protocol/fees.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { floorGas, initialGas } from '../protocol/intrinsic-gas.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { isDelegation } from '../state/account.ts';
import type { AccountView } from '../state/overlay.ts';
import {
  type BlockEnvironment,
  type ExecutionResult,
  type Message,
  type MessageCosts,
  type StartingGas,
  UnexecutableError,
} from './engine.ts';

/** A transaction must be valid. A call need not be. */
export type Purpose = 'transaction' | 'call';

/**
 * Base fee of an execution in wei per gas; `null` under rule sets without a base fee. A call that offers less
 * than the base fee of the block uses its offer, so that GASPRICE is never below BASEFEE.
 */
export function baseFeeFor(
  { baseFeePerGas }: Pick<BlockEnvironment, 'baseFeePerGas'>,
  { maxFeePerGas }: Pick<Message, 'maxFeePerGas'>,
  purpose: Purpose,
): bigint | null {
  const isBelow = baseFeePerGas !== null && maxFeePerGas < baseFeePerGas;
  return isBelow && purpose === 'call' ? maxFeePerGas : baseFeePerGas;
}

/** Environment of an execution. A call that offers less than the blob base fee uses its offer. */
export function environmentFor(
  environment: BlockEnvironment,
  message: Message,
  purpose: Purpose,
): BlockEnvironment {
  const { maxFeePerBlobGas, blobVersionedHashes } = message;
  const isBelow = blobVersionedHashes.length > 0 && maxFeePerBlobGas < (environment.blobBaseFee ?? 0n);
  if (!isBelow || purpose !== 'call') return environment;
  const shown = environment.showsFees === true ? { shownBlobBaseFee: environment.blobBaseFee } : {};
  return { ...environment, blobBaseFee: maxFeePerBlobGas, ...shown };
}

/**
 * Checks the rules of transactions and calls: the transaction type, the size of the initcode, the intrinsic
 * gas, consistent fees and the base fee. `initcodeLimit` is in bytes; `null` means no limit. Returns the gas
 * paid before any code runs. Throws {@link UnexecutableError}.
 */
export function checkMessage(
  message: Message,
  ruleSet: RuleSet,
  baseFeePerGas: bigint,
  initcodeLimit: number | null,
  costs: MessageCosts,
): StartingGas {
  const { to, data, gasLimit, accessList, authorizationList, maxFeePerGas, maxPriorityFeePerGas } = message;
  if (accessList.length > 0 && !ruleSet.transactionTypes.includes(1)) {
    throw new UnexecutableError(`access lists do not exist in hardfork ${ruleSet.name}`);
  }
  if (authorizationList.length > 0) {
    if (!ruleSet.transactionTypes.includes(4)) {
      throw new UnexecutableError(`authorization lists do not exist in hardfork ${ruleSet.name}`);
    }
    if (to === null) throw new UnexecutableError('a message with authorizations cannot create a contract');
  }
  checkBlobs(message, ruleSet);
  if (to === null && initcodeLimit !== null && data.length > initcodeLimit) {
    throw new UnexecutableError(
      `initcode of ${data.length} bytes exceeds the limit of ${initcodeLimit} bytes`,
    );
  }
  const gas = costs.startingGas(ruleSet);
  const least = gas.floor > gas.intrinsic ? gas.floor : gas.intrinsic;
  if (gasLimit < least) {
    throw new UnexecutableError(`intrinsic gas too low: gas limit ${gasLimit}, needed ${least}`);
  }
  const most = ruleSet.gas.state?.executionLimit;
  if (most !== undefined && least > most) {
    throw new UnexecutableError(
      `intrinsic gas too high: ${least} is above the limit of ${most} per transaction (EIP-7825)`,
    );
  }
  if (ruleSet.fees.name === 'gas price') return gas;
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw new UnexecutableError(
      `max priority fee per gas higher than max fee per gas: max priority fee ${maxPriorityFeePerGas}, max fee ${maxFeePerGas}`,
    );
  }
  if (maxFeePerGas < baseFeePerGas) {
    throw new UnexecutableError(
      `max fee per gas less than block base fee: ${maxFeePerGas} offered, base fee ${baseFeePerGas}`,
    );
  }
  return gas;
}

/** Checks the number and version of the blobs and rejects creations with blobs (EIP-4844). */
function checkBlobs({ to, blobVersionedHashes, authorizationList }: Message, ruleSet: RuleSet): void {
  if (blobVersionedHashes.length === 0) return;
  const fault = blobsFault(blobVersionedHashes, ruleSet);
  if (fault !== null) throw new UnexecutableError(fault);
  if (to === null) throw new UnexecutableError('a message with blobs cannot create a contract');
  if (authorizationList.length > 0) {
    throw new UnexecutableError('a message cannot have both blobs (type 3) and authorizations (type 4)');
  }
}

/**
 * Checks the rules that only transactions must fulfil: the gas limits (EIP-7825), the nonce, the funds and a
 * sender without code (EIP-3607). `maximumGas` is ignored for uncapped messages.
 * Throws {@link UnexecutableError}.
 */
export function checkTransaction(
  message: Message,
  environment: BlockEnvironment,
  sender: AccountView | undefined,
  contractsMaySend: boolean,
  maximumGas: bigint | null,
  { maximumCost: cost }: MessageCosts,
): void {
  const { nonce, gasLimit } = message;
  const { nonce: nextNonce, balance } = sender ?? { nonce: 0n, balance: 0n };
  if (!contractsMaySend && sender !== undefined && isContract(sender)) {
    throw new UnexecutableError('the sender is a contract');
  }
  if (gasLimit > environment.gasLimit) {
    throw new UnexecutableError(`gas limit ${gasLimit} is above the block gas limit ${environment.gasLimit}`);
  }
  if (maximumGas !== null && gasLimit > maximumGas && message.isUncapped !== true) {
    throw new UnexecutableError(
      `gas limit ${gasLimit} is above the limit of ${maximumGas} per transaction (EIP-7825)`,
    );
  }
  if (nonce !== nextNonce) {
    const word = nonce < nextNonce ? 'low' : 'high';
    throw new UnexecutableError(`nonce too ${word}: next nonce ${nextNonce}, nonce of the message ${nonce}`);
  }
  const { blobBaseFee } = environment;
  if (
    message.blobVersionedHashes.length > 0 &&
    blobBaseFee !== null &&
    message.maxFeePerBlobGas < blobBaseFee
  ) {
    throw new UnexecutableError(
      `max fee per blob gas less than block blob gas fee: ${message.maxFeePerBlobGas} offered, blob base fee ${blobBaseFee}`,
    );
  }
  const fault = fundsFault(balance, cost);
  if (fault !== null) throw new UnexecutableError(fault);
}

/** Returns the reason if the sender cannot pay `cost`; `null` otherwise. Both values are in wei. */
export function fundsFault(balance: bigint, cost: bigint): string | null {
  return balance < cost ? `insufficient funds for gas * price + value: have ${balance}, want ${cost}` : null;
}

function isContract({ code }: AccountView): boolean {
  return code.bytes.length > 0 && !isDelegation(code.bytes);
}

const HIGHEST_BALANCE = 2n ** 256n - 1n;

/** Returns the balance (wei), capped at 2^256 - 1. Only balances set through the RPC can exceed the cap. */
export function boundedBalance(balance: bigint): bigint {
  return balance > HIGHEST_BALANCE ? HIGHEST_BALANCE : balance;
}

export function startingGas(ruleSet: RuleSet, message: Message): StartingGas {
  return { intrinsic: initialGas(ruleSet, message), floor: floorGas(ruleSet, message) };
}

/** The part of a fee rule that the costs of a message depend on. */
export type FeeOffers = Pick<FeeRule, 'offer'>;

/** The costs of a message, each computed once. */
export class PricedMessage implements MessageCosts {
  readonly #message: Message;
  readonly maximumCost: bigint;
  #ruleSet: RuleSet | undefined;
  #startingGas: StartingGas = { intrinsic: 0n, floor: 0n };

  constructor(message: Message, fees: FeeOffers) {
    const { gasLimit, value } = message;
    this.#message = message;
    this.maximumCost = gasLimit * fees.offer(message) + value + blobCost(message);
  }

  /** Computed again if the rule set differs from the last one, because the rules of a chain can change. */
  startingGas(ruleSet: RuleSet): StartingGas {
    if (this.#ruleSet !== ruleSet) {
      this.#startingGas = startingGas(ruleSet, this.#message);
      this.#ruleSet = ruleSet;
    }
    return this.#startingGas;
  }
}

/**
 * A transaction of the pool with the values that follow from it. Pool, miner and engine use this record, so
 * that each value is computed once.
 */
export class AdmittedTransaction extends PricedMessage {
  #baseFeePerGas: bigint | null | undefined;
  #tip = 0n;

  constructor(
    readonly transaction: Transaction,
    fees: FeeOffers,
  ) {
    super(transaction, fees);
  }

  /** Minimum gas limit under the rule set. */
  intrinsicGas(ruleSet: RuleSet): bigint {
    const { intrinsic, floor } = this.startingGas(ruleSet);
    return floor > intrinsic ? floor : intrinsic;
  }

  /** Wei per gas that the miner receives. Computed again if the base fee differs from the last one. */
  effectiveTip(baseFeePerGas: bigint | null): bigint {
    if (this.#baseFeePerGas !== baseFeePerGas) {
      this.#tip = gasPrice(this.transaction, baseFeePerGas).tip;
      this.#baseFeePerGas = baseFeePerGas;
    }
    return this.#tip;
  }
}

/** The gas of a message after it paid the intrinsic gas. */
export interface EntryGas {
  /** Execution gas. It also pays for state after `reservoir` is used up. */
  readonly gas: bigint;
  /** State gas; 0 under rule sets that do not meter it separately. */
  readonly reservoir: bigint;
}

/** Splits the gas of a message into execution and state gas (EIP-8037), by default at the limit. */
export function entryGas(
  { gas: { state } }: RuleSet,
  gasLimit: bigint,
  intrinsic: bigint,
  stateReservoir?: bigint,
): EntryGas {
  const all = gasLimit - intrinsic;
  if (state === null) return { gas: all, reservoir: 0n };
  const most = stateReservoir === undefined ? state.executionLimit - intrinsic : all - stateReservoir;
  return all <= most ? { gas: all, reservoir: 0n } : { gas: most, reservoir: all - most };
}

/** Execution gas that counts for the block: `spent` without `stateGas`, at least the calldata floor. */
export function executionGas(spent: bigint, stateGas: bigint, floor: bigint): bigint {
  const gas = spent - stateGas;
  return gas < floor ? floor : gas;
}

/** Blob fee in wei at the base fee of the block. It is burned. */
export function blobFee(message: Message, { blobBaseFee }: BlockEnvironment): bigint {
  return message.blobVersionedHashes.length === 0 ? 0n : blobGasOf(message) * (blobBaseFee ?? 0n);
}

/** Wei per gas: the sender pays `price`; `tip` is the part for the fee recipient. */
export interface GasPrice {
  readonly price: bigint;
  readonly tip: bigint;
}

/** Gas price of a message (EIP-1559); `baseFeePerGas` is `null` under rule sets without a base fee. */
export function gasPrice(message: Message, baseFeePerGas: bigint | null): GasPrice {
  const { maxFeePerGas, maxPriorityFeePerGas } = message;
  if (baseFeePerGas === null) return { price: maxFeePerGas, tip: maxFeePerGas };
  const offered = baseFeePerGas + maxPriorityFeePerGas;
  const price = offered < maxFeePerGas ? offered : maxFeePerGas;
  return { price, tip: price - baseFeePerGas };
}

/** The part of a result that the gas of a block depends on. */
type CountedGas = Pick<ExecutionResult, 'gasUsed' | 'stateGas' | 'executionGas'>;

/**
 * Gas counter of a block. Execution gas and state gas are counted separately, and each may reach the block
 * gas limit. The larger count is the gas used by the block (EIP-8037).
 */
export class BlockGas {
  readonly #ruleSet: RuleSet;
  #execution = 0n;
  #state = 0n;

  constructor(ruleSet: RuleSet) {
    this.#ruleSet = ruleSet;
  }

  add({ gasUsed, stateGas, executionGas }: CountedGas): void {
    this.#execution += this.#ruleSet.blockGas === 'before the refund' ? executionGas : gasUsed;
    this.#state += stateGas;
  }

  get used(): bigint {
    return this.#execution > this.#state ? this.#execution : this.#state;
  }

  /** Returns the highest gas limit of a transaction that fits into a block with the gas limit `most`. */
  left(most: bigint): bigint {
    const executionLeft = most - this.#execution;
    const stateLeft = most - this.#state;
    const executionLimit = this.#ruleSet.gas.state?.executionLimit;
    // All gas of a transaction above this limit is state gas.
    if (executionLimit !== undefined && executionLeft >= executionLimit) return stateLeft;
    return executionLeft < stateLeft ? executionLeft : stateLeft;
  }
}

/** Returns the gas used by a block with these results. */
export function blockGasUsed(ruleSet: RuleSet, results: readonly CountedGas[]): bigint {
  const gas = new BlockGas(ruleSet);
  for (const result of results) gas.add(result);
  return gas.used;
}
