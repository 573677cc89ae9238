import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/primitives/steps.ts';
import { BITCOIN_CALLS } from '../../../src/rootstock/parent-chain/bitcoin-rpc.ts';
import { blockbookRoute } from '../../../src/rootstock/parent-chain/blockbook.ts';
import { ParentScene, SINK } from './scene.ts';

const scene = new ParentScene();
scene.fund(1);
const TXID = scene.text('sendtoaddress', SINK, 1);
const RAW = scene.text('getrawtransaction', TXID);
const PSBT = scene.text('createpsbt', [{ txid: TXID, vout: 0 }], { [SINK]: 1 });
const BLOCK = scene.text('getblock', scene.chain.tip.hash, 0);

const LEAF = fc.oneof(
  fc.constantFrom<unknown>(
    TXID,
    RAW,
    PSBT,
    BLOCK,
    SINK,
    scene.chain.tip.hash,
    '',
    'start',
    null,
    0,
    1,
    -1,
    1.5,
    true,
    1e308,
  ),
  fc.string({ maxLength: 20 }),
  fc.nat(300).map((cut) => RAW.slice(0, cut)),
  fc.nat(400).map((cut) => BLOCK.slice(cut)),
  fc.integer(),
  fc.double(),
);
const MEMBER = fc.constantFrom(
  'txid',
  'vout',
  'sequence',
  'data',
  'scriptPubKey',
  'redeemScript',
  'witnessScript',
  'amount',
  'desc',
  'fee_rate',
  'changePosition',
  'subtractFeeFromOutputs',
  'minconf',
  SINK,
);
const OBJECT = fc.dictionary(MEMBER, LEAF, { maxKeys: 4 });
const VALUE = fc.oneof(LEAF, OBJECT, fc.array(fc.oneof(LEAF, OBJECT), { maxLength: 3 }));
// Mining is covered by other tests, and takes long for large counts.
const METHODS = BITCOIN_CALLS.map(({ name }) => name).filter((name) => name !== 'generatetoaddress');

describe('callParentChain', () => {
  it('throws no other error than BitcoinRpcError, and returns JSON', () => {
    fc.assert(
      fc.property(fc.constantFrom(...METHODS), fc.array(VALUE, { maxLength: 5 }), (method, params) => {
        try {
          JSON.stringify(scene.call(method, ...params));
        } catch (error) {
          if (Object(error).name !== 'BitcoinRpcError') throw error;
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('throws BitcoinRpcError for each call with values of the wrong type', () => {
    for (const { name, parameters } of BITCOIN_CALLS) {
      if (!parameters.some(({ isRequired }) => isRequired)) continue;
      const params = parameters.map(({ type }) => (type === 'object' ? 'x' : {}));
      expect(() => scene.call(name, ...params)).toThrow(expect.objectContaining({ name: 'BitcoinRpcError' }));
    }
  });
});

describe('blockbookRoute', () => {
  it('answers any path', () => {
    const part = fc.oneof(
      fc.constantFrom(
        'api',
        'v1',
        'v2',
        'tx',
        'utxo',
        'address',
        'sendtx',
        'estimatefee',
        'blocks',
        SINK,
        TXID,
        RAW,
      ),
      fc.string({ maxLength: 10 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const answer = finish(blockbookRoute(scene.chain, `/api/${parts.join('/')}`));

        expect([200, 400, 404]).toContain(answer?.status);
      }),
      { numRuns: 500 },
    );
  });
});
