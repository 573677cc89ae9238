// Mapping keys of contracts of the forked chain.

import { encodeFunctionData, getAddress, type Hex, numberToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { UpstreamRejectionError } from '../../src/fork/errors.ts';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';
import { compileSolidity } from '../support/solidity.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ALICE, BOB } from '../support/test-chain.ts';
import { type ServiceOptions, type ServiceScene, serviceScene } from './service-scene.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Vault {
  struct Lot { uint64 price; address owner; mapping(address => uint256) bids; }
  mapping(address => uint256) balances;
  mapping(address => mapping(address => uint256)) allowances;
  mapping(uint256 => Lot) lots;
  mapping(bool => uint256) flags;
  mapping(address => uint256) silent;
  uint256[] list;
  event Moved(address indexed to, uint256 amount);
  event Allowed(address indexed owner, address indexed spender, uint256 amount);
  event Bid(uint256 lot, address bidder);
  event Seen(address indexed who);
  function move(address to, uint256 amount) external { balances[to] += amount; emit Moved(to, amount); }
  function allow(address to) external { allowances[msg.sender][to] = 5; emit Allowed(msg.sender, to, 5); }
  function bid(uint256 lot, address who) external { lots[lot].bids[who] = 9; emit Bid(lot, who); }
  function hide(address who) external { silent[who] = 7; flags[true] = 1; }
  function see(address who) external { emit Seen(who); }
  function push(uint256 count) external { for (uint256 i = 1; i <= count; i++) list.push(i); }
  function note(address who) external {}
}`;

const { input, output } = compileSolidity({ 'Vault.sol': SOURCE });
const compiled = output.contracts['Vault.sol']?.Vault;
const CHAIN = { ruleSet: 'cancun', chainId: 1337 } as const;
const FIRST = '0x1111111111111111111111111111111111111111';
const SECOND = '0x2222222222222222222222222222222222222222';
const LOT = 123_456;

interface Variable {
  readonly name: string;
  readonly value: unknown;
  readonly items: readonly Variable[] | null;
}

function valuesOf({ value, items }: Variable): unknown {
  return items === null ? value : Object.fromEntries(items.map((item) => [item.name, valuesOf(item)]));
}

/** The storage of the vault by variable. */
async function storageOf(scene: RpcHarness, page: object | null = null): Promise<Record<string, unknown>> {
  const result = await scene.call('inspect_storage', [VAULT, 'latest', page]);
  const { variables } = result as { variables: readonly Variable[] };
  return Object.fromEntries(variables.map((variable) => [variable.name, valuesOf(variable)]));
}

/** The first contract of ALICE on a new chain. */
let VAULT = '0x';

type Call = readonly [functionName: string, ...args: readonly unknown[]];

async function send(node: RpcHarness, [functionName, ...args]: Call): Promise<void> {
  const data = encodeFunctionData({ abi: compiled?.abi ?? [], functionName, args });
  await node.call('eth_sendTransaction', [{ from: BOB, to: VAULT, data, gas: '0x989680' }]);
}

/** A node with the vault after these calls. */
async function vaultNode(calls: readonly Call[]): Promise<RpcHarness> {
  const node = await createRpcHarness({}, CHAIN);
  const data: Hex = `0x${compiled?.evm.bytecode.object}`;
  const hash = await node.call('eth_sendTransaction', [{ from: ALICE, data, gas: '0x989680' }]);
  const receipt = await node.call('eth_getTransactionReceipt', [hash]);
  VAULT = String((receipt as { contractAddress: unknown }).contractAddress);
  for (const call of calls) await send(node, call);
  return node;
}

async function vaultFork(
  calls: readonly Call[],
  { node, ...options }: ServiceOptions = {},
): Promise<ServiceScene> {
  const made = await serviceScene({
    node: node ?? (await vaultNode(calls)),
    ...options,
    chain: { ruleSet: CHAIN.ruleSet, ...options.chain },
  });
  await made.scene.call('inspect_addArtifacts', [input, output, '0.8.30']);
  return made;
}

const LOGGED: readonly Call[] = [
  ['move', FIRST, 3],
  ['move', SECOND, 4],
  ['allow', FIRST],
  ['bid', LOT, SECOND],
  ['see', '0x3333333333333333333333333333333333333333'],
];

describe('the mappings of a contract of the forked chain', () => {
  it('list entries whose keys are in logs of the forked chain', async () => {
    const { scene } = await vaultFork(LOGGED);
    expect(await storageOf(scene)).toMatchObject({
      balances: { [`[${FIRST}]`]: '3', [`[${SECOND}]`]: '4' },
      allowances: { [`[${getAddress(BOB)}]`]: { [`[${FIRST}]`]: '5' } },
      lots: { [`[${LOT}]`]: { bids: { [`[${SECOND}]`]: '9' } } },
    });
  });

  it('list entries whose keys are accounts of the node or booleans', async () => {
    const { scene } = await vaultFork([['hide', ALICE]]);
    expect(await storageOf(scene)).toMatchObject({
      silent: { [`[${getAddress(ALICE)}]`]: '7' },
      flags: { '[true]': '1' },
    });
  });

  it('list entries whose keys are in the data of local transactions', async () => {
    const { scene } = await vaultFork([
      ['hide', SECOND],
      ['hide', FIRST],
    ]);
    expect(await storageOf(scene)).toMatchObject({ silent: {} });
    // The code hashes no key.
    await send(scene, ['note', SECOND]);
    expect((await storageOf(scene)).silent).toEqual({ [`[${SECOND}]`]: '7' });
  });

  it('list no entries that are zero', async () => {
    const { scene } = await vaultFork([['see', FIRST]]);
    expect(await storageOf(scene)).toMatchObject({ balances: {}, silent: {}, lots: {} });
  });

  it('list the entries of an older block', async () => {
    const { scene } = await vaultFork(LOGGED);
    const { variables } = (await scene.call('inspect_storage', [VAULT, '0x2'])) as { variables: Variable[] };
    expect(variables.map(valuesOf)[0]).toEqual({ [`[${FIRST}]`]: '3' });
  });

  it('are fetched in few requests, and not again', async () => {
    const { scene, upstream } = await vaultFork(LOGGED);
    await scene.call('eth_getCode', [VAULT, 'latest']);
    const before = upstream.posts.length;
    await storageOf(scene);
    // The slots of proxies, the logs, the candidates, and the variables.
    expect(upstream.posts.length - before).toBe(4);
    expect(upstream.count('eth_getLogs')).toBe(1);
    const after = upstream.posts.length;
    await storageOf(scene);
    expect(upstream.posts.length).toBe(after);
  });

  it('are searched in a bounded number of blocks, logs and slots', async () => {
    const node = await vaultNode([]);
    await node.call('anvil_mine', ['0x258']);
    for (let index = 1; index <= 220; index++)
      await send(node, ['see', numberToHex(2n ** 150n + BigInt(index), { size: 20 })]);
    const { scene, upstream } = await vaultFork([], { node });
    await storageOf(scene);
    const [filter] = upstream.calls.find(({ method }) => method === 'eth_getLogs')?.params ?? [];
    const { address, fromBlock, toBlock } = filter as Record<string, string>;
    expect(address?.toLowerCase()).toBe(VAULT.toLowerCase());
    expect(Number(toBlock)).toBe(821);
    expect(Number(toBlock) - Number(fromBlock)).toBe(499);
    expect(upstream.count('eth_getStorageAt')).toBeLessThan(600);
  });

  it.each([-32000, -32005, -32601])(
    'are listed without the logs if the fork URL rejects the search with %d, and the log reports it',
    async (code) => {
      const { scene } = await vaultFork([...LOGGED, ['hide', ALICE]], {
        change: (method, result) => {
          if (method !== 'eth_getLogs') return result;
          throw new UpstreamRejectionError({ code, message: 'block range too large' });
        },
      });
      const notices: string[] = [];
      scene.chain.events.on('notice', (text) => void notices.push(text));
      expect(await storageOf(scene)).toMatchObject({
        balances: {},
        silent: { [`[${getAddress(ALICE)}]`]: '7' },
      });
      expect(notices).toEqual([expect.stringMatching(/block range too large/)]);
    },
  );

  it('have the entries of the keys in the request, fetched in batches', async () => {
    const { scene, upstream } = await vaultFork(LOGGED);
    const unset = Array.from({ length: 150 }, (_, index) => numberToHex(index + 1, { size: 20 }));
    const keys = { balances: [FIRST, ...unset], allowances: [[BOB, FIRST]] };
    await scene.call('eth_getCode', [VAULT, 'latest']);
    const before = upstream.posts.length;
    const { balances } = await storageOf(scene, { keys, count: 1000 });
    expect(Object.keys(balances as object)).toHaveLength(152);
    expect(balances).toMatchObject({ [`[${FIRST}]`]: '3' });
    // As above, with one more request, because a request has at most 100 calls.
    expect(upstream.posts.length - before).toBe(5);
  });

  it('are the same in an offline run with the cache of an earlier run', async () => {
    const cacheDirectory = await temporaryDirectory();
    const node = await vaultNode(LOGGED);
    const { scene } = await vaultFork([], { node, fork: { cacheDirectory } });
    const number = scene.fork.number;
    await send(scene, ['note', FIRST]);
    const storage = await storageOf(scene);
    scene.chain.close();
    const offline = { cacheDirectory, blockNumber: number, isOffline: true };
    const again = await vaultFork([], { node, fork: offline });
    await send(again.scene, ['note', FIRST]);
    expect(await storageOf(again.scene)).toEqual(storage);
    // The new candidate is not in the cache.
    await send(again.scene, ['note', '0x4444444444444444444444444444444444444444']);
    expect(await storageOf(again.scene)).toEqual(storage);
    expect(again.upstream.posts).toEqual([]);
  });
});

describe('the variables of a contract of the forked chain', () => {
  it('are fetched in a batch, also the items of an array', async () => {
    const { scene, upstream } = await vaultFork([['push', 60]]);
    await scene.call('eth_getCode', [VAULT, 'latest']);
    const before = upstream.posts.length;
    const { list } = await storageOf(scene, { variable: 'list', count: 60 });
    expect(Object.keys(list as object)).toHaveLength(60);
    expect(list).toMatchObject({ '[0]': '1', '[59]': '60' });
    // The slots of proxies, the logs, the candidates, the length of the array, and its items.
    expect(upstream.posts.length - before).toBe(5);
  });
});
