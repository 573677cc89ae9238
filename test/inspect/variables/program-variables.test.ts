// The variables that ETHDebug programs describe. No compiler writes them yet, so the programs are written by
// hand from the documentation of the format.

import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';

const ADDRESS = '0x00000000000000000000000000000000000c0de0';
const uint = { kind: 'uint', bits: 256 };

type Shown = Record<string, unknown>;

/** Runs the code, and returns the variables before each opcode by name; `null` if they are unchanged. */
async function variablesOf(code: string, program: object, data = '0x'): Promise<(Shown | null)[]> {
  const { call } = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
  const output = {
    contracts: {
      'A.sol': { A: { abi: [], evm: { deployedBytecode: { object: code, ethdebug: program } } } },
    },
    sources: { 'A.sol': { id: 0 } },
  };
  await call('inspect_addArtifacts', [
    { language: 'Solidity', sources: { 'A.sol': { content: 'contract A {}' } } },
    output,
  ]);
  await call('hardhat_setCode', [ADDRESS, `0x${code}`]);
  await call('hardhat_setStorageAt', [ADDRESS, '0x0', `0x${'29'.padStart(64, '0')}`]);
  const [from] = (await call('eth_accounts')) as string[];
  const hash = await call('eth_sendTransaction', [{ from, to: ADDRESS, gas: '0x186a0', data }]);
  const { steps } = (await call('inspect_steps', [hash, { variables: true }])) as {
    steps: readonly { variables?: readonly { name: string; type: string; value: unknown }[] }[];
  };
  return steps.map(({ variables }) =>
    variables === undefined
      ? null
      : Object.fromEntries(variables.map(({ name, type, value }) => [`${type} ${name}`, value])),
  );
}

const on = (location: string, fields: object): object => ({ location, ...fields });

describe('variables of ETHDebug programs', () => {
  it('variables equal the documented incrementer after each instruction', async () => {
    const stored = { identifier: 'storedValue', type: uint, pointer: on('storage', { slot: 0 }) };
    const local = (slot: number) => ({
      identifier: 'localValue',
      type: uint,
      pointer: on('stack', { slot }),
    });
    const at = (offset: number, ...variables: object[]) => ({ offset, context: { variables } });
    const shown = await variablesOf('5f546001015f5500', {
      contract: { name: 'A', definition: { source: { id: 0 } } },
      environment: 'call',
      context: { variables: [stored] },
      instructions: [
        at(0, stored),
        at(1, stored, local(0)),
        at(2, stored, local(1)),
        at(4, stored),
        at(5, stored),
        at(6, stored),
      ],
    });
    expect(shown).toEqual([
      { 'uint256 storedValue': '41' }, // PUSH0
      null, // SLOAD
      { 'uint256 storedValue': '41', 'uint256 localValue': '41' }, // PUSH1
      null, // ADD
      { 'uint256 storedValue': '41' }, // PUSH0
      null, // SSTORE
      { 'uint256 storedValue': '42' }, // STOP
    ]);
  });

  it('variables are read from all locations by computed pointers in any context', async () => {
    // Stores a length and a string in memory. Their memory index is on the stack.
    const code = '600360805267686579000000000060c01b60a052608000';
    const text = {
      group: [
        { name: 'place', ...on('stack', { slot: 0 }) },
        { name: 'size', ...on('memory', { offset: { $read: 'place' }, length: '$wordsize' }) },
        on('memory', { offset: { $sum: [{ $read: 'place' }, '0x20'] }, length: { $read: 'size' } }),
      ],
    };
    const variables = [
      { identifier: 'text', type: { kind: 'string' }, pointer: text },
      {
        identifier: 'data',
        type: { kind: 'bytes', size: 4 },
        pointer: on('calldata', { offset: 0, length: 4 }),
      },
      {
        identifier: 'color',
        type: { kind: 'enum', values: ['red', 'green'], definition: { name: 'Color' } },
        pointer: on('calldata', { offset: 4, length: 1 }),
      },
      {
        identifier: 'flag',
        type: { kind: 'bool' },
        pointer: on('storage', { slot: { $quotient: [7, 8] }, offset: 31, length: 1 }),
      },
      {
        identifier: 'small',
        type: { kind: 'int', bits: 8 },
        pointer: on('calldata', { offset: 5, length: 1 }),
      },
      { identifier: 'gone', type: uint },
      { identifier: 'deep', type: uint, pointer: on('stack', { slot: 5 }) },
      { identifier: 'hashed', type: uint, pointer: on('storage', { slot: { $keccak256: ['0x00'] } }) },
    ];
    const gather = [{ frame: 'ir', variables: [{ identifier: 'ir' }] }, { variables }];
    const instructions = [{ offset: code.length / 2 - 3, context: { gather } }];
    const shown = await variablesOf(code, { instructions }, '0xdeadbeef01ff');
    expect(shown.at(-1)).toEqual({
      'string text': 'hey',
      'bytes4 data': '0xdeadbeef',
      'enum Color color': 'green',
      'bool flag': true,
      'int8 small': '-1',
      'uint256 gone': '<not available: optimized>',
      'uint256 deep': 'unknown',
      'uint256 hashed': 'unknown',
    });
  });

  it('variables are unknown if regions refer to each other too often', async () => {
    const level = (name: string, of: string) => ({
      name,
      ...on('stack', { slot: { $sum: Array(16).fill({ '.slot': of }) } }),
    });
    const levels = Array.from({ length: 12 }, (_, index) => level(`r${index + 1}`, `r${index}`));
    const group = [{ name: 'r0', ...on('stack', { slot: 0 }) }, ...levels];
    const variables = [{ identifier: 'x', type: uint, pointer: { group } }];
    const shown = await variablesOf('600000', { instructions: [{ offset: 0, context: { variables } }] });
    expect(shown).toEqual([{}, { 'uint256 x': 'unknown' }]);
  });
});
