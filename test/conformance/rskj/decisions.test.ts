import { describe, expect, it } from 'vitest';
import { SENDER as ACCOUNT } from '../../rpc/methods/contract.ts';
import { createRpcHarness, testConnection } from '../../rpc/rpc-harness.ts';
import { word } from '../../support/words.ts';
import { DECISIONS, type DecisionName } from './decisions.ts';
import {
  COUNTER,
  createExampleChain,
  EXAMPLE,
  failureOf,
  RECEIVER,
  SENDER,
  STRANGER,
  UNKNOWN_HASH,
} from './scene.ts';

const PRECOMPILES = [
  '0x0000000000000000000000000000000000000001',
  '0x0000000000000000000000000000000001000006',
];
const UNKNOWN_NUMBER = '0x1234';
/** Initcode that emits a log with topic 1. */
const EMIT = '0x60015f5fa1';
/** Code that returns the number 7. */
const SEVEN = '0x60075f5260205ff3';

const RETURNS_800_BYTES = '0x6103205ff3';

async function rejects(method: string, params: readonly unknown[], code: number): Promise<void> {
  const { call } = await createExampleChain();
  expect(await failureOf(call(method, params)), `${method} ${JSON.stringify(params)}`).toMatchObject({
    code,
  });
}

async function answers(method: string, params: readonly unknown[] = []): Promise<unknown> {
  return (await createExampleChain()).call(method, params);
}

