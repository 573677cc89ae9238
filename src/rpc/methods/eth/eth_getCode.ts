import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { blockSelector, LATEST } from '../../codecs/block-selector.ts';
import { address, data } from '../../codecs/data.ts';
import { defineMethod, optional, param } from '../../method.ts';
import { requireServed } from '../../pending.ts';

/** The code of a contract; `0x` for an account without. `pending` is refused where the service refuses it. */
export const eth_getCode = defineMethod({
  name: 'eth_getCode',
  summary: 'The code of a contract',
  params: [param('address', address), optional('block', blockSelector, LATEST)],
  result: { description: 'The code', schema: data.jsonSchema },
  example: { params: ['0x5fbdb2315678afecb367f032d93f642f64180aa3', 'latest'], result: '0x6080604052' },
  handler: async (context, contract, block) => {
    requireServed(context, 'block', block);
    const { state } = await context.chain.view(block);
    return toHex(state.account(contract)?.code.bytes ?? EMPTY_BYTES);
  },
});
