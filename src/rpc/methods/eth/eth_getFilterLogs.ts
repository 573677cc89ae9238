import { FilterNotFoundError } from '../../../chain/errors.ts';
import { toHex } from '../../../primitives/hex.ts';
import { hash32 } from '../../codecs/data.ts';
import { quantity } from '../../codecs/quantity.ts';
import { logsInRange } from '../../log-answers.ts';
import { defineMethod, param } from '../../method.ts';
import { LOG_JSON_SCHEMA } from '../../views/json-schemas.ts';

/**
 * All logs that match a filter of logs: what `eth_getLogs` answers to the same filter object. For other filters the
 * hashes that `eth_getFilterChanges` would tell next. Nothing counts as told by this.
 */
export const eth_getFilterLogs = defineMethod({
  name: 'eth_getFilterLogs',
  summary: 'All logs that match a filter',
  params: [param('filterId', quantity)],
  result: {
    description: 'Logs, or hashes of blocks or transactions',
    schema: { type: 'array', items: { oneOf: [LOG_JSON_SCHEMA, hash32.jsonSchema] } },
  },
  example: {
    before: [
      {
        method: 'eth_newFilter',
        params: [{ fromBlock: 'earliest', address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512' }],
      },
    ],
    params: ['0x1010101010101010101010101010101'],
    result: [
      {
        address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
        topics: [
          '0x8b05844824acf2db2f068e4006ef99b307ca4fe1a896d06e884700f1a9da3a6d',
          '0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          '0x000000000000000000000000000000000000000000000000000000000000002a',
        ],
        data: '0x000000000000000000000000000000000000000000000000000000000000002a',
        blockNumber: '0x3',
        blockHash: '0x7e426d5d1c480232f66f2e5a76cf0e90a12600f30fcef2eb7c99b604da3a7789',
        blockTimestamp: '0x6553f103',
        transactionHash: '0xd3603c6e41443ba71403eb5b52f5ae3a7c527aa9e4754c9b6e419f8344bd8adb',
        transactionIndex: '0x0',
        logIndex: '0x0',
        removed: false,
      },
    ],
  },
  handler: (context, id) => {
    const content = context.chain.filters.content(id);
    return 'range' in content ? logsInRange(context, content.range) : content.hashes.map(toHex);
  },
  withoutLane: () => {
    throw new FilterNotFoundError();
  },
});
