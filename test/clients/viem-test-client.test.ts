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

/** The client, which notes each of the test actions that is asked for in `used`. */
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

/** The dialect of the node that the users of each mode start, and that of a node which is started without a word. */
const PAIRS = [
  ['anvil', 'anvil'],
  ['hardhat', 'hardhat'],
  ['ganache', 'service'],
  ['anvil', 'service'],
  ['hardhat', 'service'],
] as const;

describe.each(PAIRS)("viem's test client in the mode %s with the dialect %s", (mode, compat) => {
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

  it('sets what an account has', async () => {
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

  it('mines, with an interval where the mode has one', async () => {
    const { timestamp } = await reader.getBlock();
    await controls.mine({ blocks: 3, interval: 60 });
    const block = await reader.getBlock();
    expect(block.number).toBe(3n);
    const passed = { anvil: 180n, hardhat: 120n, ganache: 3n }[mode];
    expect(block.timestamp - timestamp).toBeGreaterThanOrEqual(passed);
  });

  it('goes back to a snapshot', async () => {
    const id = await controls.snapshot();
    await controls.mine({ blocks: 2 });
    await controls.setBalance({ address: STRANGER, value: 7n });
    await controls.revert({ id });
    expect(await reader.getBlockNumber()).toBe(0n);
    expect(await reader.getBalance({ address: STRANGER })).toBe(0n);
  });

  it('switches instant mining', async () => {
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

  it('sets the interval of the miner in seconds, if the mode has the unit of the dialect', async () => {
    await controls.setIntervalMining({ interval: 3_600 });
    // In the mode of Hardhat viem sends milliseconds, which only that dialect takes for such.
    const sent = mode === 'hardhat' && compat === 'service' ? 3_600_000 : 3_600;
    expect(await reader.request({ method: 'anvil_getIntervalMining' } as never)).toBe(sent);
    await controls.setIntervalMining({ interval: 0 });
    expect(await reader.request({ method: 'anvil_getIntervalMining' } as never)).toBeNull();
  });

  it('travels in time', async () => {
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

  it('sets what blocks are made with', async () => {
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

  it('sends in the name of others', async () => {
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

  it('looks into the pool and drops from it', async () => {
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

  it('resets to the first block', async () => {
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
    await controls.reset();
    expect(await reader.getBlockNumber()).toBe(0n);
  });

  it('goes back to a state that it dumped', async () => {
    await controls.setBalance({ address: STRANGER, value: 7n });
    await controls.mine({ blocks: 2 });
    const state = await controls.dumpState();
    await controls.reset();
    expect(await reader.getBalance({ address: STRANGER })).toBe(0n);
    await controls.loadState({ state });
    expect(await reader.getBalance({ address: STRANGER })).toBe(7n);
    expect(await reader.getBlockNumber()).toBe(2n);
  });

  it('switches the log', async () => {
    for (const isEnabled of [false, true])
      await expect(controls.setLoggingEnabled(isEnabled)).resolves.toBeUndefined();
  });

  it('keeps the code of accounts what it was set to when they are called', async () => {
    // Returns 42.
    await controls.setCode({ address: STRANGER, bytecode: '0x602a60005260206000f3' });
    const { data } = await reader.call({ to: STRANGER });
    expect(data).toBe(`0x${'2a'.padStart(64, '0')}`);
    expect(keccak256((await reader.getCode({ address: STRANGER })) ?? '0x')).toBe(
      (await reader.getProof({ address: STRANGER, storageKeys: [] })).codeHash,
    );
  });

  it('leaves out none of the actions that viem has', () => {
    const actions = Object.keys(testActions({ mode })(controls));
    expect(actions.filter((action) => !used.has(action))).toEqual([]);
  });
});

describe.each(['anvil', 'hardhat', 'ganache'] as const)(
  "viem's test client in the mode %s under rules with a base fee",
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
