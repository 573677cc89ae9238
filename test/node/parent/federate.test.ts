import { describe, expect, it } from 'vitest';
import { BRIDGE, type ParentScene, serveParentChain } from './parent-scene.ts';

const FEDERATION = '2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p';
const RECEIVER = `0x${'ab'.repeat(20)}`;

/** Mines coins for the wallet. Returns an address of the wallet. */
async function fund({ bitcoin }: ParentScene): Promise<string> {
  const address = String(await bitcoin('getnewaddress', ['', 'legacy']));
  await bitcoin('generatetoaddress', [101, address]);
  return address;
}

async function numberOf({ rpc }: ParentScene, lane?: string): Promise<number> {
  return Number(await rpc('eth_blockNumber', [], lane));
}

/** Sends a pegin of version 1 to {@link RECEIVER}. Returns its txid. */
async function sendPegin({ bitcoin }: ParentScene, coins: string): Promise<string> {
  const data = `52534b5401${'ab'.repeat(20)}`;
  const raw = await bitcoin('createrawtransaction', [[], [{ [FEDERATION]: coins }, { data }]]);
  const { hex } = (await bitcoin('fundrawtransaction', [raw])) as { hex: string };
  const signed = (await bitcoin('signrawtransactionwithwallet', [hex])) as { hex: string };
  return String(await bitcoin('sendrawtransaction', [signed.hex]));
}

describe('the federate', () => {
  it('sends nothing without a new header', async () => {
    const scene = await serveParentChain();
    await scene.rpc('evm_mine');
    await scene.bitcoin('getblockcount');
    expect(await numberOf(scene)).toBe(1);
  });

  it('sends new headers in its own blocks, before the response', async () => {
    const scene = await serveParentChain();
    await fund(scene);
    expect(await numberOf(scene)).toBe(2);
    const state = await scene.rpc('eth_bridgeState');
    expect(state).toMatchObject({ btcBlockchainBestChainHeight: 101 });
  });

  it('registers a confirmed pegin, which credits the receiver exactly', async () => {
    const scene = await serveParentChain();
    const address = await fund(scene);
    await sendPegin(scene, '0.5');
    await scene.bitcoin('generatetoaddress', [2, address]);
    expect(await scene.rpc('eth_getBalance', [RECEIVER, 'latest'])).toBe('0x0');
    await scene.bitcoin('generatetoaddress', [1, address]);
    expect(BigInt(String(await scene.rpc('eth_getBalance', [RECEIVER, 'latest'])))).toBe(5n * 10n ** 17n);
    const before = await numberOf(scene);
    await scene.rpc('evm_mine');
    expect(await numberOf(scene)).toBe(before + 1);
  });

  it('leaves its calls in the pool without automine, one at a time', async () => {
    const scene = await serveParentChain({ noMining: true });
    await fund(scene);
    expect(await numberOf(scene)).toBe(0);
    expect(await scene.rpc('txpool_status')).toMatchObject({ pending: 1 });
    await scene.rpc('evm_mine');
    await scene.bitcoin('getblockcount');
    expect(await scene.rpc('txpool_status')).toMatchObject({ pending: 1 });
    await scene.rpc('evm_mine');
    await scene.bitcoin('getblockcount');
    expect(await scene.rpc('txpool_status')).toMatchObject({ pending: 0 });
    expect(await scene.rpc('eth_bridgeState')).toMatchObject({ btcBlockchainBestChainHeight: 101 });
  });

  it('does not share a block with a transaction of a client', async () => {
    const scene = await serveParentChain();
    const address = await fund(scene);
    const [from] = (await scene.rpc('eth_accounts')) as string[];
    await Promise.all([
      scene.bitcoin('generatetoaddress', [1, address]),
      scene.rpc('eth_sendTransaction', [{ from, to: RECEIVER, value: '0x1' }]),
    ]);
    const head = await numberOf(scene);
    for (let number = 1; number <= head; number++) {
      const block = (await scene.rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as {
        transactions: string[];
      };
      expect(block.transactions).toHaveLength(1);
    }
  });

  it('sends nothing with --no-federate', async () => {
    const scene = await serveParentChain({ noFederate: true });
    await fund(scene);
    expect(await numberOf(scene)).toBe(0);
  });

  it('pays a pegout and registers its change', async () => {
    const scene = await serveParentChain();
    const address = await fund(scene);
    await sendPegin(scene, '2');
    await scene.bitcoin('generatetoaddress', [3, address]);
    const [from] = (await scene.rpc('eth_accounts')) as string[];
    await scene.rpc('eth_sendTransaction', [
      { from, to: BRIDGE, value: '0x6f05b59d3b20000', gas: '0x186a0' },
    ]);
    await scene.rpc('hardhat_mine', ['0x3']);
    await scene.bitcoin('getblockcount');
    const mempool = (await scene.bitcoin('getrawmempool')) as string[];
    expect(mempool).toHaveLength(1);
    await scene.bitcoin('generatetoaddress', [3, address]);
    expect(await scene.bitcoin('getrawmempool')).toEqual([]);
  });
});

describe('Blockbook', () => {
  it('answers GET requests below /parent/api', async () => {
    const scene = await serveParentChain();
    const address = await fund(scene);
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`${scene.server.url}/parent${path}`)).json();
    expect(await get(`/api/v2/address/${address}`)).toMatchObject({ address, txs: 101 });
    expect(await get('/api/v2/block-index/0')).toMatchObject({ blockHash: expect.any(String) });
    const missing = await fetch(`${scene.server.url}/parent/api/v2/other`);
    expect(missing.status).toBe(404);
  });
});
