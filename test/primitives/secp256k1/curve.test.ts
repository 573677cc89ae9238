import { describe, expect, it } from 'vitest';
import { Secp256k1AtFirstUse, type Secp256k1Sources } from '../../../src/primitives/secp256k1/curve.ts';
import { javascriptSecp256k1 } from '../../../src/primitives/secp256k1/javascript.ts';
import type { Secp256k1, Signature } from '../../../src/primitives/secp256k1/secp256k1.ts';

const KEY = new Uint8Array(32).fill(7);
const HASH = new Uint8Array(32).fill(9);

/** An implementation that records when it signs. */
function signing(name: Secp256k1['name'], signed: string[]): Secp256k1 {
  const javascript = javascriptSecp256k1();
  return {
    ...javascript,
    name,
    sign(hash, privateKey) {
      signed.push(name);
      return javascript.sign(hash, privateKey);
    },
  };
}

interface Scene {
  readonly curve: Secp256k1AtFirstUse;
  readonly asked: string[];
  readonly signed: string[];
}

/** A curve without a native implementation, unless `sources` has one. */
function sceneOf(sources: Partial<Secp256k1Sources> = {}): Scene {
  const asked: string[] = [];
  const signed: string[] = [];
  const from = <OptionInput>(name: keyof Secp256k1Sources, given: () => OptionInput) => {
    return (): OptionInput => {
      asked.push(name);
      return given();
    };
  };
  const curve = new Secp256k1AtFirstUse({
    native: from('native', sources.native ?? (() => undefined)),
    wasm: from('wasm', sources.wasm ?? (async () => signing('wasm', signed))),
    javascript: from('javascript', sources.javascript ?? (() => signing('javascript', signed))),
    signBefore: sources.signBefore ?? (() => null),
  });
  return { curve, asked, signed };
}

describe('curve selection', () => {
  it('uses the native implementation if available, without loading the others', async () => {
    const { curve, asked, signed } = sceneOf({ native: () => signing('native', signed) });
    expect(asked).toEqual([]);
    curve.sign(HASH, KEY);
    expect(await curve.prepare()).toBe('native');
    curve.sign(HASH, KEY);
    expect([asked, signed]).toEqual([['native'], ['native', 'native']]);
  });

  it('signs 16 times before it loads an implementation', () => {
    const early: Signature = { compact: new Uint8Array(64), recovery: 0 };
    const signed: string[] = [];
    const { curve, asked } = sceneOf({ native: () => signing('native', signed), signBefore: () => early });
    for (let count = 0; count < 16; count++) expect(curve.sign(HASH, KEY)).toBe(early);
    expect(asked).toEqual([]);
    curve.sign(HASH, KEY);
    expect([asked, signed]).toEqual([['native'], ['native']]);
  });

  it('signs with the loaded implementation after prepare()', async () => {
    const signed: string[] = [];
    const early = (): never => {
      throw new Error('an implementation is loaded');
    };
    const { curve } = sceneOf({ native: () => signing('native', signed), signBefore: early });
    await curve.prepare();
    curve.sign(HASH, KEY);
    const { curve: other } = sceneOf({ native: () => signing('native', signed), signBefore: () => null });
    other.sign(HASH, KEY);
    expect(signed).toEqual(['native', 'native']);
  });

  it('signs in JavaScript until WebAssembly is compiled, if no native implementation exists', async () => {
    const { curve, asked, signed } = sceneOf();
    curve.sign(HASH, KEY);
    expect(curve.name).toBe('javascript');
    expect(await curve.prepare()).toBe('wasm');
    curve.sign(HASH, KEY);
    expect(signed).toEqual(['javascript', 'wasm']);
    expect(asked).toEqual(['native', 'wasm', 'javascript']);
  });

  it('keeps the JavaScript implementation if WebAssembly cannot be loaded', async () => {
    const { curve, signed } = sceneOf({ wasm: () => Promise.reject(new Error('the file is not there')) });
    expect(await curve.prepare()).toBe('javascript');
    curve.sign(HASH, KEY);
    expect(signed).toEqual(['javascript']);
  });
});

describe('key recovery', () => {
  const message = (number: number): Uint8Array => {
    const hash = new Uint8Array(32);
    new DataView(hash.buffer).setUint32(0, number);
    return hash;
  };
  const signature = (last: number, recovery = 0): Signature => ({
    compact: new Uint8Array(64).fill(1).fill(last, 63),
    recovery,
  });

  function countedCurve(): { readonly curve: Secp256k1AtFirstUse; readonly count: () => number } {
    let count = 0;
    const { curve } = sceneOf({
      native: () => ({
        ...javascriptSecp256k1(),
        name: 'native',
        recover(hash, { compact, recovery }) {
          count++;
          if (recovery > 1) throw new RangeError('no key');
          return Uint8Array.of(...hash, ...compact, recovery);
        },
      }),
    });
    return { curve, count: () => count };
  }

  it('recovers a key once for the same message and signature', () => {
    const { curve, count } = countedCurve();
    const first = curve.recover(HASH, signature(1));
    expect(curve.recover(HASH.slice(), signature(1))).toEqual(first);
    expect(count()).toBe(1);
  });

  it('recovers a key again if the hash, the signature or the recovery bit differs', () => {
    const { curve, count } = countedCurve();
    const asked = [
      [HASH, signature(1)],
      [HASH, signature(1, 1)],
      [HASH, signature(2)],
      [message(1), signature(1)],
    ] as const;
    for (const [hash, signed] of [...asked, ...asked])
      expect(curve.recover(hash, signed)).toEqual(Uint8Array.of(...hash, ...signed.compact, signed.recovery));
    expect(count()).toBe(asked.length);
  });

  it('throws each time if no key can be recovered', () => {
    const { curve, count } = countedCurve();
    for (let time = 0; time < 2; time++) expect(() => curve.recover(HASH, signature(1, 2))).toThrow('no key');
    expect(count()).toBe(2);
  });

  it('evicts a cached key after thousands of others, unless it is in use', () => {
    const { curve, count } = countedCurve();
    const others = 5000;
    for (let number = 0; number < others; number++) {
      curve.recover(message(number), signature(1));
      curve.recover(HASH, signature(1));
    }
    expect(count()).toBe(others + 1);
    curve.recover(message(0), signature(1));
    expect(count()).toBe(others + 2);
  });
});
