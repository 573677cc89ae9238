import { HDKey } from '@scure/bip32';
import { address, crypto, payments } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../../src/primitives/hex.ts';
import { curve } from '../../../../src/primitives/secp256k1/curve.ts';
import type { Scene } from '../../../reference/scene.ts';
import { ENGINES } from '../engines.ts';
import { setRootstockScene } from '../rootstock-scene.ts';
import { answerOfNative, nativeData, priceOfNative } from './precompile-scene.ts';

const ADDRESS_HASH = '0x0d3bf5f30dda7584645546079318e97f0e1d044f';
const TEST_KEY =
  'tpubD6NzVbkrYhZ4YHQqwWz3Tm1ESZ9AidobeyLG4mEezB6hN8gFFWrcjczyF77Lw3HEs6Rjd2R11BEJ8Y9ptfxx9DFknkdujp58mFMx9H5dc1r';
const MAIN_KEY =
  'xpub661MyMwAqRbcFMGNG2YcHvj3x63bAZN9U5cKikaiQ4zu2D1cvpnZYyXNR9nH62sGp4RR39Ui7SVQSq1PY4JbPuEuu5prVJJC3d5Pogft712';
const KEYS = [
  '0x02276a07b202503d39a43896300224fb649818d1486b0eefde6c9cd7cf1e32eed8',
  '0x0363e3de0d55459387f221dcda80f9283e303a08bcfeb9cf32875a43fefc7ecb1f',
  '0x03173019874589385b0295b839bb70e5d3c33178c110bacd872e245b656b3e8f43',
] as const;
/** The hash of the script that requires two signatures of the three keys, by RSKIP-106. */
const SCRIPT_HASH = '0xafa22d52922aa6657417c55b6cebdf708b594576';

/** The long form of the key. Its prefix is 4, or 6 or 7 with the last bit of y. */
function uncompressed(key: string, form: 'plain' | 'hybrid' | 'wrong hybrid'): string {
  const point = curve.pointOf(fromHex(key));
  const last = (point[63] ?? 0) & 1;
  const prefix = { plain: 4, hybrid: 6 + last, 'wrong hybrid': 7 - last }[form];
  return toHex(Uint8Array.of(prefix, ...point));
}

/** Valid public keys. */
function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    toHex(curve.compressedPublicKey(new Uint8Array(32).fill(index + 1))),
  );
}

