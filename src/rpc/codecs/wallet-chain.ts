import { objectOf, refined } from './codec.ts';
import { quantity } from './quantity.ts';

/** The chain that a wallet is asked for (EIP-3085, EIP-3326): its id; all else about it is the node's to know. */
export const walletChain = refined(
  objectOf({ chainId: quantity }, 'an object with chainId'),
  ({ chainId }) =>
    chainId === null ? { path: ['chainId'], expected: 'the id of a chain' } : { value: chainId },
);
