import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;
const OTHER = `0x${'6b'.repeat(20)}`;

async function createFunded() {
  const harness = await createRpcHarness();
  for (const address of [STRANGER, OTHER]) await harness.call('anvil_setBalance', [address, '0x1000000']);
  return harness;
}

describe('--auto-fund', () => {
  it('hardhat_impersonateAccount gives funds to an account without funds, and only to it', async () => {
    const { call } = await createRpcHarness({ impersonationFunds: 1_000n });
    await call('anvil_setBalance', [OTHER, '0x1']);

    expect(await call('hardhat_impersonateAccount', [STRANGER])).toBe(true);
    expect(await call('anvil_impersonateAccount', [OTHER])).toBeNull();

    expect(await call('eth_getBalance', [STRANGER])).toBe('0x3e8');
    expect(await call('eth_getBalance', [OTHER])).toBe('0x1');
  });

  it('an impersonated account gets no funds without the option', async () => {
    const { call } = await createRpcHarness();

    await call('hardhat_impersonateAccount', [STRANGER]);

    expect(await call('eth_getBalance', [STRANGER])).toBe('0x0');
  });
});

describe('impersonated accounts', () => {
  it('an impersonated account sends transactions without a key until it is stopped', async () => {
    const harness = await createFunded();
    const { call } = harness;
    const transaction = { from: STRANGER, to: OTHER, value: '0x5' };
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({ code: -32602 });
    await call('anvil_impersonateAccount', [STRANGER]);
    const hash = await call('eth_sendTransaction', [transaction]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: STRANGER, to: OTHER });
    expect(await call('eth_getBalance', [OTHER])).toBe('0x1000005');
    expect(await call('eth_getTransactionCount', [STRANGER])).toBe('0x1');
    expect(await call('hardhat_stopImpersonatingAccount', [STRANGER])).toBe(true);
    expect(await call('hardhat_stopImpersonatingAccount', [STRANGER])).toBe(false);
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({ code: -32602 });
  });

  it('inspect_impersonation lists accounts until impersonation stops or is reverted', async () => {
    const { call } = await createFunded();
    const snapshot = await call('evm_snapshot');
    await call('anvil_impersonateAccount', [STRANGER]);
    await call('anvil_impersonateAccount', [OTHER]);
    expect(await call('inspect_impersonation')).toEqual({ accounts: [STRANGER, OTHER], automatic: false });
    await call('hardhat_stopImpersonatingAccount', [STRANGER]);
    await call('anvil_autoImpersonateAccount', [true]);
    expect(await call('inspect_impersonation')).toEqual({ accounts: [OTHER], automatic: true });
    await call('evm_revert', [snapshot]);
    expect(await call('inspect_impersonation')).toEqual({ accounts: [], automatic: false });
  });

  it('a contract can be impersonated', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const { address } = await deploy(harness, 'Counter');
    await call('hardhat_impersonateAccount', [address]);
    await call('hardhat_setBalance', [address, '0x10']);
    const hash = await call('eth_sendTransaction', [{ from: address, to: OTHER, value: '0x3' }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: address });
    expect(await call('eth_getBalance', [address])).toBe('0xd');
  });

  it('an impersonated account without state sends a free transaction', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_impersonateAccount', [STRANGER]);
    const hash = await harness.call('eth_sendTransaction', [{ from: STRANGER, to: OTHER }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: STRANGER });
    expect(await harness.call('eth_getTransactionCount', [STRANGER])).toBe('0x1');
  });

  it('an impersonated account without funds cannot send value', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_impersonateAccount', [STRANGER]);
    await expect(
      call('eth_sendTransaction', [{ from: STRANGER, to: OTHER, value: '0x5' }]),
    ).rejects.toMatchObject({ message: expect.stringContaining('insufficient funds') });
  });

  it('impersonated transactions have unique hashes and an empty signature', async () => {
    const { call } = await createFunded();
    await call('anvil_autoImpersonateAccount', [true]);
    const hashes = [
      await call('eth_sendTransaction', [{ from: STRANGER, to: SENDER }]),
      await call('eth_sendTransaction', [{ from: OTHER, to: SENDER }]),
      await call('eth_sendTransaction', [{ from: STRANGER, to: SENDER }]),
    ];
    expect(new Set(hashes).size).toBe(3);
    expect(await call('eth_getTransactionByHash', [hashes[1]])).toMatchObject({
      hash: hashes[1],
      from: OTHER,
      v: '0x0',
      r: `0x${'6b'.repeat(20).padStart(64, '0')}`,
      s: `0x${'6b'.repeat(20).padStart(64, '0')}`,
    });
  });

  it('an impersonated account with a key signs with its key', async () => {
    const plain = await createRpcHarness();
    const impersonated = await createRpcHarness();
    await impersonated.call('anvil_impersonateAccount', [SENDER]);
    const transaction = { from: SENDER, to: OTHER, value: '0x1' };
    expect(await impersonated.call('eth_sendTransaction', [transaction])).toBe(
      await plain.call('eth_sendTransaction', [transaction]),
    );
  });

  it('eth_accounts lists impersonated accounts except in compat mode hardhat', async () => {
    for (const [compat, listed] of [
      ['service', true],
      ['anvil', true],
      ['hardhat', false],
    ] as const) {
      const { call } = await createRpcHarness({ compat });
      const before = (await call('eth_accounts')) as string[];
      await call('anvil_impersonateAccount', [STRANGER]);
      await call('anvil_impersonateAccount', [SENDER]);
      expect(await call('eth_accounts'), compat).toEqual(listed ? [...before, STRANGER] : before);
    }
  });

  it('evm_revert ends impersonation started after the snapshot', async () => {
    const { call } = await createFunded();
    const snapshot = await call('evm_snapshot');
    await call('anvil_impersonateAccount', [STRANGER]);
    await call('anvil_autoImpersonateAccount', [true]);
    await call('evm_revert', [snapshot]);
    for (const from of [STRANGER, OTHER]) {
      await expect(call('eth_sendTransaction', [{ from, to: SENDER }])).rejects.toMatchObject({
        code: -32602,
      });
    }
  });

  it('an impersonated transaction can be traced and found after many blocks', async () => {
    const { call } = await createFunded();
    await call('anvil_impersonateAccount', [STRANGER]);
    const hash = await call('eth_sendTransaction', [{ from: STRANGER, to: SENDER, value: '0x1' }]);
    const mined = await call('eth_getTransactionByHash', [hash]);
    await call('evm_mine', [{ blocks: 300 }]);
    expect(await call('eth_getTransactionByHash', [hash])).toEqual(mined);
    expect(await call('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toMatchObject({
      from: STRANGER,
      value: '0x1',
    });
  });
});

