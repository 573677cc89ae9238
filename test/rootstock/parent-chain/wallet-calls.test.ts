import { beforeEach, describe, expect, it } from 'vitest';
import { callParentChain } from '../../../src/rootstock/parent-chain/bitcoin-rpc.ts';
import { errorOf, ParentScene, SINK } from './scene.ts';

const UNKNOWN = 'ab'.repeat(32);
/** The private key 1, and its public key. */
const ONE_WIF = 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA';
const ONE_KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const ONE_ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

describe('the calls that manage wallets', () => {
  let scene: ParentScene;
  beforeEach(() => {
    scene = new ParentScene();
  });

  it('start with a default wallet', () => {
    expect(scene.call('listwallets')).toEqual(['']);
    expect(scene.text('getnewaddress')).toMatch(/^bcrt1q/);
  });

  it('use the only created wallet if the path has no name', () => {
    expect(scene.call('createwallet', 'peg')).toEqual({ name: 'peg' });

    expect(scene.object('getwalletinfo').walletname).toBe('peg');
    expect(Object(scene.callWallet('', 'getwalletinfo')).walletname).toBe('');
  });

  it('require a name if several wallets were created', () => {
    scene.call('createwallet', 'first');
    scene.call('createwallet', 'second');

    expect(errorOf(() => scene.call('getnewaddress')).code).toBe(-19);
    expect(scene.callWallet('first', 'getnewaddress')).not.toBe(scene.callWallet('second', 'getnewaddress'));
    expect(errorOf(() => scene.callWallet('third', 'getbalance'))).toMatchObject({
      code: -18,
      message: 'Requested wallet does not exist or is not loaded',
    });
  });

  it('load and unload wallets', () => {
    scene.call('createwallet', 'peg');

    expect(errorOf(() => scene.call('createwallet', 'peg')).code).toBe(-4);
    expect(errorOf(() => scene.call('loadwallet', 'peg')).code).toBe(-35);
    expect(scene.call('unloadwallet', 'peg')).toEqual({});
    expect(scene.call('listwallets')).toEqual(['']);
    expect(scene.call('listwalletdir')).toEqual({ wallets: [{ name: '' }, { name: 'peg' }] });
    expect(errorOf(() => scene.call('unloadwallet', 'peg')).code).toBe(-18);
    expect(scene.call('loadwallet', 'peg')).toEqual({ name: 'peg' });
    expect(errorOf(() => scene.call('loadwallet', 'other')).code).toBe(-18);
    scene.call('unloadwallet');
    scene.callWallet('', 'unloadwallet');
    expect(errorOf(() => scene.call('getbalance')).code).toBe(-18);
  });

  it('reject encryption', () => {
    expect(errorOf(() => scene.call('createwallet', 'peg', false, false, 'secret')).code).toBe(-4);
  });

  it('derive other keys from another seed', () => {
    expect(new ParentScene('other').text('getnewaddress')).not.toBe(scene.text('getnewaddress'));
  });
});

