import { walletChain } from '../../codecs/wallet-chain.ts';
import { defineMethod, param } from '../../method.ts';
import { requireOwnChain } from '../../wallet.ts';

/** Agrees to the node's own chain, which it has, and refuses any other with the code 4902 (EIP-3085). */
export const wallet_addEthereumChain = defineMethod({
  name: 'wallet_addEthereumChain',
  summary: 'Agrees to the chain of the node, refuses others',
  differs: 'No peer has it',
  params: [param('chain', walletChain)],
  result: { description: 'null', schema: { type: 'null' } },
  example: { params: [{ chainId: '0x21', chainName: 'Local' }], result: null },
  handler: (context, chainId) => {
    requireOwnChain(context, chainId);
    return null;
  },
});
