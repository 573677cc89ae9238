import { bigIntToFixedBytes, concatBytes, equalBytes } from '../primitives/bytes.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { signingHash } from '../protocol/transaction-encoding.ts';
import { addressOfPublicKey } from '../wallet/key-address.ts';

const FIRST_PROTECTED_V = 35n;
const FIRST_LEGACY_V = 27n;

function recoveryOf({ type, v }: Transaction): number {
  if (type !== 0) return Number(v);
  return Number(v >= FIRST_PROTECTED_V ? (v - FIRST_PROTECTED_V) % 2n : v - FIRST_LEGACY_V);
}

/**
 * The public key (64 bytes) of the transaction's sender, from its signature; `undefined` when somebody else signed it or
 * nobody, because the sender is impersonated.
 */
export function signerKey(transaction: Transaction): Uint8Array | undefined {
  const recovery = recoveryOf(transaction);
  if (recovery !== 0 && recovery !== 1) return undefined;
  const { r, s, sender } = transaction;
  const compact = concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32));
  let publicKey: Uint8Array;
  try {
    publicKey = curve.recover(signingHash(transaction), { compact, recovery });
  } catch {
    return undefined;
  }
  return equalBytes(addressOfPublicKey(publicKey), sender) ? publicKey : undefined;
}
