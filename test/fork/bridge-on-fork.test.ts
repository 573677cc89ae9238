import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interface } from 'ethers';
import { beforeAll, describe, expect, it } from 'vitest';
import { hexKey, toHex } from '../../src/primitives/hex.ts';
import { precompileAddress } from '../../src/protocol/hardforks/precompiles.ts';
import { ABI, addressOfSeed, BRIDGE } from '../rootstock/bridge/bridge-scene.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { TEST_START } from '../support/test-chain.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const BRIDGE_ADDRESS = toHex(BRIDGE);
const REMASC_ADDRESS = '0x0000000000000000000000000000000001000008';
const HD_WALLET_UTILS = toHex(precompileAddress('HD_WALLET_UTILS'));
const BLOCK_HEADER = toHex(precompileAddress('BLOCK_HEADER'));
const ENVIRONMENT = toHex(precompileAddress('ENVIRONMENT'));
const GETTERS = new Interface(['function getBlockHash(int256 depth) returns (bytes)']);
/** Passes its data to the Bridge, and returns or reverts with the result. */
const FORWARDER = '0x00000000000000000000000000000000000000f1';
const FORWARDER_CODE = `0x3660006000376000600036600073${hexKey(BRIDGE)}5afa3d600060003e6031573d6000fd5b3d6000f3`;
/** Passes its data to the Bridge, and stores the first word of the result in slot 0. */
const KEEPER = '0x00000000000000000000000000000000000000f2';
const KEEPER_CODE = `0x3660006000376000600036600073${hexKey(BRIDGE)}5afa3d600060003e6031573d6000fd5b60005160005500`;

const MAINNET_FEDERATION = '35EtxSDpfe2NvxHvu1WhMQy79DbBnkTiGy';
const HEIGHT = 912_345n;
const FEE_VOTER = toHex(addressOfSeed('auth-fee-per-kb'));

/** Results of the Bridge of the upstream by method name. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  getFederationAddress: MAINNET_FEDERATION,
  getBtcBlockchainBestChainHeight: HEIGHT,
  getFeePerKb: 24_000n,
  getBtcTransactionConfirmations: 11n,
  getStateForBtcReleaseClient: `0xe3e2a0${'ab'.repeat(32)}80`,
  getBaseEvent: '0xc0ffee',
  receiveHeader: -4n,
};

let node: ExampleChain;

beforeAll(async () => {
  node = await createExampleChain();
});

function data(method: string, ...values: unknown[]): string {
  return ABI.encodeFunctionData(method, values);
}

function result(method: string, value: unknown): string {
  return ABI.encodeFunctionResult(method, [value]);
}

interface UpstreamOptions {
  readonly chainId?: number;
  /** Results of the Bridge in addition to {@link ANSWERS}; `null` for a failed call. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

/** A node-cli upstream whose Bridge answers like the Bridge of another chain. */
function upstreamWith({ chainId = 30, answers = {} }: UpstreamOptions = {}): ScriptedUpstream {
  return new ScriptedUpstream((method, params) => {
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
    const [call] = params as readonly [{ readonly to?: string; readonly data?: string }];
    if (method !== 'eth_call' || call.to !== BRIDGE_ADDRESS) return node.call(method, params);
    const name = ABI.parseTransaction({ data: call.data ?? '0x' })?.name ?? '';
    const answer = { ...ANSWERS, ...answers }[name];
    return answer === undefined || answer === null ? '0x' : result(name, answer);
  });
}

async function fork(
  upstream: Pick<ScriptedUpstream, 'post'> = upstreamWith(),
  options: ForkSceneOptions = {},
): Promise<ForkScene> {
  const scene = await createForkScene(upstream, options);
  await scene.call('hardhat_setCode', [FORWARDER, FORWARDER_CODE]);
  await scene.call('hardhat_setCode', [KEEPER, KEEPER_CODE]);
  return scene;
}

