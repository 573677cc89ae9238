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

describe('an impersonated account', () => {
  it('sends transactions without a key, until the impersonation ends', async () => {
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

  it('is listed by inspect_impersonation until its impersonation ends or is reverted', async () => {
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

  it('can be a contract', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const { address } = await deploy(harness, 'Counter');
    await call('hardhat_impersonateAccount', [address]);
    await call('hardhat_setBalance', [address, '0x10']);
    const hash = await call('eth_sendTransaction', [{ from: address, to: OTHER, value: '0x3' }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: address });
    expect(await call('eth_getBalance', [address])).toBe('0xd');
  });

  it('sends what costs nothing before it ever had an account', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_impersonateAccount', [STRANGER]);
    const hash = await harness.call('eth_sendTransaction', [{ from: STRANGER, to: OTHER }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: STRANGER });
    expect(await harness.call('eth_getTransactionCount', [STRANGER])).toBe('0x1');
  });

  it('pays for what it sends', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_impersonateAccount', [STRANGER]);
    await expect(
      call('eth_sendTransaction', [{ from: STRANGER, to: OTHER, value: '0x5' }]),
    ).rejects.toMatchObject({ message: expect.stringContaining('insufficient funds') });
  });

  it('has transactions with hashes of their own, found again by them, that tell no signature', async () => {
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

  it('uses its key when the node holds one', async () => {
    const plain = await createRpcHarness();
    const impersonated = await createRpcHarness();
    await impersonated.call('anvil_impersonateAccount', [SENDER]);
    const transaction = { from: SENDER, to: OTHER, value: '0x1' };
    expect(await impersonated.call('eth_sendTransaction', [transaction])).toBe(
      await plain.call('eth_sendTransaction', [transaction]),
    );
  });

  it('is listed among the accounts but with the dialect hardhat', async () => {
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

  it('is no longer one after a revert to a snapshot before it', async () => {
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

  it('can be traced, and stays in its block after many others', async () => {
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
  it('covers everybody until it is switched off, those named stay', async () => {
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
  it('impersonate as the users of Ganache do, who unlock what they add', async () => {
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

  it('do not exist on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    for (const method of ['evm_addAccount', 'evm_removeAccount']) {
      await expect(call(method, [STRANGER, ''])).rejects.toMatchObject({ code: -32601 });
    }
  });
});

describe('eth_sendUnsignedTransaction', () => {
  it('sends from anybody without impersonation', async () => {
    const harness = await createFunded();
    const hash = await harness.call('eth_sendUnsignedTransaction', [
      { from: STRANGER, to: SENDER, value: '0x1' },
    ]);
    expect(await receiptOf(harness, hash)).toMatchObject({ from: STRANGER, status: '0x1' });
  });

  it('does not exist on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    await expect(call('eth_sendUnsignedTransaction', [{ from: STRANGER, to: SENDER }])).rejects.toMatchObject(
      { code: -32601 },
    );
  });

  it('makes typed transactions where the rules have them', async () => {
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
