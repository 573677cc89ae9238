import type { TransactionRequest } from './transaction.ts';

const HIGHEST_NONCE = 2n ** 64n - 1n;
const HIGHEST_GAS_LIMIT = 2n ** 64n - 1n;
const HIGHEST_WORD = 2n ** 256n - 1n;

/**
 * Why the fields of a transaction contradict the rules whatever the state is, in the words that clients know; `null`
 * when they do not (EIP-1559, EIP-2681).
 */
export function fieldFault(request: TransactionRequest): string | null {
  const { nonce, gasLimit, value, maxFeePerGas, maxPriorityFeePerGas } = request;
  if (nonce >= HIGHEST_NONCE) return `nonce ${nonce} has no next one (nonce too high, EIP-2681)`;
  if (gasLimit > HIGHEST_GAS_LIMIT) return `gas limit ${gasLimit} is above 64 bits`;
  if (value > HIGHEST_WORD || maxFeePerGas > HIGHEST_WORD) return 'the value or the fee is above 256 bits';
  if (maxPriorityFeePerGas > maxFeePerGas) {
    return `max priority fee per gas higher than max fee per gas (${maxPriorityFeePerGas} > ${maxFeePerGas})`;
  }
  return null;
}
