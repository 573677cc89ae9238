import { type Hex, hashMessage, recoverAddress, recoverTypedDataAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { testAccount } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const STRANGER: Hex = `0x${'99'.repeat(20)}`;

const TYPED_DATA = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'to', type: 'Person[]' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Mail', chainId: 33 },
  message: { to: [{ name: 'Bob', wallets: [STRANGER] }], contents: 'Hello, Bob!' },
} as const;

/** The same data with the types of viem. */
const VIEM_TYPED_DATA = {
  ...TYPED_DATA,
  domain: { name: 'Mail', chainId: 33n },
  message: { to: [{ name: 'Bob', wallets: [STRANGER] }], contents: 'Hello, Bob!' },
} as const;

describe('eth_signTypedData_v4', () => {
  it.each(['eth_signTypedData_v4', 'eth_signTypedData_v3', 'eth_signTypedData'])(
    '%s signs an object and its JSON alike',
    async (method) => {
      const { call } = await createRpcHarness();
      const signature = (await call(method, [SENDER, TYPED_DATA])) as Hex;
      expect(await call(method, [SENDER, JSON.stringify(TYPED_DATA)])).toBe(signature);
      expect(await call(method, { address: SENDER, typedData: TYPED_DATA })).toBe(signature);
      const signer = await recoverTypedDataAddress({ ...VIEM_TYPED_DATA, signature });
      expect(signer.toLowerCase()).toBe(SENDER);
    },
  );

  it.each([
    ['text that is no JSON', '{', /params: typedData:/],
    ['text of something else', '[]', /params: typedData:/],
    ['no primary type', { ...TYPED_DATA, primaryType: undefined }, /params: typedData:/],
    [
      'types that are no members',
      { ...TYPED_DATA, types: { Mail: [{ name: 'x' }] } },
      /params: typedData\.types\.Mail\[0\]:/,
    ],
    ['a primary type that is not listed', { ...TYPED_DATA, primaryType: 'Letter' }, /unknown type "Letter"/],
    ['a value of another type', { ...TYPED_DATA, message: { to: [], contents: 5 } }, /message\.contents/],
  ])('eth_signTypedData_v4 rejects %s', async (_what, data, message) => {
    const { call } = await createRpcHarness();
    await expect(call('eth_signTypedData_v4', [SENDER, data])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});

describe('personal_sign', () => {
  it('personal_sign equals eth_sign, and personal_ecRecover returns the signer', async () => {
    const { call } = await createRpcHarness();
    const signature = (await call('personal_sign', ['0xdeadbeef', SENDER])) as Hex;
    expect(signature).toBe(await call('eth_sign', [SENDER, '0xdeadbeef']));
    const recovered = await recoverAddress({ hash: hashMessage({ raw: '0xdeadbeef' }), signature });
    expect(recovered.toLowerCase()).toBe(SENDER);
    expect(await call('personal_ecRecover', ['0xdeadbeef', signature])).toBe(SENDER);
    const withParity = `${signature.slice(0, -2)}0${Number.parseInt(signature.slice(-2), 16) - 27}`;
    expect(await call('personal_ecRecover', ['0xdeadbeef', withParity])).toBe(SENDER);
    expect(await call('personal_ecRecover', ['0xdeadbe', signature])).not.toBe(SENDER);
  });

  it('personal_sign signs with a locked account and its passphrase', async () => {
    const { call, chain } = await createRpcHarness();
    const account = await call('personal_newAccount', ['open sesame']);
    await call('personal_lockAccount', [account]);
    await expect(call('personal_sign', ['0x00', account])).rejects.toMatchObject({ code: -32602 });
    await expect(call('personal_sign', ['0x00', account, 'wrong'])).rejects.toMatchObject({
      message: expect.stringMatching(/^Wrong passphrase/),
    });
    const signature = await call('personal_sign', ['0x00', account, 'open sesame']);
    expect(await call('personal_ecRecover', ['0x00', signature])).toBe(account);
    expect(chain.wallet.isUnlocked(testAccount(0).address)).toBe(true);
  });

  it('personal_ecRecover rejects an invalid signature', async () => {
    const { call } = await createRpcHarness();
    await expect(call('personal_ecRecover', ['0x00', `0x${'ff'.repeat(64)}1b`])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid signature/),
    });
    await expect(call('personal_ecRecover', ['0x00', `0x${'11'.repeat(64)}1d`])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/params: signature:/),
    });
  });
});

describe('accounts for signing', () => {
  it.each([
    ['eth_signTypedData_v4', (from: string) => [from, TYPED_DATA]],
    ['personal_sign', (from: string) => ['0x00', from]],
  ])('%s requires a key of the node', async (method, params) => {
    const { call } = await createRpcHarness();
    await expect(call(method, params(STRANGER))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Account not found/),
    });
    const hosted = await createRpcHarness({ hosted: true });
    await expect(hosted.call(method, params(SENDER))).rejects.toMatchObject({ code: -32601 });
  });
});

describe('wallet methods', () => {
  it('wallet methods list the accounts of the node', async () => {
    const { call } = await createRpcHarness();
    const accounts = await call('eth_accounts');
    expect(await call('eth_requestAccounts')).toEqual(accounts);
    const permissions = [
      { parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: accounts }] },
    ];
    expect(await call('wallet_getPermissions')).toEqual(permissions);
    expect(await call('wallet_requestPermissions', [{ eth_accounts: {} }])).toEqual(permissions);
    await expect(call('wallet_requestPermissions', [{ personal_sign: {} }])).rejects.toMatchObject({
      code: -32602,
    });
  });

  it.each(['wallet_switchEthereumChain', 'wallet_addEthereumChain'])(
    '%s accepts only the chain id of the node',
    async (method) => {
      const { call } = await createRpcHarness();
      expect(await call(method, [{ chainId: '0x21' }])).toBeNull();
      await expect(call(method, [{ chainId: '0x1' }])).rejects.toMatchObject({
        code: 4902,
        message: expect.stringMatching(/^Unrecognized chain ID 1/),
      });
    },
  );

  it('wallet_getCapabilities returns only capabilities of the chain of the node', async () => {
    const { call } = await createRpcHarness();
    const account = toHex(testAccount(0).address);
    const atomic = { '0x21': { atomic: { status: 'unsupported' } } };
    expect(await call('wallet_getCapabilities', [account, ['0x1', '0x21']])).toEqual(atomic);
    expect(await call('wallet_getCapabilities')).toEqual(atomic);
    expect(await call('wallet_getCapabilities', [account, ['0x1']])).toEqual({});
  });
});
