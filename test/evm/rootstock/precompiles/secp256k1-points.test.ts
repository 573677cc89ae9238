import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes, concatBytes } from '../../../../src/primitives/bytes.ts';
import { toHex } from '../../../../src/primitives/hex.ts';
import type { Scene } from '../../../reference/scene.ts';
import { ENGINES } from '../engines.ts';
import { setRootstockScene } from '../rootstock-scene.ts';
import { callFromContract, priceOfNative } from './precompile-scene.ts';

const FIELD = 2n ** 256n - 2n ** 32n - 977n;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const Y_OF_1 = 29896722852569046015560700294576055776214335159245303116488692907525646231534n;
const Y_OF_2 = 69211104694897500952317515077652022726490027694212560352756646854116994689233n;
const POINT = words(1n, Y_OF_1);
const INFINITY = words(0n, 0n);
const OFF_CURVE = words(BigInt(`0x${'11'.repeat(32)}`), BigInt(`0x${'11'.repeat(32)}`));
const TWICE = words(
  90462569716653277674664832038037428010367175520031690655826237506178777087235n,
  30122570767565969031174451675354718271714177419582540229636601003470726681395n,
);
const NINEFOLD = words(
  46171929588085016379679198610744759757996296651373714437564035753833216770329n,
  4076329532618667641907419885981677362511359868272295070859229146922980867493n,
);

function words(...values: readonly bigint[]): Uint8Array {
  return concatBytes(...values.map((value) => bigIntToFixedBytes(value, 32)));
}

describe.each(ENGINES)('secp256k1 on the $engine engine', (tested) => {
  const scene = (): Promise<Scene> => setRootstockScene(tested);
  const ask = async (name: string, ...parts: readonly Uint8Array[]): Promise<string | null> => {
    const { isSuccess, output } = await callFromContract(await scene(), name, concatBytes(...parts));
    return isSuccess ? toHex(output) : null;
  };
  const add = (...parts: readonly Uint8Array[]): Promise<string | null> => ask('SECP256K1_ADD', ...parts);
  const multiply = (...parts: readonly Uint8Array[]): Promise<string | null> =>
    ask('SECP256K1_MUL', ...parts);

  describe('SECP256K1_ADD', () => {
    it('SECP256K1_ADD returns the sum of two points', async () => {
      expect(await add(POINT, POINT)).toBe(toHex(TWICE));
      expect(await add(POINT, words(2n, Y_OF_2))).toBe(
        toHex(
          words(
            109562500687829935604265064386702914290271628241900466384583316550888437213118n,
            54782835737747434227939451500021052510566980337100013600092875738315717035444n,
          ),
        ),
      );
      expect(
        await add(
          words(4n, 40508090799132825824753983223610497876805216745196355809233758402754120847507n),
          words(
            1624070059937464756887933993293429854168590106605707304006200119738501412969n,
            48810817106871756219742442189260392858217846784043974224646271552914041676099n,
          ),
        ),
      ).toBe(
        toHex(
          words(
            59470963110652214182270290319243047549711080187995156844066669631124720856270n,
            75549874947483386113764723043915448105868538368156141886808196158351727282824n,
          ),
        ),
      );
    });

    it('SECP256K1_ADD has the point at infinity as its zero', async () => {
      expect(await add(POINT, INFINITY)).toBe(toHex(POINT));
      expect(await add(INFINITY, POINT)).toBe(toHex(POINT));
      expect(await add(INFINITY, INFINITY)).toBe(toHex(INFINITY));
      expect(await add(POINT, words(1n, FIELD - Y_OF_1))).toBe(toHex(INFINITY));
    });

    it('SECP256K1_ADD pads short input with zeros and ignores bytes after the first 128', async () => {
      expect(await add()).toBe(toHex(INFINITY));
      expect(await add(POINT)).toBe(toHex(POINT));
      expect(await add(POINT, POINT, OFF_CURVE)).toBe(toHex(TWICE));
    });

    it('SECP256K1_ADD fails for points outside the curve and coordinates outside the field', async () => {
      expect(await add(OFF_CURVE, OFF_CURVE)).toBeNull();
      expect(await add(POINT, OFF_CURVE)).toBeNull();
      expect(await add(words(FIELD + 1n, Y_OF_1), INFINITY)).toBeNull();
      expect(await add(INFINITY, words(0n, 1n))).toBeNull();
    });
  });

  describe('SECP256K1_MUL', () => {
    it('SECP256K1_MUL returns the product of a point and any number', async () => {
      expect(await multiply(POINT, words(1n))).toBe(toHex(POINT));
      expect(await multiply(POINT, words(2n))).toBe(toHex(TWICE));
      expect(await multiply(POINT, words(9n))).toBe(toHex(NINEFOLD));
      expect(await multiply(POINT, words(ORDER + 9n))).toBe(toHex(NINEFOLD));
      expect(await multiply(POINT, words(2n ** 256n - 1n))).toBe(
        toHex(
          words(
            68306631035792818416930554521980007078198693994042647901813352646899028694565n,
            763410389832780290161227297165449309800016629866253823160953352172730927280n,
          ),
        ),
      );
    });

    it('SECP256K1_MUL returns the point at infinity for a zero factor or the zero point', async () => {
      expect(await multiply(POINT, words(0n))).toBe(toHex(INFINITY));
      expect(await multiply(POINT, words(ORDER))).toBe(toHex(INFINITY));
      expect(await multiply(INFINITY, words(5n))).toBe(toHex(INFINITY));
      expect(await multiply()).toBe(toHex(INFINITY));
      expect(await multiply(POINT)).toBe(toHex(INFINITY));
    });

    it('SECP256K1_MUL ignores bytes after the first 96', async () => {
      expect(await multiply(POINT, words(9n), OFF_CURVE)).toBe(toHex(NINEFOLD));
    });

    it('SECP256K1_MUL fails for a point outside the curve with any factor', async () => {
      expect(await multiply(OFF_CURVE, words(0n))).toBeNull();
      expect(await multiply(OFF_CURVE)).toBeNull();
    });
  });

  it('SECP256K1_ADD costs 150 and SECP256K1_MUL costs 3000', async () => {
    const prepared = await scene();
    expect(await priceOfNative(prepared, 'SECP256K1_ADD', concatBytes(POINT, POINT))).toBe(150n);
    expect(await priceOfNative(prepared, 'SECP256K1_MUL', concatBytes(POINT, words(9n)))).toBe(3_000n);
    expect(await priceOfNative(prepared, 'SECP256K1_MUL', OFF_CURVE)).toBe(3_000n);
  });
});
