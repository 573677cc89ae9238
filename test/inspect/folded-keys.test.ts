// Names of mapping entries whose slots are constants in optimized code.

import { createRequire } from 'node:module';
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  toHex,
} from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

/** The slot of a mapping entry. */
function entry(type: string, key: unknown, slot: Hex): Hex {
  return keccak256(encodeAbiParameters(parseAbiParameters(`${type}, bytes32`), [key as never, slot]));
}

const slotOf = (number: number): Hex => toHex(number, { size: 32 });
const plus = (slot: Hex, number: bigint): Hex => toHex(BigInt(slot) + number, { size: 32 });

const WHO = '0x00000000000000000000000000000000000A11cE';
const STRANGER = '0x1234567890123456789012345678901234567890';
const MINTER = keccak256(toHex('MINTER'));
const PAIR = entry('uint256', 3n, slotOf(3));
const LIST = plus(PAIR, 1n);

/** The variables, with the slots that are constants in the code. */
const WRITES: readonly (readonly [variable: string | null, slot: Hex])[] = [
  [
    'balances[0x000000000000000000000000000000000000dEaD]',
    entry('address', '0x000000000000000000000000000000000000dEaD', slotOf(0)),
  ],
  [
    'balances[0x0000000000000000000000000000000000000001]',
    entry('address', '0x0000000000000000000000000000000000000001', slotOf(0)),
  ],
  [`nested[${WHO}][7]`, entry('uint256', 7n, entry('address', WHO, slotOf(1)))],
  [`roles[${MINTER}][${WHO}]`, entry('address', WHO, entry('bytes32', MINTER, slotOf(2)))],
  ['pairs[3].amount', PAIR],
  ['pairs[3].list.length', LIST],
  ['pairs[3].list[1]', plus(keccak256(LIST), 1n)],
  ['offsets[-5]', entry('int256', -5n, slotOf(4))],
  // The key of this entry is unknown.
  [null, entry('address', STRANGER, slotOf(0))],
];

const SOURCE = `
pragma solidity ^0.8.28;
contract Folded {
  mapping(address => uint256) balances;
  mapping(address => mapping(uint256 => uint256)) nested;
  mapping(bytes32 => mapping(address => uint256)) roles;
  struct Pair { uint256 amount; uint256[] list; }
  mapping(uint256 => Pair) pairs;
  mapping(int256 => uint256) offsets;
  function minter() external pure returns (bytes32) { return keccak256("MINTER"); }
  function fill(address, int256) external { assembly { ${WRITES.map(([, slot]) => `sstore(${slot}, 9)`).join(' ')} } }
}`;

const input = {
  language: 'Solidity',
  sources: { 'Folded.sol': { content: SOURCE } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    outputSelection: {
      '*': { '*': ['abi', 'storageLayout', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
    },
  },
};

interface Change {
  readonly variable: string | null;
  readonly slot: string;
  readonly after: string;
}

describe('mapping entries with constant slots', () => {
  let harness: RpcHarness;
  let to: string;
  let changes: readonly Change[];

  beforeAll(async () => {
    const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
      readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
      readonly contracts: Readonly<Record<string, Record<string, { evm: { bytecode: { object: string } } }>>>;
    };
    expect((output.errors ?? []).filter(({ severity }) => severity === 'error')).toEqual([]);
    harness = await createRpcHarness({}, { ruleSet: 'prague' });
    await harness.call('inspect_addArtifacts', [input, output]);
    const [from] = (await harness.call('eth_accounts')) as string[];
    const data = `0x${output.contracts['Folded.sol']?.Folded?.evm.bytecode.object}`;
    const creation = await harness.call('eth_sendTransaction', [{ from, gas: '0x4c4b40', data }]);
    const receipt = (await harness.call('eth_getTransactionReceipt', [creation])) as {
      contractAddress: string;
    };
    to = receipt.contractAddress;
    const fill = encodeFunctionData({
      abi: parseAbi(['function fill(address, int256) external']),
      args: [WHO, -5n],
    });
    const hash = await harness.call('eth_sendTransaction', [{ from, to, gas: '0x4c4b40', data: fill }]);
    const inspected = (await harness.call('inspect_transaction', [hash])) as {
      changes: { storage: readonly Change[] };
    };
    changes = inspected.changes.storage;
  });

  it('changes are named by arguments, constants, small numbers and well-known addresses', () => {
    // The list has a change of its length and of its item.
    expect(changes.map(({ variable }) => variable)).toEqual(WRITES.map(([variable]) => variable));
    expect(changes.at(-1)).toMatchObject({ slot: WRITES.at(-1)?.[1] });
  });

  it('inspect_storage names the entries with known keys', async () => {
    const storage = (await harness.call('inspect_storage', [to])) as {
      variables: { name: string; items: { variable?: string; name?: string }[] | null }[];
      unnamedCount: number;
    };
    expect(storage.unnamedCount).toBe(1);
    expect(JSON.stringify(storage.variables)).toContain('0x000000000000000000000000000000000000dEaD');
  });
});