describe('the calls for addresses', () => {
  let scene: ParentScene;
  beforeEach(() => {
    scene = new ParentScene();
  });

  it.each([
    ['legacy', /^[mn]/, 'pkh('],
    ['p2sh-segwit', /^2/, 'sh(wpkh('],
    ['bech32', /^bcrt1q/, 'wpkh('],
  ])('getnewaddress creates the type %s', (type, form, descriptor) => {
    const address = scene.text('getnewaddress', 'shop', type);

    const info = scene.object('getaddressinfo', address);

    expect(address).toMatch(form);
    expect(info).toMatchObject({
      ismine: true,
      solvable: true,
      iswatchonly: false,
      ischange: false,
      labels: ['shop'],
    });
    expect(info.desc).toContain(descriptor);
  });

  it('getrawchangeaddress creates addresses for change', () => {
    expect(scene.object('getaddressinfo', scene.text('getrawchangeaddress')).ischange).toBe(true);
  });

  it('reject unknown types and invalid addresses', () => {
    expect(errorOf(() => scene.call('getnewaddress', '', 'bech32m'))).toMatchObject({
      code: -5,
      message: "Unknown address type 'bech32m'",
    });
    expect(errorOf(() => scene.call('getaddressinfo', 'x')).code).toBe(-5);
  });

  it('importprivkey and dumpprivkey use the wallet import format', () => {
    scene.call('importprivkey', ONE_WIF, 'one');

    expect(scene.object('getaddressinfo', ONE_ADDRESS)).toMatchObject({ ismine: true, pubkey: ONE_KEY });
    expect(scene.call('dumpprivkey', ONE_ADDRESS)).toBe(ONE_WIF);
    expect(errorOf(() => scene.call('dumpprivkey', SINK))).toMatchObject({
      code: -4,
      message: `Private key for address ${SINK} is not known`,
    });
    expect(errorOf(() => scene.call('importprivkey', 'x'))).toMatchObject({
      code: -5,
      message: 'Invalid private key encoding',
    });
  });

  it('importaddress watches an address, also for earlier payments', () => {
    scene.call('generatetoaddress', 101, SINK);

    expect(scene.call('importaddress', SINK, 'sink')).toBeNull();

    expect(scene.object('getaddressinfo', SINK)).toMatchObject({
      ismine: false,
      iswatchonly: true,
      labels: ['sink'],
    });
    expect(scene.call('getbalance')).toBe(0);
    expect(scene.call('getbalance', '*', 0, true)).toBe(50);
    expect(scene.object('getbalances').watchonly).toMatchObject({ trusted: 50, immature: 5000 });
    expect(scene.list('listunspent')).toMatchObject([{ spendable: false, solvable: false, address: SINK }]);
  });

  it('importpubkey makes the outputs of a key solvable', () => {
    scene.call('importpubkey', ONE_KEY);

    expect(scene.object('getaddressinfo', ONE_ADDRESS)).toMatchObject({
      iswatchonly: true,
      solvable: true,
      pubkey: ONE_KEY,
    });
  });

  it('importaddress imports redeem scripts', () => {
    const key = scene.object('getaddressinfo', scene.text('getnewaddress')).pubkey;
    const { address, redeemScript } = scene.object('createmultisig', 1, [key]);

    scene.call('importaddress', redeemScript, 'multisig', true, true);

    expect(scene.object('getaddressinfo', address)).toMatchObject({ iswatchonly: true, solvable: true });
  });

  it.each([
    ['importaddress', ['x'], -5, 'Invalid Bitcoin address or script'],
    [
      'importaddress',
      [SINK, '', true, true],
      -5,
      'Cannot use the p2sh flag with an address - use a script instead',
    ],
    ['importpubkey', ['x'], -5, 'Pubkey "x" must be a hex string'],
    [
      'importpubkey',
      [`02${'ff'.repeat(32)}`],
      -5,
      `Pubkey "02${'ff'.repeat(32)}" must be cryptographically valid.`,
    ],
  ])('%s rejects %j', (method, params, code, message) => {
    const found = errorOf(() => scene.call(method, ...params));

    expect(found.code).toBe(code);
    expect(found.message.slice(0, 60)).toBe(message.slice(0, 60));
  });

  it('importaddress rejects addresses of the wallet', () => {
    expect(errorOf(() => scene.call('importaddress', scene.text('getnewaddress'))).code).toBe(-4);
  });
});

