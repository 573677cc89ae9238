// Distinguishes contracts with the same code that other contracts create. The creation code identifies them.
// If it is the same too, the source expression that created them does.

import { encodeFunctionData, type Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { type StartedNode, start } from '../cli/support/started-node.ts';
import { type Compiled, compileSolidity } from '../support/solidity.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Base {
    uint256 public stored;
    error Refused(uint256 asked);
    function refuse(uint256 asked) external pure { revert Refused(asked); }
    function store(uint256 value) external { stored = value; }
}
contract Alpha is Base {}
contract Beta is Base {}
/// Its runtime code is theirs, its creation is not.
contract Gamma is Base { constructor() { stored = 3; } }

contract Factory {
    Base public last;
    function make(uint256 kind) external returns (Base made) {
        if (kind == 0) made = new Alpha();
        else if (kind == 1) made = new Beta{salt: bytes32(uint256(kind))}();
        else made = new Gamma();
        last = made;
    }
    function makeAndRefuse() external {
        Base made = new Beta();
        made.refuse(7);
    }
    function makeByCode(bytes memory code) external {
        address made;
        assembly { made := create(0, add(code, 32), mload(code)) }
        last = Base(made);
    }
}
`;
const NAMES = ['Alpha', 'Beta', 'Gamma'] as const;
/** Without the metadata hash, which would distinguish otherwise equal code. */
const SETTINGS = { metadata: { bytecodeHash: 'none' } };

describe.each([
  ['without optimizer', {}],
  ['with optimizer', { optimizer: { enabled: true, runs: 200 } }],
  ['by the IR pipeline', { viaIR: true, optimizer: { enabled: true, runs: 200 } }],
])('same-code contracts created by a factory, compiled %s', (_, settings) => {
  let compiled: Compiled;
  beforeAll(() => {
    compiled = compileSolidity({ 'Alike.sol': SOURCE }, { ...SETTINGS, ...settings });
  });

  const contract = (name: string) => {
    const found = compiled.output.contracts['Alike.sol']?.[name];
    if (found === undefined) throw new Error(`${name} was not compiled`);
    return found;
  };
  const data = (name: string, functionName: string, args: readonly unknown[] = []): Hex =>
    encodeFunctionData({ abi: contract(name).abi, functionName, args });

  /** A node with a factory. */
  async function withFactory(args: readonly string[] = []) {
    const node = await start(['--no-artifacts', ...args]);
    await node.call('inspect_addArtifacts', compiled.input, compiled.output);
    const [from] = (await node.call('eth_accounts')) as [Hex];
    const send = async (fields: object): Promise<{ contractAddress: Hex; transactionHash: Hex }> => {
      const hash = await node.call('eth_sendTransaction', { from, gas: '0x4c4b40', ...fields });
      return (await node.call('eth_getTransactionReceipt', hash)) as {
        contractAddress: Hex;
        transactionHash: Hex;
      };
    };
    const { contractAddress: factory } = await send({ data: `0x${contract('Factory').evm.bytecode.object}` });
    const make = async (kind: number): Promise<Hex> => {
      await send({ to: factory, data: data('Factory', 'make', [kind]) });
      const last = await node.call('eth_call', { to: factory, data: data('Factory', 'last') }, 'latest');
      return `0x${String(last).slice(-40)}`;
    };
    return { node, send, factory, make };
  }

  /** The calls named in the log. */
  const logged = ({ host }: StartedNode): string[] =>
    [...host.written.output.matchAll(/Contract call: {2}(.*)\n/g)].map(([, subject = '']) => subject);

  it('the log contains their names without an earlier inspection', async () => {
    const { node, send, make } = await withFactory();
    for (const [kind] of NAMES.entries()) {
      await send({ to: await make(kind), data: data('Base', 'store', [5n]) });
    }
    await node.end();
    expect(logged(node).filter((text) => text.includes('store'))).toEqual([
      'Alpha.store(value: 5)',
      'Beta.store(value: 5)',
      'Gamma.store(value: 5)',
    ]);
  });

  it('inspections name them at their creation and failure, also if everything reverts', async () => {
    const { node, send, factory } = await withFactory();
    const { transactionHash } = await send({ to: factory, data: data('Factory', 'makeAndRefuse') });
    const { stackTrace, call } = (await node.call('inspect_transaction', transactionHash)) as {
      stackTrace: { contract: string }[];
      call: { items: { to: { name: string }; call: { name: string } }[] };
    };
    expect(stackTrace.map((frame) => frame.contract)).toEqual(['Beta', 'Factory']);
    expect(call.items.map((item) => [item.call.name, item.to.name])).toEqual([
      ['Beta', 'Beta'],
      ['refuse', 'Beta'],
    ]);
    const trace = (await node.call('debug_traceTransaction', transactionHash, {
      tracer: 'callTracer',
      tracerConfig: { decode: true },
      decode: true,
    })) as { calls: { decoded: { contract: string } }[] };
    expect(trace.calls.map(({ decoded }) => decoded.contract)).toEqual(['Beta', 'Beta']);
    await node.end();
  });

  it('inspect_deployments lists them with their names', async () => {
    const { node, make } = await withFactory();
    for (const [kind] of NAMES.entries()) await make(kind);
    const { contracts } = (await node.call('inspect_deployments')) as { contracts: { contract: string }[] };
    expect(contracts.map((found) => found.contract)).toEqual(['Gamma', 'Beta', 'Alpha', 'Factory']);
    await node.end();
  });

  it('the latest creation decides after a revert', async () => {
    const { node, send, make } = await withFactory();
    const snapshot = await node.call('evm_snapshot');
    const first = await make(0);
    const { transactionHash } = await send({ to: first, data: data('Base', 'store', [1n]) });
    expect(await node.call('inspect_transaction', transactionHash)).toMatchObject({
      call: { to: { name: 'Alpha' } },
    });
    await node.call('evm_revert', snapshot);
    const second = await make(2);
    expect(second).toBe(first);
    await send({ to: second, data: data('Base', 'store', [2n]) });
    await node.end();
    // If the log is written after the revert, the earlier contract is unknown.
    const [before = '', after] = logged(node).filter((text) => text.includes('store'));
    expect(before).toMatch(/^(?:Alpha|.* or .*)\.store\(value: 1\)$/);
    expect(after).toBe('Gamma.store(value: 2)');
  });

  /** Inspects the contract and a transaction after the block of its creation. */
  async function storeOnce(
    { node, send }: Awaited<ReturnType<typeof withFactory>>,
    made: Hex,
  ): Promise<string[]> {
    const { transactionHash } = await send({ to: made, data: data('Base', 'store', [5n]) });
    const { call } = (await node.call('inspect_transaction', transactionHash)) as {
      call: { to: { name: string } };
    };
    const source = (await node.call('inspect_source', made, false)) as { contract: { name: string } };
    const storage = (await node.call('inspect_storage', made)) as { contract: string };
    return [call.to.name, source.contract.name, storage.contract];
  }
  const SEVERAL = /^(?:\w+ or )+\w+$/;

  it('all names are returned after the creation block is pruned', async () => {
    const scene = await withFactory(['--prune-history', '16']);
    const made = await scene.make(2);
    expect(await storeOnce(scene, made)).toEqual(['Gamma', 'Gamma', 'Gamma']);
    for (let time = 0; time < 60; time++) await scene.node.call('evm_mine', { blocks: 50 });
    for (const name of await storeOnce(scene, made)) expect(name).toMatch(SEVERAL);
    await scene.node.end();
    expect(logged(scene.node).filter((text) => text.includes('store'))).toEqual([
      expect.stringMatching(/^(?:Gamma|(?:\w+ or )+\w+)\.store\(value: 5\)$/),
      expect.stringMatching(/^(?:\w+ or )+\w+\.store\(value: 5\)$/),
    ]);
  });

  it('the latest creation decides after a reset to a later fork block', async () => {
    const upstream = await start(['--no-artifacts']);
    await upstream.call('hardhat_mine', '0x3e8');
    const scene = await withFactory(['--fork-url', `${upstream.url}@500`]);
    const made = await scene.make(0);
    expect(await storeOnce(scene, made)).toEqual(['Alpha', 'Alpha', 'Alpha']);
    await scene.node.call('hardhat_reset', { forking: { jsonRpcUrl: upstream.url, blockNumber: 900 } });
    await scene.send({ data: `0x${contract('Factory').evm.bytecode.object}` });
    expect(await scene.make(2)).toBe(made);
    expect(await storeOnce(scene, made)).toEqual(['Gamma', 'Gamma', 'Gamma']);
    await scene.node.end();
    await upstream.end();
    expect(logged(scene.node).filter((text) => text.includes('store'))).toEqual([
      // If the log is written after the reset, the earlier contract is unknown.
      expect.stringMatching(/^(?:Alpha|.* or .*)\.store\(value: 5\)$/),
      'Gamma.store(value: 5)',
    ]);
  });

  it('all names are returned if neither creation code nor source decides', async () => {
    const { node, send, factory } = await withFactory();
    const code = `0x${contract('Beta').evm.bytecode.object}`;
    await send({ to: factory, data: data('Factory', 'makeByCode', [code]) });
    const last = await node.call('eth_call', { to: factory, data: data('Factory', 'last') }, 'latest');
    const made: Hex = `0x${String(last).slice(-40)}`;
    await send({ to: made, data: data('Base', 'store', [5n]) });
    const first = await node.call('inspect_source', made, false);
    expect(first).not.toBeNull();
    await node.end();
    const [text = ''] = logged(node).filter((line) => line.includes('store'));
    expect(text).toMatch(
      /^Base or Alpha or Beta\.store|^Alpha or Base or Beta\.store|^Alpha or Beta or Base\.store/,
    );
  });
});
