import { beforeAll, describe, expect, it } from 'vitest';
import { finish } from '../../../src/primitives/steps.ts';
import { blockbookRoute } from '../../../src/rootstock/parent-chain/blockbook.ts';
import { ParentScene, SINK } from './scene.ts';

const UNKNOWN = 'ab'.repeat(32);

describe('blockbookRoute', () => {
  const scene = new ParentScene();
  let address = '';
  let txid = '';
  beforeAll(() => {
    scene.fund();
    address = scene.text('getnewaddress');
    txid = scene.text('sendtoaddress', address, 1.5);
    scene.mine(1);
  });

  function get(path: string): { status: number; body: Record<string, unknown> } {
    const answer = finish(blockbookRoute(scene.chain, path));
    return { status: answer?.status ?? 0, body: Object(answer?.body) };
  }

  it('ignores other paths', () => {
    expect(finish(blockbookRoute(scene.chain, '/other'))).toBeNull();
  });

  it.each(['/api/blocks', '/api', '/api/v2'])('%s returns the best block', (path) => {
    expect(get(path).body).toMatchObject({
      blockbook: { coin: 'Bitcoin Regtest', inSync: true, initialSync: false, bestHeight: 102 },
      backend: { chain: 'regtest', blocks: 102, bestBlockHash: scene.chain.tip.hash },
    });
  });

  it('returns a transaction in version 2 with satoshis', () => {
    expect(get(`/api/v2/tx/${txid}`).body).toMatchObject({
      txid,
      blockHash: scene.chain.tip.hash,
      blockHeight: 102,
      confirmations: 1,
      blockTime: scene.chain.tip.header.time,
      valueIn: '5000000000',
      fees: '1410',
      vin: [{ n: 0, isAddress: true, value: '5000000000' }],
      vout: [{ n: 0, value: '150000000', addresses: [address], isAddress: true, spent: false }, { n: 1 }],
      hex: scene.text('getrawtransaction', txid),
    });
  });

  it('returns a transaction in version 1 with coins', () => {
    expect(get(`/api/v1/tx/${txid}`).body).toMatchObject({
      blockhash: scene.chain.tip.hash,
      blockheight: 102,
      valueIn: '50',
      fees: '0.0000141',
      vout: [{ value: '1.5', scriptPubKey: { addresses: [address], type: 'witness_v0_keyhash' } }, {}],
    });
  });

  it('returns the outputs of an address', () => {
    expect(Array.from(Object(get(`/api/v1/utxo/${address}`).body))).toEqual([
      { txid, vout: 0, amount: '1.5', satoshis: 150_000_000, height: 102, confirmations: 1 },
    ]);
  });

  it('returns the sums and transactions of an address', () => {
    expect(get(`/api/v2/address/${address}`).body).toMatchObject({
      page: 1,
      totalPages: 1,
      itemsOnPage: 1000,
      address,
      balance: '150000000',
      totalReceived: '150000000',
      totalSent: '0',
      unconfirmedBalance: '0',
      unconfirmedTxs: 0,
      txs: 1,
      txids: [txid],
    });
    expect(get(`/api/v2/address/${SINK}?page=2&pageSize=10`).body).toMatchObject({
      page: 2,
      itemsOnPage: 10,
      totalPages: 10,
    });
  });

  it('returns the fee rate', () => {
    expect(get('/api/v1/estimatefee/6').body).toEqual({ result: '0.0001' });
  });

  it('sends a transaction', () => {
    const raw = scene.text('createrawtransaction', [{ txid, vout: 0 }], { [SINK]: 1.499 });
    const hex = String(scene.object('signrawtransactionwithwallet', raw).hex);

    expect(get(`/api/v2/sendtx/${hex}`)).toEqual({
      status: 200,
      body: { result: scene.list('getrawmempool').join() },
    });
    expect(get(`/api/v2/sendtx/${raw}`).status).toBe(200);
    expect(get('/api/v2/sendtx/00').status).toBe(400);
  });

  it('returns 404 for unknown objects and 400 for invalid ids', () => {
    expect(get(`/api/v2/tx/${UNKNOWN}`).status).toBe(404);
    expect(get('/api/v2/tx/x')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('must be of length 64') },
    });
    expect(get('/api/v1/utxo/x').status).toBe(404);
    expect(get('/api/v2/nothing').status).toBe(404);
  });
});
