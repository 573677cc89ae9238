import { beforeAll, describe, expect, it } from 'vitest';
import { readDigits } from '../../../src/primitives/hex.ts';
import { finish } from '../../../src/primitives/steps.ts';
import { readBlock } from '../../../src/rootstock/parent-chain/parent-block.ts';
import { errorOf, ParentScene, SINK } from './scene.ts';

const GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const UNKNOWN = 'ab'.repeat(32);

describe('the calls for blocks', () => {
  const scene = new ParentScene();
  let txid = '';
  beforeAll(() => {
    scene.fund();
    txid = scene.text('sendtoaddress', SINK, 1);
    scene.mine(1);
  });

  it('getblockchaininfo returns the state of the chain', () => {
    expect(scene.object('getblockchaininfo')).toMatchObject({
      chain: 'regtest',
      blocks: 102,
      headers: 102,
      bestblockhash: scene.chain.tip.hash,
      initialblockdownload: false,
      pruned: false,
      warnings: [],
      chainwork: (2 * 103).toString(16).padStart(64, '0'),
    });
  });

  it('getblockcount, getbestblockhash and getblockhash return heights and hashes', () => {
    expect(scene.call('getblockcount')).toBe(102);
    expect(scene.call('getblockhash', 0)).toBe(GENESIS);
    expect(scene.call('getblockhash', 102)).toBe(scene.call('getbestblockhash'));
    expect(errorOf(() => scene.call('getblockhash', 103))).toMatchObject({
      code: -8,
      message: 'Block height out of range',
    });
    expect(errorOf(() => scene.call('getblockhash', -1)).code).toBe(-8);
  });

  it('getblock returns bytes, ids, transactions or spent outputs by verbosity', () => {
    const hash = scene.text('getbestblockhash');

    const bytes = readDigits(scene.text('getblock', hash, 0));
    expect(finish(readBlock(bytes ?? new Uint8Array(0))).hash).toBe(hash);
    expect(scene.object('getblock', hash)).toMatchObject({ hash, height: 102, confirmations: 1, nTx: 2 });
    expect(scene.object('getblock', hash).tx).toContain(txid);
    const transactions = Array.from(Object(scene.object('getblock', hash, 2).tx));
    expect(transactions[1]).toMatchObject({ txid, fee: 0.0000141 });
    const detailed = Object(Array.from(Object(scene.object('getblock', hash, 3).tx))[1]);
    expect(detailed.vin[0].prevout).toMatchObject({ generated: true, height: 1, value: 50 });
  });

  it('getblock accepts a boolean verbosity', () => {
    expect(scene.call('getblock', GENESIS, false)).toBe(scene.call('getblock', GENESIS, 0));
    expect(scene.call('getblock', GENESIS, true)).toEqual(scene.call('getblock', GENESIS, 1));
  });

  it('getblockheader returns a header with its neighbours, or its bytes', () => {
    const hash = scene.text('getblockhash', 1);

    expect(scene.object('getblockheader', hash)).toMatchObject({
      previousblockhash: GENESIS,
      nextblockhash: scene.call('getblockhash', 2),
      bits: '207fffff',
      versionHex: '20000000',
    });
    expect(scene.text('getblockheader', hash, false)).toHaveLength(160);
  });

  it.each(['getblock', 'getblockheader'])('%s rejects an unknown or invalid hash', (method) => {
    expect(errorOf(() => scene.call(method, UNKNOWN))).toMatchObject({
      code: -5,
      message: 'Block not found',
    });
    expect(errorOf(() => scene.call(method, 'abc'))).toMatchObject({
      code: -8,
      message: "blockhash must be of length 64 (not 3, for 'abc')",
    });
    expect(errorOf(() => scene.call(method, 'z'.repeat(64)))).toMatchObject({
      code: -8,
      message: `blockhash must be hexadecimal string (not '${'z'.repeat(64)}')`,
    });
  });

  it('gettxout returns an unspent output, or null', () => {
    const mined = scene.object('gettxout', txid, 0);

    expect(mined).toMatchObject({ confirmations: 1, value: 1, coinbase: false });
    expect(mined.scriptPubKey).toMatchObject({ address: SINK, type: 'witness_v0_keyhash' });
    expect(scene.call('gettxout', txid, 9)).toBeNull();
    expect(scene.call('gettxout', UNKNOWN, 0)).toBeNull();
  });

  it('gettxout excludes outputs that the mempool spends', () => {
    const own = new ParentScene();
    own.fund();
    const { txid: coin, vout } = own.list('listunspent')[0] ?? {};
    own.call('sendtoaddress', SINK, 1);

    expect(own.call('gettxout', coin, vout)).toBeNull();
    expect(own.object('gettxout', coin, vout, false).value).toBe(50);
  });

  it('gettxoutproof and verifytxoutproof prove a transaction', () => {
    const proof = scene.text('gettxoutproof', [txid]);

    expect(scene.call('verifytxoutproof', proof)).toEqual([txid]);
    expect(scene.text('gettxoutproof', [txid], scene.call('getbestblockhash'))).toBe(proof);
    expect(scene.call('verifytxoutproof', `${proof.slice(0, -6)}000000`)).toEqual([]);
  });

  it.each([
    [[[]], -8, "Parameter 'txids' cannot be empty"],
    [[[UNKNOWN]], -5, 'Transaction not yet in block'],
    [[[UNKNOWN, UNKNOWN]], -8, 'Invalid parameter, duplicated txid'],
    [[[UNKNOWN], GENESIS], -5, 'Not all transactions found in specified or retrieved block'],
    [[[UNKNOWN], UNKNOWN], -5, 'Block not found'],
  ])('gettxoutproof rejects %j', (params, code, message) => {
    expect(errorOf(() => scene.call('gettxoutproof', ...params))).toMatchObject({ code, message });
  });

  it('verifytxoutproof rejects bytes that are no proof', () => {
    expect(errorOf(() => scene.call('verifytxoutproof', '00')).code).toBe(-22);
    expect(errorOf(() => scene.call('verifytxoutproof', 'xy')).code).toBe(-22);
  });

  it('scantxoutset finds the outputs of descriptors', () => {
    const result = scene.object('scantxoutset', 'start', [{ desc: `addr(${SINK})` }]);

    expect(result).toMatchObject({ success: true, height: 102, bestblock: scene.chain.tip.hash });
    expect(Array.from(Object(result.unspents), (found) => Object(found).txid)).toContain(txid);
    expect(scene.object('scantxoutset', 'start', [`addr(${SINK})`]).total_amount).toBe(result.total_amount);
    expect(scene.call('scantxoutset', 'status')).toBeNull();
    expect(scene.call('scantxoutset', 'abort')).toBe(false);
  });

  it.each([
    [['start'], -1],
    [['begin', []], -8],
    [['start', ['addr(x)']], -5],
    [['start', ['tr(00)']], -5],
    [['start', [`addr(${SINK})#aaaaaaaa`]], -5],
    [['start', [7]], -3],
  ])('scantxoutset rejects %j', (params, code) => {
    expect(errorOf(() => scene.call('scantxoutset', ...params))).toMatchObject({
      code,
      name: 'BitcoinRpcError',
    });
  });
});

