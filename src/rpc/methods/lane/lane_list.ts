import { toQuantity } from '../../../primitives/hex.ts';
import { QUANTITY_JSON_SCHEMA } from '../../codecs/quantity.ts';
import { requireLanes } from '../../lane-access.ts';
import { defineMethod } from '../../method.ts';

/** The lanes there are, in the order in which they were made; where keys are API keys, the caller's own alone. */
export const lane_list = defineMethod({
  name: 'lane_list',
  summary: 'The lanes there are',
  differs: 'No peer has it',
  params: [],
  result: {
    description: 'The key of each, and the number of its head block',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { key: { type: 'string' }, blockNumber: QUANTITY_JSON_SCHEMA },
        required: ['key', 'blockNumber'],
      },
    },
  },
  example: {
    before: [{ method: 'lane_create', params: [{ key: 'tokens' }] }],
    params: [],
    result: [{ key: 'tokens', blockNumber: '0x4' }],
  },
  handler: (context) => {
    const { lanes, areKeysSecret } = requireLanes(context);
    const shown = lanes.list().filter(({ key }) => !areKeysSecret || key === context.connection.key);
    return shown.map(({ key, chain }) => ({ key, blockNumber: toQuantity(chain.head().header.number) }));
  },
});