function bridgeCalls(upstream: ScriptedUpstream): (readonly unknown[])[] {
  return upstream.calls
    .filter(({ method, params }) => {
      const [call] = params as readonly [{ readonly to?: string } | undefined];
      return method === 'eth_call' && call?.to === BRIDGE_ADDRESS;
    })
    .map(({ params }) => params);
}

async function ask(scene: ForkScene, method: string, to: string = BRIDGE_ADDRESS): Promise<unknown> {
  const answer = (await scene.call('eth_call', [{ to, data: data(method) }, 'latest'])) as string;
  return ABI.decodeFunctionResult(method, answer)[0];
}

async function send(
  scene: ForkScene,
  to: string,
  input: string,
  fields: Record<string, string> = {},
): Promise<{ status: string; gasUsed: string; transactionHash: string }> {
  const [from] = (await scene.call('eth_accounts')) as string[];
  const hash = await scene.call('eth_sendTransaction', [
    { from, to, data: input, gas: '0x30d40', ...fields },
  ]);
  return (await scene.call('eth_getTransactionReceipt', [hash])) as {
    status: string;
    gasUsed: string;
    transactionHash: string;
  };
}

/** Changes the fee of the local Bridge. */
async function writeToBridge(scene: ForkScene): Promise<void> {
  await scene.call('hardhat_impersonateAccount', [FEE_VOTER]);
  await send(scene, BRIDGE_ADDRESS, data('voteFeePerKbChange', 7n), { from: FEE_VOTER });
}

function noticesOf({ chain }: ForkScene): string[] {
  const notices: string[] = [];
  chain.events.on('notice', (text) => notices.push(text));
  return notices;
}

/**
 * Stops mining and sends three transactions. The second one pays 5 wei to a contract that reads the Bridge.
 */
async function poolWithReader(scene: ForkScene): Promise<{ bad: string; good: string[] }> {
  const [from, other] = (await scene.call('eth_accounts')) as string[];
  await scene.call('evm_setAutomine', [false]);
  const transfer = { to: EXAMPLE.receiver, gas: '0x5208' };
  const input = data('getBtcBlockchainBestChainHeight');
  const first = await scene.call('eth_sendTransaction', [{ from, ...transfer }]);
  const bad = await scene.call('eth_sendTransaction', [
    { from, to: KEEPER, data: input, gas: '0x30d40', value: '0x5' },
  ]);
  const last = await scene.call('eth_sendTransaction', [{ from: other, ...transfer }]);
  return { bad: bad as string, good: [first as string, last as string] };
}

/** Returns the hashes of the transactions in a block, except for the REMASC transaction. */
async function minedHashes(scene: ForkScene, block = 'latest'): Promise<string[]> {
  const { transactions } = (await scene.call('eth_getBlockByNumber', [block, true])) as {
    transactions: { hash: string; to: string }[];
  };
  return transactions.filter(({ to }) => to !== REMASC_ADDRESS).map(({ hash }) => hash);
}

/** Appends zeros and a number to a call's data. */
function padded(input: string, bytes: number, last: number): string {
  return `${input}${last.toString(16).padStart(2 * bytes, '0')}`;
}

/** Returns the size of the fork cache in characters: requests and responses. */
function keptCharacters({ fork }: ForkScene): number {
  let characters = 0;
  for (const [text, answer] of fork.upstream.answers.all())
    characters += text.length + JSON.stringify(answer).length;
  return characters;
}

const CHANGED = /the Bridge cannot execute .* because its storage was changed on this fork/;