describe('the general calls', () => {
  const scene = new ParentScene();

  it('estimatesmartfee returns a constant rate', () => {
    expect(scene.call('estimatesmartfee', 6)).toEqual({ feerate: 0.0001, blocks: 6 });
    expect(errorOf(() => scene.call('estimatesmartfee', 0)).code).toBe(-8);
    expect(errorOf(() => scene.call('estimatesmartfee', 6, 'fast')).code).toBe(-8);
  });

  it('validateaddress describes an address', () => {
    expect(scene.object('validateaddress', SINK)).toMatchObject({
      isvalid: true,
      scriptPubKey: `0014${'00'.repeat(20)}`,
      iswitness: true,
      witness_version: 0,
    });
    expect(scene.object('validateaddress', 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqthqst8').isvalid).toBe(false);
  });

  it('getnetworkinfo, ping, uptime and help answer', () => {
    expect(scene.object('getnetworkinfo')).toMatchObject({
      version: 280000,
      relayfee: 0.00001,
      connections: 0,
    });
    expect(scene.call('ping')).toBeNull();
    scene.clock.time += 7;
    expect(scene.call('uptime')).toBe(7);
    expect(scene.text('help', 'getblock')).toBe('getblock "blockhash" ( verbosity )');
    expect(scene.text('help')).toContain('sendtoaddress');
    expect(scene.text('help', 'nothing')).toBe('help: unknown command: nothing');
  });

  it('createmultisig returns the address and the script', () => {
    const keys = [1, 2].map(() => scene.object('getaddressinfo', scene.text('getnewaddress')).pubkey);

    const result = scene.object('createmultisig', 2, keys, 'bech32');

    expect(scene.object('decodescript', result.redeemScript).type).toBe('multisig');
    expect(scene.object('validateaddress', result.address)).toMatchObject({
      isscript: true,
      iswitness: true,
    });
    expect(errorOf(() => scene.call('createmultisig', 3, keys)).code).toBe(-8);
    expect(errorOf(() => scene.call('createmultisig', 1, ['00'])).code).toBe(-5);
  });
});

describe('the parameters of calls', () => {
  const scene = new ParentScene();

  it('can have names', () => {
    expect(scene.callNamed('getblockhash', { height: 0 })).toBe(GENESIS);
    expect(Object(scene.callNamed('getblock', { args: [GENESIS], verbosity: 1 })).height).toBe(0);
  });

  it.each([
    ['getblockhash', [], -1, 'getblockhash height'],
    ['getblockhash', [1, 2], -1, 'getblockhash height'],
    ['nothing', [], -32601, 'Method not found'],
    [
      'getblockhash',
      ['0'],
      -3,
      'Wrong type passed:\n{\n    "Position 1 (height)": "JSON value of type string is not of expected type number"\n}',
    ],
    ['getblockhash', [1.5], -1, 'JSON integer out of range'],
    [
      'getblock',
      [null],
      -3,
      'Wrong type passed:\n{\n    "Position 1 (blockhash)": "JSON value of type null is not of expected type string"\n}',
    ],
  ])('%s%j fails', (method, params, code, message) => {
    expect(errorOf(() => scene.call(method, ...params))).toEqual({ code, message, name: 'BitcoinRpcError' });
  });

  it('fail for unknown and repeated names', () => {
    expect(errorOf(() => scene.callNamed('getblockhash', { hight: 0 }))).toMatchObject({
      code: -8,
      message: 'Unknown named parameter hight',
    });
    expect(errorOf(() => scene.callNamed('getblock', { args: [GENESIS], blockhash: GENESIS }))).toMatchObject(
      {
        code: -8,
        message: 'Parameter blockhash specified twice both as positional and named argument',
      },
    );
  });
});
