import { FilterNotFoundError } from '../../../chain/errors.ts';
import { toHex } from '../../../primitives/hex.ts';
import { hash32 } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { defineMethod, param } from '../../method.ts';
import { LOG_JSON_SCHEMA } from '../../views/json-schemas.ts';
import { logViews } from '../../views/log.ts';

/**
 * What came since the last call: logs, block hashes or transaction hashes, by the kind of filter. Logs that were told
 * and whose block left the chain since (`evm_revert`) come once more with `removed: true`, before the new ones.
 */
export const eth_getFilterChanges = defineMethod({
  name: 'eth_getFilterChanges',
  summary: 'What a filter found since it was asked last',
  params: [param('filterId', quantity)],
  result: {
    description: 'Logs, or hashes of blocks or transactions',
    schema: { type: 'array', items: { oneOf: [LOG_JSON_SCHEMA, hash32.jsonSchema] } },
  },
  example: {
    before: [
      { method: 'eth_newBlockFilter', params: [] },
      { method: 'evm_mine', params: [] },
    ],
    params: ['0x1010101010101010101010101010101'],
    result: ['0xf41f86945048a9e96e7d1a3da036021c5c8732c4bfc0974d5095ab6d6196c2e5'],
  },
  handler: ({ chain }, id) => {
    const items = chain.filters.changes(id);
    return 'logs' in items ? logViews(items.logs) : items.hashes.map(toHex);
  },
  withoutLane: () => {
    throw new FilterNotFoundError();
  },
});
