// The variables of functions at each statement, read from the stack of code compiled by solc without
// optimizer.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Abi, encodeFunctionData } from 'viem';
import { describe, expect, it } from 'vitest';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
const SOURCE = readFileSync(new URL('Variables.sol', import.meta.url), 'utf8');
const LINES = SOURCE.split('\n');
const GAS = '0x4c4b40';

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly value: string | boolean | readonly Variable[];
}

interface Steps {
  readonly count: number;
  readonly statements: readonly (readonly [number, number, number, number])[];
  readonly steps: readonly { readonly index: number; readonly variables?: readonly Variable[] | null }[];
}

/** Formats values like the marks of the source. */
function textOf(value: Variable['value']): string {
  if (typeof value !== 'object') return String(value).replaceAll(' ', '~');
  return `[${value.map(({ name, value: inner }) => `${name === '' ? '' : `${name}:`}${textOf(inner)}`).join(',')}]`;
}

const OUTPUTS = new Map<string, ReturnType<typeof compile>>();

function compiled(settings: object, ast = true): ReturnType<typeof compile> {
  const key = JSON.stringify([settings, ast]);
  const known = OUTPUTS.get(key) ?? compile(settings, ast);
  OUTPUTS.set(key, known);
  return known;
}

function compile(settings: object, ast: boolean) {
  const input = {
    language: 'Solidity',
    sources: { 'Variables.sol': { content: SOURCE } },
    settings: {
      ...settings,
      evmVersion: 'cancun',
      outputSelection: {
        '*': {
          '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'metadata'],
          ...(ast ? { '': ['ast'] } : {}),
        },
      },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === 'error');
  expect(errors).toEqual([]);
  return { input, output };
}

async function deployed(settings: object, ast = true) {
  const { input, output } = compiled(settings, ast);
  const { call } = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
  await call('inspect_addArtifacts', [{ ...input, solcVersion: '0.8.30' }, output]);
  const [from] = (await call('eth_accounts')) as [string];
  const { abi, evm } = output.contracts['Variables.sol'].Variables as {
    abi: Abi;
    evm: { bytecode: { object: string } };
  };
  const send = (fields: object) =>
    call('eth_sendTransaction', [{ from, gas: GAS, ...fields }]) as Promise<string>;
  // The constructor takes (uint256 7, "hello").
  const words = ['7', '40', '5'].map((word) => word.padStart(64, '0'));
  const creation = await send({
    data: `0x${evm.bytecode.object}${words.join('')}${'68656c6c6f'.padEnd(64, '0')}`,
  });
  const receipt = (await call('eth_getTransactionReceipt', [creation])) as { contractAddress: string };
  const invoke = (functionName: string, args: readonly unknown[]) =>
    send({ to: receipt.contractAddress, data: encodeFunctionData({ abi, functionName, args }) });
  /** Resolves to the variables at each step of a transaction. */
  const variablesOf = async (hash: string) => {
    const first = (await call('inspect_steps', [hash, { count: 0 }])) as Steps;
    const all: (readonly Variable[] | null)[] = [];
    for (let start = 0; start < first.count; start += 500) {
      const page = (await call('inspect_steps', [
        hash,
        { first: start, count: 500, variables: true },
      ])) as Steps;
      for (const { variables } of page.steps)
        all.push(variables === undefined ? (all.at(-1) ?? null) : variables);
    }
    return { statements: first.statements, all };
  };
  return { creation, invoke, variablesOf };
}

/** Returns the variables at the first step of the marked statements, and the marks. */
function marked({
  statements,
  all,
}: {
  statements: Steps['statements'];
  all: readonly (readonly Variable[] | null)[];
}) {
  const seen: string[] = [];
  const expected: string[] = [];
  for (const [first, , file, line] of statements) {
    const mark = /\/\/ @see (.*)$/.exec(LINES[line - 1] ?? '')?.[1];
    if (file < 0 || mark === undefined) continue;
    const names = mark.split(' ').map((part) => part.split('=')[0]);
    const there = all[first] ?? [];
    seen.push(
      `${line}: ${names.map((name) => `${name}=${textOf(there.find((one) => one.name === name)?.value ?? 'none')}`).join(' ')}`,
    );
    expected.push(`${line}: ${mark}`);
  }
  return { seen, expected };
}

const CALLS: readonly (readonly [string, readonly unknown[]])[] = [
  ['values', [5n, -3, true, '0x000000000000000000000000000000000000dEaD', '0x12345678']],
  ['references', ['text', '0xabcdef', [1n, 2n, 3n]]],
  ['blocks', [3n]],
  ['modified', [9n]],
  ['attached', [4n]],
  ['caught', []],
  ['converted', ['words', 8]],
  [
    'nested',
    [
      ['one', 'two'],
      [
        {
          amount: 5n,
          owner: '0x000000000000000000000000000000000000dEaD',
          inner: { small: 6, name: 'deep' },
          pair: [7, 8],
        },
      ],
      [
        [1n, 2n],
        [3n, 4n],
      ],
    ],
  ],
];

describe('local variables', () => {
  it.each(CALLS)(
    'the variables equal the marks of the source at each statement of %s',
    async (name, args) => {
      const { invoke, variablesOf } = await deployed({});
      const { seen, expected } = marked(await variablesOf(await invoke(name, args)));
      expect(expected.length).toBeGreaterThan(0);
      expect(seen).toEqual(expected);
    },
  );

  it('the result contains the variables of the innermost call in a recursion', async () => {
    const { invoke, variablesOf } = await deployed({});
    const { statements, all } = await variablesOf(await invoke('recursive', [2n]));
    const line = LINES.findIndex((text) => text.includes('total = reached')) + 1;
    const seen = statements
      .filter(([, , , at]) => at === line)
      .map(([first]) => (all[first] ?? []).map(({ name, value }) => `${name}=${textOf(value)}`).join(' '));
    // The compiler returns to the statement after its own checks.
    expect([...new Set(seen)]).toEqual(['depth=1 reached=2 next=0', 'depth=2 reached=3 next=1']);
  });

  it('the variables of constructors are returned', async () => {
    const { creation, variablesOf } = await deployed({});
    const { seen, expected } = marked(await variablesOf(creation));
    expect(expected.length).toBeGreaterThan(0);
    expect(seen).toEqual(expected);
  });

  it('the variables are unknown without a syntax tree', async () => {
    const { invoke, variablesOf } = await deployed({}, false);
    const { all } = await variablesOf(await invoke('recursive', [2n]));
    expect(all.every((variables) => variables === null)).toBe(true);
  });
});

const NOT_AVAILABLE = textOf('<not available: optimized>');

/** Compares the variables with the marks, in all calls. Each call runs on a new contract. */
async function compared(settings: object): Promise<{ known: number; shown: number; wrong: unknown[] }> {
  let [known, shown] = [0, 0];
  const wrong: unknown[] = [];
  for (const call of [null, ...CALLS]) {
    const { creation, invoke, variablesOf } = await deployed(settings);
    const { statements, all } = await variablesOf(call === null ? creation : await invoke(...call));
    for (const [first, , file, line] of statements) {
      const mark = /\/\/ @see (.*)$/.exec(LINES[line - 1] ?? '')?.[1];
      if (file < 0 || mark === undefined) continue;
      for (const [name = '', value = ''] of mark.split(' ').map((part) => part.split('='))) {
        const found = (all[first] ?? []).filter((one) => one.name === name).map((one) => textOf(one.value));
        if (value === 'none' && found.length === 0) continue;
        known++;
        if (found.length === 1 && found[0] === value) shown++;
        else if (found.some((text) => text !== NOT_AVAILABLE)) wrong.push([line, name, value, found]);
      }
    }
  }
  return { known, shown, wrong };
}

describe('variables with known values', () => {
  it.each([
    ['without the optimizer', {}, 107, 107],
    ['with the optimizer', { optimizer: { enabled: true } }, 141, 34],
    ['with the IR pipeline', { viaIR: true }, 317, 82],
    ['with both', { viaIR: true, optimizer: { enabled: true } }, 49, 19],
  ])('none of the shown values is wrong %s', async (_, settings, known, shown) => {
    expect(await compared(settings)).toEqual({ known, shown, wrong: [] });
  });
});
