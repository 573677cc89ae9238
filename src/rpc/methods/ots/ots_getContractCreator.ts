import { toHex } from '../../../primitives/hex.ts';
import { address } from '../../codecs/data.ts';
import { defineMethod, param } from '../../method.ts';
import { orNull } from '../../views/json-schemas.ts';

/** Who made a contract: an account, or the contract whose code did. `null` for what no transaction made. */
export const ots_getContractCreator = defineMethod({
  name: 'ots_getContractCreator',
  summary: 'Who made a contract, in which transaction',
  params: [param('address', address)],
  result: {
    description: 'The transaction hash and the creator, or null',
    schema: orNull({ type: 'object' }),
  },
  example: {
    params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'],
    result: {
      hash: '0x6bb1bacf83dc22be342f61ea41397dc0cb9e4a13cdd4f4b14d5c2d505f9859de',
      creator: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    },
  },
  handler: async ({ chain, checkInterrupt }, contract) => {
    const creation = await chain.history.creationOf(contract, checkInterrupt);
    if (creation === undefined) return null;
    return { hash: toHex(creation.transactionHash), creator: toHex(creation.creator) };
  },
});
