import type { Chain } from '../chain/chain.ts';
import { concatBytes } from '../primitives/bytes.ts';
import { type Hex, toHex } from '../primitives/hex.ts';
import type { Signature } from '../primitives/secp256k1/secp256k1.ts';
import { MessageSignerNotFoundError } from '../wallet/errors.ts';
import type { RpcContext, RpcSettings } from './rpc-context.ts';

/**
 * Returns the addresses of the wallet, and where the dialect lists them those that are impersonated; none on a hosted node,
 * which keeps no keys.
 */
export function listedAccounts({
  chain,
  settings,
}: {
  readonly chain: Chain;
  readonly settings: Pick<RpcSettings, 'hosted' | 'compat'>;
}): Hex[] {
  if (settings.hosted) return [];
  const impersonated = settings.compat.listsImpersonated ? chain.impersonation.addresses() : [];
  return Array.from(new Set([...chain.wallet.addresses(), ...impersonated].map(toHex)));
}

const FIRST_V = 27;

/** A signature as wallets write it: `r`, `s`, and 27 or 28. */
export function signatureHex({ compact, recovery }: Signature): Hex {
  return toHex(concatBytes(compact, Uint8Array.of(FIRST_V + recovery)));
}

/** Returns the signature of an unlocked account over a 32-byte hash. Throws {@link MessageSignerNotFoundError}. */
export function signWithAccount({ chain }: RpcContext, account: Uint8Array, hash: Uint8Array): Hex {
  const { wallet } = chain;
  if (!wallet.isUnlocked(account)) throw new MessageSignerNotFoundError(account);
  return signatureHex(wallet.signHash(account, hash));
}
