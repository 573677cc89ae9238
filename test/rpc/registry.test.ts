import { describe, expect, it } from 'vitest';
import { METHOD_EXAMPLES } from '../../src/rpc/method-examples.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { DuplicateMethodError, Registry } from '../../src/rpc/registry.ts';
import { startLaneServer } from '../server/lane-server.ts';
import { decodeWith } from './codecs/decode.ts';
import { exampleOf } from './method-examples.ts';
import { createRpcHarness } from './rpc-harness.ts';

describe('method registry', () => {
  it('method names and aliases are unique', () => {
    const names = METHODS.flatMap((method) => [method.name, ...method.aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('examples exist for exactly the registered methods', () => {
    expect(Object.keys(METHOD_EXAMPLES).sort()).toEqual(METHODS.map(({ name }) => name).sort());
  });

  it('fork routing depends on a parameter for a block or a transaction', () => {
    for (const { name, params, fork } of METHODS) {
      if (fork === undefined || !('at' in fork)) continue;
      expect(params[fork.at]?.codec, name).toHaveProperty('isHistoric', true);
    }
  });

  it('a fork sends only names that other nodes know', () => {
    for (const { name, fork } of METHODS) {
      if (fork === undefined || !('answer' in fork) || fork.kind === 'range') continue;
      expect(fork.upstreamName ?? name).toMatch(/^(?:eth|debug|trace|ots|rsk|inspect|anvil|tenderly|mev)_/);
    }
  });

  it('the registry rejects a duplicate name', () => {
    const [method] = METHODS;
    if (method === undefined) throw new Error('the table is empty');
    expect(() => new Registry([method, { ...method, name: 'other', aliases: [method.name] }])).toThrow(
      DuplicateMethodError,
    );
  });

  it.each(METHODS.map((method) => [method.name, method] as const))('%s is documented', (_name, method) => {
    expect(method.summary).toMatch(/^[A-Z].{5,}[^.]$/);
    expect(method.result.description).not.toBe('');
    expect(exampleOf(method.name).params.length).toBeLessThanOrEqual(method.params.length);
    const required = method.params.filter((parameter) => parameter.fallback === undefined);
    expect(exampleOf(method.name).params.length).toBeGreaterThanOrEqual(required.length);
    expect(JSON.parse(JSON.stringify(exampleOf(method.name)))).toEqual(exampleOf(method.name));
  });

  it.each(METHODS.map((method) => [method.name, method] as const))(
    'the example parameters of %s can be decoded',
    (_name, method) => {
      for (const [position, value] of exampleOf(method.name).params.entries()) {
        const parameter = method.params[position];
        expect(parameter).toBeDefined();
        if (parameter !== undefined) decodeWith(parameter.codec, parameter.name, value);
      }
    },
  );
});

describe('unknown and unsupported methods', () => {
  it.each(['eth_nothing', 'toString', '__proto__', 'constructor', ''])('%j does not exist', async (name) => {
    const { call } = await createRpcHarness();
    await expect(call(name, [])).rejects.toMatchObject({
      code: -32601,
      message: `the method ${name} does not exist/is not available`,
    });
  });

  it.each([
    ['eth_getCompilers', 'no compilers'],
    ['eth_compileSolidity', 'no compilers'],
    ['eth_compileLLL', 'no compilers'],
    ['eth_compileSerpent', 'no compilers'],
    ['shh_post', 'Whisper'],
    ['shh_newIdentity', 'Whisper'],
    ['db_putString', 'deprecated'],
    ['db_getHex', 'deprecated'],
    ['rsk_shutdown', 'requests cannot stop the node'],
    ['flashbots_getUserStatsV2', 'Flashbots switched this method off'],
    ['tenderly_addErc20Balance', 'use tenderly_setErc20Balance'],
  ])('%s is rejected with the reason', async (name, reason) => {
    const { call } = await createRpcHarness();
    await expect(call(name, [])).rejects.toMatchObject({
      code: -32601,
      message: expect.stringMatching(
        new RegExp(`^the method ${name} does not exist/is not available: .*${reason}`),
      ),
    });
  });
});

describe('unknown method names', () => {
  it.each([
    ['eth_blocknumber', 'eth_blockNumber'],
    ['eth_getBlance', 'eth_getBalance'],
    ['evm_snapsoht', 'evm_snapshot'],
    ['hardhat_setblance', 'hardhat_setBalance'],
  ])('the error for %s suggests %s', async (name, meant) => {
    const { call } = await createRpcHarness();
    await expect(call(name, [])).rejects.toMatchObject({
      code: -32601,
      message: `the method ${name} does not exist/is not available: did you mean ${meant}?`,
    });
  });

  it.each(['eth_b', 'eth_callTheOtherOne', `eth_blockNumber${'r'.repeat(100)}`])(
    'the error for %s suggests nothing',
    async (name) => {
      const { call } = await createRpcHarness();
      await expect(call(name, [])).rejects.toThrow(/does not exist\/is not available$/);
    },
  );
});

const MODULES = {
  anvil: '1.0',
  chain: '1.0',
  debug: '1.0',
  erigon: '1.0',
  eth: '1.0',
  evm: '1.0',
  fork: '1.0',
  ganache: '1.0',
  hardhat: '1.0',
  inspect: '1.0',
  mev: '1.0',
  miner: '1.0',
  mnr: '1.0',
  net: '1.0',
  ots: '1.0',
  peg: '1.0',
  personal: '1.0',
  rpc: '1.0',
  rsk: '1.0',
  sco: '1.0',
  tenderly: '1.0',
  testing: '1.0',
  trace: '1.0',
  txpool: '1.0',
  wallet: '1.0',
  web3: '1.0',
};

describe('rpc_modules', () => {
  it('rpc_modules returns the version of each namespace, including the namespaces of aliases', async () => {
    const { call } = await createRpcHarness();
    expect(await call('rpc_modules', [])).toEqual(MODULES);
  });

  it('rpc_modules includes lane only if lanes exist', async () => {
    const { call } = await startLaneServer();
    expect(await call('/', 'rpc_modules')).toEqual({ ...MODULES, lane: '1.0' });
  });
});
interface DocumentedMethod {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[];
  readonly result: { readonly name: string; readonly schema: object };
  readonly examples: readonly { readonly params: readonly { readonly name: string }[] }[];
}

describe('rpc.discover', () => {
  it('rpc.discover describes every method and its parameters as OpenRPC', async () => {
    const { call } = await createRpcHarness();
    const document = (await call('rpc.discover')) as {
      readonly openrpc: string;
      readonly info: object;
      readonly methods: readonly DocumentedMethod[];
    };
    expect(document.openrpc).toMatch(/^1\.\d+\.\d+$/);
    expect(document.info).toEqual({ title: 'node-cli', version: '1.2.3' });
    const names = document.methods.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, aliases } of METHODS)
      expect(names).toEqual(expect.arrayContaining([name, ...aliases]));
    for (const method of document.methods) {
      expect(typeof method.result.schema).toBe('object');
      for (const parameter of method.params) expect(Object.keys(parameter.schema)).not.toHaveLength(0);
      const known = method.params.map(({ name }) => name);
      for (const example of method.examples)
        for (const parameter of example.params) expect(known).toContain(parameter.name);
    }
    expect(document.methods.find(({ name }) => name === 'eth_getBalance')?.params).toMatchObject([
      { name: 'address', required: true, schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' } },
      { name: 'block', required: false },
    ]);
  });
});
