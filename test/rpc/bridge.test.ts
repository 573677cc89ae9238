import { gunzipSync, gzipSync } from 'node:zlib';
import { Contract, JsonRpcApiProvider, type JsonRpcPayload, type JsonRpcResult, Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { GENESIS_HEADER } from '../../src/rootstock/bridge/parent-chain.ts';
import { ABI, addressOfSeed, BRIDGE, keyOfSeed } from '../rootstock/bridge/bridge-scene.ts';
import { minedHeader } from '../rootstock/bridge/parent-headers.ts';
import { testAccount } from '../support/test-chain.ts';
import { createRpcHarness, type RpcHarness, testConnection } from './rpc-harness.ts';

const SATOSHI = 10n ** 10n;

/** An ethers provider that calls the node of a test directly. */
class HarnessProvider extends JsonRpcApiProvider {
  readonly #rpc: RpcHarness;

  constructor(rpc: RpcHarness) {
    super(33, { batchMaxCount: 1, cacheTimeout: -1, pollingInterval: 1 });
    this.#rpc = rpc;
    this._start();
  }

  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<JsonRpcResult[]> {
    const requests = Array.isArray(payload) ? payload : [payload];
    return Promise.all(
      requests.map(async ({ id, method, params }) => ({ id, result: await this.#rpc.call(method, params) })),
    );
  }
}

async function setUp() {
  const rpc = await createRpcHarness({}, { predeploys: true });
  const provider = new HarnessProvider(rpc);
  const walletOf = async (key: Uint8Array) => {
    const wallet = new Wallet(toHex(key), provider);
    await rpc.call('hardhat_setBalance', [wallet.address.toLowerCase(), '0xde0b6b3a7640000']);
    return wallet;
  };
  const bridge = new Contract(toHex(BRIDGE), ABI, provider);
  return { rpc, provider, bridge, walletOf };
}

describe('the Bridge over JSON-RPC', () => {
  it('Bridge view methods return values to ethers', async () => {
    const { bridge, provider } = await setUp();
    expect(await bridge.getFunction('getFederationAddress')()).toBe('2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p');
    expect(await bridge.getFunction('getMinimumLockTxValue')()).toBe(500_000n);
    expect(await provider.getBalance(toHex(BRIDGE))).toBe(21_000_000n * 10n ** 18n);
    provider.destroy();
  });

  it("the Bridge queues a peg-out to the parent-chain address of the sender's key", async () => {
    const { bridge, provider, walletOf } = await setUp();
    const wallet = await walletOf(testAccount(1).privateKey);
    const sent = await wallet.sendTransaction({ to: toHex(BRIDGE), value: 300_000n * SATOSHI });
    const receipt = await sent.wait();
    const events = receipt?.logs.map((log) => ABI.parseLog(log));
    expect(events?.map((event) => [event?.name, event?.args[2]])).toEqual([
      ['release_request_received', 300_000n * SATOSHI],
    ]);
    expect(await bridge.getFunction('getQueuedPegoutsCount')()).toBe(1n);
    provider.destroy();
  });

  it('evm_revert removes queued peg-outs', async () => {
    const { rpc, bridge, provider, walletOf } = await setUp();
    const wallet = await walletOf(testAccount(1).privateKey);
    const snapshot = await rpc.call('evm_snapshot');
    await (await wallet.sendTransaction({ to: toHex(BRIDGE), value: 300_000n * SATOSHI })).wait();
    await rpc.call('evm_revert', [snapshot]);
    expect(await bridge.getFunction('getQueuedPegoutsCount')()).toBe(0n);
    provider.destroy();
  });

  it('a dump contains the peg-out queue', async () => {
    const { rpc, provider, walletOf } = await setUp();
    const wallet = await walletOf(testAccount(1).privateKey);
    await (await wallet.sendTransaction({ to: toHex(BRIDGE), value: 300_000n * SATOSHI })).wait();
    const other = await setUp();
    expect(await other.rpc.call('anvil_loadState', [await rpc.call('anvil_dumpState')])).toBe(true);
    expect(await other.bridge.getFunction('getQueuedPegoutsCount')()).toBe(1n);
    provider.destroy();
    other.provider.destroy();
  });

  it('any account can send parent-chain headers, and eth_bridgeState reports them', async () => {
    const { rpc, bridge, provider, walletOf } = await setUp();
    const wallet = await walletOf(keyOfSeed('somebody'));
    const receiveHeader = bridge.connect(wallet).getFunction('receiveHeader');
    await (await receiveHeader(minedHeader(GENESIS_HEADER.hash))).wait();
    expect(await bridge.getFunction('getBtcBlockchainBestChainHeight')()).toBe(1n);
    expect(await rpc.call('eth_bridgeState')).toEqual({
      btcBlockchainBestChainHeight: 1,
      rskTxsWaitingForSignatures: [],
    });
    provider.destroy();
  });

  it('an impersonated authorizer can vote', async () => {
    const { rpc, bridge, provider } = await setUp();
    const voter = '0x53f8f6dabd612b6137215ddd7758bb5cdd638922';
    await rpc.call('hardhat_impersonateAccount', [voter]);
    const data = ABI.encodeFunctionData('voteFeePerKbChange', [7]);
    await rpc.call('eth_sendTransaction', [{ from: voter, to: toHex(BRIDGE), data, gas: '0x186a0' }]);
    expect(await bridge.getFunction('getFeePerKb')()).toBe(7n);
    provider.destroy();
  });

  it('callTracer returns the logs of the Bridge', async () => {
    const { rpc, provider, walletOf } = await setUp();
    const wallet = await walletOf(testAccount(1).privateKey);
    const sent = await wallet.sendTransaction({ to: toHex(BRIDGE), value: SATOSHI });
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } };
    const trace = (await rpc.call('debug_traceTransaction', [sent.hash, options])) as { logs?: unknown[] };
    expect(trace.logs).toHaveLength(1);
    provider.destroy();
  });

  it('an unknown selector returns no data', async () => {
    const { rpc, provider } = await setUp();
    expect(await rpc.call('eth_call', [{ to: toHex(BRIDGE), data: '0x01020304' }, 'latest'])).toBe('0x');
    provider.destroy();
  });
});

describe('baseEvent of blocks under native field names', () => {
  const UNION = '0x00000000000000000000000000000000000000b1';
  const AUTHORIZER = toHex(addressOfSeed('changeUnionBridgeContractAddressAuthorizer'));

  async function withUnionBridge(chainId: number) {
    const rpc = await createRpcHarness({ fieldNames: 'native' }, { predeploys: true, chainId });
    const send = async (from: string, method: string, ...values: unknown[]) => {
      await rpc.call('hardhat_impersonateAccount', [from]);
      const data = ABI.encodeFunctionData(method, values);
      await rpc.call('eth_sendTransaction', [{ from, to: toHex(BRIDGE), data, gas: '0x186a0' }]);
    };
    await send(AUTHORIZER, 'setUnionBridgeContractAddressForTestnet', UNION);
    return { rpc, send };
  }

  it('baseEvent is the value of the union bridge at the end of the block', async () => {
    const { rpc, send } = await withUnionBridge(33);
    await send(UNION, 'setBaseEvent', '0x00c0ffee');
    await rpc.call('evm_mine');
    const pending = await rpc.call('eth_getHeaderByNumber', ['pending']);
    const [mined] = (await rpc.call('evm_mine_detailed')) as unknown[];
    const { block: shown } = (await rpc.call('ots_getBlockDetails', ['latest'])) as { block: unknown };
    await send(UNION, 'clearBaseEvent');
    const events = [];
    for (const number of ['0x0', '0x1', '0x2', '0x3', '0x5']) {
      const block = (await rpc.call('eth_getBlockByNumber', [number, true])) as { hash: string };
      const header = await rpc.call('eth_getHeaderByHash', [block.hash]);
      events.push([block, header].map((answer) => (answer as { baseEvent: unknown }).baseEvent));
    }
    expect(events).toEqual([
      [null, null],
      [null, null],
      ['0x00c0ffee', '0x00c0ffee'],
      ['0x00c0ffee', '0x00c0ffee'],
      [null, null],
    ]);
    for (const answer of [pending, mined, shown]) expect(answer).toMatchObject({ baseEvent: '0x00c0ffee' });
  });

  it.each([[[]], [[{ pause: 1 }]]])('new heads with options %j contain baseEvent', async (options) => {
    const { rpc, send } = await withUnionBridge(33);
    const connection = testConnection('websocket');
    await rpc.call('eth_subscribe', ['newHeads', ...options], connection);
    const heads = () => connection.sent.map(({ params }) => (params as { result: object }).result);
    const until = async (count: number): Promise<void> => {
      while (heads().length < count) {
        await rpc.time.advance(1);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };

    await send(UNION, 'setBaseEvent', '0x00c0ffee');
    await until(1);
    await send(UNION, 'clearBaseEvent');
    await until(2);

    expect(heads()).toMatchObject([{ baseEvent: '0x00c0ffee' }, { baseEvent: null }]);
    for (const head of heads()) expect(head).not.toHaveProperty('rskPteEdges');
  });

  it('baseEvent is null for a block loaded without its state', async () => {
    const rpc = await createRpcHarness({ fieldNames: 'native' }, { predeploys: true });
    for (let blocks = 0; blocks < 2; blocks++) await rpc.call('evm_mine');
    const dump = gunzipSync(fromHex((await rpc.call('anvil_dumpState')) as string)).toString();
    const lines = dump.split('\n');
    const [first = 0, second = 0, third = 0] = lines.flatMap((line, index) =>
      line.startsWith('{"block":') ? [index] : [],
    );
    const withState = (index: number, state: unknown) => {
      lines[index] = JSON.stringify({ ...JSON.parse(lines[index] ?? ''), state });
    };
    withState(second, null);
    // The third block has the same state as the first. The dump stores it whole.
    withState(third, JSON.parse(lines[first] ?? '').state);
    await rpc.call('anvil_loadState', [toHex(gzipSync(lines.join('\n')))]);
    for (const number of ['0x1', '0x2']) {
      expect(await rpc.call('eth_getBlockByNumber', [number])).toMatchObject({ number, baseEvent: null });
      expect(await rpc.call('eth_getHeaderByNumber', [number])).toMatchObject({ number, baseEvent: null });
    }
  });

  it('baseEvent is null on a chain without the proposal', async () => {
    const { rpc, send } = await withUnionBridge(30);
    await send(UNION, 'setBaseEvent', '0x00c0ffee');
    expect(await rpc.call('eth_getBlockByNumber', ['latest'])).toMatchObject({ baseEvent: null });
  });
});
