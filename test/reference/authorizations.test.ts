import { describe, expect, it } from 'vitest';
import { bytesToBigInt, concatBytes } from '../../src/primitives/bytes.ts';
import { createReferenceEngine, createWasmEngine } from '../support/evm/engines.ts';
import {
  AUTHORITY,
  authorize,
  CONTRACT,
  code,
  messageOf,
  RECIPIENT,
  returning,
  setScene,
  word,
} from './scene.ts';

describe('authorizations (EIP-7702)', () => {
  it('let an account run a contract’s code', async () => {
    const { state, transact } = await setScene('prague');
    state.setCode(CONTRACT, returning('30'));
    const result = await transact({ to: AUTHORITY, authorizationList: [authorize(CONTRACT, 0n)] });
    expect(result).toMatchObject({ outcome: 'success', returnData: word(bytesToBigInt(AUTHORITY)) });
    expect(state.account(AUTHORITY)).toMatchObject({
      nonce: 1n,
      code: { bytes: concatBytes(code('ef0100'), CONTRACT) },
    });
  });

  it('let such an account send transactions, and are taken back by the zero address', async () => {
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

  it('are passed over for another chain or nonce, yet paid for', async () => {
    const { state, transact } = await setScene('prague');
    const authorizationList = [authorize(CONTRACT, 0n, 1n), authorize(CONTRACT, 4n)];
    const result = await transact({ to: RECIPIENT, authorizationList });
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 21_000n + 50_000n });
    expect(state.account(AUTHORITY)).toBeUndefined();
  });

  it('cannot go with a creation', async () => {
    const { transact } = await setScene('prague');
    await expect(transact({ to: null, authorizationList: [authorize(CONTRACT, 0n)] })).rejects.toThrow(
      'a message with authorizations cannot create a contract',
    );
  });

  it.each([
    ['reference', createReferenceEngine],
    ['wasm', createWasmEngine],
  ])('are refunded from the first step on where their account exists (%s)', async (_, createEngine) => {
    const { engine, environment, state } = await setScene('prague', { createEngine });
    // Clears slot 1, which gives 4,800 gas back, and reverts.
    state.setCode(CONTRACT, code('5f 6001 55 5f 5f fd'));
    state.setStorage(CONTRACT, word(1), code('05'));
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
  });

  describe.each([
    ['reference', createReferenceEngine],
    ['wasm', createWasmEngine],
  ])('are refunded for what exists before each (%s):', (_, createEngine) => {
    it.each([
      ['an account that is new', false, false, [0n], 0n, 1n],
      ['an account that exists', true, false, [0n], 1n, 1n],
      ['a new one, the second time', false, false, [0n, 1n], 1n, 2n],
      ['a new one, the second and the third time', false, false, [0n, 1n, 2n], 2n, 3n],
      ['a new one, but not for a wrong nonce', false, false, [1n, 0n, 0n, 2n], 0n, 1n],
      ['an existing one each time', true, false, [0n, 1n], 2n, 2n],
      ['the sender, whose own nonce counts first', true, true, [0n, 1n, 2n], 2n, 3n],
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