describe('the calls that pay', () => {
  let scene: ParentScene;
  beforeEach(() => {
    scene = new ParentScene();
    scene.fund(2);
  });

  it('sendtoaddress pays an amount with change', () => {
    const txid = scene.text('sendtoaddress', SINK, '1.25');

    expect(scene.object('gettransaction', txid)).toMatchObject({
      amount: -1.25,
      fee: -0.0000141,
      confirmations: 0,
      trusted: true,
      details: [{ address: SINK, category: 'send', amount: -1.25, vout: 0 }],
    });
    expect(scene.call('getbalance')).toBe(98.7499859);
    scene.mine(1);
    expect(scene.object('gettransaction', txid, true, true)).toMatchObject({
      confirmations: 1,
      blockheight: 103,
      blockindex: 1,
      decoded: { txid },
    });
  });

  it('sendtoaddress spends unconfirmed change', () => {
    const ids = [1, 2, 3, 4].map(() => scene.text('sendtoaddress', SINK, 20));

    expect(scene.call('getrawmempool')).toEqual(ids);
  });

  it('sendtoaddress takes the fee from the amount', () => {
    const txid = scene.text('sendtoaddress', SINK, 100, '', '', true);

    const { vout, fee } = scene.object('getrawtransaction', txid, 2) as {
      vout: { value: number }[];
      fee: number;
    };

    expect(vout).toHaveLength(1);
    expect(Math.round(((vout[0]?.value ?? 0) + fee) * 1e8)).toBe(100e8);
    expect(scene.call('getbalance')).toBe(0);
  });

  it('sendtoaddress uses the given fee rate', () => {
    const txid = Object(
      scene.callNamed('sendtoaddress', { address: SINK, amount: 1, fee_rate: 25, verbose: true }),
    ).txid;

    expect(scene.object('gettransaction', txid).fee).toBe(-0.00003525);
  });

  it.each([
    [['x', 1], -5, 'Invalid Bitcoin address: x'],
    [[SINK, 0], -3, 'Invalid amount for send'],
    [[SINK, -1], -3, 'Amount out of range'],
    [[SINK, 'one'], -3, 'Invalid amount'],
    [[SINK, 1000], -6, 'Insufficient funds'],
    [[SINK, 100], -6, 'Insufficient funds'],
    [[SINK, 0.00000001], -6, 'Transaction amount too small'],
    [
      [SINK, 1, '', '', false, true, null, 'unset', null, 0.5],
      -4,
      'Fee rate (0.5 sat/vB) is lower than the minimum fee rate setting (1 sat/vB)',
    ],
  ])('sendtoaddress rejects %j', (params, code, message) => {
    expect(errorOf(() => scene.call('sendtoaddress', ...params))).toMatchObject({ code, message });
  });

  it('sendmany pays several addresses', () => {
    const other = scene.text('getnewaddress', 'other');

    const txid = scene.text('sendmany', '', { [SINK]: 1, [other]: 2 }, 1, '', [SINK]);

    const { details, amount } = scene.object('gettransaction', txid) as { details: object[]; amount: number };
    expect(details).toHaveLength(3);
    expect(amount).toBe(-0.9999828);
    expect(errorOf(() => scene.call('sendmany', 'x', { [SINK]: 1 })).code).toBe(-8);
    expect(errorOf(() => scene.call('sendmany', '', { [SINK]: 1 }, 1, '', ['y'])).code).toBe(-8);
  });

  it('fundrawtransaction adds inputs and change', () => {
    const raw = scene.text('createrawtransaction', [], { [SINK]: 60 });

    const funded = scene.object('fundrawtransaction', raw, { fee_rate: 2, changePosition: 0 });

    const decoded = scene.object('decoderawtransaction', funded.hex) as {
      vin: object[];
      vout: { value: number }[];
    };
    expect(decoded.vin).toHaveLength(2);
    expect(decoded.vout[1]?.value).toBe(60);
    expect(funded).toMatchObject({ changepos: 0 });
    const signed = scene.object('signrawtransactionwithwallet', funded.hex);
    expect(scene.list('testmempoolaccept', [signed.hex])).toMatchObject([
      { allowed: true, fees: { base: funded.fee } },
    ]);
  });

  it.each([
    [{ unknown: 1 }, -3, 'Unexpected key unknown'],
    [{ changePosition: 5 }, -8, 'changePosition out of bounds'],
    [{ subtractFeeFromOutputs: [3] }, -8, 'Invalid parameter, position too large: 3'],
    [{ changeAddress: 'x' }, -5, 'Invalid Bitcoin address: x'],
    [{ add_inputs: false }, -4, 'Insufficient funds'],
    [{ fee_rate: 1, feeRate: 1 }, -8, 'Cannot specify both fee_rate (sat/vB) and feeRate (BTC/kvB)'],
  ])('fundrawtransaction rejects %j', (options, code, message) => {
    const raw = scene.text('createrawtransaction', [], { [SINK]: 1 });

    expect(errorOf(() => scene.call('fundrawtransaction', raw, options))).toMatchObject({ code, message });
  });

  it('walletcreatefundedpsbt, walletprocesspsbt and finalizepsbt pay', () => {
    for (const type of ['legacy', 'p2sh-segwit', 'bech32']) {
      scene.call('sendtoaddress', scene.text('getnewaddress', '', type), 1);
    }
    scene.mine(1);
    const inputs = scene
      .list('listunspent')
      .filter(({ amount }) => amount === 1)
      .map(({ txid, vout }) => ({ txid, vout }));

    const created = scene.object('walletcreatefundedpsbt', inputs, { [SINK]: 2.5 });
    const open = scene.object('walletprocesspsbt', created.psbt, true, 'ALL', true, false);
    const final = scene.object('finalizepsbt', open.psbt);

    expect(inputs).toHaveLength(3);
    expect(open.complete).toBe(true);
    expect(final.complete).toBe(true);
    expect(scene.object('walletprocesspsbt', created.psbt).hex).toBe(final.hex);
    expect(scene.list('testmempoolaccept', [final.hex])).toMatchObject([
      { allowed: true, fees: { base: created.fee } },
    ]);
  });

  it('finalizepsbt returns an incomplete PSBT', () => {
    const { psbt } = scene.object('walletcreatefundedpsbt', [], { [SINK]: 1 });

    expect(scene.object('finalizepsbt', psbt)).toMatchObject({ complete: false });
    expect(scene.object('walletprocesspsbt', psbt, false)).toMatchObject({ complete: false });
  });

  it.each(['walletprocesspsbt', 'finalizepsbt'])('%s rejects other texts', (method) => {
    for (const text of ['', 'x', 'cHNidP8BAA==', '!!']) {
      expect(errorOf(() => scene.call(method, text)).code).toBe(-22);
    }
  });

  it('a wallet without private keys creates PSBTs for another signer', () => {
    const [coin] = scene.list('listunspent');
    const { pubkey } = scene.object('getaddressinfo', coin?.address);
    scene.call('createwallet', 'watch', true);
    scene.callWallet('watch', 'importpubkey', pubkey);

    const created = Object(scene.callWallet('watch', 'walletcreatefundedpsbt', [], { [SINK]: 1 }));
    const signed = Object(scene.callWallet('', 'walletprocesspsbt', created.psbt));

    expect(signed.complete).toBe(true);
    expect(scene.call('sendrawtransaction', signed.hex)).toBeTypeOf('string');
    expect(errorOf(() => scene.callWallet('watch', 'sendtoaddress', SINK, 1)).code).toBe(-4);
    expect(errorOf(() => scene.callWallet('watch', 'getnewaddress')).code).toBe(-4);
  });
});