describe.each(['wasm', 'reference'] as const)('the Bridge on a fork with the %s engine', (engine) => {
  const chain = { engine };

  it('answers calls like the Bridge of the upstream at the fork block', async () => {
    const upstream = upstreamWith();
    const scene = await fork(upstream, { chain });

    expect(await ask(scene, 'getFederationAddress')).toBe(MAINNET_FEDERATION);

    expect(bridgeCalls(upstream)).toEqual([
      [{ to: BRIDGE_ADDRESS, data: data('getFederationAddress') }, { blockHash: EXAMPLE.blockHashes[4] }],
    ]);
  });

  it('is the only precompiled contract of Rootstock that calls the upstream', async () => {
    const upstream = upstreamWith();
    const scene = await fork(upstream, { chain });
    const others = [REMASC_ADDRESS, HD_WALLET_UTILS, BLOCK_HEADER, ENVIRONMENT];
    const before = upstream.count('eth_call');

    for (const to of others)
      for (const input of ['0x', '0x6e44adf0', `0xd7a9ad64${'0'.repeat(64)}`])
        await scene.call('eth_call', [{ to, data: input }, 'latest']).catch((error: unknown) => error);

    expect(upstream.count('eth_call')).toBe(before);
  });

  it('leaves local blocks after the fork block to the local BlockHeader contract', async () => {
    const scene = await fork(undefined, { chain });
    await scene.call('hardhat_mine', ['0x3']);
    const { hash } = (await scene.call('eth_getBlockByNumber', ['0x6', false])) as { hash: string };

    const data = GETTERS.encodeFunctionData('getBlockHash', [0]);
    const answer = (await scene.call('eth_call', [{ to: BLOCK_HEADER, data }, 'latest'])) as string;

    expect(GETTERS.decodeFunctionResult('getBlockHash', answer)[0]).toBe(hash);
  });

  it('answers calls from contracts', async () => {
    const scene = await fork(undefined, { chain });

    expect(await ask(scene, 'getFederationAddress', FORWARDER)).toBe(MAINNET_FEDERATION);
    expect(await ask(scene, 'getFeePerKb', FORWARDER)).toBe(24_000n);
  });

  it('answers contracts in transactions and in their traces', async () => {
    const scene = await fork(undefined, { chain });

    const { status, transactionHash } = await send(scene, KEEPER, data('getBtcBlockchainBestChainHeight'));

    expect(status).toBe('0x1');
    expect(BigInt((await scene.call('eth_getStorageAt', [KEEPER, '0x0', 'latest'])) as string)).toBe(HEIGHT);
    const trace = (await scene.call('debug_traceTransaction', [
      transactionHash,
      { tracer: 'callTracer' },
    ])) as { calls: { output: string }[] };
    expect(trace.calls.map(({ output }) => output)).toEqual([
      result('getBtcBlockchainBestChainHeight', HEIGHT),
    ]);
  });

  it('fetches a result once for a traced call and reports each step once', async () => {
    const upstream = upstreamWith();
    const scene = await fork(upstream, { chain });
    const call = { to: FORWARDER, data: data('getFeePerKb') };

    const first = await scene.call('debug_traceCall', [call, 'latest', {}]);
    const second = await scene.call('debug_traceCall', [call, 'latest', {}]);

    expect(first).toEqual(second);
    expect(bridgeCalls(upstream)).toHaveLength(1);
  });

  it('returns its result to eth_estimateGas', async () => {
    const scene = await fork(undefined, { chain });

    const call = { to: KEEPER, data: data('getBtcBlockchainBestChainHeight') };

    expect(Number(await scene.call('eth_estimateGas', [call]))).toBeGreaterThan(19_000 + 21_000 + 20_000);
  });

  it('prices a confirmation search by the depth that the upstream returns', async () => {
    const scene = await fork(undefined, { chain });
    const word = `0x${'11'.repeat(32)}`;
    const input = data('getBtcTransactionConfirmations', word, word, 0, [word, word]);

    const { gasUsed } = await send(scene, BRIDGE_ADDRESS, input);

    const bytes = (input.length - 2) / 2;
    const zeros = (input.slice(2).match(/../g) ?? []).filter((byte) => byte === '00').length;
    const intrinsic = 21_000 + 4 * zeros + 16 * (bytes - zeros);
    expect(Number(gasUsed) - intrinsic).toBe(27_000 + 10 * 315 + 2 * 144 + 2 * bytes);
  });

  it('fails if the Bridge of the upstream fails', async () => {
    const scene = await fork(upstreamWith({ answers: { getFeePerKb: null } }), { chain });

    const call = { to: FORWARDER, data: data('getFeePerKb') };

    await expect(scene.call('eth_call', [call, 'latest'])).rejects.toThrow('revert');
  });

  it('returns an error after a local change of its storage', async () => {
    const scene = await fork(undefined, { chain });

    await writeToBridge(scene);

    await expect(ask(scene, 'getFederationAddress')).rejects.toThrow(CHANGED);
    await expect(ask(scene, 'getFeePerKb', FORWARDER)).rejects.toThrow(CHANGED);
  });

  it('rejects a transaction that calls the changed Bridge, and mines other transactions', async () => {
    const scene = await fork(undefined, { chain });
    await writeToBridge(scene);

    await expect(send(scene, KEEPER, data('getBtcBlockchainBestChainHeight'))).rejects.toThrow(CHANGED);
    expect(await scene.call('txpool_status')).toMatchObject({ pending: 0, queued: 0 });
    expect(await send(scene, EXAMPLE.receiver, '0x')).toMatchObject({ status: '0x1' });
  });

  it('drops a pooled transaction that calls the changed Bridge, with a notice', async () => {
    const scene = await fork(undefined, { chain });
    await writeToBridge(scene);
    const notices = noticesOf(scene);
    const { bad, good } = await poolWithReader(scene);

    await scene.call('evm_mine');

    expect(await minedHashes(scene)).toEqual(good);
    expect(notices).toEqual([expect.stringMatching(`${bad}.*the Bridge cannot execute`)]);
    expect(await scene.call('eth_getTransactionByHash', [bad])).toBeNull();
    expect(await scene.call('eth_getBalance', [KEEPER])).toBe('0x0');
    expect(await scene.call('txpool_status')).toMatchObject({ pending: 0, queued: 0 });
  });

  it('keeps a pooled transaction that calls the changed Bridge out of the pending block', async () => {
    const scene = await fork(undefined, { chain, rpc: { compat: 'anvil' } });
    await writeToBridge(scene);
    const { good } = await poolWithReader(scene);

    expect(await minedHashes(scene, 'pending')).toEqual(good);
    expect(await scene.call('txpool_status')).toMatchObject({ pending: '0x3', queued: '0x0' });
  });

  it('drops a transaction that calls the changed Bridge from a block of interval mining', async () => {
    const time = createFakeTime(TEST_START);
    const scene = await fork(undefined, { chain, time });
    await writeToBridge(scene);
    const notices = noticesOf(scene);
    const { bad, good } = await poolWithReader(scene);
    const block = new Promise((resolve) => scene.chain.events.on('block', resolve));
    await scene.call('evm_setIntervalMining', [1]);

    await time.advance(1000);
    await block;

    expect(await minedHashes(scene)).toEqual(good);
    expect(notices).toEqual([expect.stringContaining(bad)]);
  });

  it('drops a transaction that calls the changed Bridge when automine starts', async () => {
    const scene = await fork(undefined, { chain });
    await writeToBridge(scene);
    const notices = noticesOf(scene);
    const { bad, good } = await poolWithReader(scene);

    await scene.call('evm_setAutomine', [true]);

    expect(await minedHashes(scene)).toEqual(good);
    expect(notices).toEqual([expect.stringContaining(bad)]);
  });

  it('answers calls again after a revert of the change', async () => {
    const scene = await fork(undefined, { chain });
    const snapshot = await scene.call('evm_snapshot');
    await writeToBridge(scene);

    await scene.call('evm_revert', [snapshot]);

    expect(await ask(scene, 'getFederationAddress')).toBe(MAINNET_FEDERATION);
  });

  it('answers calls at blocks before the change', async () => {
    const scene = await fork(undefined, { chain });
    const before = await scene.call('eth_blockNumber');
    await writeToBridge(scene);

    const answer = await scene.call('eth_call', [
      { to: BRIDGE_ADDRESS, data: data('getFederationAddress') },
      before,
    ]);

    expect(answer).toBe(result('getFederationAddress', MAINNET_FEDERATION));
  });

  it('returns an error after a change in the same transaction', async () => {
    const scene = await fork(undefined, { chain });
    await scene.call('hardhat_impersonateAccount', [FEE_VOTER]);
    // Votes for the fee 7, then calls the height method.
    const vote = data('voteFeePerKbChange', 7n).slice(2);
    const height = data('getBtcBlockchainBestChainHeight').slice(2);
    const code = [
      `7f${vote.slice(0, 64)}600052`,
      `63${vote.slice(64)}60e01b602052`,
      `60006000602460006000${`73${hexKey(BRIDGE)}`}5af150`,
      `63${height}60e01b600052`,
      `6020600060046000${`73${hexKey(BRIDGE)}`}5afa`,
      '60005500',
    ].join('');
    await scene.call('hardhat_setCode', [FEE_VOTER, `0x${code}`]);

    await expect(send(scene, FEE_VOTER, '0x')).rejects.toThrow(CHANGED);
  });

  it('requests calls once that differ only in the bytes after their arguments', async () => {
    const upstream = upstreamWith();
    const scene = await fork(upstream, { chain });
    const word = `0x${'11'.repeat(32)}`;
    const inputs = [
      data('getFeePerKb'),
      data('getBtcTransactionConfirmations', word, word, 0, [word, word]),
      data('receiveHeader', `0x${'07'.repeat(81)}`),
    ];

    for (const input of inputs) {
      for (const last of [1, 2]) {
        await scene.call('eth_call', [{ to: BRIDGE_ADDRESS, data: padded(input, 1024, last) }, 'latest']);
        await scene.call('eth_call', [{ to: BRIDGE_ADDRESS, data: padded(input, 33, last) }, 'latest']);
      }
    }

    const asked = bridgeCalls(upstream).map(([call]) => (call as { data: string }).data);
    expect(asked).toEqual(inputs);
  });

  it('rejects arguments that are too short like a local Bridge, without a request', async () => {
    const upstream = upstreamWith();
    const scene = await fork(upstream, { chain });
    const input = data(
      'getBtcTransactionConfirmations',
      `0x${'11'.repeat(32)}`,
      `0x${'11'.repeat(32)}`,
      0,
      [],
    );

    const short = input.slice(0, -2);
    const direct = [{ to: BRIDGE_ADDRESS, data: short }, 'latest'];

    // As on Rootstock, a failed call of a precompiled contract returns no data.
    expect(await scene.call('eth_call', direct)).toBe('0x');
    const nested = scene.call('eth_call', [{ to: FORWARDER, data: short }, 'latest']);
    await expect(nested).rejects.toThrow('revert');

    expect(bridgeCalls(upstream)).toEqual([]);
    await writeToBridge(scene);
    expect(await scene.call('eth_call', direct)).toBe('0x');
  });

  it('executes methods that write locally', async () => {
    const scene = await fork(undefined, { chain });

    const { status } = await send(scene, BRIDGE_ADDRESS, '0x', { value: '0x16345785d8a0000' });

    expect(status).toBe('0x1');
    await expect(ask(scene, 'getQueuedPegoutsCount')).rejects.toThrow(CHANGED);
  });

  it('returns the result of the upstream for a method that writes nothing locally', async () => {
    const upstream = upstreamWith();
    const scene = await fork(upstream, { chain });
    const [from] = (await scene.call('eth_accounts')) as string[];
    const input = data('receiveHeader', `0x${'00'.repeat(80)}`);

    const answer = await scene.call('eth_call', [{ from, to: BRIDGE_ADDRESS, data: input }, 'latest']);

    expect(answer).toBe(result('receiveHeader', -4n));
    expect(bridgeCalls(upstream)).toEqual([
      [{ to: BRIDGE_ADDRESS, data: input, from, value: '0x0' }, { blockHash: EXAMPLE.blockHashes[4] }],
    ]);
    expect(await ask(scene, 'getFeePerKb')).toBe(24_000n);
  });

  it('returns an error after a transaction that only the upstream can execute', async () => {
    const scene = await fork(upstreamWith({ answers: { receiveHeader: 0n } }), { chain });

    await send(scene, BRIDGE_ADDRESS, data('receiveHeader', `0x${'00'.repeat(80)}`));

    await expect(ask(scene, 'getBtcBlockchainBestChainHeight')).rejects.toThrow(CHANGED);
  });
});

