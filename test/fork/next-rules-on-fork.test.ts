import { beforeAll, describe, expect, it } from 'vitest';
import { MethodNotFoundError } from '../../src/rpc/errors.ts';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';
import { createForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const MINIMUM = 60n;
const BASE_FEE = { baseFeePerGas: '0x0' };

let node: RpcHarness;

beforeAll(async () => {
  node = await createRpcHarness({}, { minimumGasPrice: MINIMUM });
  await node.call('evm_mine');
});

const upstream = (unserved: string[] = []) =>
  new ScriptedUpstream(async (method, params) => {
    if (unserved.includes(method)) throw new MethodNotFoundError(method);
    return node.call(method, params);
  });

describe('a fork of Rootstock with the rules of rootstock-next', () => {
  const scene = (unserved?: string[]) =>
    createForkScene(upstream(unserved), { chain: { ruleSet: 'rootstock-next' } });

  it('blocks of the forked chain show a base fee of 0, and keep their hashes', async () => {
    const { call } = await scene();
    const original = (await node.call('eth_getBlockByNumber', ['0x1', true])) as { hash: string };
    expect(original).not.toHaveProperty('baseFeePerGas');
    const expected = { ...original, ...BASE_FEE };
    expect(await call('eth_getBlockByNumber', ['latest', true])).toEqual(expected);
    expect(await call('eth_getBlockByHash', [original.hash, true])).toEqual(expected);
    expect(await call('eth_getHeaderByNumber', ['0x1'])).toMatchObject({ hash: original.hash, ...BASE_FEE });
    expect(await call('eth_getHeaderByHash', [original.hash])).toMatchObject(BASE_FEE);
    expect(await call('eth_getBlockByNumber', ['0x63', false])).toBeNull();
  });

  it('local blocks show a base fee of 0', async () => {
    const { call } = await scene();
    await call('evm_mine');
    expect(await call('eth_getBlockByNumber', ['0x2', false])).toMatchObject(BASE_FEE);
  });

  it('the derived fee history has rewards that suffice for the minimum gas price', async () => {
    const { call } = await scene(['eth_feeHistory']);
    const history = await call('eth_feeHistory', ['0x2', 'latest', [50]]);
    expect(history).toMatchObject({ baseFeePerGas: ['0x0', '0x0', '0x0'], reward: [['0x42'], ['0x42']] });
  });
});

describe('a fork of Rootstock with one draft of the peg', () => {
  it('blocks have no base fee', async () => {
    const { call } = await createForkScene(upstream(), { chain: { ruleSet: 'rootstock+rskip559' } });
    expect(await call('eth_getBlockByNumber', ['latest', false])).not.toHaveProperty('baseFeePerGas');
  });
});