describe.each(ENGINES)('HDWalletUtils on the $engine engine', (tested) => {
  const ask = async (name: string, ...values: readonly unknown[]): Promise<unknown> =>
    answerOfNative(await setRootstockScene(tested), 'HD_WALLET_UTILS', name, values);

  describe('toBase58Check', () => {
    it('toBase58Check encodes a hash and a version as a Bitcoin address', async () => {
      expect(await ask('toBase58Check', ADDRESS_HASH, 111)).toBe('mgivuh9jErcGdRr81cJ3A7YfgbJV7WNyZV');
      expect(await ask('toBase58Check', `0x${'00'.repeat(20)}`, 0)).toBe('1111111111111111111114oLvT2');
    });

    it.each([0, 1, 255])('toBase58Check accepts version %i as bitcoinjs-lib does', async (version) => {
      expect(await ask('toBase58Check', ADDRESS_HASH, version)).toBe(
        address.toBase58Check(fromHex(ADDRESS_HASH), version),
      );
    });

    it('toBase58Check fails for a hash of another length and for a version outside a byte', async () => {
      expect(await ask('toBase58Check', '0xaabbcc', 111)).toBeNull();
      expect(await ask('toBase58Check', ADDRESS_HASH, 256)).toBeNull();
      expect(await ask('toBase58Check', ADDRESS_HASH, -1)).toBeNull();
    });
  });

  describe('deriveExtendedPublicKey', () => {
    it.each([
      [
        '2/3/4',
        'tpubDCGMkPKredy7oh6zw8f4ExWFdTgQCrAHToF1ytny3gbVy9GkUNK2Nqh7NbKbh8dkd5VtjUiLJPkbEkeg29NVHwxYwzHJFt9SazGLZrrU4Y4',
      ],
      [
        '0/0/0/0/0/0',
        'tpubDJ28nwFGUypUD6i8eGCQfMkwNGxzzabA5Mh7AcUdwm6ziFxCSWjy4HyhPXH5uU2ovdMMYLT9W3g3MrGo52TrprMvX8o1dzT2ZGz1pwCPTNv',
      ],
      [
        '2147483647',
        'tpubD8fY35uPCY1rUjMUZwhkGUFi33pwkffMEBaCsTSw1he2AbM6DMbPaRR2guvk5qTWDfE9ubFB5pzuUNnMtsqbCeKAAjfepSvEWyetyF9Q4fG',
      ],
    ])('deriveExtendedPublicKey returns the key at %s', async (path, derived) => {
      expect(await ask('deriveExtendedPublicKey', TEST_KEY, path)).toBe(derived);
    });

    it.each([
      'this-is-not-a-path',
      '',
      'M/0/1/2',
      '/0',
      '0/',
      '0//1',
      "4'/5",
      '0/-1',
      '2147483648',
      '0/1/2/3/4/5/6/7/8/9/10',
      '0/2147483648',
    ])('deriveExtendedPublicKey fails for the path "%s"', async (path) => {
      expect(await ask('deriveExtendedPublicKey', TEST_KEY, path)).toBeNull();
    });

    it.each(['0', '0/2147483647', '9/8/7/6/5/4/3/2/1/0'])(
      'deriveExtendedPublicKey returns the same key at %s as @scure/bip32',
      async (path) => {
        const root = HDKey.fromExtendedKey(TEST_KEY, { private: 0x04358394, public: 0x043587cf });
        const derived = path.split('/').reduce((key, step) => key.deriveChild(Number(step)), root);
        expect(await ask('deriveExtendedPublicKey', TEST_KEY, path)).toBe(derived.publicExtendedKey);
      },
    );

    it('deriveExtendedPublicKey accepts a plus sign only after the first step, like Java', async () => {
      const derived = await ask('deriveExtendedPublicKey', TEST_KEY, '2/3/4');
      expect(await ask('deriveExtendedPublicKey', TEST_KEY, '2/+3/4')).toBe(derived);
      expect(await ask('deriveExtendedPublicKey', TEST_KEY, '+2/3/4')).toBeNull();
    });

    it.each([
      ['something else', 'this-is-not-an-xpub'],
      ['a wrong checksum', `${TEST_KEY.slice(0, -1)}s`],
      [
        'a private key',
        'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
      ],
    ])('deriveExtendedPublicKey fails for %s', async (_name, key) => {
      expect(await ask('deriveExtendedPublicKey', key, '0')).toBeNull();
    });
  });

  it('extractPublicKeyFromExtendedPublicKey returns the key of 33 bytes', async () => {
    const extract = (key: string): Promise<unknown> => ask('extractPublicKeyFromExtendedPublicKey', key);
    expect(await extract(MAIN_KEY)).toBe(
      '0x02be517550b9e3be7fe42c80932d51e88e698663b4926e598b269d050e87e34d8c',
    );
    expect(
      await extract(
        'tpubDCwK6XsmwUx641qZ6Uyb2pcZXMCoFcyNBFZLbxwJT4iwgmUhY9DsW9FgaFUNE5s1KtM1upxpDuCvx1TbAqQMLMGFF5b1F6KpRpuHcLwcp4k',
      ),
    ).toBe('0x0360a7239100410a4f6019778fce803c6b168a9b1922a0eafbdff11e866070d9f8');
    expect(await extract('this-is-not-an-xpub')).toBeNull();
  });

  describe('getMultisigScriptHash', () => {
    const hash = (required: number | bigint, list: readonly string[]): Promise<unknown> =>
      ask('getMultisigScriptHash', required, list);

    it('getMultisigScriptHash returns the same hash for any order and form of the keys', async () => {
      expect(await hash(2, KEYS)).toBe(SCRIPT_HASH);
      expect(await hash(2, [...KEYS].reverse())).toBe(SCRIPT_HASH);
      const [first, second, third] = KEYS;
      expect(await hash(2, [first, uncompressed(second, 'plain'), uncompressed(third, 'hybrid')])).toBe(
        SCRIPT_HASH,
      );
    });

    it.each([1, 2, 3])(
      'getMultisigScriptHash matches the script of bitcoinjs-lib for %i of three signatures',
      async (required) => {
        const inOrder = KEYS.map((key) => fromHex(key)).sort(Buffer.compare);
        const script = payments.p2ms({ m: required, pubkeys: inOrder }).output ?? new Uint8Array(0);
        expect(await hash(required, KEYS)).toBe(toHex(crypto.hash160(script)));
      },
    );

    it('getMultisigScriptHash accepts up to fifteen keys', async () => {
      const fifteen = [
        '03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2',
        '027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344',
        '0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70',
        '02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7',
        '0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc',
        '0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6',
        '0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44',
        '02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb',
        '031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26',
        '0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea',
        '02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8',
        '02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265',
        '03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8',
        '02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259',
        '03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6',
      ].map((key) => `0x${key}`);
      expect(await hash(8, fifteen)).toBe('0x51f103320b435b5fe417b3f3e0f18972ccc710a0');
      expect(await hash(8, keys(16))).toBeNull();
    });

    it.each<[string, number | bigint, readonly string[]]>([
      ['no signature', 0, KEYS],
      ['a negative number of signatures', -1, KEYS],
      ['more signatures than keys', 4, KEYS],
      ['a huge number of signatures', 2n ** 200n, KEYS],
      ['one key', 1, KEYS.slice(0, 1)],
      ['no key', 1, []],
      ['a key of another length', 1, [KEYS[0], '0xaabbcc']],
      ['a key of another form', 1, [KEYS[0], `0x08${KEYS[1].slice(4)}`]],
      ['a key that is no point', 1, [KEYS[0], `0x02${'11'.repeat(32)}`.replace('0211', '02ff')]],
      ['a hybrid key whose first byte is wrong', 1, [KEYS[0], uncompressed(KEYS[1], 'wrong hybrid')]],
    ])('getMultisigScriptHash fails for %s', async (_name, required, list) => {
      expect(await hash(required, list)).toBeNull();
    });
  });

  describe('gas prices of HDWalletUtils', () => {
    const price = async (name: string, ...values: readonly unknown[]): Promise<bigint> => {
      const scene: Scene = await setRootstockScene(tested);
      return priceOfNative(scene, 'HD_WALLET_UTILS', nativeData(name, values));
    };

    it('each function costs its own price', async () => {
      expect(await price('toBase58Check', ADDRESS_HASH, 111)).toBe(13_000n);
      expect(await price('deriveExtendedPublicKey', TEST_KEY, '2/3/4')).toBe(107_000n);
      expect(await price('extractPublicKeyFromExtendedPublicKey', MAIN_KEY)).toBe(11_300n);
    });

    it('a failed function costs the same as a successful one', async () => {
      expect(await price('deriveExtendedPublicKey', 'nothing', '2/3/4')).toBe(107_000n);
    });

    it('the price of getMultisigScriptHash rises with each key above two', async () => {
      expect(await price('getMultisigScriptHash', 1, [])).toBe(20_000n);
      expect(await price('getMultisigScriptHash', 1, keys(2))).toBe(20_000n);
      expect(await price('getMultisigScriptHash', 1, keys(5))).toBe(22_100n);
      expect(await price('getMultisigScriptHash', 1, keys(16))).toBe(29_800n);
    });
  });
});
