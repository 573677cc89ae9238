import { dropAllTransactions } from '../../../chain/controls.ts';
import { toHex } from '../../../primitives/hex.ts';
import { orNull } from '../../../wire/json.ts';
import { address, hash32 } from '../../codecs/data.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';

export const ANVIL_POOL: readonly Method[] = [
  /** Takes all transactions out of the pool. */
  defineMethod({
    name: 'anvil_dropAllTransactions',
    aliases: { hardhat_dropAllTransactions: TRUE, ganache_dropAllTransactions: TRUE },
    summary: 'Empties the pool',
    params: [],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }) => chain.change(dropAllTransactions()),
  }),
  /** Takes a transaction out of the pool and gives its hash; `null` when it was not there. */
  defineMethod({
    name: 'anvil_dropTransaction',
    summary: 'Takes a transaction out of the pool',
    differs: 'Finds transactions that wait for an earlier nonce too',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'own', because: 'the pool is that of this node' },
    result: { description: 'The hash, or `null`', schema: orNull(hash32.jsonSchema) },
    handler: async ({ chain }, hash) =>
      (await chain.change(({ pool }) => pool.remove(hash))) ? toHex(hash) : null,
  }),
  /** Takes the transactions of a sender out of the pool. */
  defineMethod({
    name: 'anvil_removePoolTransactions',
    aliases: { hardhat_removePoolTransactions: TRUE },
    summary: 'Takes the transactions of a sender out of the pool',
    params: [param('address', address)],
    result: { description: 'Nothing of meaning', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ chain }, sender) => chain.change(({ pool }) => pool.removeSender(sender)),
  }),
];
