import { type Message, UnexecutableError } from '../engine.ts';

const HIGHEST_WORD = 2n ** 256n - 1n;
const HIGHEST_GAS_LIMIT = 2n ** 64n - 1n;
const HIGHEST_NONCE = 2n ** 64n - 2n;

/** Checks that the fields of a message are in their ranges (EIP-2681). Throws {@link UnexecutableError}. */
export function checkRanges({ value, gasLimit, maxFeePerGas, nonce }: Message): void {
  if (value < 0n || gasLimit < 0n || maxFeePerGas < 0n || nonce < 0n) {
    throw new UnexecutableError('a negative number cannot be sent');
  }
  if (value > HIGHEST_WORD) throw new UnexecutableError(`value ${value} is above 256 bits`);
  if (gasLimit > HIGHEST_GAS_LIMIT) throw new UnexecutableError(`gas limit ${gasLimit} is above 64 bits`);
  if (nonce > HIGHEST_NONCE) throw new UnexecutableError(`nonce ${nonce} has no next one`);
  if (gasLimit * maxFeePerGas > HIGHEST_WORD) {
    throw new UnexecutableError(
      `gas limit ${gasLimit} at ${maxFeePerGas} wei costs more than 256 bits of wei`,
    );
  }
}