/** A check of the node's answer for each decision. */
const CHECKS: Readonly<Record<DecisionName, () => Promise<void>>> = {
  bareTopic: () => rejects('eth_getLogs', [{ topics: word(1) }], -32602),

  missingPrefix: async () => {
    const bare = (text: string): string => text.slice(2);
    await rejects('eth_getBalance', [bare(SENDER), 'latest'], -32602);
    await rejects('eth_getBlockByHash', [bare(EXAMPLE.blockHashes[1]), false], -32602);
    await rejects('eth_getTransactionByHash', [bare(EXAMPLE.transferHash)], -32602);
    await rejects('eth_getLogs', [{ topics: [bare(word(1))] }], -32602);
    await rejects('eth_call', [{ to: COUNTER, data: '06661abd' }, 'latest'], -32602);
    await rejects('eth_call', [{ to: COUNTER, data: '0x666' }, 'latest'], -32602);
    expect(await answers('personal_importRawKey', ['cd'.repeat(32), ''])).toMatch(/^0x/);
  },

  nullBesideTopic: async () => {
    for (const [compat, count] of [
      ['service', 0],
      ['anvil', 1],
      ['hardhat', 1],
    ] as const) {
      const { call } = await createRpcHarness({ compat });
      await call('eth_sendTransaction', [{ from: ACCOUNT, data: EMIT }]);
      expect(await call('eth_getLogs', [{ topics: [[word(2), null]] }]), compat).toHaveLength(count);
      expect(await call('eth_getLogs', [{ topics: [[word(1), null]] }]), compat).toHaveLength(1);
    }
  },

  logsOfUnknownHash: () => rejects('eth_getLogs', [{ blockHash: UNKNOWN_HASH }], -32600),

  codeAtUnknownBlock: () => rejects('eth_getCode', [COUNTER, UNKNOWN_NUMBER], -32600),

  traceOfUnknown: async () => {
    await rejects('debug_traceTransaction', [UNKNOWN_HASH], -32000);
    await rejects('debug_traceBlockByHash', [UNKNOWN_HASH], -32600);
    await rejects('debug_traceBlockByNumber', [UNKNOWN_NUMBER], -32600);
  },

  countInUnknownBlock: async () => {
    expect(await answers('eth_getBlockTransactionCountByNumber', [UNKNOWN_NUMBER])).toBeNull();
    expect(await answers('eth_getBlockTransactionCountByHash', [UNKNOWN_HASH])).toBeNull();
  },

  indexBeyondLast: async () => {
    for (const index of ['0x1', '0x7fffffff', '0x80000000', `0xf1${'65'.repeat(31)}`])
      for (const method of ['eth_getTransactionByBlockNumberAndIndex', 'eth_getUncleByBlockNumberAndIndex'])
        expect(await answers(method, ['0x1', index]), `${method} ${index}`).toBeNull();
  },

  decimalIndex: async () => {
    const method = 'eth_getTransactionByBlockNumberAndIndex';
    expect(await answers(method, ['0x1', '0'])).toMatchObject({ hash: EXAMPLE.transferHash });
    expect(await answers(method, ['0x1', '123'])).toBeNull();
  },

  traceGet: async () => {
    expect(await answers('trace_get', [EXAMPLE.transferHash, []])).toMatchObject({ traceAddress: [] });
    expect(await answers('trace_get', [EXAMPLE.transferHash, ['0x0']])).toBeNull();
  },

  reversedTraceFilter: () => rejects('trace_filter', [{ fromBlock: '0x99', toBlock: '0x98' }], -32602),

  precompileOverride: async () => {
    for (const precompile of PRECOMPILES) {
      const overrides = { [precompile]: { code: SEVEN, balance: '0x5', nonce: '0x1', stateDiff: {} } };
      expect(await answers('eth_call', [{ to: precompile }, 'latest', overrides])).toBe(word(7));
    }
  },

  clientVersion: async () => {
    for (const [compat, name] of [
      ['service', /^anvil\/v[\d.]+\/node-cli\//],
      ['anvil', /^anvil\/v[\d.]+\/node-cli\//],
      ['hardhat', /^HardhatNetwork\/.*node-cli\//],
    ] as const) {
      const { call } = await createRpcHarness({ compat });
      expect(await call('web3_clientVersion')).toMatch(name);
      expect(await call('web3_clientVersion')).not.toMatch(/rsk/i);
    }
  },

  defaultGas: async () => {
    const gasOf = async (fields: object): Promise<unknown> => {
      const { call } = await createExampleChain();
      const hash = await call('eth_sendTransaction', [{ from: SENDER, ...fields }]);
      return ((await call('eth_getTransactionByHash', [hash])) as { readonly gas: unknown }).gas;
    };
    expect(await gasOf({ to: RECEIVER, value: '0x1' })).toBe('0x5208');
    expect(await gasOf({ to: RECEIVER, data: '0x01' })).toBe('0x15f90');
    expect(BigInt(String(await gasOf({ data: RETURNS_800_BYTES })))).toBeGreaterThan(90_000n);
  },

  gasAndGasLimit: async () => {
    const both = { from: SENDER, to: RECEIVER, gas: '0x5300', gasLimit: '0x5400' };
    await rejects('eth_sendTransaction', [both], -32602);
    expect(await answers('eth_sendTransaction', [{ ...both, gasLimit: '0x5300' }])).toMatch(/^0x/);
  },

  optionalParameters: async () => {
    expect(await answers('eth_getBlockByNumber', ['0x1'])).toMatchObject({ number: '0x1' });
    expect(await answers('eth_getTransactionCount', [STRANGER])).toBe('0x0');
    expect(await answers('evm_mine', [{}])).toBeNull();
  },

  compilers: () => rejects('eth_getCompilers', [], -32601),

  traceForm: async () => {
    for (const options of [[], [{ tracer: null }]])
      expect(await answers('debug_traceTransaction', [EXAMPLE.increaseHash, ...options])).toHaveProperty(
        'returnValue',
      );
    const own = [EXAMPLE.increaseHash, { tracer: 'rskTracer' }];
    expect(await answers('debug_traceTransaction', own)).toHaveProperty('storageSize');
  },

  haltedCall: async () => {
    for (const data of ['0xfe', '0x5b5f56']) {
      const asked = [{ data, gas: '0x186a0' }, 'latest'];
      await rejects('eth_call', asked, -32015);
      const hosted = await createRpcHarness({ hosted: true });
      expect(await hosted.call('eth_call', asked)).toBe('0x');
    }
  },

  pendingBlock: async () => {
    await rejects('eth_getBlockByNumber', ['pending', false], -32602);
    for (const compat of ['anvil', 'hardhat'] as const) {
      const { call } = await createExampleChain({ compat });
      expect(await call('eth_getBlockByNumber', ['pending', false])).toMatchObject({ transactions: [] });
    }
  },

  peers: async () => {
    const { call } = await createExampleChain();
    await call('eth_sendTransaction', [{ from: SENDER, to: RECEIVER }]);
    expect(await call('sco_peerList')).toMatchObject([{ id: testConnection().remoteAddress }]);
  },
};

describe('the decisions about differences from rskj', () => {
  it.each(Object.keys(DECISIONS) as DecisionName[])('match the node: %s', async (name) => {
    await CHECKS[name]();
  });

  it('contain both replies and a reason in one line each', () => {
    for (const decision of Object.values(DECISIONS))
      for (const text of Object.values(decision)) expect(text).toMatch(/^[^\n]{2,160}$/);
  });
});
