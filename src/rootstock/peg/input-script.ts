// Scripts in the inputs of a transaction.

import { redeemScriptOf } from '../bitcoin/redeem-script.ts';
import { chunksIfValid, scriptChunks } from '../bitcoin/script.ts';
import type { BitcoinTransaction } from '../bitcoin/transaction.ts';

/**
 * Returns the last item of an input if it can be a script: the redeem script of multisig inputs. `null` if the
 * input has none. Throws `BitcoinFormatError` if the input's own script is malformed.
 */
export function redeemScriptOfInput({ ins }: BitcoinTransaction, index: number): Uint8Array | null {
  const input = ins[index];
  if (input === undefined) return null;
  const last = input.witness.at(-1) ?? scriptChunks(input.script).at(-1)?.data ?? null;
  return last !== null && chunksIfValid(last) !== null ? last : null;
}

/** Returns the multisig script of the members that an input spends; `null` for other inputs. */
export function memberScriptOfInput(transaction: BitcoinTransaction, index: number): Uint8Array | null {
  const script = redeemScriptOfInput(transaction, index);
  return script === null ? null : (redeemScriptOf(script)?.standard ?? null);
}
