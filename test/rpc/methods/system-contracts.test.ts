import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { receiptOf, SENDER } from './contract.ts';

const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';
const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935';
const CONSOLIDATIONS = '0x0000bbddc7ce488642fb579f8b00f3a590007251';
const WITHDRAWALS = '0x00000961ef480eb55e80d19ad83579a64c007002';
const ROOT = `0x${'be'.repeat(32)}`;
const OTHER_ROOT = `0x${'ef'.repeat(32)}`;
const READER = `0x${'c0'.repeat(20)}`;

type Fields = Readonly<Record<string, string>>;

/** Code that calls a contract with a word pushed by the opcodes, and returns 32 bytes of its result. */
function asking(contract: string, ...opcodes: string[]): string {
  return `0x${opcodes.join('')}5f5260205f60205f73${contract.slice(2)}5afa5060205ff3`;
}

const TIMESTAMP = '42';
/** NUMBER - 1. */
const PARENT = ['600143', '03'];

const word = (quantity: string): string => `0x${BigInt(quantity).toString(16).padStart(64, '0')}`;

async function createHarness(hardfork: 'cancun' | 'prague' | 'osaka' = 'prague'): Promise<RpcHarness> {
  return createRpcHarness({}, { ruleSet: hardfork });
}

async function latest({ call }: RpcHarness): Promise<Fields> {
  return (await call('eth_getBlockByNumber', ['latest', false])) as Fields;
}

describe('system contracts', () => {
  it('eth_config lists the system contracts, which have code', async () => {
    const { call } = await createHarness('osaka');
    expect(await call('eth_config')).toMatchObject({
      current: {
        systemContracts: {
          BEACON_ROOTS_ADDRESS: BEACON_ROOTS,
          CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: CONSOLIDATIONS,
          HISTORY_STORAGE_ADDRESS: HISTORY,
          WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: WITHDRAWALS,
        },
      },
    });
    for (const address of [BEACON_ROOTS, CONSOLIDATIONS, HISTORY, WITHDRAWALS]) {
      expect(await call('eth_getCode', [address, 'latest'])).toMatch(/^0x3373f{39}e14/);
      expect(await call('eth_getTransactionCount', [address, 'latest'])).toBe('0x1');
    }
  });

  it('system contracts do not exist under Rootstock rules and before Cancun', async () => {
    for (const ruleSet of ['rootstock', 'shanghai'] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      expect(await call('eth_getCode', [BEACON_ROOTS, 'latest'])).toBe('0x');
    }
  });
});

describe('anvil_setNextBlockParentBeaconBlockRoot', () => {
  it('sets the root of one block for its transactions and its header', async () => {
    const harness = await createHarness('cancun');
    const { call } = harness;
    await call('anvil_setCode', [READER, asking(BEACON_ROOTS, TIMESTAMP)]);
    await call('anvil_setNextBlockParentBeaconBlockRoot', [ROOT]);
    const seen = { from: SENDER, to: READER };
    expect(await call('eth_call', [seen, 'pending'])).toBe(ROOT);
    const hash = await call('eth_sendTransaction', [seen]);
    expect(await latest(harness)).toMatchObject({ number: '0x1', parentBeaconBlockRoot: ROOT });
    expect(await call('eth_call', [seen, 'latest'])).toBe(ROOT);
    expect(await call('debug_traceTransaction', [hash, { tracer: 'callTracer' }])).toMatchObject({
      output: ROOT,
    });
    expect(await call('debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }])).toMatchObject([
      { result: { output: ROOT } },
    ]);
    const [replayed] = (await call('trace_replayBlockTransactions', ['0x1', ['trace']])) as Fields[];
    expect(replayed).toMatchObject({ output: ROOT });
    await call('evm_mine');
    expect(await latest(harness)).toMatchObject({ number: '0x2', parentBeaconBlockRoot: word('0x0') });
  });

  it('evm_revert restores the root set before the snapshot', async () => {
    const harness = await createHarness();
    await harness.call('anvil_setNextBlockParentBeaconBlockRoot', [ROOT]);
    const snapshot = await harness.call('evm_snapshot');
    await harness.call('evm_mine');
    await harness.call('evm_revert', [snapshot]);
    await harness.call('evm_mine');
    expect(await latest(harness)).toMatchObject({ parentBeaconBlockRoot: ROOT });
  });
});

describe('system contracts in calls and simulations', () => {
  it('a call at pending and a transaction read the hash of the parent block', async () => {
    const harness = await createHarness();
    const { call } = harness;
    await call('evm_mine');
    await call('anvil_setCode', [READER, asking(HISTORY, ...PARENT)]);
    const { hash } = await latest(harness);
    const message = { from: SENDER, to: READER };
    expect(await call('eth_call', [message, 'pending'])).toBe(hash);
    const sent = await call('eth_sendTransaction', [message]);
    expect(await receiptOf(harness, sent)).toMatchObject({ status: '0x1', blockNumber: '0x2' });
    expect(await call('debug_traceTransaction', [sent, { tracer: 'callTracer' }])).toMatchObject({
      output: hash,
    });
  });

  it('eth_simulateV1 runs the system calls in each block, with the given root', async () => {
    const harness = await createHarness();
    const { call } = harness;
    await call('anvil_setCode', [READER, asking(BEACON_ROOTS, TIMESTAMP)]);
    const calls = [{ from: SENDER, to: READER }];
    const history = [{ from: SENDER, to: READER }];
    const simulated = (await call('eth_simulateV1', [
      {
        blockStateCalls: [
          { blockOverrides: { beaconRoot: ROOT }, calls },
          { blockOverrides: { beaconRoot: OTHER_ROOT }, calls },
          { stateOverrides: { [READER]: { code: asking(HISTORY, ...PARENT) } }, calls: history },
        ],
      },
      'latest',
    ])) as { hash: string; parentBeaconBlockRoot: string; calls: Fields[] }[];
    expect(simulated.map(({ parentBeaconBlockRoot }) => parentBeaconBlockRoot)).toEqual([
      ROOT,
      OTHER_ROOT,
      word('0x0'),
    ]);
    expect(simulated.flatMap((block) => block.calls.map(({ returnData }) => returnData))).toEqual([
      ROOT,
      OTHER_ROOT,
      simulated[1]?.hash,
    ]);
    await call('anvil_setNextBlockParentBeaconBlockRoot', [ROOT]);
    await call('evm_mine');
  });
});

describe('withdrawal requests', () => {
  it('a withdrawal request changes the requests hash of the block, also after a dump is loaded', async () => {
    const harness = await createHarness();
    const { call } = harness;
    const before = (await latest(harness)).requestsHash;
    await call('eth_sendTransaction', [
      { from: SENDER, to: WITHDRAWALS, value: '0x1', data: `0x${'07'.repeat(56)}` },
    ]);
    const block = await latest(harness);
    expect(block.requestsHash).not.toBe(before);
    const other = await createHarness();
    await other.call('anvil_loadState', [await call('anvil_dumpState')]);
    expect(await other.call('eth_getBlockByNumber', [block.number, false])).toMatchObject({
      hash: block.hash,
      requestsHash: block.requestsHash,
    });
  });
});