describe('the Bridge on a fork', () => {
  it.each([30, 31, 33])('answers from the upstream with the chain id %i', async (chainId) => {
    const scene = await fork(upstreamWith({ chainId }));

    expect(await ask(scene, 'getFederationAddress')).toBe(MAINNET_FEDERATION);
  });

  it('answers locally if the upstream has another chain id', async () => {
    const upstream = upstreamWith({ chainId: 1337 });
    const scene = await fork(upstream, { chain: { hardfork: 'rootstock' } as never });

    expect(await ask(scene, 'getFederationAddress')).toBe('2N5muMepJizJE1gR7FbHJU6CD18V3BpNF9p');
    expect(bridgeCalls(upstream)).toEqual([]);
  });

  it('treats a storage slot set by hardhat_setStorageAt as a change', async () => {
    const scene = await fork();

    await scene.call('hardhat_setStorageAt', [BRIDGE_ADDRESS, '0x1', `0x${'00'.repeat(31)}01`]);

    await expect(ask(scene, 'getFederationAddress')).rejects.toThrow(CHANGED);
  });

  it('treats a slot set by an earlier block of eth_simulateV1 as a change', async () => {
    const scene = await fork();
    const slots = { [`0x${'1'.padStart(64, '0')}`]: `0x${'1'.padStart(64, '0')}` };
    const stateOverrides = { [BRIDGE_ADDRESS]: { stateDiff: slots } };
    const calls = [{ to: BRIDGE_ADDRESS, data: data('getFederationAddress') }];
    const simulate = (blockStateCalls: object[]) => scene.call('eth_simulateV1', [{ blockStateCalls }]);

    const unchanged = await simulate([{}, { calls }]);

    expect(unchanged).toMatchObject([
      {},
      { calls: [{ returnData: result('getFederationAddress', MAINNET_FEDERATION) }] },
    ]);
    await expect(simulate([{ stateOverrides }, { calls }])).rejects.toThrow(CHANGED);
  });

  it('answers calls after a change of its balance', async () => {
    const scene = await fork();

    await scene.call('hardhat_setBalance', [BRIDGE_ADDRESS, '0x5']);

    expect(await ask(scene, 'getFederationAddress')).toBe(MAINNET_FEDERATION);
  });

  it('answers from the upstream at the address of movePrecompileToAddress', async () => {
    const scene = await fork();
    const target = '0x00000000000000000000000000000000000000f3';
    const call = { to: target, data: data('getFederationAddress') };

    const answer = await scene.call('eth_call', [
      call,
      'latest',
      { [BRIDGE_ADDRESS]: { movePrecompileToAddress: target } },
    ]);

    expect(answer).toBe(result('getFederationAddress', MAINNET_FEDERATION));
  });

  it('returns the height and waiting transactions of the upstream in eth_bridgeState', async () => {
    const scene = await fork();

    expect(await scene.call('eth_bridgeState')).toEqual({
      btcBlockchainBestChainHeight: Number(HEIGHT),
      rskTxsWaitingForSignatures: ['ab'.repeat(32)],
    });

    await writeToBridge(scene);
    await expect(scene.call('eth_bridgeState')).rejects.toThrow(CHANGED);
  });

  it('adds the base event of the upstream to new headers', async () => {
    const scene = await fork(upstreamWith({ chainId: 31 }), { rpc: { fieldNames: 'native' } });

    const [mined] = (await scene.call('evm_mine_detailed')) as unknown[];

    expect(mined).toMatchObject({ number: '0x5', baseEvent: '0xc0ffee' });
    expect(await scene.call('eth_blockNumber')).toBe('0x5');
    expect(await scene.call('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      baseEvent: '0xc0ffee',
    });
  });

  it('keeps no results of long calls, with or without a cache directory', async () => {
    const cacheDirectory = mkdtempSync(join(tmpdir(), 'bridge-on-fork-'));
    try {
      for (const options of [{}, { cacheDirectory }]) {
        const upstream = upstreamWith({ answers: { isBtcTxHashAlreadyProcessed: true } });
        const scene = await fork(upstream, { fork: { blockNumber: 4, ...options } });
        const before = keptCharacters(scene);
        const input = (last: number) => data('isBtcTxHashAlreadyProcessed', `${'a'.repeat(100_000)}${last}`);

        for (let last = 0; last < 20; last++) {
          const call = { to: BRIDGE_ADDRESS, data: input(last), gas: '0x4c4b40' };
          const answer = result('isBtcTxHashAlreadyProcessed', true);
          expect(await scene.call('eth_call', [call, 'latest'])).toBe(answer);
          await scene.call('eth_call', [call, '0x2']);
        }

        expect(keptCharacters(scene) - before).toBeLessThan(20_000);
        // A fork caches the result, but not the request.
        expect(bridgeCalls(upstream)).toHaveLength(40);
        await scene.call('eth_call', [{ to: BRIDGE_ADDRESS, data: input(0) }, 'latest']);
        expect(bridgeCalls(upstream)).toHaveLength(40);
      }
    } finally {
      rmSync(cacheDirectory, { recursive: true });
    }
  });

  it('leaves calls at blocks before the fork to the upstream', async () => {
    const upstream = upstreamWith();
    const scene = await fork(upstream);
    const call = { to: BRIDGE_ADDRESS, data: data('getFederationAddress') };

    expect(await scene.call('eth_call', [call, '0x2'])).toBe(
      result('getFederationAddress', MAINNET_FEDERATION),
    );

    expect(bridgeCalls(upstream)).toEqual([[call, '0x2']]);
  });

  it('keeps its change in a dump', async () => {
    const scene = await fork();
    await writeToBridge(scene);
    const dump = await scene.call('anvil_dumpState');

    const other = await fork();
    await other.call('anvil_loadState', [dump]);

    await expect(ask(other, 'getFederationAddress')).rejects.toThrow(CHANGED);
  });

  it('returns its result to JavaScript tracers', async () => {
    const scene = await fork();
    const tracer =
      '{ outputs: [], enter() {}, exit(frame) { this.outputs.push(toHex(frame.getOutput())) }, step() {}, fault() {}, result() { return this.outputs } }';

    const trace = await scene.call('debug_traceCall', [
      { to: FORWARDER, data: data('getFeePerKb') },
      'latest',
      { tracer },
    ]);

    expect(trace).toEqual([result('getFeePerKb', 24_000n)]);
  });

  it('answers calls offline from the fork cache', async () => {
    const cacheDirectory = mkdtempSync(join(tmpdir(), 'bridge-on-fork-'));
    try {
      const first = await fork(undefined, { fork: { cacheDirectory, blockNumber: 4 } });
      await ask(first, 'getFederationAddress');
      await ask(first, 'getFeePerKb', FORWARDER);

      const upstream = upstreamWith();
      const second = await fork(upstream, { fork: { cacheDirectory, blockNumber: 4, isOffline: true } });

      expect(await ask(second, 'getFederationAddress')).toBe(MAINNET_FEDERATION);
      expect(await ask(second, 'getFeePerKb', FORWARDER)).toBe(24_000n);
      expect(upstream.calls).toEqual([]);
      await expect(ask(second, 'getBtcBlockchainBestChainHeight')).rejects.toThrow('offline');
    } finally {
      rmSync(cacheDirectory, { recursive: true });
    }
  });
});
