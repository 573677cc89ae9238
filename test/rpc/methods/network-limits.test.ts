import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

type Fields = Readonly<Record<string, unknown>>;

const NETWORK = {
  networkLimits: true,
  gasLimit: 10_000_000n,
  gasLimitTarget: 7_500_000n,
  minimumGasPrice: 60_000_000n,
  minimumGasPriceTarget: 61_000_000n,
};

/** A transfer with the exact gas it needs. */
const TRANSFER = { from: SENDER, to: SENDER, gas: '0x5208' };

async function code(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => (error as { code?: unknown }).code,
  );
}

describe("a chain with Rootstock's limits", () => {
  it('blocks, pending blocks, anvil_nodeInfo and eth_gasPrice return the limits', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' }, NETWORK);
    expect(await call('eth_getBlockByNumber', ['pending'])).toMatchObject({
      gasLimit: '0x98705b',
      minimumGasPrice: '0x39caec0',
    });
    expect(await call('anvil_nodeInfo')).toMatchObject({
      environment: { baseFee: '0x39caec0', gasLimit: '0x98705b' },
    });
    expect(await call('eth_gasPrice')).toBe('0x3ef1480');
    await call('evm_mine');
    expect(await call('eth_getBlockByNumber', ['latest'])).toMatchObject({
      gasLimit: '0x98705b',
      minimumGasPrice: '0x39caec0',
    });
  });

  it('a transaction at the suggested price is mined, and others are rejected', async () => {
    const { call } = await createRpcHarness({}, NETWORK);
    const hash = await call('eth_sendTransaction', [TRANSFER]);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
      status: '0x1',
      effectiveGasPrice: '0x3ef1480',
    });
    for (const fields of [
      { gas: '0x67c28a' },
      { nonce: '0x11' },
      { gasPrice: '0x1' },
      { gasPrice: '0x12309ce54000' },
    ]) {
      expect(await code(call('eth_sendTransaction', [{ ...TRANSFER, ...fields }]))).toBe(-32010);
    }
  });

  it('a transaction whose estimate fails gets the maximum gas of a transaction', async () => {
    const { call } = await createRpcHarness(
      {},
      { ...NETWORK, minimumGasPrice: 0n, minimumGasPriceTarget: null },
    );
    // INVALID fails with any gas limit.
    const hash = await call('eth_sendTransaction', [{ from: SENDER, input: '0xfe' }]);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ gas: '0x67c281' });
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x0' });
  });

  it('evm_setBlockGasLimit and hardhat_setMinGasPrice override the limits', async () => {
    const { call } = await createRpcHarness({}, NETWORK);
    await call('evm_setBlockGasLimit', ['0xf4240']);
    await call('hardhat_setMinGasPrice', ['0x5']);
    for (let block = 0; block < 2; block++) {
      await call('evm_mine');
      expect(await call('eth_getBlockByNumber', ['latest'])).toMatchObject({
        gasLimit: '0xf4240',
        minimumGasPrice: '0x5',
      });
    }
    await call('miner_setGasPrice', ['0x7']);
    expect(await call('eth_gasPrice')).toBe('0x7');
  });

  it('a loaded dump continues with the same limits', async () => {
    const { call } = await createRpcHarness({}, NETWORK);
    await call('evm_mine');
    const dump = await call('anvil_dumpState');
    const { call: other } = await createRpcHarness();
    await other('anvil_loadState', [dump]);
    await call('evm_mine');
    await other('evm_mine');
    const { gasLimit, minimumGasPrice } = (await call('eth_getBlockByNumber', ['latest'])) as Fields;
    expect(gasLimit).toBe('0x984a3f');
    expect(await other('eth_getBlockByNumber', ['latest'])).toMatchObject({ gasLimit, minimumGasPrice });
  });
});

describe('transaction receipts', () => {
  it('the raw receipt of a transfer equals the published one', async () => {
    const { call } = await createRpcHarness();
    const hash = await call('eth_sendTransaction', [TRANSFER]);
    const raw = `0xf9010c01825208b90100${'00'.repeat(256)}c082520801`;
    expect(await call('chain_getRawTransactionReceiptByHash', [hash])).toBe(raw);
    expect(await call('rsk_getRawTransactionReceiptByHash', [hash])).toBe(raw);
  });

  it('a receipt has the effective gas price, also of a failure, and the block has the fees', async () => {
    const { call } = await createRpcHarness();
    const failing = { from: SENDER, input: '0xfe', gas: '0x15f90', gasPrice: '0x9' };
    const hash = await call('eth_sendTransaction', [failing]);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
      status: '0x0',
      gasUsed: '0x15f90',
      effectiveGasPrice: '0x9',
    });
    expect(await call('eth_getBlockByNumber', ['latest'])).toMatchObject({ paidFees: '0xc5c10' });
    expect(await call('chain_getRawTransactionReceiptByHash', [hash])).toBe(
      `0xf9010e8083015f90b90100${'00'.repeat(256)}c083015f9080`,
    );
  });

  it('receipt addresses are in lower case', async () => {
    const { call } = await createRpcHarness();
    const to = '0x5aAeb6053f3E94C9b9a09F33669435E7Ef1BEaeD';
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to, gas: '0x5208' }]);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
      to: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    });
  });
});
