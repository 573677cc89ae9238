import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { arrayOf } from '../../codecs/codec.ts';
import { address, askedSlot } from '../../codecs/data.ts';
import { defineMethod, param, peerOptional } from '../../method.ts';
import { accountProofView } from '../../views/account-proof.ts';
import { ACCOUNT_PROOF_JSON_SCHEMA } from '../../views/json-schemas.ts';

const MOST_SLOTS = 1024;

const storageSlots = arrayOf(
  askedSlot,
  `an array of at most ${MOST_SLOTS} storage positions of at most 32 bytes each`,
  MOST_SLOTS,
);

/**
 * The Merkle proof of an account and of positions of its storage after a block, from the block's state root down
 * (EIP-1186). Where there is no account or nothing stored, the proof shows just that. Where the state after the head was
 * changed without a block (as `anvil_setBalance` does), the proof is of the changed state, which the head's header does
 * not have the root of.
 */
export const eth_getProof = defineMethod({
  name: 'eth_getProof',
  summary: 'The Merkle proof of an account and its storage',
  params: [
    param('address', address),
    param('storageKeys', storageSlots),
    peerOptional('block', blockSelector, LATEST),
  ],
  result: { description: 'The proof', schema: ACCOUNT_PROOF_JSON_SCHEMA },
  example: {
    params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', ['0x0'], 'latest'],
    result: {
      address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
      balance: '0x0',
      codeHash: '0x3d7e9b83aea5f80e9d9a1c25a7758039695aaa696215909cd351d1a70b990793',
      nonce: '0x0',
      storageHash: '0x81d1fa699f807735499cf6f7df860797cf66f6a66b565cfcda3fae3521eb6861',
      storageProof: [
        {
          key: '0x0',
          value: '0x2a',
          proof: ['0xe3a120290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e5632a'],
        },
      ],
    },
    isExcerpt: true,
  },
  handler: async ({ chain }, account, slots, block) => {
    const { state } = await chain.view(block);
    return accountProofView(state, account, slots, chain.ruleSet);
  },
});
