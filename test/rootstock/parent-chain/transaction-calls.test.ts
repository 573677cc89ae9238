import { beforeEach, describe, expect, it } from 'vitest';
import { errorOf, ParentScene, SINK } from './scene.ts';

const UNKNOWN = 'ab'.repeat(32);

interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly amount: number;
}

describe('the calls for raw transactions', () => {
  let scene: ParentScene;
  beforeEach(() => {
    scene = new ParentScene();
    scene.fund(2);
  });

  function coins(): Coin[] {
    return scene.list('listunspent').map(({ txid, vout, amount }) => ({
      txid: String(txid),
      vout: Number(vout),
      amount: Number(amount),
    }));
  }

  /** Returns a signed transaction that spends the first coin. */
  function signed(outputs: unknown = [{ [SINK]: 49.999 }], ...rest: readonly unknown[]): string {
    const [coin] = coins();
    const raw = scene.text(
      'createrawtransaction',
      [{ txid: coin?.txid, vout: coin?.vout }],
      outputs,
      ...rest,
    );
    const result = scene.object('signrawtransactionwithwallet', raw);
    expect(result.complete).toBe(true);
    return String(result.hex);
  }

  function idOf(hex: string): string {
    return String(scene.object('decoderawtransaction', hex).txid);
  }

  it('create, sign, send and read a transaction', () => {
    const hex = signed([{ [SINK]: 49.999 }, { data: '00aabb' }]);

    const txid = scene.text('sendrawtransaction', hex);

    expect(scene.call('getrawmempool')).toEqual([txid]);
    expect(scene.call('getrawtransaction', txid)).toBe(hex);
    expect(scene.object('getrawtransaction', txid, 1)).not.toHaveProperty('blockhash');
    scene.mine(1);
    expect(scene.object('getrawtransaction', txid, true)).toMatchObject({
      txid,
      hex,
      confirmations: 1,
      blockhash: scene.chain.tip.hash,
      blocktime: scene.chain.tip.header.time,
    });
    expect(scene.object('getrawtransaction', txid, 2)).toMatchObject({ fee: 0.001 });
    expect(scene.object('getrawtransaction', txid, 1, scene.chain.tip.hash).in_active_chain).toBe(true);
  });

  it('createrawtransaction sets versions, sequences and lock times as bitcoind does', () => {
    const [coin] = coins();
    const input = [{ txid: coin?.txid, vout: 0 }];
    const decoded = (...params: readonly unknown[]) =>
      scene.object('decoderawtransaction', scene.text('createrawtransaction', ...params));

    expect(decoded(input, { [SINK]: 1 })).toMatchObject({
      version: 2,
      locktime: 0,
      vin: [{ sequence: 0xfffffffd }],
    });
    expect(decoded(input, { [SINK]: '1.5' }, 7, false)).toMatchObject({
      locktime: 7,
      vin: [{ sequence: 0xfffffffe }],
    });
    expect(decoded([{ ...input[0], sequence: 5 }], [])).toMatchObject({ vin: [{ sequence: 5 }] });
  });

  it.each([
    [[[{ txid: 'abc', vout: 0 }], {}], -8, "txid must be of length 64 (not 3, for 'abc')"],
    [[[{ txid: UNKNOWN }], {}], -8, 'Invalid parameter, missing vout key'],
    [[[{ txid: UNKNOWN, vout: -1 }], {}], -8, 'Invalid parameter, vout cannot be negative'],
    [
      [[{ txid: UNKNOWN, vout: 0, sequence: -1 }], {}],
      -8,
      'Invalid parameter, sequence number is out of range',
    ],
    [[[], { x: 1 }], -5, 'Invalid Bitcoin address: x'],
    [[[], [{ [SINK]: 1 }, { [SINK]: 1 }]], -8, `Invalid parameter, duplicated address: ${SINK}`],
    [[[], { [SINK]: -1 }], -3, 'Amount out of range'],
    [[[], { [SINK]: 0.000000001 }], -3, 'Invalid amount'],
    [[[], { [SINK]: true }], -3, 'Amount is not a number or string'],
    [[[], { data: 'x' }], -8, "Data must be hexadecimal string (not 'x')"],
    [[[], [{ data: '00' }, { data: '00' }]], -8, 'Invalid parameter, duplicate key: data'],
    [[[], [{}]], -8, 'Invalid parameter, key-value pair must contain exactly one key'],
    [[[], {}, -1], -8, 'Invalid parameter, locktime out of range'],
  ])('createrawtransaction rejects %j', (params, code, message) => {
    expect(errorOf(() => scene.call('createrawtransaction', ...params))).toMatchObject({ code, message });
  });

  it('getrawtransaction rejects unknown transactions and blocks', () => {
    expect(errorOf(() => scene.call('getrawtransaction', UNKNOWN))).toMatchObject({
      code: -5,
      message: 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
    });
    expect(errorOf(() => scene.call('getrawtransaction', UNKNOWN, 0, UNKNOWN)).message).toBe(
      'Block hash not found',
    );
    expect(errorOf(() => scene.call('getrawtransaction', UNKNOWN, 0, scene.chain.tip.hash)).code).toBe(-5);
  });

  it.each([
    'decoderawtransaction',
    'sendrawtransaction',
    'signrawtransactionwithwallet',
    'fundrawtransaction',
  ])('%s rejects bytes that are no transaction', (method) => {
    for (const hex of ['', 'zz', '00', '0200']) {
      expect(errorOf(() => scene.call(method, hex)).code).toBe(-22);
    }
  });

  it('sendrawtransaction accepts a transaction of the mempool again, but not a mined one', () => {
    const hex = signed();
    const txid = scene.text('sendrawtransaction', hex);

    expect(scene.call('sendrawtransaction', hex)).toBe(txid);
    scene.mine(1);
    expect(errorOf(() => scene.call('sendrawtransaction', hex))).toMatchObject({
      code: -27,
      message: 'Transaction outputs already in utxo set',
    });
  });

  it('sendrawtransaction rejects a second spending of an output', () => {
    const second = signed([{ [SINK]: 40 }]);
    scene.call('sendrawtransaction', signed());

    expect(errorOf(() => scene.call('sendrawtransaction', second, 0))).toMatchObject({
      code: -26,
      message: 'txn-mempool-conflict',
    });
    scene.mine(1);
    expect(errorOf(() => scene.call('sendrawtransaction', second, 0))).toMatchObject({
      code: -25,
      message: 'bad-txns-inputs-missingorspent',
    });
  });

  it('sendrawtransaction limits the fee and burnt coins', () => {
    const hex = signed([{ [SINK]: 40 }]);

    expect(errorOf(() => scene.call('sendrawtransaction', hex))).toMatchObject({
      code: -25,
      message: 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)',
    });
    expect(scene.call('sendrawtransaction', hex, 0)).toBe(idOf(hex));
    expect(errorOf(() => scene.call('sendrawtransaction', hex, 2)).code).toBe(-8);
  });

  it('signrawtransactionwithwallet reports inputs that it cannot sign', () => {
    const raw = scene.text('createrawtransaction', [{ txid: UNKNOWN, vout: 0 }], { [SINK]: 1 });

    expect(scene.object('signrawtransactionwithwallet', raw)).toMatchObject({
      complete: false,
      errors: [{ txid: UNKNOWN, vout: 0, error: 'Input not found or already spent' }],
    });
    expect(errorOf(() => scene.call('signrawtransactionwithwallet', raw, [], 'SOME'))).toMatchObject({
      code: -8,
      message: "'SOME' is not a valid sighash parameter.",
    });
  });

  it.each(['ALL', 'NONE', 'SINGLE', 'ALL|ANYONECANPAY', 'NONE|ANYONECANPAY', 'SINGLE|ANYONECANPAY'])(
    'signrawtransactionwithwallet signs with the hash type %s for all address types',
    (type) => {
      const payments = ['legacy', 'p2sh-segwit', 'bech32'].map((form) => [
        scene.text('getnewaddress', '', form),
        1,
      ]);
      const txid = scene.text('sendmany', '', Object.fromEntries(payments));
      const raw = scene.text(
        'createrawtransaction',
        [0, 1, 2].map((vout) => ({ txid, vout })),
        [1, 2, 3].map(() => ({ [scene.text('getnewaddress')]: 0.9999 })),
      );

      const result = scene.object('signrawtransactionwithwallet', raw, [], type);

      expect(result.complete).toBe(true);
      expect(scene.call('sendrawtransaction', result.hex)).toBe(idOf(String(result.hex)));
    },
  );

  it('signrawtransactionwithkey combines the signatures of a multisig output', () => {
    const members = [1, 2, 3].map(() => scene.text('getnewaddress'));
    const keys = members.map((address) => scene.object('getaddressinfo', address).pubkey);
    const { address, redeemScript } = scene.object('createmultisig', 2, keys, 'p2sh-segwit');
    const txid = scene.text('sendtoaddress', address, 2);
    const output = scene.object('getrawtransaction', txid, 1).vout as {
      n: number;
      scriptPubKey: { hex: string };
    }[];
    const [{ n: vout = 0, scriptPubKey } = { scriptPubKey: { hex: '' } }] = output;
    const segwit = Object(scene.object('decodescript', redeemScript).segwit);
    const previous = [
      {
        txid,
        vout,
        scriptPubKey: scriptPubKey.hex,
        witnessScript: redeemScript,
        redeemScript: segwit.hex,
        amount: 2,
      },
    ];
    const raw = scene.text('createrawtransaction', [{ txid, vout }], { [SINK]: 1.999 });
    const sign = (hex: unknown, member: number) =>
      scene.object('signrawtransactionwithkey', hex, [scene.call('dumpprivkey', members[member])], previous);

    const first = sign(raw, 2);
    const second = sign(first.hex, 0);

    expect(first.complete).toBe(false);
    expect(second.complete).toBe(true);
    expect(scene.call('sendrawtransaction', second.hex)).toBe(idOf(String(second.hex)));
  });

  it('signrawtransactionwithkey rejects invalid keys and outputs', () => {
    const raw = scene.text('createrawtransaction', [{ txid: UNKNOWN, vout: 0 }], { [SINK]: 1 });
    const script = `0014${'00'.repeat(20)}`;
    const sign = (keys: unknown, previous?: unknown) =>
      scene.call('signrawtransactionwithkey', raw, keys, previous);

    expect(errorOf(() => sign(['x']))).toMatchObject({ code: -5, message: 'Invalid private key' });
    expect(errorOf(() => sign([], [{ txid: UNKNOWN, vout: 0, scriptPubKey: script }]))).toMatchObject({
      code: -3,
      message: `Missing amount for ${UNKNOWN}:0`,
    });
  });

  it('decodescript describes a script', () => {
    const result = scene.object('decodescript', `76a914${'00'.repeat(20)}88ac`);

    expect(result).toMatchObject({
      type: 'pubkeyhash',
      asm: `OP_DUP OP_HASH160 ${'00'.repeat(20)} OP_EQUALVERIFY OP_CHECKSIG`,
    });
    expect(Object(result.segwit)).toMatchObject({ type: 'witness_v0_keyhash' });
    expect(errorOf(() => scene.call('decodescript', 'x')).code).toBe(-8);
  });
});