describe('the calls that read payments', () => {
  let scene: ParentScene;
  beforeEach(() => {
    scene = new ParentScene();
    scene.fund(2);
  });

  it('listunspent filters by confirmations, address and amount', () => {
    const address = scene.text('getnewaddress', 'shop');
    scene.call('sendtoaddress', address, 3);

    expect(scene.list('listunspent')).toHaveLength(1);
    expect(scene.list('listunspent', 0)).toHaveLength(3);
    expect(scene.list('listunspent', 0, 9999999, [address])).toMatchObject([
      { address, label: 'shop', amount: 3 },
    ]);
    expect(
      scene.list('listunspent', 0, 9999999, [], true, { minimumAmount: 4, maximumAmount: 48 }),
    ).toHaveLength(1);
    expect(scene.list('listunspent', 0, 9999999, [], true, { maximumCount: 2 })).toHaveLength(2);
    expect(errorOf(() => scene.call('listunspent', 0, 1, ['x'])).code).toBe(-5);
    expect(errorOf(() => scene.call('listunspent', 0, 1, [SINK, SINK])).code).toBe(-8);
  });

  it('listtransactions returns the newest payments last', () => {
    scene.call('sendtoaddress', SINK, 1);
    scene.call('sendtoaddress', scene.text('getnewaddress', 'shop'), 2);

    const found = scene.list('listtransactions');

    expect(found.map(({ category, amount }) => [category, amount])).toEqual([
      ['generate', 50],
      ['generate', 50],
      ['send', -1],
      ['send', -2],
      ['receive', 2],
    ]);
    expect(scene.list('listtransactions', '*', 1, 2).map(({ amount }) => amount)).toEqual([-1]);
    expect(scene.list('listtransactions', 'shop').map(({ category }) => category)).toEqual([
      'send',
      'receive',
    ]);
    expect(errorOf(() => scene.call('listtransactions', '*', -1)).code).toBe(-8);
  });

  it('gettransaction counts watched addresses only if include_watchonly is set', () => {
    scene.call('importaddress', SINK, 'sink');
    const txid = scene.text('sendtoaddress', SINK, 1);
    const foreign = scene.chain.tip.transactions[0]?.txid;

    expect(scene.object('gettransaction', txid)).toMatchObject({
      amount: -1,
      details: [{ category: 'send' }],
    });
    expect(scene.object('gettransaction', txid, true)).toMatchObject({ amount: 0 });
    expect(scene.object('gettransaction', foreign)).toMatchObject({ amount: 0, details: [] });
    expect(scene.object('gettransaction', foreign, true).details).toHaveLength(1);
    expect(scene.list('listtransactions', 'sink')).toEqual([]);
    expect(scene.list('listtransactions', 'sink', 1, 0, true)).toMatchObject([{ category: 'receive' }]);
  });

  it('listunspent returns the descriptor of the key of a coin', () => {
    const [coin] = scene.list('listunspent');

    expect(coin?.desc).toMatch(/^wpkh\(\[[0-9a-f]{8}\/84h\/1h\/0h\/0\/0\]0[23][0-9a-f]{64}\)#/);
  });

  it('gettransaction rejects unknown transactions', () => {
    expect(errorOf(() => scene.call('gettransaction', UNKNOWN))).toMatchObject({
      code: -5,
      message: 'Invalid or non-wallet transaction id',
    });
    const foreign = scene.chain.tip.transactions[0]?.txid;
    expect(errorOf(() => scene.call('gettransaction', foreign)).code).toBe(-5);
  });

  it('getreceivedbyaddress sums confirmed payments', () => {
    const address = scene.text('getnewaddress');
    scene.call('sendtoaddress', address, 1);
    scene.mine(1);
    scene.call('sendtoaddress', address, 2);

    expect(scene.call('getreceivedbyaddress', address)).toBe(1);
    expect(scene.call('getreceivedbyaddress', address, 0)).toBe(3);
    expect(errorOf(() => scene.call('getreceivedbyaddress', SINK)).code).toBe(-4);
  });

  it('getwalletinfo and getbalances return sums', () => {
    scene.mine(1);
    scene.call('createwallet', 'other');
    scene.callWallet('', 'sendtoaddress', scene.callWallet('other', 'getnewaddress'), 1);
    const balances = Object(scene.callWallet('other', 'getbalances'));

    expect(balances.mine).toEqual({ trusted: 0, untrusted_pending: 1, immature: 0 });
    expect(Object(scene.callWallet('', 'getwalletinfo'))).toMatchObject({ immature_balance: 50, txcount: 4 });
  });
});

describe('calls that run at the same time', () => {
  it('spend different coins, and keep all keys', () => {
    const scene = new ParentScene();
    scene.fund(3);
    const start = (method: string, ...params: readonly unknown[]) =>
      callParentChain(scene.chain, { method, params, wallet: null });
    const calls = [
      start('sendtoaddress', SINK, 40),
      start('sendtoaddress', SINK, 41),
      start('getnewaddress', 'label'),
      start('sendtoaddress', SINK, 42),
    ];

    // Runs one step of each call in turn.
    const results = new Map<number, unknown>();
    while (results.size < calls.length) {
      for (const [index, call] of calls.entries()) {
        const step = call.next();
        if (step.done === true && !results.has(index)) results.set(index, step.value);
      }
    }

    const [first, second, address, third] = [0, 1, 2, 3].map((index) => results.get(index));
    expect(scene.list('getrawmempool').toSorted()).toEqual([first, second, third].toSorted());
    expect(scene.object('getaddressinfo', address)).toMatchObject({ ismine: true, labels: ['label'] });
    expect(scene.call('getbalance')).toBe(150 - 40 - 41 - 42 - 3 * 0.0000141);
  });
});
