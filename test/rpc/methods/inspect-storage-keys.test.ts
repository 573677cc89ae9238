import { type Abi, encodeFunctionData, type Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../../src/index.ts';
import { compileSolidity } from '../../support/solidity.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Keyed {
  enum Color { Red, Green }
  struct Room { uint8 size; mapping(address => uint256) guests; }
  mapping(uint256 => uint256) public numbers;
  mapping(address => mapping(uint8 => uint256)) public allowances;
  mapping(string => uint256) public byName;
  mapping(Color => bool) public colors;
  mapping(bytes4 => int64) public bySelector;
  mapping(bool => uint256) public flags;
  Room[] public rooms;
  uint256 public plain = 5;
  mapping(int16 => uint256) public signed;
  mapping(uint256 => mapping(uint256 => uint256)) public square;
  function fill() external {
    numbers[0] = 10;
    numbers[7] = 17;
    allowances[address(0x1111)][3] = 33;
    byName['a "key"'] = 44;
    colors[Color.Green] = true;
    bySelector[0x12345678] = -9;
    flags[true] = 1;
    rooms.push().size = 2;
    rooms[0].guests[address(0x2222)] = 66;
    signed[-5] = 55;
    square[9][9] = 81;
  }
}`;

const OWNER = `0x${'1111'.padStart(40, '0')}`;
const GUEST = `0x${'2222'.padStart(40, '0')}`;

interface Variable {
  readonly name: string;
  readonly variable: string;
  readonly value: unknown;
  readonly items: readonly Variable[] | null;
  readonly hasUnknownKeys: boolean;
}

interface Storage {
  readonly variables: readonly Variable[];
  readonly unnamedCount: number | null;
}

/** The values of a tree by name. */
function valuesOf({ value, items }: Variable): unknown {
  return items === null ? value : Object.fromEntries(items.map((item) => [item.name, valuesOf(item)]));
}

function byName({ variables }: Storage): Record<string, unknown> {
  return Object.fromEntries(variables.map((variable) => [variable.name, valuesOf(variable)]));
}

async function call<Result>(node: LocalNode, method: string, ...params: readonly unknown[]): Promise<Result> {
  return (await node.request({ method, params })) as Result;
}

describe('inspect_storage', () => {
  let local: LocalNode;
  let fork: LocalNode;
  let to: Hex;

  beforeAll(async () => {
    const { input, output } = compileSolidity({ 'Keyed.sol': SOURCE });
    const compiled = output.contracts['Keyed.sol']?.Keyed;
    const abi: Abi = compiled?.abi ?? [];
    local = await createNode();
    await call(local, 'inspect_addArtifacts', input, output, '0.8.30');
    const [from] = await call<Hex[]>(local, 'eth_accounts');
    const send = async (fields: object): Promise<{ contractAddress: Hex }> => {
      const hash = await call(local, 'eth_sendTransaction', { from, gas: '0x4c4b40', ...fields });
      return call(local, 'eth_getTransactionReceipt', hash);
    };
    to = (await send({ data: `0x${compiled?.evm.bytecode.object}` })).contractAddress;
    await send({ to, data: encodeFunctionData({ abi, functionName: 'fill' }) });
    const { url } = await local.listen();
    fork = await createNode({ forkUrl: url });
    await call(fork, 'inspect_addArtifacts', input, output, '0.8.30');
    return async () => {
      await fork.close();
      await local.close();
    };
  });

  it('lists an entry once if its key equals the slot of the mapping', async () => {
    const storage = await call<Storage>(local, 'inspect_storage', to);

    expect(storage.unnamedCount).toBe(0);
    const { numbers, square } = byName(storage) as { numbers: object; square: object };
    expect(numbers).toEqual({ '[0]': '10', '[7]': '17' });
    expect(square).toEqual({ '[9]': { '[9]': '81' } });
    const items = storage.variables.find(({ name }) => name === 'numbers')?.items;
    expect(items?.map(({ name }) => name)).toEqual(['[0]', '[7]']);
  });

  it('reports no mapping with unknown keys if all slots have a name', async () => {
    const { variables } = await call<Storage>(local, 'inspect_storage', to);

    expect(variables.filter(({ hasUnknownKeys }) => hasUnknownKeys)).toEqual([]);
  });

  it('reports that the keys of the mappings of a forked contract are unknown', async () => {
    const { variables, unnamedCount } = await call<Storage>(fork, 'inspect_storage', to);

    expect(unnamedCount).toBeNull();
    expect(variables.find(({ name }) => name === 'numbers')).toMatchObject({
      items: [],
      hasUnknownKeys: true,
    });
    expect(variables.find(({ name }) => name === 'plain')).toMatchObject({
      value: '5',
      hasUnknownKeys: false,
    });
  });

  it('lists the entries of the keys in the request', async () => {
    const keys = {
      numbers: [0, '7', '0x8'],
      allowances: [[OWNER, 3]],
      byName: ['a "key"'],
      colors: ['Green', 0],
      bySelector: ['0x12345678'],
      flags: [true],
      'rooms[0].guests': [GUEST],
      signed: [-5],
      square: [['9', 9]],
    };

    const storage = await call<Storage>(fork, 'inspect_storage', to, 'latest', { keys });

    expect(byName(storage)).toEqual({
      numbers: { '[0]': '10', '[7]': '17', '[8]': '0' },
      allowances: { [`[${OWNER}]`]: { '[3]': '33' } },
      byName: { '["a \\"key\\""]': '44' },
      colors: { '[Green]': true, '[Red]': false },
      bySelector: { '[0x12345678]': '-9' },
      flags: { '[true]': '1' },
      rooms: { '[0]': { size: '2', guests: { [`[${GUEST}]`]: '66' } } },
      plain: '5',
      signed: { '[-5]': '55' },
      square: { '[9]': { '[9]': '81' } },
    });
  });

  it('reads keys for a mapping inside a mapping entry', async () => {
    const variable = `allowances[${OWNER}]`;
    const page = { variable, keys: { allowances: [OWNER], [variable]: [3, 4] } };

    const { variables } = await call<Storage>(fork, 'inspect_storage', to, 'latest', page);

    expect(variables.map(valuesOf)).toEqual([{ '[3]': '33', '[4]': '0' }]);
  });

  it('does not remember the keys after the request', async () => {
    await call<Storage>(fork, 'inspect_storage', to, 'latest', { keys: { numbers: [0] } });

    const { numbers } = byName(await call<Storage>(fork, 'inspect_storage', to));

    expect(numbers).toEqual({});
  });

  it('names the slots of the requested keys', async () => {
    const slot = `0x${'5'.repeat(64)}`;
    await call(local, 'hardhat_setStorageAt', to, slot, `0x${'9'.padStart(64, '0')}`);

    const storage = await call<Storage>(local, 'inspect_storage', to, 'latest', { keys: { numbers: [0] } });

    expect(storage.unnamedCount).toBe(1);
    const numbers = storage.variables.find(({ name }) => name === 'numbers');
    expect(numbers).toMatchObject({ hasUnknownKeys: true, items: [{ name: '[0]' }, { name: '[7]' }] });
  });

  it.each([
    [{ missing: [1] }, 'page.keys.missing', 'the full name of a mapping of the contract'],
    [{ plain: [1] }, 'page.keys.plain', 'the full name of a mapping of the contract'],
    [{ numbers: [-1] }, 'page.keys.numbers[0][0]', 'a key of type uint256'],
    [{ numbers: [1, 'one'] }, 'page.keys.numbers[1][0]', 'a key of type uint256'],
    [{ numbers: [[1, 2]] }, 'page.keys.numbers[0]', 'at most 1 key'],
    [{ allowances: [['0x12', 3]] }, 'page.keys.allowances[0][0]', 'a key of type address'],
    [{ allowances: [[OWNER, 256]] }, 'page.keys.allowances[0][1]', 'a key of type uint8'],
    [{ colors: ['Blue'] }, 'page.keys.colors[0][0]', 'Red, Green'],
    [{ bySelector: ['0x1234'] }, 'page.keys.bySelector[0][0]', 'a key of type bytes4'],
    [{ flags: ['yes'] }, 'page.keys.flags[0][0]', 'a key of type bool'],
    [{ signed: [32768] }, 'page.keys.signed[0][0]', 'a key of type int16'],
    [{ byName: [7] }, 'page.keys.byName[0][0]', 'a key of type string'],
    [{ numbers: 5 }, 'page.keys.numbers', 'an array of at most 1000 keys'],
    [{ numbers: new Array(1001).fill(1) }, 'page.keys.numbers', 'an array of at most 1000 keys'],
    [{ numbers: [{}] }, 'page.keys.numbers[0]', 'a key: a string, a number, true or false'],
  ])('inspect_storage rejects the keys %j', async (keys, path, expected) => {
    await expect(call(fork, 'inspect_storage', to, 'latest', { keys })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(
        new RegExp(`params: ${path.replaceAll(/[[\].]/g, '\\$&')}: .*${expected}`),
      ),
    });
  });
});
