import { verifyMessage } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { accountFromSeed } from '../../../src/wallet/dev-accounts.ts';
import { BOB, TEST_ACCOUNTS } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const COW = accountFromSeed('cow');
const COW_KEY = toHex(COW.privateKey).slice(2);
const COW_ADDRESS = toHex(COW.address);
const INITIAL = TEST_ACCOUNTS.map(({ address }) => toHex(address));
const HALF_AN_HOUR = 1_800;

/** A chain that funds the cow account without its key. */
const WITH_COW = { fundedAccounts: [COW.address] };

/** A harness with the locked cow account and the passphrase `moo`. */
async function createCowHarness(): Promise<RpcHarness> {
  const harness = await createRpcHarness({}, WITH_COW);
  await harness.call('personal_importRawKey', [COW_KEY, 'moo']);
  await harness.call('personal_lockAccount', [COW_ADDRESS]);
  return harness;
}

describe('personal accounts', () => {
  it('new, imported and seeded accounts are listed after the initial accounts', async () => {
    const { call } = await createRpcHarness();
    const created = await call('personal_newAccount', ['secret']);
    const imported = await call('personal_importRawKey', [`0x${COW_KEY.toUpperCase()}`, 'moo']);
    const seeded = await call('personal_newAccountWithSeed', ['grass']);
    expect(created).toMatch(/^0x[0-9a-f]{40}$/);
    expect(imported).toBe(COW_ADDRESS);
    expect(seeded).toBe(toHex(accountFromSeed('grass').address));
    const listed = [...INITIAL, seeded, created, imported];
    expect(await call('personal_listAccounts')).toEqual(listed);
    expect(await call('eth_accounts')).toEqual(listed);
  });

  it('personal_dumpRawKey returns the key of an unlocked account', async () => {
    const { call } = await createRpcHarness();
    const created = await call('personal_newAccount', ['secret']);
    const key = await call('personal_dumpRawKey', [created]);
    expect(key).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await call('personal_importRawKey', [key, 'other'])).toBe(created);
    await call('personal_lockAccount', [created]);
    await expect(call('personal_dumpRawKey', [created])).rejects.toMatchObject({ code: -32602 });
    await expect(call('personal_dumpRawKey', [COW_ADDRESS])).rejects.toMatchObject({ code: -32602 });
  });

  it('an unlocked account signs until real time passes, regardless of chain time', async () => {
    const { call, chain, time } = await createRpcHarness({}, WITH_COW);
    await call('personal_importRawKey', [COW_KEY, 'moo']);
    const signature = await call('eth_sign', [COW_ADDRESS, '0x6869']);
    expect(verifyMessage('hi', String(signature)).toLowerCase()).toBe(COW_ADDRESS);
    const transaction = { from: COW_ADDRESS, to: SENDER };
    expect(await call('eth_sendTransaction', [transaction])).toMatch(/^0x/);
    await call('evm_increaseTime', [1_000_000_000]);
    await call('hardhat_mine', ['0x3b9aca00']);
    expect(await call('eth_sendTransaction', [transaction])).toMatch(/^0x/);
    await time.advance(HALF_AN_HOUR * 1000 - 1);
    expect(await call('eth_sendTransaction', [transaction])).toMatch(/^0x/);
    await time.advance(1);
    const head = chain.head();
    await expect(call('eth_sign', [COW_ADDRESS, '0x'])).rejects.toMatchObject({
      code: -32602,
      message: `Account not found: ${COW_ADDRESS} (unknown or locked account)`,
    });
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({
      code: -32602,
      message: `Could not find account for address: ${COW_ADDRESS} (unknown or locked account)`,
    });
    expect(chain.head()).toBe(head);
    expect(chain.pool.size).toBe(0);
  });
});

