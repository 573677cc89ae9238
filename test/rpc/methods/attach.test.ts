import { createRequire } from 'node:module';
import { encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { serviceScene } from '../../fork/service-scene.ts';
import { createRpcHarness, type RpcHarness, type TestConnection, testConnection } from '../rpc-harness.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Counter {
    uint256 public count = 7;
    function add(uint256 value) external returns (uint256) {
        count += value;
        return count;
    }
}
`;
const LINE = 6;
const BREAKPOINT = [{ source: 'Counter.sol', lines: [LINE] }];
const input = {
  language: 'Solidity',
  sources: { 'Counter.sol': { content: SOURCE } },
  settings: {
    evmVersion: 'london',
    outputSelection: {
      '*': { '*': ['abi', 'metadata', 'evm.bytecode', 'evm.deployedBytecode'], '': ['ast'] },
    },
  },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const { abi, evm } = output.contracts['Counter.sol'].Counter;
const ADD = encodeFunctionData({ abi, functionName: 'add', args: [2n] });

async function deployed({ call }: RpcHarness): Promise<{ readonly from: string; readonly to: string }> {
  const [from = ''] = (await call('eth_accounts')) as string[];
  const creation = [{ from, gas: '0x4c4b40', data: `0x${evm.bytecode.object}` }];
  const receipt = await call('eth_getTransactionReceipt', [await call('eth_sendTransaction', creation)]);
  return { from, to: (receipt as { contractAddress: string }).contractAddress };
}

/** The connection of a debugger, with an API key. */
function debuggerWith(key?: string): TestConnection {
  return Object.assign(testConnection('websocket'), { key });
}

function hitsOf({ sent }: TestConnection): unknown[] {
  return sent.map(({ params }) => (params as { readonly result: unknown }).result);
}

describe('inspect_attach', () => {
  it('reports requests on a fork, and opens their hits on the state of the fork', async () => {
    const node = await createRpcHarness({}, { ruleSet: 'prague' });
    const { from, to } = await deployed(node);
    await node.call('eth_sendTransaction', [{ from, to, gas: '0x4c4b40', data: ADD }]);
    const { scene } = await serviceScene({ node, chain: { ruleSet: 'prague' } });
    await scene.call('inspect_addArtifacts', [input, output]);
    const connection = debuggerWith();
    await scene.call('inspect_attach', [BREAKPOINT], connection);
    await scene.call('eth_call', [{ to, data: ADD }, 'latest']);
    const hash = await scene.call('eth_sendTransaction', [{ from, to, gas: '0x4c4b40', data: ADD }]);
    await expect.poll(() => hitsOf(connection), { timeout: 30_000 }).toHaveLength(2);
    expect(hitsOf(connection)).toMatchObject([
      { number: '0x1', method: 'eth_call', source: 'Counter.sol', line: LINE },
      { number: '0x2', transactionHash: hash, line: LINE },
    ]);
    for (const recording of [1, 2]) {
      const { statements } = (await scene.call('inspect_steps', [{ recording }])) as {
        readonly statements: readonly (readonly number[])[];
      };
      const step = statements.find(([, , , line]) => line === LINE)?.[0];
      const value = await scene.call('inspect_evaluate', [{ recording }, step, 'count']);
      expect(value).toMatchObject({ value: '9' });
    }
  });

  it('records only requests with the key of the debugger on a chain that several keys share', async () => {
    const { call } = await createRpcHarness({ separatesKeys: true }, { ruleSet: 'prague' });
    const mine = debuggerWith('mine');
    const other = debuggerWith('other');
    const { to } = await deployed({ call: (method, params) => call(method, params, mine) } as RpcHarness);
    await call('inspect_addArtifacts', [input, output], mine);
    await call('inspect_attach', [BREAKPOINT], mine);
    await call('eth_call', [{ to, data: ADD }, 'latest'], other);
    await call('eth_call', [{ to, data: ADD }, 'latest'], mine);
    await expect.poll(() => hitsOf(mine), { timeout: 30_000 }).toHaveLength(1);
    await call('inspect_steps', [{ recording: 1 }], mine);
    await expect(call('inspect_steps', [{ recording: 1 }], other)).rejects.toThrow('recording 1 not found');
    expect(hitsOf(mine)).toHaveLength(1);
  });

  it('finds breakpoints in artifacts that are added later', async () => {
    const node = await createRpcHarness({}, { ruleSet: 'prague' });
    const { to } = await deployed(node);
    const connection = debuggerWith();
    expect(await node.call('inspect_attach', [BREAKPOINT], connection)).toMatchObject({
      sources: [{ source: null, breakpoints: [{ verified: false }] }],
    });
    await node.call('inspect_addArtifacts', [input, output]);
    await node.call('eth_call', [{ to, data: ADD }, 'latest']);
    await expect.poll(() => hitsOf(connection), { timeout: 30_000 }).toMatchObject([{ line: LINE }]);
  });

  it('leaves no listener after the connection has closed', async () => {
    const { call } = await createRpcHarness();
    const connection = debuggerWith();
    await call('inspect_attach', [[]], connection);
    connection.close();
    expect(connection.listenerCount).toBe(0);
    await expect(call('inspect_release', [['0x1']], debuggerWith())).resolves.toBe('0x0');
  });

  it.each([
    [[[{ source: 'A.sol' }]], 'an object with source and lines'],
    [[[{ source: 'A.sol', lines: [0] }]], 'a line number, from 1'],
    [[[], { failures: 1 }], 'options.failures'],
  ])('rejects %j', async (params, message) => {
    const { call } = await createRpcHarness();
    await expect(call('inspect_attach', params, debuggerWith())).rejects.toThrow(message);
  });

  it.each([
    [{ recording: 0 }, 'the number of a hit, from 1'],
    [{ recording: 1, failure: 1 }, 'no value, because failure selects the execution'],
    [{ recording: 1, block: 'latest' }, 'no value, because recording selects the execution'],
    [{ recording: 1 }, 'recording 1 not found'],
  ])('rejects the target %j', async (target, message) => {
    const { call } = await createRpcHarness();
    await expect(call('inspect_steps', [target])).rejects.toThrow(message);
  });
});
