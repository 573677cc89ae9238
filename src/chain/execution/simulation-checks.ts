import type { BlockEnvironment } from '../../evm/engine.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../../protocol/intrinsic-gas.ts';
import type { TransactionRequest } from '../../protocol/transaction.ts';
import { SimulationError } from '../errors.ts';

/** Throws {@link SimulationError} unless the gas limit fits into what the block has left. */
export function checkBlockGas(request: TransactionRequest, gasLeft: bigint): void {
  if (request.gasLimit > gasLeft) throw SimulationError.blockGas(request.gasLimit, gasLeft);
}

/** Throws {@link SimulationError} unless the gas limit covers the cost before execution. */
export function checkIntrinsicGas(request: TransactionRequest, ruleSet: RuleSet): void {
  const needed = intrinsicGas(ruleSet, request);
  if (request.gasLimit < needed) throw SimulationError.intrinsicGas(request.gasLimit, needed);
}

/** Throws {@link SimulationError} unless a balance (wei) pays for the gas and the value. */
export function checkFunds(request: TransactionRequest, balance: bigint): void {
  const cost = request.gasLimit * request.maxFeePerGas + request.value;
  if (balance < cost) throw SimulationError.funds(balance, cost);
}

/** Throws {@link SimulationError} unless the nonce is the sender's next. */
export function checkNonce(nonce: bigint, next: bigint): void {
  if (nonce !== next) throw SimulationError.nonce(nonce, next);
}

/** Throws {@link SimulationError} unless the fees go together and reach what the block asks for. */
export function checkFees(request: TransactionRequest, environment: BlockEnvironment): void {
  const { maxFeePerGas, maxPriorityFeePerGas } = request;
  const least = environment.baseFeePerGas ?? environment.minimumGasPrice;
  if (maxFeePerGas < least) throw SimulationError.feeCap(maxFeePerGas, least);
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw SimulationError.priorityFee(maxPriorityFeePerGas, maxFeePerGas);
}
