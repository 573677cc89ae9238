import { objectOf, refined } from '../../codecs/codec.ts';
import { quantity } from '../../codecs/hex-values.ts';
import { UnknownChainError } from '../../errors.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { listedAccounts } from '../eth/accounts.ts';

/** Returns `null` for the node's own chain id. Throws {@link UnknownChainError} for others. */
function agreeToChain({ node: { chain } }: RpcContext, chainId: bigint): null {
  const own = chain.settings.chainId;
  if (chainId !== BigInt(own)) throw new UnknownChainError(chainId, own);
  return null;
}

/** Returns the permission of every client: to list the accounts of the node (EIP-2255). */
function accountPermissions(context: RpcContext): unknown[] {
  const accounts = listedAccounts(context);
  return [
    {
      parentCapability: 'eth_accounts',
      caveats: [{ type: 'restrictReturnedAccounts', value: accounts }],
    },
  ];
}

const ACCOUNTS = 'eth_accounts';

/** The requested permissions (EIP-2255). The node grants only one: to list its accounts. */
const permissionRequest = refined(
  objectOf({ [ACCOUNTS]: objectOf({}, 'an object of caveats') }, `an object with ${ACCOUNTS}`),
  (fields) =>
    fields[ACCOUNTS] === null
      ? {
          path: [ACCOUNTS],
          expected: 'an object, because eth_accounts is the only permission that the node grants',
        }
      : { value: ACCOUNTS },
);

/** The chain of a request (EIP-3085, EIP-3326). Only its id is read. */
const walletChain = refined(objectOf({ chainId: quantity }, 'an object with chainId'), ({ chainId }) =>
  chainId === null ? { path: ['chainId'], expected: 'the id of a chain' } : { value: chainId },
);

export const WALLET_WALLET: readonly Method[] = [
  /** Rejects with code 4902 for other chain ids (EIP-3085). */
  defineMethod({
    name: 'wallet_addEthereumChain',
    summary: 'Accepts the chain id of the node and rejects other chain ids',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('chain', walletChain)],
    result: { description: 'null', schema: { type: 'null' } },
    handler: agreeToChain,
  }),
  /** Every client has this permission (EIP-2255). */
  defineMethod({
    name: 'wallet_getPermissions',
    summary: "The permissions of the client: access to the list of the node's accounts",
    differs: 'Not in Anvil, Hardhat or Ganache',
    result: { description: 'The permissions', schema: { type: 'array', items: { type: 'object' } } },
    handler: accountPermissions,
  }),
  /** Every client has this permission already (EIP-2255). */
  defineMethod({
    name: 'wallet_requestPermissions',
    summary: "Grants access to the list of the node's accounts",
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('permissions', permissionRequest)],
    result: { description: 'The permissions', schema: { type: 'array', items: { type: 'object' } } },
    handler: accountPermissions,
  }),
  /** Rejects with code 4902 for other chain ids (EIP-3326). */
  defineMethod({
    name: 'wallet_switchEthereumChain',
    summary: 'Accepts the chain id of the node and rejects other chain ids',
    differs: 'Not in Anvil, Hardhat or Ganache',
    params: [param('chain', walletChain)],
    result: { description: 'null', schema: { type: 'null' } },
    handler: agreeToChain,
  }),
];
