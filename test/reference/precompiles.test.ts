import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../src/primitives/bytes.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { curve } from '../../src/primitives/secp256k1/curve.ts';
import { RULE_SET_NAMES } from '../../src/protocol/hardforks/registry.ts';
import { evaluationOf, KZG_ORDER } from '../evm/precompiles/kzg-evaluations.ts';
import { wordBytes } from '../support/words.ts';
import { code, setScene } from './scene.ts';

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const KEY = wordBytes(0x1234567890n);
const HASH = keccak256(code('01020304'));
const { compact, recovery } = curve.sign(HASH, KEY);
const SIGNER = keccak256(curve.publicKey(KEY)).subarray(12);

function precompile(number: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(number), 20);
}

const BEFORE_ISTANBUL: readonly string[] = ['constantinople', 'petersburg'];

describe.each(RULE_SET_NAMES)('precompiles under %s', (name) => {
  it('ecrecover recovers the signer, even if s is high', async () => {
    const { call } = await setScene(name);
    const r = compact.subarray(0, 32);
    const highS = wordBytes(CURVE_ORDER - bytesToBigInt(compact.subarray(32)));
    for (const data of [
      concatBytes(HASH, wordBytes(27 + recovery), compact),
      concatBytes(HASH, wordBytes(28 - recovery), r, highS),
    ]) {
      const { returnData } = await call({ to: precompile(1), data });
      expect(returnData.subarray(12)).toEqual(SIGNER);
    }
  });

  it('ecrecover returns no data for an invalid signature', async () => {
    const { call } = await setScene(name);
    for (const data of [
      concatBytes(HASH, wordBytes(29), compact),
      concatBytes(HASH, wordBytes(27), new Uint8Array(64)),
      concatBytes(HASH, wordBytes(27), new Uint8Array(64).fill(0xff)),
    ]) {
      expect(await call({ to: precompile(1), data })).toMatchObject({
        outcome: 'success',
        returnData: new Uint8Array(0),
      });
    }
  });

  it('sha256 and blake2f return the expected hashes', async () => {
    const { call } = await setScene(name);
    const data = code('616263');
    expect((await call({ to: precompile(2), data })).returnData).toEqual(
      new Uint8Array(createHash('sha256').update(data).digest()),
    );
    // Test vector 5 of EIP-152.
    const state =
      '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b';
    const input = code(`0000000c ${state} 616263 ${'00'.repeat(125)} 0300000000000000 0000000000000000 01`);
    const { returnData, gasUsed } = await call({ to: precompile(9), data: input });
    if (BEFORE_ISTANBUL.includes(name)) {
      expect(returnData).toHaveLength(0);
      return;
    }
    expect(Buffer.from(returnData).toString('hex')).toMatch(
      /^ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b7/,
    );
    expect(gasUsed).toBeGreaterThan(21_012n);
  });

  it('ecAdd costs 150 gas since Istanbul (EIP-1108)', async () => {
    const { call } = await setScene(name);
    const { returnData, gasUsed } = await call({ to: precompile(6) });
    expect(returnData).toEqual(new Uint8Array(64));
    // EIP-2780
    const intrinsicGas = name === 'amsterdam' ? 15_000n : 21_000n;
    expect(gasUsed).toBe(intrinsicGas + (BEFORE_ISTANBUL.includes(name) ? 500n : 150n));
  });
});

describe('precompiles of later rule sets', () => {
  it('the point evaluation accepts a valid proof and rejects a wrong one (EIP-4844)', async () => {
    const { call } = await setScene('cancun');
    const polynomial = { constant: 3n, slope: 5n };
    const data = evaluationOf(polynomial, 7n);
    expect(await call({ to: precompile(10), data })).toMatchObject({
      outcome: 'success',
      returnData: concatBytes(wordBytes(4_096), wordBytes(KZG_ORDER)),
    });
    expect(await call({ to: precompile(10), data: evaluationOf(polynomial, 7n, 1n) })).toMatchObject({
      outcome: 'halt',
      haltReason: 'precompile failed',
      gasUsed: 1_000_000n,
    });
  });

  it('the point evaluation rejects a commitment that does not match its hash', async () => {
    const { call } = await setScene('cancun');
    expect(await call({ to: precompile(10), data: new Uint8Array(192) })).toMatchObject({
      outcome: 'halt',
      haltReason: 'precompile failed',
      gasUsed: 1_000_000n,
    });
  });

  it('BLS12-381 addition exists from Prague (EIP-2537)', async () => {
    const infinities = { to: precompile(11), data: new Uint8Array(256) };
    const prague = await (await setScene('prague')).call(infinities);
    expect(prague).toMatchObject({ outcome: 'success', returnData: new Uint8Array(128) });
    const cancun = await (await setScene('cancun')).call(infinities);
    expect(cancun).toMatchObject({ outcome: 'success', returnData: new Uint8Array(0) });
  });
});
