import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../artifacts/random-contracts.ts';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';
import { hexWord } from '../support/words.ts';
import { randomStorage } from './random-storage.ts';

const projects = new URL('../../fixtures/projects/', import.meta.url);
const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };

interface Compiled {
  readonly evm: { readonly bytecode: { readonly object: string } };
  storageLayout?: unknown;
  transientStorageLayout?: unknown;
}
interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>>;
}
interface Change {
  readonly account: { readonly address: string; readonly name: string | null };
  readonly contract: string | null;
  readonly variable: string | null;
  readonly type: string | null;
  readonly slot: string;
  readonly offset: number | null;
  readonly before: string | boolean;
  readonly after: string | boolean;
}
interface Inspected {
  readonly failure: unknown;
  readonly changes: {
    readonly storage: readonly Change[];
    readonly transientStorage: readonly Change[];
    readonly omittedSlots: number;
  };
}

function readRun(name: string): { readonly input: unknown; readonly output: Output } {
  const [input, output] = ['input', 'output'].map((each) =>
    JSON.parse(readFileSync(new URL(`solc/${name}/${each}.json`, projects), 'utf8')),
  );
  return { input, output };
}

/** A node with funded accounts. */
async function newNode() {
  const harness: RpcHarness = await createRpcHarness({}, { ruleSet: 'prague' });
  const [from = ''] = (await harness.call('eth_accounts')) as string[];
  const send = async (fields: object): Promise<string> =>
    (await harness.call('eth_sendTransaction', [{ from, gas: '0x1c9c380', ...fields }])) as string;
  const deploy = async (code: string): Promise<string> => {
    const receipt = (await harness.call('eth_getTransactionReceipt', [
      await send({ data: `0x${code}` }),
    ])) as { contractAddress: string; status: string };
    expect(receipt.status).toBe('0x1');
    return receipt.contractAddress;
  };
  const inspect = async (hash: string): Promise<Inspected> =>
    (await harness.call('inspect_transaction', [hash])) as Inspected;
  return { ...harness, from, send, deploy, inspect };
}

describe('storage changes of a transaction', () => {
  const EXPECTED = (from: string, self: string): Record<string, string | boolean> => ({
    low: '1',
    middle: '2',
    high: true,
    negative: '-3',
    selector: toFunctionSelector('fill()'),
    short: 'short',
    long: 'a text that is longer than thirty-one bytes',
    blob: '0x0102',
    'balances[0x0000000000000000000000000000000000001111]': '11',
    'nested[0x0000000000000000000000000000000000002222][5].amount': '22',
    'nested[0x0000000000000000000000000000000000002222][5].owner': `0x${'33'.padStart(40, '0')}`,
    'nested[0x0000000000000000000000000000000000002222][5].label': 'nested',
    'byName["key"]': '-44',
    'pair.amount': '55',
    'pair.owner': `0x${'66'.padStart(40, '0')}`,
    'pair.label': 'pair',
    'pairs.length': '2',
    'pairs[0].amount': '77',
    'pairs[0].owner': `0x${'88'.padStart(40, '0')}`,
    'pairs[0].label': 'first',
    'pairs[1].amount': '99',
    'pairs[1].owner': `0x${'AA'.padStart(40, '0')}`,
    'pairs[1].label': 'second',
    'packed.length': '3',
    'packed[0]': '1',
    'packed[1]': '2',
    'packed[2]': '3',
    'fixedPacked[0]': '4',
    'fixedPacked[1]': '5',
    'fixedPacked[2]': '6',
    'fixedPacked[3]': '7',
    'fixedPacked[4]': '8',
    'matrix.length': '1',
    'matrix[0][0]': '9',
    'matrix[0][1]': '10',
    callback: `${self}${toFunctionSelector('fill()').slice(2)}`,
    caller: from,
  });

  it.each([
    ['0.8.28', 'the compiler', true],
    ['0.8.28', 'the syntax tree', false],
    ['0.8.37-via-ir', 'the compiler', true],
  ])('changes of code from solc %s are named by the layout of %s', async (run, _origin, hasLayout) => {
    const { input, output } = readRun(run);
    const layouts = output.contracts['Layouts.sol']?.Layouts;
    if (layouts === undefined) throw new Error('no contract');
    if (!hasLayout) {
      delete layouts.storageLayout;
      delete layouts.transientStorageLayout;
    }
    const hasTree = run === '0.8.28';
    const node = await newNode();
    await node.call('inspect_addArtifacts', [input, output]);
    const object = layouts.evm.bytecode.object.replaceAll(/__\$\w{34}\$__/g, '00'.repeat(20));
    const to = await node.deploy(`${object}${hexWord(7n)}`);
    const { changes, failure } = await node.inspect(
      await node.send({ to, data: toFunctionSelector('fill()') }),
    );
    expect(failure).toBe(null);
    const found = Object.fromEntries(
      [...changes.storage, ...changes.transientStorage].map(({ variable, after }) => [
        variable,
        typeof after === 'string' ? after.toLowerCase() : after,
      ]),
    );
    const expected = { ...EXPECTED(node.from, to), color: hasTree ? 'Blue' : '2' };
    const lower = Object.entries(expected).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.toLowerCase() : value,
    ]);
    expect(found).toEqual(Object.fromEntries(lower));
    expect(changes.transientStorage).toMatchObject([
      { variable: 'caller', type: 'address', before: expect.any(String) },
    ]);
    expect(changes.storage[0]).toMatchObject({
      account: { address: to, name: 'Layouts' },
      contract: 'Layouts',
      variable: 'low',
      type: 'uint128',
      slot: '0x0',
      offset: 0,
      before: '0',
      after: '1',
    });
  });

  it.each([1, 2, 3, 4])('changes of random variables have their names and values (seed %i)', async (seed) => {
    const next = randomNumbers(seed);
    const made = Array.from({ length: 10 }, (_, index) => randomStorage(`R${index}`, next));
    const content = ['pragma solidity ^0.8.28;', 'interface IThing {}', ...made.map(({ source }) => source)];
    const isOptimized = seed % 2 === 0;
    const input = {
      language: 'Solidity',
      sources: { 'R.sol': { content: content.join('\n') } },
      settings: {
        optimizer: { enabled: isOptimized, runs: 200 },
        outputSelection: {
          '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'], '': ['ast'] },
        },
      },
    };
    const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
    const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
    expect(errors.map(({ formattedMessage }) => formattedMessage)).toEqual([]);
    const node = await newNode();
    await node.call('inspect_addArtifacts', [input, output, '0.8.28']);
    for (const [index, { expected, source }] of made.entries()) {
      const to = await node.deploy(output.contracts['R.sol']?.[`R${index}`]?.evm.bytecode.object ?? '');
      const { changes, failure } = await node.inspect(
        await node.send({ to, data: toFunctionSelector('fill()') }),
      );
      expect(failure).toBe(null);
      const found = Object.fromEntries(changes.storage.map(({ variable, after }) => [variable, after]));
      expect(found, source).toEqual(expected);
    }
  });
});