describe('testmempoolaccept', () => {
  let scene: ParentScene;
  beforeEach(() => {
    scene = new ParentScene();
    scene.fund(2);
  });

  function rawOf(outputs: unknown, input: object = {}, lockTime = 0): string {
    const [coin] = scene.list('listunspent');
    return scene.text(
      'createrawtransaction',
      [{ txid: coin?.txid, vout: coin?.vout, ...input }],
      outputs,
      lockTime,
    );
  }

  function sign(raw: string): string {
    return String(scene.object('signrawtransactionwithwallet', raw).hex);
  }

  function reason(hex: string): unknown {
    return scene.list('testmempoolaccept', [hex], 0)[0]?.['reject-reason'] ?? 'allowed';
  }

  it('returns sizes and fees, and changes nothing', () => {
    const hex = sign(rawOf({ [SINK]: 49.999 }));

    expect(scene.list('testmempoolaccept', [hex])).toMatchObject([
      { allowed: true, vsize: 110, fees: { base: 0.001 } },
    ]);
    expect(scene.call('getrawmempool')).toEqual([]);
  });

  it('accepts a transaction that spends an output of an earlier one', () => {
    const parent = sign(rawOf({ [scene.text('getnewaddress')]: 49.999 }));
    const decoded = scene.object('decoderawtransaction', parent);
    const [output] = decoded.vout as { scriptPubKey: { hex: string } }[];
    const previous = { txid: decoded.txid, vout: 0, scriptPubKey: output?.scriptPubKey.hex, amount: 49.999 };
    const raw = scene.text('createrawtransaction', [{ txid: decoded.txid, vout: 0 }], { [SINK]: 49.998 });
    const child = scene.object('signrawtransactionwithwallet', raw, [previous]).hex;

    expect(scene.list('testmempoolaccept', [parent, child]).map(({ allowed }) => allowed)).toEqual([
      true,
      true,
    ]);
    expect(scene.list('testmempoolaccept', [child])[0]?.['reject-reason']).toBe('missing-inputs');
  });

  it.each<[string, () => string]>([
    ['missing-inputs', () => rawOf({ [SINK]: 1 }, { txid: UNKNOWN })],
    ['bad-txns-vout-empty', () => rawOf({})],
    ['bad-txns-vin-empty', () => scene.text('createrawtransaction', [], { [SINK]: 1 })],
    ['bad-txns-in-belowout', () => sign(rawOf({ [SINK]: 51 }))],
    ['dust', () => sign(rawOf({ [SINK]: 0.00000293 }))],
    ['allowed', () => sign(rawOf({ [SINK]: 0.00000294 }))],
    ['min relay fee not met', () => sign(rawOf({ [SINK]: 49.99999999 }))],
    ['multi-op-return', () => multiReturn()],
    ['scriptpubkey', () => sign(rawOf([{ data: '00'.repeat(81) }]))],
    ['tx-size-small', () => sign(rawOf([{ data: '' }]))],
    ['non-final', () => sign(rawOf({ [SINK]: 49.999 }, {}, 1000))],
    ['non-BIP68-final', () => sign(rawOf({ [SINK]: 49.999 }, { sequence: 200 }))],
    ['coinbase', () => coinbaseHex()],
    ['mandatory-script-verify-flag-failed (Witness program hash mismatch)', () => rawOf({ [SINK]: 49.999 })],
  ])('rejects with %s', (expected, transaction) => {
    expect(reason(transaction())).toBe(expected);
  });

  function multiReturn(): string {
    const raw = rawOf([{ data: '00' }, { [SINK]: 1 }]);
    // The last output becomes a copy of the first one.
    const decoded = scene.object('decoderawtransaction', raw);
    const [, output] = decoded.vout as { scriptPubKey: { hex: string } }[];
    const script = output?.scriptPubKey.hex ?? '';
    const length = (script.length / 2).toString(16).padStart(2, '0');
    return sign(raw.replace(`${length}${script}`, '036a0100'));
  }

  function coinbaseHex(): string {
    const [coinbase] = scene.object('getblock', scene.chain.tip.hash, 2).tx as { hex: string }[];
    return coinbase?.hex ?? '';
  }

  it('rejects immature coins', () => {
    const [reward] = scene.mine(1).map((hash) => scene.object('getblock', hash, 2).tx as { txid: string }[]);
    const raw = rawOf({ [SINK]: 49.999 }, { txid: reward?.[0]?.txid, vout: 0 });

    expect(reason(sign(raw))).toBe('bad-txns-premature-spend-of-coinbase');
  });

  it('rejects known transactions', () => {
    const hex = sign(rawOf({ [SINK]: 49.999 }));
    scene.call('sendrawtransaction', hex);

    expect(reason(hex)).toBe('txn-already-in-mempool');
    scene.mine(1);
    expect(reason(hex)).toBe('txn-already-known');
  });

  it('rejects fees above the limit', () => {
    const hex = sign(rawOf({ [SINK]: 40 }));

    expect(scene.list('testmempoolaccept', [hex])[0]?.['reject-reason']).toBe('max-fee-exceeded');
  });

  it('rejects empty lists', () => {
    expect(errorOf(() => scene.call('testmempoolaccept', []))).toMatchObject({
      code: -8,
      message: 'Array must contain between 1 and 25 transactions.',
    });
  });
});

describe('the mempool calls', () => {
  it('describe waiting transactions', () => {
    const scene = new ParentScene();
    scene.fund();
    const parent = scene.text('sendtoaddress', SINK, 1);
    const child = scene.text('sendtoaddress', SINK, 2);

    expect(scene.object('getrawmempool', true)[child]).toMatchObject({ depends: [parent], ancestorcount: 2 });
    expect(scene.object('getmempoolentry', parent)).toMatchObject({
      spentby: [child],
      fees: { base: 0.0000141 },
    });
    expect(scene.object('getmempoolinfo')).toMatchObject({ size: 2, total_fee: 0.0000282 });
    expect(errorOf(() => scene.call('getmempoolentry', UNKNOWN))).toMatchObject({
      code: -5,
      message: 'Transaction not in mempool',
    });
  });
});