describe('personal_unlockAccount', () => {
  it.each([
    ['0x3e8', 1],
    [2000, 2],
    ['3000', 3],
    ['', HALF_AN_HOUR],
    [null, HALF_AN_HOUR],
    [undefined, HALF_AN_HOUR],
  ])('an unlock with duration %j lasts %d seconds', async (duration, seconds) => {
    const { call, time } = await createCowHarness();
    expect(await call('personal_unlockAccount', [COW_ADDRESS, 'moo', duration])).toBe(true);
    await call('evm_increaseTime', [2 * seconds]);
    await time.advance(seconds * 1000 - 1);
    expect(await call('eth_sign', [COW_ADDRESS, '0x'])).toMatch(/^0x/);
    await time.advance(1);
    await expect(call('eth_sign', [COW_ADDRESS, '0x'])).rejects.toMatchObject({ code: -32602 });
  });

  it('an unlock with duration 0 lasts until the account is locked', async () => {
    const { call, time } = await createCowHarness();
    await call('personal_unlockAccount', [COW_ADDRESS, 'moo', '0x0']);
    await time.advance(1_000_000_000);
    expect(await call('personal_lockAccount', [COW_ADDRESS])).toBe(true);
    expect(await call('personal_lockAccount', [COW_ADDRESS])).toBe(false);
  });

  it('a wrong passphrase is rejected, and the account stays locked', async () => {
    const { call } = await createCowHarness();
    await expect(call('personal_unlockAccount', [COW_ADDRESS, 'baa', null])).rejects.toMatchObject({
      code: -32602,
      message: `Wrong passphrase for account ${COW_ADDRESS}`,
    });
    expect(await call('personal_lockAccount', [COW_ADDRESS])).toBe(false);
  });

  it('an empty passphrase unlocks an initial account', async () => {
    const { call } = await createRpcHarness();
    expect(await call('personal_lockAccount', [SENDER])).toBe(true);
    await expect(call('eth_sendTransaction', [{ from: SENDER, to: BOB }])).rejects.toMatchObject({
      code: -32602,
    });
    expect(await call('personal_unlockAccount', [SENDER, '', '0x0'])).toBe(true);
    expect(await call('eth_sendTransaction', [{ from: SENDER, to: BOB }])).toMatch(/^0x/);
  });

  it('personal_unlockAccount returns false for an account without a key', async () => {
    const { call } = await createRpcHarness();
    expect(await call('personal_unlockAccount', [COW_ADDRESS, 'moo', null])).toBe(false);
    expect(await call('personal_lockAccount', [COW_ADDRESS])).toBe(false);
  });
});

describe('personal_signTransaction', () => {
  it('personal_signTransaction signs for a locked account without sending or unlocking', async () => {
    const { call, chain } = await createCowHarness();
    const asked = { from: COW_ADDRESS, to: BOB, value: '0x2' };
    const { raw, tx } = (await call('personal_signTransaction', [asked, 'moo'])) as {
      readonly raw: string;
      readonly tx: { readonly hash: string };
    };
    expect(tx).toMatchObject({
      from: COW_ADDRESS,
      to: BOB,
      value: '0x2',
      nonce: '0x0',
      blockHash: null,
    });
    expect(chain.pool.size).toBe(0);
    await expect(call('eth_sign', [COW_ADDRESS, '0x'])).rejects.toMatchObject({ code: -32602 });
    expect(await call('eth_sendRawTransaction', [raw])).toBe(tx.hash);
    await expect(call('personal_signTransaction', [asked, 'baa'])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/Wrong passphrase/),
    });
  });
});

describe('personal_sendTransaction', () => {
  it('personal_sendTransaction mines a transaction of a locked account, which stays locked', async () => {
    const { call } = await createCowHarness();
    const hash = await call('personal_sendTransaction', [{ from: COW_ADDRESS, to: BOB }, 'moo']);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
      from: COW_ADDRESS,
      status: '0x1',
    });
    await expect(call('eth_sign', [COW_ADDRESS, '0x'])).rejects.toMatchObject({ code: -32602 });
  });

  it('personal_sendTransaction rejects a wrong passphrase, chain id or account', async () => {
    const { call, chain } = await createCowHarness();
    const transaction = { from: COW_ADDRESS, to: BOB };
    for (const [params, message] of [
      [[transaction, 'baa'], 'Wrong passphrase'],
      [[{ ...transaction, chainId: '0x1' }, 'moo'], 'Invalid chainId: 1'],
      [[{ ...transaction, from: `0x${'01'.repeat(20)}` }, 'moo'], 'Could not find account'],
      [[{ from: SENDER, to: BOB }, 'guess'], 'Wrong passphrase'],
      [[{ to: BOB }, 'moo'], 'invalid params: transaction.from'],
    ] as const) {
      await expect(call('personal_sendTransaction', params)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(message),
      });
    }
    expect(chain.head().header.number).toBe(0);
    expect(chain.pool.size).toBe(0);
  });

  it('concurrent personal_sendTransaction calls get different nonces', async () => {
    const { call, chain } = await createCowHarness();
    const sends = [1, 2, 3].map((value) =>
      call('personal_sendTransaction', [
        { from: COW_ADDRESS, to: COW_ADDRESS, value: 0, gas: 21_000 + value },
        'moo',
      ]),
    );
    expect(new Set(await Promise.all(sends)).size).toBe(3);
    expect(chain.head().header.number).toBe(3);
  });
});

