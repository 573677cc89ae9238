import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;
const OTHER = `0x${'6b'.repeat(20)}`;
const UNKNOWN = { code: -32602, message: expect.stringContaining('account') };

async function createFunded() {
  const harness = await createRpcHarness();
  await harness.call('anvil_setBalance', [STRANGER, '0x1000000']);
  return harness;
}

describe('accounts added without a key', () => {
  it('an added account is listed and locked until it is unlocked', async () => {
    const harness = await createFunded();
    const { call } = harness;
    const transaction = { from: STRANGER, to: OTHER, value: '0x5' };
    expect(await call('evm_addAccount', [STRANGER, 'sesame'])).toBe(true);
    expect(await call('eth_accounts')).toContain(STRANGER);
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject(UNKNOWN);
    await expect(call('personal_unlockAccount', [STRANGER, 'simsalabim'])).rejects.toMatchObject({
      code: -32602,
    });
    expect(await call('personal_unlockAccount', [STRANGER, 'sesame'])).toBe(true);
    const hash = await call('eth_sendTransaction', [transaction]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: STRANGER });
    expect(await call('eth_getBalance', [OTHER])).toBe('0x5');
    expect(await call('personal_lockAccount', [STRANGER])).toBe(true);
    await expect(call('eth_sendTransaction', [transaction])).rejects.toMatchObject(UNKNOWN);
  });

  it('personal_sendTransaction sends from a locked account with its passphrase', async () => {
    const harness = await createFunded();
    const { call } = harness;
    await call('evm_addAccount', [STRANGER, 'sesame']);
    const transaction = { from: STRANGER, to: OTHER, value: '0x5' };
    await expect(call('personal_sendTransaction', [transaction, 'no'])).rejects.toMatchObject({
      code: -32602,
    });
    const hash = await call('personal_sendTransaction', [transaction, 'sesame']);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: STRANGER });
  });

  it('a contract can be added and sends transactions', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const { address } = await deploy(harness, 'Counter');
    await call('anvil_setBalance', [address, '0x10']);
    await call('evm_addAccount', [address, '']);
    await call('personal_unlockAccount', [address, '']);
    const hash = await call('eth_sendTransaction', [{ from: address, to: OTHER, value: '0x3' }]);
    expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', from: address });
  });

  it('an added account cannot sign, locked or unlocked', async () => {
    const { call } = await createFunded();
    await call('evm_addAccount', [STRANGER, 'sesame']);
    await expect(call('personal_sign', ['0x01', STRANGER, 'sesame'])).rejects.toMatchObject(UNKNOWN);
    await call('personal_unlockAccount', [STRANGER, 'sesame']);
    await expect(call('eth_sign', [STRANGER, '0x01'])).rejects.toMatchObject(UNKNOWN);
    const transaction = { from: STRANGER, to: OTHER, gas: '0x5208', gasPrice: '0x0', nonce: '0x0' };
    await expect(call('eth_signTransaction', [transaction])).rejects.toMatchObject(UNKNOWN);
    await expect(call('personal_dumpRawKey', [STRANGER])).rejects.toMatchObject(UNKNOWN);
  });

  it('an added account is locked again after the unlock duration', async () => {
    const { call, time } = await createFunded();
    await call('evm_addAccount', [STRANGER, 'sesame']);
    await call('personal_unlockAccount', [STRANGER, 'sesame', 1000]);
    await call('eth_sendTransaction', [{ from: STRANGER, to: OTHER }]);
    await time.advance(1000);
    await expect(call('eth_sendTransaction', [{ from: STRANGER, to: OTHER }])).rejects.toMatchObject(UNKNOWN);
  });

  it('evm_addAccount returns false for an account that exists or has a key', async () => {
    const { call } = await createFunded();
    expect(await call('evm_addAccount', [STRANGER, 'a'])).toBe(true);
    expect(await call('evm_addAccount', [STRANGER, 'b'])).toBe(false);
    expect(await call('evm_addAccount', [SENDER, 'a'])).toBe(false);
    expect(await call('personal_unlockAccount', [STRANGER, 'a'])).toBe(true);
  });

  it('concurrent evm_addAccount calls add an account once', async () => {
    const { call } = await createFunded();
    const answers = await Promise.all(['a', 'b'].map((words) => call('evm_addAccount', [STRANGER, words])));
    expect(answers.filter((wasAdded) => wasAdded === true)).toHaveLength(1);
  });

  it('an added account signs after its key is imported', async () => {
    const { call } = await createRpcHarness();
    const key = `0x${'00'.repeat(31)}07`;
    const address = '0xd41c057fd1c78805aac12b0a94a405c0461a6fbb';
    await call('evm_addAccount', [address, 'a']);
    await call('personal_unlockAccount', [address, 'a', 0]);
    expect(await call('personal_importRawKey', [key, 'b'])).toBe(address);
    expect(await call('eth_sign', [address, '0x01'])).toMatch(/^0x[0-9a-f]{130}$/);
  });
});

describe('evm_removeAccount', () => {
  it('evm_removeAccount removes an added account only with its passphrase', async () => {
    const { call } = await createFunded();
    await call('evm_addAccount', [STRANGER, 'sesame']);
    await call('personal_unlockAccount', [STRANGER, 'sesame']);
    await expect(call('evm_removeAccount', [STRANGER, ''])).rejects.toMatchObject({ code: -32602 });
    expect(await call('evm_removeAccount', [STRANGER, 'sesame'])).toBe(true);
    expect(await call('eth_accounts')).not.toContain(STRANGER);
    await expect(call('eth_sendTransaction', [{ from: STRANGER, to: OTHER }])).rejects.toMatchObject(UNKNOWN);
    expect(await call('evm_removeAccount', [STRANGER, 'sesame'])).toBe(false);
  });

  it('evm_removeAccount removes an initial account with the empty passphrase', async () => {
    const { call } = await createRpcHarness();
    expect(await call('evm_removeAccount', [SENDER, ''])).toBe(true);
    expect(await call('eth_accounts')).not.toContain(SENDER);
  });

  it('evm_removeAccount is unavailable on a hosted node', async () => {
    const { call } = await createRpcHarness({ hosted: true });
    for (const method of ['evm_addAccount', 'evm_removeAccount']) {
      await expect(call(method, [STRANGER, ''])).rejects.toMatchObject({ code: -32601 });
    }
  });
});

describe('anvil_getLastBlockWallTime', () => {
  it("anvil_getLastBlockWallTime follows the machine's clock, not the chain's", async () => {
    const { call, time } = await createRpcHarness();
    const start = await call('anvil_getLastBlockWallTime');
    await time.advance(5000);
    expect(await call('anvil_getLastBlockWallTime')).toBe(start);
    await call('evm_increaseTime', [1000]);
    await call('evm_mine');
    expect(await call('anvil_getLastBlockWallTime')).toBe(Number(start) + 5000);
  });
});
