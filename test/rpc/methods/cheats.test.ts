import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;

describe('cheats', () => {
  it('cheats mine no block and do not change the header of the head', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    const head = await call('eth_getBlockByNumber', ['latest', true]);
    await call('anvil_setBalance', [STRANGER, '0x10']);
    await call('anvil_setNonce', [STRANGER, '0x3']);
    expect(await call('eth_getBlockByNumber', ['latest', true])).toEqual(head);
  });

  it('a cheat changes the state at latest, pending and the head number, but not before', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' });
    await call('evm_mine');
    await call('hardhat_setBalance', [STRANGER, '0x10']);
    for (const block of ['latest', 'pending', '0x1']) {
      expect(await call('eth_getBalance', [STRANGER, block]), block).toBe('0x10');
    }
    expect(await call('eth_getBalance', [STRANGER, '0x0'])).toBe('0x0');
    await call('evm_mine');
    await call('hardhat_setBalance', [STRANGER, '0x20']);
    expect(await call('eth_getBalance', [STRANGER, '0x1'])).toBe('0x10');
    expect(await call('eth_getBalance', [STRANGER, '0x2'])).toBe('0x20');
  });

  it('the state root of the next block includes a cheat', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setBalance', [STRANGER, '0x10']);
    await call('evm_mine');
    const { stateRoot } = (await call('eth_getBlockByNumber', ['latest'])) as { stateRoot: string };
    const { accountProof, balance } = (await call('eth_getProof', [STRANGER, [], 'latest'])) as {
      accountProof: string[];
      balance: string;
    };
    expect(balance).toBe('0x10');
    expect(toHex(keccak256(fromHex(accountProof[0] ?? '')))).toBe(stateRoot);
  });

  it('eth_getProof proves a cheat against the changed state before the next block', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setBalance', [STRANGER, '0x10']);
    const { stateRoot } = (await call('eth_getBlockByNumber', ['latest'])) as { stateRoot: string };
    const { accountProof, balance } = (await call('eth_getProof', [STRANGER, [], 'latest'])) as {
      accountProof: string[];
      balance: string;
    };
    expect(balance).toBe('0x10');
    expect(toHex(keccak256(fromHex(accountProof[0] ?? '')))).not.toBe(stateRoot);
  });

  it('evm_revert undoes cheats without a new block since the snapshot', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setBalance', [STRANGER, '0x10']);
    const snapshot = await call('evm_snapshot');
    await call('anvil_setBalance', [STRANGER, '0x20']);
    await call('anvil_setCode', [STRANGER, '0x00']);
    await call('evm_revert', [snapshot]);
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x10');
    expect(await call('eth_getCode', [STRANGER, 'latest'])).toBe('0x');
  });

  it('anvil_reset undoes a cheat on the genesis block', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setBalance', [STRANGER, '0x10']);
    await call('anvil_reset');
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x0');
  });
});

describe('anvil_addBalance', () => {
  it('anvil_addBalance adds to the balance, up to 2^256 - 1', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_addBalance', [STRANGER, '0x10']);
    await call('tenderly_addBalance', [STRANGER, 1]);
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x11');
    expect(await call('eth_getTransactionCount', [STRANGER])).toBe('0x0');
    await call('anvil_addBalance', [STRANGER, `0x${'ff'.repeat(32)}`]);
    expect(await call('eth_getBalance', [STRANGER])).toBe(`0x${'ff'.repeat(32)}`);
  });
});

