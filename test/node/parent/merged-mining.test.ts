import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { fromHex, hexKey } from '../../../src/primitives/hex.ts';
import { doubleSha256 } from '../../../src/primitives/sha256.ts';
import { COMMITMENT_TAG, meetsTarget } from '../../../src/protocol/merged-mining/proof-of-work.ts';
import { opReturnScript } from '../../../src/rootstock/bitcoin/script.ts';
import { createTemplate } from '../../../src/rootstock/parent-chain/create-block.ts';
import { blockBytes, headerBytes } from '../../../src/rootstock/parent-chain/parent-block.ts';
import { newParentChain, ParentChain } from '../../../src/rootstock/parent-chain/parent-chain.ts';
import { serveParentChain } from './parent-scene.ts';

/** Returns a block of the parent chain on its genesis block that solves the work. */
function solvedBlock(hash: string, target: string): string {
  const chain = new ParentChain(newParentChain('miner'), { now: () => 1_600_000_000 });
  const commitment = opReturnScript(concatBytes(COMMITMENT_TAG, fromHex(hash)));
  const template = createTemplate(chain, {
    script: Uint8Array.of(0x51),
    entries: [],
    extraOutputs: [{ value: 0n, script: commitment }],
  });
  for (let nonce = 0; ; nonce++) {
    const header = { ...template.header, nonce };
    if (meetsTarget(doubleSha256(headerBytes(header)), fromHex(target)))
      return hexKey(blockBytes({ header, transactions: template.transactions }));
  }
}

describe('merged mining with a parent chain', () => {
  it('proves each block on the best block of the parent chain, which it does not extend', async () => {
    const { rpc, bitcoin } = await serveParentChain({ fieldNames: 'native' });
    const address = await bitcoin('getnewaddress');
    await bitcoin('generatetoaddress', [2, address]);
    await rpc('evm_mine');
    const { bitcoinMergedMiningHeader: header } = (await rpc('eth_getBlockByNumber', ['latest', false])) as {
      bitcoinMergedMiningHeader: string;
    };
    const parentHash = hexKey(fromHex(header).slice(4, 36).reverse());
    expect(parentHash).toBe(await bitcoin('getbestblockhash'));
    expect(await bitcoin('getblockcount')).toBe(2);
  });

  it('extends the parent chain by a submitted block on its best block', async () => {
    const { rpc, bitcoin } = await serveParentChain();
    const { blockHashForMergedMining, target } = (await rpc('mnr_getWork')) as {
      blockHashForMergedMining: string;
      target: string;
    };
    const block = solvedBlock(blockHashForMergedMining, target);
    await rpc('mnr_submitBitcoinBlock', [block]);
    expect(await bitcoin('getblockcount')).toBe(1);
    expect(await bitcoin('getblock', [await bitcoin('getbestblockhash'), 0])).toBe(block);
    expect(await rpc('eth_bridgeState')).toMatchObject({ btcBlockchainBestChainHeight: 1 });
    expect(await rpc('eth_blockNumber')).toBe('0x2');
  });

  it('accepts a nonce for its own work', async () => {
    const { rpc } = await serveParentChain();
    const [hash, merkleRoot] = (await rpc('eth_getWork')) as string[];
    let isSolved: unknown = false;
    for (let nonce = 0; isSolved !== true && nonce < 100; nonce++) {
      const text = `0x65000000${nonce.toString(16).padStart(8, '0')}`;
      isSolved = await rpc('eth_submitWork', [text, hash, merkleRoot]);
    }
    expect(await rpc('eth_blockNumber')).toBe('0x1');
  });
});
