import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import { littleEndian } from '../bitcoin/byte-reader.ts';
import { redeemScriptOf } from '../bitcoin/redeem-script.ts';
import { type BitcoinTransaction, withoutWitness } from '../bitcoin/transaction.ts';
import { redeemScriptOfInput } from './input-script.ts';

const SIGHASH_ALL = 1;

/**
 * Returns the hash that identifies a pegout before and after its signatures (RSKIP-379): the legacy signature
 * hash of the first input, 32 bytes. `null` if an input is not of a multisig address. As on Rootstock, the
 * hashed transaction contains witnesses without signatures. Throws `BitcoinFormatError` for a malformed script.
 */
export function pegoutIndexHash(transaction: BitcoinTransaction): Uint8Array | null {
  const first = redeemScriptOfInput(transaction, 0);
  if (first === null) return null;
  const unsigned = withoutWitness(transaction);
  for (const [index, input] of unsigned.ins.entries()) {
    const script = redeemScriptOfInput(transaction, index);
    const redeemScript = script === null ? null : redeemScriptOf(script);
    if (script === null || redeemScript === null) return null;
    // No script of a federation requires more signatures than it has keys, so no pegout has this input.
    if (redeemScript.required > redeemScript.keys.length) return null;
    input.script = index === 0 ? first : EMPTY_BYTES;
    const hasWitness = (transaction.ins[index]?.witness.length ?? 0) > 0;
    if (hasWitness) input.witness = unsignedWitness(redeemScript.required, script);
  }
  return doubleSha256(concatBytes(unsigned.toBuffer(), littleEndian(SIGHASH_ALL, 4)));
}

/** Returns the witness of an input with empty items: one that the opcode skips, one per signature, and the branch. */
function unsignedWitness(required: number, redeemScript: Uint8Array): Uint8Array[] {
  return [...Array.from({ length: required + 2 }, () => EMPTY_BYTES), redeemScript];
}
