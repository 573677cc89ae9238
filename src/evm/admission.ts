// The checks that a message must pass before it is executed, the gas that its block has left for it, and what it pays before its code runs.

import { blobCost, blobGasOf, blobsFault } from '../protocol/blobs.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { floorGas, initialGas } from '../protocol/intrinsic-gas.ts';
import { isDelegation } from '../state/account.ts';
import type { AccountView } from '../state/overlay.ts';
import { type BlockEnvironment, type ExecutionResult, type Message, UnexecutableError } from './engine.ts';

/** The purpose for which a message is executed: as a transaction, which must be valid, or as a call, which need not be. */
export type Purpose = 'transaction' | 'call';

/**
 * Returns the base fee in wei per gas that a message is executed with; `null` when there is none. A call that offers
 * less than the block's base fee is executed with a base fee of its offer, so that code never sees a gas price below
 * the base fee.
 */
export function baseFeeFor(
  { baseFeePerGas }: Pick<BlockEnvironment, 'baseFeePerGas'>,
  { maxFeePerGas }: Pick<Message, 'maxFeePerGas'>,
  purpose: Purpose,
): bigint | null {
  const isBelow = baseFeePerGas !== null && maxFeePerGas < baseFeePerGas;
  return isBelow && purpose === 'call' ? maxFeePerGas : baseFeePerGas;
}

/**
 * Returns the environment that a message is executed in. A call that has blobs and offers less for them than the block's base
 * fee is executed with one of its offer, as {@link baseFeeFor} has it for gas.
 */
export function environmentFor(
  environment: BlockEnvironment,
  message: Message,
  purpose: Purpose,
): BlockEnvironment {
  const { maxFeePerBlobGas, blobVersionedHashes } = message;
  const isBelow = blobVersionedHashes.length > 0 && maxFeePerBlobGas < (environment.blobBaseFee ?? 0n);
  return isBelow && purpose === 'call' ? { ...environment, blobBaseFee: maxFeePerBlobGas } : environment;
}

/**
 * Checks the conditions on transactions and calls: only fields that the rule set knows, initcode of at most
 * `initcodeLimit` bytes (`null`: any), enough gas to begin, consistent fees, at least `baseFeePerGas` offered. Returns the
 * gas that the message pays before any code runs. Throws {@link UnexecutableError}.
 */
export function checkMessage(
  message: Message,
  ruleSet: RuleSet,
  baseFeePerGas: bigint,
  initcodeLimit: number | null,
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
  const gas = startingGas(ruleSet, message);
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

/** Checks the blobs of a message: as many as the rules allow, of commitments of the known kind, in no creation (EIP-4844). */
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
 * Checks the conditions on transactions only: gas limit within the block's and, unless the message is uncapped, the rule set's
 * `maximumGas` (EIP-7825), the sender's next nonce, funds for the gas and the value, and, unless contracts may send, a sender without code (EIP-3607).
 * Throws {@link UnexecutableError}.
 */
export function checkTransaction(
  message: Message,
  environment: BlockEnvironment,
  sender: AccountView | undefined,
  contractsMaySend: boolean,
  maximumGas: bigint | null,
): void {
  const { nonce, gasLimit, maxFeePerGas, value } = message;
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
  const cost = gasLimit * maxFeePerGas + value + blobCost(message);
  if (balance < cost) {
    throw new UnexecutableError(`insufficient funds for gas * price + value: have ${balance}, want ${cost}`);
  }
}

function isContract({ code }: AccountView): boolean {
  return code.bytes.length > 0 && !isDelegation(code.bytes);
}

const HIGHEST_BALANCE = 2n ** 256n - 1n;

/**
 * Returns the balance (wei), limited to the largest possible one, which only accounts with balances set by cheats can
 * exceed.
 */
export function boundedBalance(balance: bigint): bigint {
  return balance > HIGHEST_BALANCE ? HIGHEST_BALANCE : balance;
}

/** The gas that a message pays before any code runs. */
export interface StartingGas {
  readonly intrinsic: bigint;
  /** The minimum charge in the end (EIP-7623); 0 where there is no such rule. */
  readonly floor: bigint;
}

/** Returns the gas that a message pays before any code runs. */
export function startingGas(ruleSet: RuleSet, message: Message): StartingGas {
  return { intrinsic: initialGas(ruleSet, message), floor: floorGas(ruleSet, message) };
}

/** Returns the gas of `spent`, of which `stateGas` was for state, that counts for its block as gas of execution: at least the floor. */
export function executionGas(spent: bigint, stateGas: bigint, floor: bigint): bigint {
  const gas = spent - stateGas;
  return gas < floor ? floor : gas;
}

/** Returns the wei that the blobs of a message cost at the block's base fee, which are burned. */
export function blobFee(message: Message, { blobBaseFee }: BlockEnvironment): bigint {
  return message.blobVersionedHashes.length === 0 ? 0n : blobGasOf(message) * (blobBaseFee ?? 0n);
}

/** The prices per gas in wei: `price` is paid by the sender, `tip` of it goes to the recipient of the block's fees. */
export interface GasPrice {
  readonly price: bigint;
  readonly tip: bigint;
}

/** Returns the gas price of a message; `baseFeePerGas` is `null` when there is no base fee (EIP-1559). */
export function gasPrice(message: Message, baseFeePerGas: bigint | null): GasPrice {
  const { maxFeePerGas, maxPriorityFeePerGas } = message;
  if (baseFeePerGas === null) return { price: maxFeePerGas, tip: maxFeePerGas };
  const offered = baseFeePerGas + maxPriorityFeePerGas;
  const price = offered < maxFeePerGas ? offered : maxFeePerGas;
  return { price, tip: price - baseFeePerGas };
}

/** The gas of a result that its block counts. */
type CountedGas = Pick<ExecutionResult, 'gasUsed' | 'stateGas' | 'executionGas'>;

/**
 * Counts the gas of a block: that of execution, and apart from it that for new state, where that has a gas of its own. Each may be as
 * much as the gas limit of the block, and the larger one is the gas that the block has used (EIP-8037).
 */
export class BlockGas {
  readonly #ruleSet: RuleSet;
  #execution = 0n;
  #state = 0n;

  constructor(ruleSet: RuleSet) {
    this.#ruleSet = ruleSet;
  }

  /** Counts a transaction with that result. */
  add({ gasUsed, stateGas, executionGas }: CountedGas): void {
    this.#execution += this.#ruleSet.blockGas === 'before the refund' ? executionGas : gasUsed;
    this.#state += stateGas;
  }

  /** The gas that the block has used. */
  get used(): bigint {
    return this.#execution > this.#state ? this.#execution : this.#state;
  }

  /** Returns the highest gas limit of a transaction that fits into a block with the limit `most`. */
  left(most: bigint): bigint {
    const executionLeft = most - this.#execution;
    const stateLeft = most - this.#state;
    const executionLimit = this.#ruleSet.gas.state?.executionLimit;
    // Beyond that limit, all gas of a transaction is for state.
    if (executionLimit !== undefined && executionLeft >= executionLimit) return stateLeft;
    return executionLeft < stateLeft ? executionLeft : stateLeft;
  }
}

/** Returns the gas that a block with those results has used. */
export function blockGasUsed(ruleSet: RuleSet, results: readonly CountedGas[]): bigint {
  const gas = new BlockGas(ruleSet);
  for (const result of results) gas.add(result);
  return gas.used;
}
