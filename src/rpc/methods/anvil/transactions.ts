import { toHex } from '../../../primitives/hex.ts';
import { orNull } from '../../../wire/values.ts';
import { requireBlock } from '../../block-answers.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { address, data, hash32, word32 } from '../../codecs/hex-values.ts';
import { fromBlocks } from '../../fork/derivations.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { NULL, TRUE } from '../../result-shapes.ts';
import type { RpcContext } from '../../rpc-context.ts';

const BLOBS_JSON_SCHEMA = orNull({ type: 'array', items: data.jsonSchema });

/** Returns the blobs with these hashes; `null` if one is missing. */
function blobsWith({ node: { chain } }: RpcContext, hashes: readonly Uint8Array[]): string[] | null {
  const blobs: string[] = [];
  for (const hash of hashes) {
    const blob = chain.blobs.blob(hash);
    if (blob === undefined) return null;
    blobs.push(toHex(blob));
  }
  return blobs;
}

export const ANVIL_TRANSACTIONS: readonly Method[] = [
  defineMethod({
    name: 'anvil_dropAllTransactions',
    aliases: { hardhat_dropAllTransactions: TRUE, ganache_dropAllTransactions: TRUE },
    summary: 'Removes all pending transactions',
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }) => chain.dropTransactions(),
  }),
  /**
   * Also ends the execution of a transaction that takes long, for example with `--disable-block-gas-limit`. If the
   * transaction belongs to a bundle, the bundle is dropped.
   */
  defineMethod({
    name: 'anvil_dropTransaction',
    summary: 'Removes a pending transaction',
    differs: 'Also removes queued transactions',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'own', because: 'the pool is local to this node' },
    result: {
      description: 'The hash, or `null` if the transaction was not in the pool',
      schema: orNull(hash32.jsonSchema),
    },
    handler: async ({ node: { chain } }, hash) => ((await chain.dropTransaction(hash)) ? toHex(hash) : null),
  }),
  defineMethod({
    name: 'anvil_removePoolTransactions',
    aliases: { hardhat_removePoolTransactions: TRUE },
    summary: 'Removes the pending transactions of a sender',
    params: [param('address', address)],
    result: { description: 'No meaningful value', schema: { type: ['boolean', 'null'] } },
    shape: NULL,
    handler: ({ node: { chain } }, sender) => chain.dropTransactions(sender),
  }),
  /** Returns `null` if the blob is unknown or no longer stored. */
  defineMethod({
    name: 'anvil_getBlobByHash',
    summary: 'A blob by its versioned hash',
    params: [param('versionedHash', word32)],
    result: { description: 'The 131,072 bytes of the blob, or null', schema: orNull(data.jsonSchema) },
    handler: ({ node: { chain } }, hash) => {
      const blob = chain.blobs.blob(hash);
      return blob === undefined ? null : toHex(blob);
    },
  }),
  /** Returns `null` if the transaction is unknown, has no blobs, or its blobs are no longer stored. */
  defineMethod({
    name: 'anvil_getBlobsByTransactionHash',
    summary: 'The blobs of a transaction',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'own', because: 'upstream nodes do not serve the blobs of transactions' },
    result: { description: 'The blobs in order, or null', schema: BLOBS_JSON_SCHEMA },
    handler: (context, hash) => {
      const { chain } = context.node;
      const transaction = chain.transaction(hash)?.transaction ?? chain.pool.byHash(hash);
      const hashes = transaction?.blobVersionedHashes ?? [];
      return hashes.length === 0 ? null : blobsWith(context, hashes);
    },
  }),
  /** Returns `null` if a blob is no longer stored. */
  defineMethod({
    name: 'anvil_getBlobsByBlockId',
    summary: 'The blobs of the transactions of a block',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'anything', derive: fromBlocks('blobs') },
    result: { description: 'The blobs, or null', schema: BLOBS_JSON_SCHEMA },
    handler: async (context, selector) => {
      const { transactions } = await requireBlock(context, selector);
      return blobsWith(
        context,
        transactions.flatMap(({ blobVersionedHashes }) => blobVersionedHashes),
      );
    },
  }),
];
