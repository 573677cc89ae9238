import { expect, it } from 'vitest';
import { EXAMPLE } from '../rpc/example-chain.ts';
import { serviceScene } from './service-scene.ts';

const METHOD = 'anvil_getBlobsByBlockId';

it('returns no blobs for a block of the forked chain without blobs', async () => {
  const { node, scene } = await serviceScene();
  for (const block of ['0x2', 'earliest', EXAMPLE.blockHashes[3], '0x4'])
    expect(await scene.call(METHOD, [block])).toEqual(await node.call(METHOD, [block]));
});

it('returns null for a block of the forked chain with blobs', async () => {
  const { scene } = await serviceScene({
    change: (method, result, [number]) => {
      if (method !== 'eth_getBlockByNumber' || number !== '0x2') return result;
      const block = result as { readonly transactions: readonly object[] };
      const withBlob = (one: object) => ({ ...one, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] });
      return { ...block, transactions: block.transactions.map(withBlob) };
    },
  });
  expect(await scene.call(METHOD, ['0x2'])).toBeNull();
});

it('returns the blobs of an upstream that serves them', async () => {
  const { scene } = await serviceScene({
    served: new Set(['eth_chainId', 'eth_blockNumber', 'eth_getBlockByNumber', METHOD]),
    change: (method, result) => (method === METHOD ? ['0x1234'] : result),
  });
  expect(await scene.call(METHOD, ['0x2'])).toEqual(['0x1234']);
});
