import { describe, expect, it } from 'vitest';
import { wordBytes } from '../support/words.ts';
import { CONTRACT, code, setScene } from './scene.ts';

/** The test cases of EIP-2200: code, gas used, refund and original slot value. */
const EIP_2200_CASES: readonly (readonly [string, bigint, bigint, number])[] = [
  ['60006000556000600055', 1_612n, 0n, 0],
  ['60006000556001600055', 20_812n, 0n, 0],
  ['60016000556000600055', 20_812n, 19_200n, 0],
  ['60016000556002600055', 20_812n, 0n, 0],
  ['60016000556001600055', 20_812n, 0n, 0],
  ['60006000556000600055', 5_812n, 15_000n, 1],
  ['60006000556001600055', 5_812n, 4_200n, 1],
  ['60006000556002600055', 5_812n, 0n, 1],
  ['60026000556000600055', 5_812n, 15_000n, 1],
  ['60026000556003600055', 5_812n, 0n, 1],
  ['60026000556001600055', 5_812n, 4_200n, 1],
  ['60026000556002600055', 5_812n, 0n, 1],
  ['60016000556000600055', 5_812n, 15_000n, 1],
  ['60016000556002600055', 5_812n, 0n, 1],
  ['60016000556001600055', 1_612n, 0n, 1],
];

describe('storage gas', () => {
  it('matches EIP-2200 under Istanbul in consecutive transactions', async () => {
    const { state, transact } = await setScene('istanbul');
    for (const [nonce, [digits, used, refund, original]] of EIP_2200_CASES.entries()) {
      state.setCode(CONTRACT, code(digits));
      state.setStorage(CONTRACT, wordBytes(0), original === 0 ? new Uint8Array(0) : Uint8Array.of(original));
      const result = await transact({ nonce: BigInt(nonce) });
      const before = 21_000n + used;
      const refunded = refund < before / 2n ? refund : before / 2n;
      expect(result).toMatchObject({ gasBeforeRefund: before, gasUsed: before - refunded });
    }
  });

  it('treats a value of a reverted inner call as not written (EIP-2200)', async () => {
    const { state, transact } = await setScene('istanbul');
    // With data: writes 1 and reverts. Without: calls itself with data, then writes 1.
    state.setCode(
      CONTRACT,
      code('36 6016 57  6000 80 6001 6000 80 30 5a f1 50 6001 6000 55 00  5b 6001 6000 55 6000 80 fd'),
    );
    const first = await transact({});
    expect(state.storageAt(CONTRACT, wordBytes(0))).toEqual(code('01'));
    expect(first.gasBeforeRefund).toBeGreaterThan(21_000n + 40_000n);
  });

  it('distinguishes cold and warm slots under Berlin (EIP-2929)', async () => {
    const { run } = await setScene('berlin');
    expect((await run(code('6000 54 6000 54'))).gasUsed).toBe(21_000n + 3n + 2_100n + 3n + 100n);
    expect((await run(code('6001 6000 55'))).gasUsed).toBe(21_000n + 6n + 2_100n + 20_000n);
  });
});