describe('automatic impersonation', () => {
  it('anvil_autoImpersonateAccount covers all accounts, and named accounts remain after it', async () => {
    const { call } = await createFunded();
    await call('anvil_autoImpersonateAccount', [true]);
    await call('eth_sendTransaction', [{ from: STRANGER, to: SENDER }]);
    await call('anvil_impersonateAccount', [OTHER]);
    await call('hardhat_autoImpersonateAccount', [false]);
    await expect(call('eth_sendTransaction', [{ from: STRANGER, to: SENDER }])).rejects.toMatchObject({
      code: -32602,
    });
    await call('eth_sendTransaction', [{ from: OTHER, to: SENDER }]);
  });
});

describe('evm_addAccount and evm_removeAccount', () => {
  it('evm_addAccount and evm_removeAccount impersonate an unlocked account, as in Ganache', async () => {
    const { call } = await createFunded();
    const transaction = { from: STRANGER, to: OTHER, value: '0x1' };
    expect(await call('evm_addAccount', [STRANGER, 'words'])).toBe(true);
    expect(await call('evm_addAccount', [STRANGER, 'words'])).toBe(false);
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({ code: -32602 });
    expect(await call('personal_unlockAccount', [STRANGER, 'words', 0])).toBe(true);
    await call('eth_sendTransaction', [transaction]);
    expect(await call('evm_removeAccount', [STRANGER, 'words'])).toBe(true);
    expect(await call('evm_removeAccount', [STRANGER, 'words'])).toBe(false);
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject({ code: -32602 });
  });

  it('evm_addAccount and evm_removeAccount are unavailable on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    for (const method of ['evm_addAccount', 'evm_removeAccount']) {
      await expect(call(method, [STRANGER, ''])).rejects.toMatchObject({ code: -32601 });
    }
  });
});

describe('eth_sendUnsignedTransaction', () => {
  it('eth_sendUnsignedTransaction sends from any account without impersonation', async () => {
    const harness = await createFunded();
    const hash = await harness.call('eth_sendUnsignedTransaction', [
      { from: STRANGER, to: SENDER, value: '0x1' },
    ]);
    expect(await receiptOf(harness, hash)).toMatchObject({ from: STRANGER, status: '0x1' });
  });

  it('eth_sendUnsignedTransaction is unavailable on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    await expect(call('eth_sendUnsignedTransaction', [{ from: STRANGER, to: SENDER }])).rejects.toMatchObject(
      { code: -32601 },
    );
  });

  it('eth_sendUnsignedTransaction sends typed transactions under rules with typed transactions', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    await call('anvil_setBalance', [STRANGER, `0x${(10n ** 20n).toString(16)}`]);
    const hash = await call('eth_sendUnsignedTransaction', [{ from: STRANGER, to: SENDER, value: '0x1' }]);
    await call('evm_mine', [{ blocks: 300 }]);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({
      type: '0x2',
      chainId: '0x21',
      from: STRANGER,
      yParity: '0x0',
    });
  });
});
