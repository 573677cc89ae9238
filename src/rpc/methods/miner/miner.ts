import { changeSettings, setGasPrice } from '../../../chain/mining-controls.ts';
import { quantity } from '../../codecs/hex-values.ts';
import { extraData } from '../../codecs/settings.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { TRUE } from '../../result-shapes.ts';

export const MINER_MINER: readonly Method[] = [
  /** At most 32 bytes. */
  defineMethod({
    name: 'miner_setExtra',
    summary: 'Sets the extra data of the next blocks',
    params: [param('data', extraData)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: ({ node: { chain } }, bytes) => chain.change(changeSettings({ extraData: bytes })),
  }),
  /** In wei per gas; transactions with a lower price are rejected. */
  defineMethod({
    name: 'miner_setGasPrice',
    summary: 'Sets the suggested and minimum gas price',
    differs: 'Transactions with a lower gas price are rejected',
    params: [param('price', quantity)],
    result: { description: 'True', schema: { const: true } },
    shape: TRUE,
    handler: ({ node: { chain } }, price) => chain.change(setGasPrice(price)),
  }),
];
