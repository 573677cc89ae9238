import { listedAccounts } from './accounts.ts';
import { UnknownChainError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** Throws {@link UnknownChainError} for the id of any chain but the node's own. */
export function requireOwnChain({ chain }: RpcContext, chainId: bigint): void {
  const own = chain.settings.chainId;
  if (chainId !== BigInt(own)) throw new UnknownChainError(chainId, own);
}

/** The permission that everybody has: to see the accounts of the node (EIP-2255). */
export function accountPermissions(context: RpcContext): unknown[] {
  const accounts = listedAccounts(context);
  return [
    {
      parentCapability: 'eth_accounts',
      caveats: [{ type: 'restrictReturnedAccounts', value: accounts }],
    },
  ];
}