describe('secrets in errors', () => {
  const SECRET = 'correct horse battery staple';

  it.each([
    ['personal_newAccount', [SECRET, SECRET]],
    ['personal_newAccount', { pass: SECRET }],
    ['personal_newAccountWithSeed', [{ seed: SECRET }]],
    ['personal_newAccountWithSeed', [[SECRET]]],
    ['personal_importRawKey', [SECRET, 'x']],
    ['personal_importRawKey', [`0x${'0'.repeat(63)}`, SECRET]],
    ['personal_importRawKey', [COW_KEY.slice(1), SECRET]],
    ['personal_unlockAccount', [SECRET, COW_ADDRESS, null]],
    ['personal_unlockAccount', [COW_ADDRESS, 'moo', SECRET]],
    ['personal_unlockAccount', [COW_ADDRESS, 'moo', null, SECRET]],
    ['personal_sendTransaction', [SECRET, { from: COW_ADDRESS }]],
  ])('%s with invalid parameters does not include them in its error', async (method, params) => {
    const { call } = await createRpcHarness();
    const error: unknown = await call(method, params).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('invalid params: ') });
    expect(String(error)).not.toContain(SECRET);
    expect(String(error)).not.toContain(COW_KEY.slice(1, 20));
  });
});

describe('invalid parameters of personal methods', () => {
  it.each([
    ['personal_newAccount', [], 'passphrase'],
    ['personal_newAccount', [null], 'passphrase'],
    ['personal_newAccount', [7], 'passphrase'],
    ['personal_newAccountWithSeed', [null], 'seed'],
    ['personal_importRawKey', ['0x00', 'p'], 'key'],
    ['personal_importRawKey', ['0'.repeat(64), 'p'], 'key'],
    ['personal_importRawKey', ['f'.repeat(64), 'p'], 'key'],
    ['personal_importRawKey', [null, 'p'], 'key'],
    ['personal_importRawKey', [COW_KEY], 'passphrase'],
    ['personal_dumpRawKey', ['0x12'], 'address'],
    ['personal_lockAccount', [], 'address'],
    ['personal_unlockAccount', [COW_ADDRESS], 'passphrase'],
    ['personal_unlockAccount', [COW_ADDRESS, 'moo', -1], 'duration'],
    ['personal_unlockAccount', [COW_ADDRESS, 'moo', 1.5], 'duration'],
    ['personal_unlockAccount', [COW_ADDRESS, 'moo', `0x1${'0'.repeat(12)}`], 'duration'],
    ['personal_sendTransaction', [{ from: COW_ADDRESS }], 'passphrase'],
    ['personal_listAccounts', ['x'], 'params[0]'],
  ])('%s %j is rejected and changes no state', async (method, params, parameter) => {
    const { call } = await createRpcHarness();
    await expect(call(method, params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`params: ${parameter}:`),
    });
    expect(await call('eth_accounts')).toEqual(INITIAL);
  });
});

it.each([
  ['personal_newAccount', ['p']],
  ['personal_newAccountWithSeed', ['cow']],
  ['personal_importRawKey', [COW_KEY, 'p']],
  ['personal_dumpRawKey', [SENDER]],
  ['personal_lockAccount', [SENDER]],
  ['personal_unlockAccount', [SENDER, '', null]],
  ['personal_sendTransaction', [{ from: SENDER }, '']],
])('%s is unavailable on a hosted node', async (method, params) => {
  const { call } = await createRpcHarness({ hosted: true });
  await expect(call(method, params)).rejects.toMatchObject({
    code: -32601,
    message: expect.stringContaining('has no keys'),
  });
  expect(await call('personal_listAccounts')).toEqual([]);
});
