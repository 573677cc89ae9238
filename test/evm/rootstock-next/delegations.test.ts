import { describe, expect, it } from 'vitest';
import { precompileAddress } from '../../../src/protocol/hardforks/precompiles.ts';
import { delegationTo } from '../../../src/state/account.ts';
import {
  AUTHORITY,
  authorize,
  CONTRACT,
  code,
  RECIPIENT,
  returning,
  type Scene,
  setScene,
} from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { ENGINES } from '../rootstock/engines.ts';
import { callOperands, costOf } from '../rootstock/rootstock-scene.ts';

const BASE = 21_000n;
const PER_AUTHORIZATION = 25_000n;
const REFUND = 9_500n;

describe.each(ENGINES)('RSKIP-545, on the $engine engine', ({ createEngine }) => {
  const scene = (): Promise<Scene> => setScene('rootstock-next', { createEngine });

  it.each([
    ['an account that does not exist', () => {}, 0n],
    [
      'an account without code',
      ({ state }: Scene) => state.setAccount(AUTHORITY, { nonce: 0n, balance: 1n }),
      0n,
    ],
    ['a delegated account', ({ state }: Scene) => state.setCode(AUTHORITY, delegationTo(RECIPIENT)), REFUND],
  ])('the authorization of %s costs 25,000 minus the refund', async (_name, prepare, refund) => {
    const prepared = await scene();
    prepare(prepared);
    const result = await prepared.transact({ to: RECIPIENT, authorizationList: [authorize(CONTRACT, 0n)] });
    expect(result).toMatchObject({ outcome: 'success', gasUsed: BASE + PER_AUTHORIZATION - refund });
    expect(prepared.state.account(AUTHORITY)).toMatchObject({ nonce: 1n });
    expect(prepared.state.account(AUTHORITY)?.code.bytes).toEqual(delegationTo(CONTRACT));
  });

  it('the second authorization of a message earns the refund of the first delegation', async () => {
    const { transact } = await scene();
    const authorizationList = [authorize(CONTRACT, 0n), authorize(RECIPIENT, 1n)];
    const result = await transact({ to: RECIPIENT, authorizationList });
    expect(result.gasUsed).toBe(BASE + 2n * PER_AUTHORIZATION - REFUND);
  });

  it.each([
    ['another nonce', authorize(CONTRACT, 1n)],
    ['another chain', authorize(CONTRACT, 0n, 30n)],
  ])('an authorization with %s is skipped, but paid', async (_name, authorization) => {
    const { state, transact } = await scene();
    const result = await transact({ to: RECIPIENT, authorizationList: [authorization] });
    expect(result).toMatchObject({ outcome: 'success', gasUsed: BASE + PER_AUTHORIZATION });
    expect(state.account(AUTHORITY)?.code.bytes ?? []).toHaveLength(0);
  });

  it('an authorization of the zero address removes the delegation', async () => {
    const { state, transact } = await scene();
    state.setCode(AUTHORITY, delegationTo(RECIPIENT));
    await transact({ to: RECIPIENT, authorizationList: [authorize(new Uint8Array(20), 0n)] });
    expect(state.account(AUTHORITY)?.code.bytes).toHaveLength(0);
  });

  it.each([
    ['reverts', '6000 6000 fd'],
    ['halts', 'fe'],
  ])('a delegation stays if the call %s, and so does the refund', async (_name, runtime) => {
    const { state, transact } = await scene();
    state.setCode(AUTHORITY, delegationTo(RECIPIENT));
    state.setCode(CONTRACT, code(runtime));
    const result = await transact({ gasLimit: 200_000n, authorizationList: [authorize(CONTRACT, 0n)] });
    const spent = runtime === 'fe' ? 200_000n : BASE + PER_AUTHORIZATION + 6n;
    expect(result.gasUsed).toBe(spent - REFUND);
    expect(state.account(AUTHORITY)?.code.bytes).toEqual(delegationTo(CONTRACT));
  });

  it('a call runs the code of the delegate in the account, at the price of one access', async () => {
    const prepared = await scene();
    prepared.state.setCode(AUTHORITY, delegationTo(RECIPIENT));
    prepared.state.setCode(RECIPIENT, code('6007 6001 55'));
    await prepared.transact({ to: AUTHORITY });
    expect(prepared.state.storageAt(AUTHORITY, wordBytes(1))).toEqual(Uint8Array.of(7));

    const plain = await scene();
    plain.state.setCode(AUTHORITY, delegationTo(CONTRACT));
    plain.state.setCode(RECIPIENT, code('00'));
    const delegating = await scene();
    delegating.state.setCode(AUTHORITY, delegationTo(RECIPIENT));
    delegating.state.setCode(RECIPIENT, code('00'));
    const call = `${callOperands('STATICCALL', AUTHORITY)} fa 50`;
    const direct = `${callOperands('STATICCALL', RECIPIENT)} fa 50`;
    expect(await costOf(delegating, '', call)).toBe(await costOf(plain, '', direct));
  });

  it('code that delegates to a precompiled contract is empty', async () => {
    const { state, transact } = await scene();
    state.setCode(AUTHORITY, delegationTo(precompileAddress('ID')));
    const result = await transact({ to: AUTHORITY, data: Uint8Array.of(1) });
    expect(result).toMatchObject({ outcome: 'success', gasUsed: BASE + 16n, returnData: new Uint8Array(0) });
  });

  it('EXTCODESIZE of a delegated account is 23', async () => {
    const { state, run } = await scene();
    state.setCode(AUTHORITY, delegationTo(RECIPIENT));
    const digits = Buffer.from(AUTHORITY).toString('hex');
    const { returnData } = await run(returning(`73${digits} 3b`));
    expect(returnData).toEqual(wordBytes(23));
  });
});
