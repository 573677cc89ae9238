import {
  type Address,
  createPublicClient,
  createTestClient,
  type Hex,
  http,
  keccak256,
  parseEther,
  type TestClient,
  testActions,
} from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { defineNetwork33 } from '../support/viem.ts';

const STRANGER: Address = '0x00000000000000000000000000000000000A11cE';
const [{ address: holder }, { address: other }] = DEV_ACCOUNTS;

type Mode = 'anvil' | 'hardhat' | 'ganache';

/** The client; `used` records the names of its test actions. */
function noting(client: TestClient, used: Set<string>): TestClient {
  return new Proxy(client, {
    get(target, name, receiver) {
      used.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
}

function connect(url: string, mode: Mode, used: Set<string>) {
  const options = { chain: defineNetwork33(url), transport: http(url, { retryCount: 0 }) };
  return {
    reader: createPublicClient({ ...options, cacheTime: 0 }),
    controls: noting(createTestClient({ ...options, mode }), used),
  };
}

/** Each viem mode with its compat mode, and with the default compat mode. */
const PAIRS = [
  ['anvil', 'anvil'],
  ['hardhat', 'hardhat'],
  ['ganache', 'service'],
  ['anvil', 'service'],
  ['hardhat', 'service'],
] as const;

describe.each(PAIRS)('the viem test client in mode %s with compat %s', (mode, compat) => {
  const used = new Set<string>();
  let node: RunningNode;
  let upstream: RunningNode;
  let reader: ReturnType<typeof connect>['reader'];
  let controls: ReturnType<typeof connect>['controls'];

  beforeAll(async () => {
    [node, upstream] = await Promise.all([startNode('--compat', compat), startNode('--compat', compat)]);
    ({ reader, controls } = connect(node.url, mode, used));
  });

  beforeEach(() => controls.reset());

  afterAll(() => Promise.all([node.stop(), upstream.stop()]));

  function send(from: Address, value: bigint, nonce?: number): Promise<Hex> {
    return controls.sendUnsignedTransaction({
      from,
      to: other,
      value,
      ...(nonce !== undefined && { nonce }),
    });
  }

  it('sets balance, nonce, code and storage of an account', async () => {
    await controls.setBalance({ address: STRANGER, value: 7n });
    await controls.setNonce({ address: STRANGER, nonce: 4 });
    await controls.setCode({ address: STRANGER, bytecode: '0x6001' });
    const word: Hex = `0x${'2a'.padStart(64, '0')}`;
    await controls.setStorageAt({ address: STRANGER, index: 3, value: word });
    expect(await reader.getBalance({ address: STRANGER })).toBe(7n);
    expect(await reader.getTransactionCount({ address: STRANGER })).toBe(4);
    expect(await reader.getCode({ address: STRANGER })).toBe('0x6001');
    expect(await reader.getStorageAt({ address: STRANGER, slot: '0x3' })).toBe(word);
  });

  it('mines blocks with an interval if the mode supports intervals', async () => {
    const { timestamp } = await reader.getBlock();
    await controls.mine({ blocks: 3, interval: 60 });
    const block = await reader.getBlock();
    expect(block.number).toBe(3n);
    const passed = { anvil: 180n, hardhat: 120n, ganache: 3n }[mode];
    expect(block.timestamp - timestamp).toBeGreaterThanOrEqual(passed);
  });

  it('reverts to a snapshot', async () => {
    const id = await controls.snapshot();
    await controls.mine({ blocks: 2 });
    await controls.setBalance({ address: STRANGER, value: 7n });
    await controls.revert({ id });
    expect(await reader.getBlockNumber()).toBe(0n);
    expect(await reader.getBalance({ address: STRANGER })).toBe(0n);
  });

  it('switches automine', async () => {
    expect(await controls.getAutomine()).toBe(true);
    await controls.setAutomine(false);
    expect(await controls.getAutomine()).toBe(false);
    const hash = await send(holder, 1n);
    expect((await reader.getTransaction({ hash })).blockNumber).toBeNull();
    await controls.setAutomine(true);
    expect(await controls.getAutomine()).toBe(true);
    await controls.mine({ blocks: 1 });
    expect((await reader.getTransactionReceipt({ hash })).status).toBe('success');
  });

  it('sets the mining interval in seconds if mode and compat use the same unit', async () => {
    await controls.setIntervalMining({ interval: 3_600 });
    // In Hardhat mode, viem sends milliseconds. Only compat hardhat reads them as milliseconds.
    const sent = mode === 'hardhat' && compat === 'service' ? 3_600_000 : 3_600;
    expect(await reader.request({ method: 'anvil_getIntervalMining' } as never)).toBe(sent);
    await controls.setIntervalMining({ interval: 0 });
    expect(await reader.request({ method: 'anvil_getIntervalMining' } as never)).toBeNull();
  });

  it('changes the time of blocks', async () => {
    const { timestamp } = await reader.getBlock();
    await controls.increaseTime({ seconds: 500 });
    await controls.mine({ blocks: 1 });
    expect((await reader.getBlock()).timestamp - timestamp).toBeGreaterThanOrEqual(500n);
    await controls.setNextBlockTimestamp({ timestamp: timestamp + 10_000n });
    await controls.mine({ blocks: 1 });
    expect((await reader.getBlock()).timestamp).toBe(timestamp + 10_000n);
    await controls.setBlockTimestampInterval({ interval: 12 });
    await controls.mine({ blocks: 2 });
    expect((await reader.getBlock()).timestamp).toBe(timestamp + 10_024n);
    await controls.removeBlockTimestampInterval();
  });

  it('sets the coinbase, gas limit and minimum gas price', async () => {
    await controls.setBlockGasLimit({ gasLimit: 12_345_678n });
    await controls.setCoinbase({ address: STRANGER });
    await controls.setMinGasPrice({ gasPrice: 5n });
    await controls.mine({ blocks: 1 });
    const block = await reader.getBlock();
    expect(block.gasLimit).toBe(12_345_678n);
    expect(block.miner).toBe(STRANGER.toLowerCase());
    expect(await reader.getGasPrice()).toBe(5n);
    await expect(controls.setNextBlockBaseFeePerGas({ baseFeePerGas: 5n })).rejects.toThrow('no base fee');
  });

  it('sends from impersonated accounts', async () => {
    await controls.setBalance({ address: STRANGER, value: parseEther('1') });
    await controls.impersonateAccount({ address: STRANGER });
    const transaction = { from: STRANGER, to: other, value: '0x5' } as const;
    const hash = await reader.request({ method: 'eth_sendTransaction', params: [transaction] } as never);
    expect((await reader.getTransactionReceipt({ hash })).from).toBe(STRANGER.toLowerCase());
    await controls.stopImpersonatingAccount({ address: STRANGER });
    await expect(
      reader.request({ method: 'eth_sendTransaction', params: [transaction] } as never),
    ).rejects.toThrow(compat === 'hardhat' ? 'Unknown account' : 'Could not find account');
    const unsigned = await send(STRANGER, 1n);
    expect((await reader.getTransactionReceipt({ hash: unsigned })).status).toBe('success');
  });

  it('reads the pool and drops transactions', async () => {
    await controls.setAutomine(false);
    const hash = await send(holder, 1n);
    await send(holder, 2n, 5);
    const status = await controls.getTxpoolStatus();
    expect([Number(status.pending), Number(status.queued)]).toEqual([1, 1]);
    expect(Object.keys((await controls.getTxpoolContent()).pending).length).toBe(1);
    expect(Object.keys((await controls.inspectTxpool()).queued).length).toBe(1);
    await controls.dropTransaction({ hash });
    await expect(reader.getTransaction({ hash })).rejects.toThrow('could not be found');
  });

  it('resets to the genesis block', async () => {
    await controls.mine({ blocks: 2 });
    await controls.reset();
    expect(await reader.getBlockNumber()).toBe(0n);
    await expect(controls.setRpcUrl(upstream.url)).rejects.toThrow('is not a fork');
  });

  it('resets to a fork of another chain', async () => {
    const other = connect(upstream.url, mode, new Set());
    await other.controls.mine({ blocks: 3 });
    await other.controls.setBalance({ address: STRANGER, value: 5n });
    const last = await other.reader.getBlockNumber();
    await controls.reset({ jsonRpcUrl: upstream.url, blockNumber: last });
    expect(await reader.getBlockNumber()).toBe(last);
    expect(await reader.getBalance({ address: STRANGER })).toBe(5n);
    await controls.setRpcUrl(upstream.url);
    await other.controls.mine({ blocks: 2 });
    // viem sends an empty forking object.
    await controls.reset();
    expect(await reader.getBlockNumber()).toBe(compat === 'service' ? 0n : last + 2n);
    await reader.request<{ ReturnType: unknown }>({ method: `${mode}_reset`, params: [] });
    expect(await reader.getBlockNumber()).toBe(0n);
  });

  it('restores a dumped state', async () => {
    await controls.setBalance({ address: STRANGER, value: 7n });
    await controls.mine({ blocks: 2 });
    const state = await controls.dumpState();
    await controls.reset();
    expect(await reader.getBalance({ address: STRANGER })).toBe(0n);
    await controls.loadState({ state });
    expect(await reader.getBalance({ address: STRANGER })).toBe(7n);
    expect(await reader.getBlockNumber()).toBe(2n);
  });

  it('accepts setLoggingEnabled', async () => {
    for (const isEnabled of [false, true])
      await expect(controls.setLoggingEnabled(isEnabled)).resolves.toBeUndefined();
  });

  it('keeps the code hash consistent after setCode and a call', async () => {
    // Returns 42.
    await controls.setCode({ address: STRANGER, bytecode: '0x602a60005260206000f3' });
    const { data } = await reader.call({ to: STRANGER });
    expect(data).toBe(`0x${'2a'.padStart(64, '0')}`);
    expect(keccak256((await reader.getCode({ address: STRANGER })) ?? '0x')).toBe(
      (await reader.getProof({ address: STRANGER, storageKeys: [] })).codeHash,
    );
  });

  it('covers all test actions of viem', () => {
    const actions = Object.keys(testActions({ mode })(controls));
    expect(actions.filter((action) => !used.has(action))).toEqual([]);
  });
});

describe.each(['anvil', 'hardhat', 'ganache'] as const)(
  'the viem test client in mode %s under rules with a base fee',
  (mode) => {
    let node: RunningNode;

    beforeAll(async () => {
      node = await startNode('--hardfork', 'prague', '--compat', mode === 'ganache' ? 'service' : mode);
    });

    afterAll(() => node.stop());

    it('sets the base fee of the next block', async () => {
      const { reader, controls } = connect(node.url, mode, new Set());
      await controls.setNextBlockBaseFeePerGas({ baseFeePerGas: 5n });
      await controls.mine({ blocks: 1 });
      expect((await reader.getBlock()).baseFeePerGas).toBe(5n);
    });
  },
);
