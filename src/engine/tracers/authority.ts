import { bigIntToBytes, bigIntToFixedBytes, concatBytes } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import type { Authorization } from '../../rules/transaction.ts';
import { addressOfPublicKey } from '../../wallet/key-address.ts';

/** What the signed bytes of an authorization begin with (EIP-7702). */
const MAGIC = Uint8Array.of(0x05);

/** The address (20 bytes) of who signed the authorization (EIP-7702); `null` when nobody can have. */
export function authorityOf({ chainId, address, nonce, yParity, r, s }: Authorization): Uint8Array | null {
  const fields = encodeRlp([bigIntToBytes(chainId), address, bigIntToBytes(nonce)]);
  if (yParity > 1n) return null;
  try {
    const compact = concatBytes(bigIntToFixedBytes(r, 32), bigIntToFixedBytes(s, 32));
    const hash = keccak256(concatBytes(MAGIC, fields));
    return addressOfPublicKey(curve.recover(hash, { compact, recovery: Number(yParity) }));
  } catch {
    // The curve throws where there is no key: such an authorization touches no account.
    return null;
  }
}
