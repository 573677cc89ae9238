import { describe, expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HASHES = Array.from({ length: 6 }, (_, index) => `0x01${`${index}${index}`.repeat(31)}`);

describe('blob persistence', () => {
  it('a chain with blobs survives a dump and a reopened data directory', async () => {
    const dataDir = await temporaryDirectory();
    const first = await createNode({ hardfork: 'cancun', dataDir });
    const ask = (method: string, ...params: unknown[]) => first.request({ method, params });
    const [from] = (await ask('eth_accounts')) as string[];
    const transaction = { from, to: from, blobVersionedHashes: HASHES };
    const snapshot = await ask('evm_snapshot');
    await ask('eth_sendTransaction', transaction);
    await ask('evm_revert', snapshot);
    await ask('eth_sendTransaction', transaction);
    const hash = await ask('eth_sendTransaction', transaction);
    const head = await ask('eth_getBlockByNumber', 'latest', true);
    const receipt = await ask('eth_getTransactionReceipt', hash);
    const dump = await ask('anvil_dumpState');
    expect(head).toMatchObject({ excessBlobGas: '0x60000', blobGasUsed: '0xc0000' });
    await first.close();
    const again = await createNode({ hardfork: 'cancun', dataDir });
    const loaded = await createNode({ hardfork: 'cancun' });
    try {
      await loaded.request({ method: 'anvil_loadState', params: [dump] });
      for (const node of [again, loaded]) {
        expect(await node.request({ method: 'eth_getBlockByNumber', params: ['latest', true] })).toEqual(
          head,
        );
        expect(await node.request({ method: 'eth_getTransactionReceipt', params: [hash] })).toEqual(receipt);
      }
    } finally {
      await again.close();
      await loaded.close();
    }
  });
});
