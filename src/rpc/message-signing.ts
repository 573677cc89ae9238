import { concatBytes } from '../primitives/bytes.ts';
import { type Hex, toHex } from '../primitives/hex.ts';
import type { Signature } from '../primitives/secp256k1/secp256k1.ts';
import { MessageSignerNotFoundError } from '../wallet/errors.ts';
import { requireKeys } from './accounts.ts';
import type { RpcContext } from './rpc-context.ts';

const FIRST_V = 27;

/** A signature as wallets write it: `r`, `s`, and 27 or 28. */
export function signatureHex({ compact, recovery }: Signature): Hex {
  return toHex(concatBytes(compact, Uint8Array.of(FIRST_V + recovery)));
}

/**
 * The signature of an unlocked account over a 32-byte hash, for a method. Throws {@link MessageSignerNotFoundError},
 * and `MethodNotFoundError` on a hosted node.
 */
export function signWithAccount(
  context: RpcContext,
  method: string,
  account: Uint8Array,
  hash: Uint8Array,
): Hex {
  requireKeys(context, method);
  const { wallet } = context.chain;
  if (!wallet.isUnlocked(account)) throw new MessageSignerNotFoundError(account);
  return signatureHex(wallet.signHash(account, hash));
}
