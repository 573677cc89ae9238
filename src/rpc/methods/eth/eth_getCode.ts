import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { requireServed } from '../../block-answers.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address, data } from '../../codecs/data.ts';
import { defineMethod, param, peerOptional } from '../../method.ts';

/** The code of a contract; `0x` for an account without. `pending` is refused where the service refuses it. */
export const eth_getCode = defineMethod({
  name: 'eth_getCode',
  summary: 'The code of a contract',
  params: [param('address', address), peerOptional('block', blockSelector, LATEST)],
  result: { description: 'The code', schema: data.jsonSchema },
  example: {
    params: ['0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', 'latest'],
    result:
      '0x608060405234801561000f575f5ffd5b506004361061003f575f3560e01c806306661abd1461004357806330f3f0db1461005d578063d09de08a14610072575b5f5ffd5b61004b5f5481565b60405190815260200160405180910390f35b61007061006b3660046100d7565b61007a565b005b6100706100cb565b805f5f82825461008a91906100ee565b90915550505f54604051908152819033907f8b05844824acf2db2f068e4006ef99b307ca4fe1a896d06e884700f1a9da3a6d9060200160405180910390a350565b6100d5600161007a565b565b5f602082840312156100e7575f5ffd5b5035919050565b8082018082111561010d57634e487b7160e01b5f52601160045260245ffd5b9291505056',
  },
  handler: async (context, contract, block) => {
    requireServed(context, 'block', block);
    const { state } = await context.chain.view(block);
    return toHex(state.account(contract)?.code.bytes ?? EMPTY_BYTES);
  },
});
