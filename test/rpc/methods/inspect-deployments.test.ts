import { readFileSync } from 'node:fs';
import { encodeDeployData, encodeFunctionData, parseAbi } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';

const run = new URL('../../../fixtures/projects/solc/0.8.28/', import.meta.url);
const input = JSON.parse(readFileSync(new URL('input.json', run), 'utf8'));
const output = JSON.parse(readFileSync(new URL('output.json', run), 'utf8'));

function contract(source: string, name: string) {
  const { abi, evm } = output.contracts[source][name];
  return { abi, bytecode: `0x${evm.bytecode.object}` as const };
}

const safe = contract('Proxies.sol', 'Safe');
const proxy = contract('Proxies.sol', 'Proxy1967');
const creations = contract('Creations.sol', 'Creations');
const GAS = '0x4c4b40';

interface Deployed {
  readonly address: string;
  readonly contract: string | null;
  readonly implementation: { readonly address: string; readonly contract: string | null } | null;
  readonly creator: string;
  readonly transactionHash: string;
  readonly blockNumber: string;
}

interface Page {
  readonly contracts: readonly Deployed[];
  readonly next: object | null;
}

async function scene() {
  const node = await createNode({ hardfork: 'prague' });
  onTestFinished(() => node.close());
  const server = await node.listen({ lanes: true });
  const call = async <Result>(
    method: string,
    params: readonly unknown[] = [],
    path = '',
  ): Promise<Result> => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: Result; error?: { message: string } };
    if (error !== undefined) throw new Error(error.message);
    return result;
  };
  await call('inspect_addArtifacts', [input, output]);
  const [from = ''] = await call<string[]>('eth_accounts');
  const send = (fields: object, path = ''): Promise<string> =>
    call('eth_sendTransaction', [{ from, gas: GAS, ...fields }], path);
  const deploy = async (data: string, path = ''): Promise<string> => {
    const hash = await send({ data }, path);
    const receipt = await call<{ contractAddress: string }>('eth_getTransactionReceipt', [hash], path);
    return receipt.contractAddress;
  };
  const list = (params: readonly unknown[] = [], path = ''): Promise<Page> =>
    call('inspect_deployments', params, path);
  return { call, from, send, deploy, list };
}

it('inspect_deployments lists contracts with names, proxy implementations and creators', async () => {
  const { call, from, send, deploy, list } = await scene();
  expect(await list()).toEqual({ contracts: [], next: null });
  const target = await deploy(safe.bytecode);
  const front = await deploy(encodeDeployData({ ...proxy, args: [target] }));
  const factory = await deploy(creations.bytecode);
  const create = (number: bigint) =>
    encodeFunctionData({ abi: creations.abi, functionName: 'create', args: [number] });
  const made = await send({ to: factory, data: create(17n) });
  // A rejected creation creates no contract.
  await send({ to: factory, data: create(3n) });
  await send({
    to: factory,
    data: encodeFunctionData({ abi: creations.abi, functionName: 'tryCreate', args: [3n] }),
  });
  // Code without an artifact.
  const unknown = await deploy('0x60018060095f395ff300');
  const { contracts, next } = await list();
  expect(next).toBe(null);
  expect(contracts.map(({ address, contract, creator }) => [address, contract, creator])).toEqual([
    [unknown, null, from],
    [expect.any(String), 'Child', factory],
    [factory, 'Creations', from],
    [front, 'Proxy1967', from],
    [target, 'Safe', from],
  ]);
  expect(contracts[1]).toMatchObject({ transactionHash: made, blockNumber: '0x4' });
  expect(contracts[3]?.implementation).toEqual({ address: target, contract: 'Safe' });
  expect(contracts[4]?.implementation).toBe(null);
  expect(await call('eth_getCode', [contracts[1]?.address, 'latest'])).not.toBe('0x');
});

it('inspect_deployments lists contracts in pages, also within a block', async () => {
  const { call, from, list } = await scene();
  await call('evm_setAutomine', [false]);
  for (let nonce = 0; nonce < 5; nonce++)
    await call('eth_sendTransaction', [{ from, gas: '0x7a120', nonce: `0x${nonce}`, data: safe.bytecode }]);
  await call('evm_mine');
  const { contracts: all } = await list();
  expect(all).toHaveLength(5);
  const found: Deployed[] = [];
  let pages = 0;
  for (let from: object | null | undefined; from !== null; pages++) {
    const page = await list([from ?? null, '0x2']);
    found.push(...page.contracts);
    from = page.next;
  }
  expect(found).toEqual(all);
  expect(pages).toBe(3);
});

it('inspect_deployments lists only existing contracts, also after a revert and on a lane', async () => {
  const { call, send, deploy, list } = await scene();
  const kept = await deploy(safe.bytecode);
  const addresses = async (path = ''): Promise<string[]> =>
    (await list([], path)).contracts.map(({ address }) => address);
  const snapshot = await call('evm_snapshot');
  const gone = await deploy(creations.bytecode);
  expect(await addresses()).toEqual([gone, kept]);
  await call('evm_revert', [snapshot]);
  expect(await addresses()).toEqual([kept]);
  await call('lane_create', [{ key: 'alice' }]);
  const own = await deploy(creations.bytecode, '/alice');
  expect(await addresses('/alice')).toEqual([own, kept]);
  expect(await addresses()).toEqual([kept]);
  await call('hardhat_setCode', [kept, '0x']);
  expect(await addresses()).toEqual([]);
  const [child] = parseAbi(['function create(uint256 number) returns (address)']);
  await send({ to: own, data: encodeFunctionData({ abi: [child], args: [17n] }) }, '/alice');
  expect((await list([], '/alice')).contracts[0]).toMatchObject({ contract: 'Child', creator: own });
});

it.each([
  [[{ blockNumber: 'x' }], 'params: from.blockNumber:'],
  [[{ block: 1 }], 'params: from.block:'],
  [[null, '0x0'], 'params: count:'],
  [[null, 201], 'params: count:'],
])('inspect_deployments rejects %j and reports the path', async (params, named) => {
  const { list } = await scene();
  await expect(list(params)).rejects.toThrow(named);
});