describe('anvil_setNonce', () => {
  it('anvil_setNonce sets a higher or lower nonce, which the next transaction uses', async () => {
    const { call } = await createRpcHarness();
    for (const nonce of ['0x7', '0x2']) {
      await call('anvil_setNonce', [SENDER, nonce]);
      expect(await call('eth_getTransactionCount', [SENDER])).toBe(nonce);
    }
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]);
    expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x3');
  });

  it.each(['anvil_setNonce', 'evm_setAccountNonce', 'ganache_setNonce'])(
    '%s sets a lower nonce in compat mode hardhat too',
    async (method) => {
      const { call } = await createRpcHarness({ compat: 'hardhat' });
      await call(method, [SENDER, '0x7']);
      await call(method, [SENDER, '0x2']);
      expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x2');
    },
  );

  it('hardhat_setNonce rejects a lower nonce in compat mode hardhat', async () => {
    const { call } = await createRpcHarness({ compat: 'hardhat' });
    await call('hardhat_setNonce', [SENDER, '0x7']);
    await call('hardhat_setNonce', [SENDER, '0x7']);
    await expect(call('hardhat_setNonce', [SENDER, '0x2'])).rejects.toMatchObject({
      code: -32000,
      message: 'New nonce (2) must not be smaller than the existing nonce (7)',
    });
    expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x7');
  });

  it('anvil_setNonce drops pooled transactions with lower nonces and promotes the others', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' });
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, nonce: '0x3' }]);
    const kept = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, nonce: '0x4' }]);
    await call('anvil_setNonce', [SENDER, '0x4']);
    expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' });
    await call('evm_mine');
    expect(await call('eth_getTransactionReceipt', [kept])).toMatchObject({ status: '0x1' });
  });
});

describe('anvil_setCode and anvil_setStorageAt', () => {
  it('anvil_setCode and anvil_setStorageAt create a contract at any account', async () => {
    const { call } = await createRpcHarness();
    // Returns the word in slot 0.
    await call('anvil_setCode', [STRANGER, '0x60005460005260206000f3']);
    await call('anvil_setStorageAt', [STRANGER, '0x0', '0x2a']);
    const word = `0x${'2a'.padStart(64, '0')}`;
    expect(await call('eth_call', [{ to: STRANGER }, 'latest'])).toBe(word);
    expect(await call('eth_getStorageAt', [STRANGER, '0x0', 'latest'])).toBe(word);
    await call('anvil_setCode', [STRANGER, '0x']);
    expect(await call('eth_call', [{ to: STRANGER }, 'latest'])).toBe('0x');
  });

  it('hardhat_setCode and hardhat_setStorageAt do not change a contract in old blocks', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const counter = await deploy(harness, 'Counter');
    const data = counter.data('increment');
    await call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
    await call('hardhat_setStorageAt', [
      counter.address,
      `0x${'00'.repeat(32)}`,
      `0x${'29'.padStart(64, '0')}`,
    ]);
    await call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
    const count = await call('eth_call', [{ to: counter.address, data: counter.data('count') }, 'latest']);
    expect(counter.decode('count', count)).toBe(42n);
    const code = await call('eth_getCode', [counter.address, '0x3']);
    await call('evm_mine');
    await call('hardhat_setCode', [counter.address, '0x00']);
    expect(await call('eth_getCode', [counter.address, '0x3'])).toBe(code);
    expect(await call('eth_getCode', [counter.address, 'latest'])).toBe('0x00');
  });

  it('anvil_setStorageAt accepts short values, zero and full words', async () => {
    const { call } = await createRpcHarness();
    for (const [given, stored] of [
      ['0x1', '1'],
      ['0x0102', '102'],
      [7, '7'],
      [`0x${'ff'.repeat(32)}`, 'ff'.repeat(32)],
      ['0x0', '0'],
    ] as const) {
      await call('anvil_setStorageAt', [STRANGER, '0x5', given]);
      expect(await call('eth_getStorageAt', [STRANGER, '0x5', 'latest'])).toBe(
        `0x${stored.padStart(64, '0')}`,
      );
    }
  });

  it('anvil_setStorageAt rejects a value above 32 bytes with the reason', async () => {
    const { call } = await createRpcHarness();
    await expect(call('anvil_setStorageAt', [STRANGER, '0x0', `0x${'11'.repeat(33)}`])).rejects.toMatchObject(
      {
        code: -32602,
        message: expect.stringContaining('params: value: expected a storage value of at most 32 bytes'),
      },
    );
  });

  it('anvil_setStorageAt does not affect traces of earlier transactions', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const counter = await deploy(harness, 'Counter');
    await call('anvil_setStorageAt', [counter.address, '0x0', '0x5']);
    const data = counter.data('increment');
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
    await call('anvil_setStorageAt', [counter.address, '0x0', '0x0']);
    const options = { tracer: 'prestateTracer' };
    const trace = (await call('debug_traceTransaction', [hash, options])) as Record<string, unknown>;
    expect(trace[counter.address]).toMatchObject({
      storage: { [`0x${'0'.repeat(64)}`]: `0x${'5'.padStart(64, '0')}` },
    });
  });
});
