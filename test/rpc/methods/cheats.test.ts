import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;

describe('a cheat', () => {
  it('makes no block, and leaves the header of the head as it is', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    const head = await call('eth_getBlockByNumber', ['latest', true]);
    await call('anvil_setBalance', [STRANGER, '0x10']);
    await call('anvil_setNonce', [STRANGER, '0x3']);
    expect(await call('eth_getBlockByNumber', ['latest', true])).toEqual(head);
  });

  it('is answered at latest, at pending and at the number of the head, and not before it', async () => {
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

  it('is what later blocks build on: their state root holds it', async () => {
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

  it('is proved against the changed state until the next block is made', async () => {
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

  it('is taken back by a revert, also when no block was made since the snapshot', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setBalance', [STRANGER, '0x10']);
    const snapshot = await call('evm_snapshot');
    await call('anvil_setBalance', [STRANGER, '0x20']);
    await call('anvil_setCode', [STRANGER, '0x00']);
    await call('evm_revert', [snapshot]);
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x10');
    expect(await call('eth_getCode', [STRANGER, 'latest'])).toBe('0x');
  });

  it('on the first block is taken back by a reset', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setBalance', [STRANGER, '0x10']);
    await call('anvil_reset');
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x0');
  });
});

describe('anvil_addBalance', () => {
  it('adds, and stops at the largest balance there is', async () => {
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
  it('sets a higher nonce and a lower one, from which the account goes on', async () => {
    const { call } = await createRpcHarness();
    for (const nonce of ['0x7', '0x2']) {
      await call('anvil_setNonce', [SENDER, nonce]);
      expect(await call('eth_getTransactionCount', [SENDER])).toBe(nonce);
    }
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]);
    expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x3');
  });

  it.each(['anvil_setNonce', 'evm_setAccountNonce', 'ganache_setNonce'])(
    'sets a lower nonce in the dialect hardhat too, which is not the dialect of %s',
    async (method) => {
      const { call } = await createRpcHarness({ compat: 'hardhat' });
      await call(method, [SENDER, '0x7']);
      await call(method, [SENDER, '0x2']);
      expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x2');
    },
  );

  it('sets no lower nonce as hardhat_setNonce in the dialect hardhat, where that is an error', async () => {
    const { call } = await createRpcHarness({ compat: 'hardhat' });
    await call('hardhat_setNonce', [SENDER, '0x7']);
    await call('hardhat_setNonce', [SENDER, '0x7']);
    await expect(call('hardhat_setNonce', [SENDER, '0x2'])).rejects.toMatchObject({
      code: -32000,
      message: 'New nonce (2) must not be smaller than the existing nonce (7)',
    });
    expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x7');
  });

  it('drops what waits in the pool with a lower nonce and makes the rest go on', async () => {
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
  it('make a contract of any account', async () => {
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

  it('change a contract that is there, the code of old blocks stays', async () => {
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

  it('take short values, zero and whole words', async () => {
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

  it('says what is wrong with a value that is too long', async () => {
    const { call } = await createRpcHarness();
    await expect(call('anvil_setStorageAt', [STRANGER, '0x0', `0x${'11'.repeat(33)}`])).rejects.toMatchObject(
      {
        code: -32602,
        message: expect.stringContaining('params: value: expected a storage value of at most 32 bytes'),
      },
    );
  });

  it('let what was traced before still be traced', async () => {
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
