import { type Hex, toHex } from '../primitives/hex.ts';
import { MethodNotFoundError } from './errors.ts';
import type { RpcContext, RpcSettings } from './rpc-context.ts';

/** Whose accounts are listed, and for whom. */
export interface ListedAccountsParts extends Pick<RpcContext, 'chain'> {
  readonly settings: Pick<RpcSettings, 'hosted' | 'compat'>;
}

/**
 * The addresses of the wallet, and where the dialect lists them those that are impersonated; none on a hosted node,
 * which keeps no keys.
 */
export function listedAccounts({ chain, settings }: ListedAccountsParts): Hex[] {
  if (settings.hosted) return [];
  const impersonated = settings.compat.listsImpersonated ? chain.impersonation.addresses() : [];
  return Array.from(new Set([...chain.wallet.addresses(), ...impersonated].map(toHex)));
}

/** Throws {@link MethodNotFoundError} on a hosted node, for a method that needs a key of the node's. */
export function requireKeys({ settings }: RpcContext, method: string): void {
  if (!settings.hosted) return;
  throw new MethodNotFoundError(
    method,
    'a hosted node keeps no keys; sign the transaction yourself and send it with eth_sendRawTransaction',
  );
}
