import { describe, expect, it } from 'vitest';
import { bytesToBigInt, concatBytes } from '../../src/primitives/bytes.ts';
import { createReferenceEngine, createWasmEngine } from '../support/evm/engines.ts';
import { wordBytes } from '../support/words.ts';
import { AUTHORITY, authorize, CONTRACT, code, messageOf, RECIPIENT, returning, setScene } from './scene.ts';

describe('authorizations (EIP-7702)', () => {
  it('an authorization lets an account run the code of a contract', async () => {
    const { state, transact } = await setScene('prague');
    state.setCode(CONTRACT, returning('30'));
    const result = await transact({ to: AUTHORITY, authorizationList: [authorize(CONTRACT, 0n)] });
    expect(result).toMatchObject({ outcome: 'success', returnData: wordBytes(bytesToBigInt(AUTHORITY)) });
    expect(state.account(AUTHORITY)).toMatchObject({
      nonce: 1n,
      code: { bytes: concatBytes(code('ef0100'), CONTRACT) },
    });
  });

  it('a delegated account sends transactions and revokes its delegation with the zero address', async () => {
    const { state, transact } = await setScene('prague');
    state.setCode(CONTRACT, returning('30'));
    await transact({ to: RECIPIENT, authorizationList: [authorize(CONTRACT, 0n)] });
    state.setAccount(AUTHORITY, { nonce: 1n, balance: 10n ** 18n });
    expect(await transact({ sender: AUTHORITY, nonce: 1n, to: RECIPIENT })).toMatchObject({
      outcome: 'success',
    });
    await transact({ nonce: 1n, to: RECIPIENT, authorizationList: [authorize(new Uint8Array(20), 2n)] });
    expect(state.account(AUTHORITY)).toMatchObject({ nonce: 3n, code: { bytes: new Uint8Array(0) } });
  });

  it('authorizations with a wrong chain or nonce are charged but not applied', async () => {
    const { state, transact } = await setScene('prague');
    const authorizationList = [authorize(CONTRACT, 0n, 1n), authorize(CONTRACT, 4n)];
    const result = await transact({ to: RECIPIENT, authorizationList });
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 21_000n + 50_000n });
    expect(state.account(AUTHORITY)).toBeUndefined();
  });

  it('a contract creation with authorizations is rejected', async () => {
    const { transact } = await setScene('prague');
    await expect(transact({ to: null, authorizationList: [authorize(CONTRACT, 0n)] })).rejects.toThrow(
      'a message with authorizations cannot create a contract',
    );
  });

  it.each([
    ['reference', createReferenceEngine],
    ['wasm', createWasmEngine],
  ])(
    'an authorization of an existing account is refunded from the first step (%s)',
    async (_, createEngine) => {
      const { engine, environment, state } = await setScene('prague', { createEngine });
      // Clears slot 1 for a refund of 4,800 gas, then reverts.
      state.setCode(CONTRACT, code('5f 6001 55 5f 5f fd'));
      state.setStorage(CONTRACT, wordBytes(1), code('05'));
      state.setAccount(AUTHORITY, { nonce: 0n, balance: 1n });
      const refunds: bigint[] = [];
      const observer = { step: ({ refund }: { refund: bigint }) => void refunds.push(refund) };
      const authorizationList = [authorize(CONTRACT, 0n), authorize(CONTRACT, 7n), authorize(CONTRACT, 1n)];
      const message = messageOf({ to: CONTRACT, authorizationList });
      const result = await engine.transact(environment, state, message, observer);
      const [before, after] = [25_000n, 29_800n];
      expect(refunds).toEqual([before, before, after, after, after, after]);
      expect(result.outcome).toBe('revert');
      const most = result.gasBeforeRefund / 5n;
      expect(result.gasBeforeRefund - result.gasUsed).toBe(most < before ? most : before);
    },
  );

  describe.each([
    ['reference', createReferenceEngine],
    ['wasm', createWasmEngine],
  ])('refunds of authorizations (%s)', (_, createEngine) => {
    it.each([
      ['a new account is not refunded', false, false, [0n], 0n, 1n],
      ['an existing account is refunded', true, false, [0n], 1n, 1n],
      ['a new account is refunded for its second authorization', false, false, [0n, 1n], 1n, 2n],
      [
        'a new account is refunded for its second and third authorization',
        false,
        false,
        [0n, 1n, 2n],
        2n,
        3n,
      ],
      [
        'a new account is not refunded for authorizations with a wrong nonce',
        false,
        false,
        [1n, 0n, 0n, 2n],
        0n,
        1n,
      ],
      ['an existing account is refunded for each authorization', true, false, [0n, 1n], 2n, 2n],
      ['the sender is refunded for nonces after its transaction nonce', true, true, [0n, 1n, 2n], 2n, 3n],
    ] as const)('%s', async (_, exists, isSender, nonces, refunded, nonce) => {
      const { engine, environment, state } = await setScene('prague', { createEngine });
      state.setCode(CONTRACT, code('00'));
      if (exists) state.setAccount(AUTHORITY, { nonce: 0n, balance: 10n ** 18n });
      const refunds: bigint[] = [];
      const observer = { step: ({ refund }: { refund: bigint }) => void refunds.push(refund) };
      const authorizationList = nonces.map((each) => authorize(CONTRACT, each));
      const message = messageOf({
        to: CONTRACT,
        authorizationList,
        ...(isSender ? { sender: AUTHORITY } : {}),
      });
      await engine.transact(environment, state, message, observer);
      expect(refunds).toEqual([refunded * 12_500n]);
      expect(state.account(AUTHORITY)?.nonce).toBe(nonce);
    });
  });
});
