// A chain with the contracts of Evaluated.sol, and the steps of its marked statements.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem';
import { expect } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';

const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
const GAS = '0x4c4b40';

export interface Compiled {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: {
    readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>;
  };
  readonly lines: readonly string[];
  readonly file: string;
}

interface CompiledContract {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { readonly object: string } };
}

export interface Evaluated {
  readonly type: string;
  readonly value: unknown;
  readonly raw?: string;
  readonly hasMore?: true;
  readonly hasUnknownKeys?: true;
}

/** Compiles a source text with syntax trees, unless `ast` is false. */
export function compiled(file: string, content: string, settings: object = {}, ast = true): Compiled {
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      evmVersion: 'cancun',
      ...settings,
      outputSelection: {
        '*': {
          '*': ['abi', 'storageLayout', 'evm.bytecode', 'evm.deployedBytecode', 'metadata'],
          ...(ast ? { '': ['ast'] } : {}),
        },
      },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === 'error');
  expect(errors).toEqual([]);
  return { input: { ...input, solcVersion: '0.8.30' }, output, lines: content.split('\n'), file };
}

export function compiledFile(settings: object = {}, ast = true): Compiled {
  const content = readFileSync(new URL('Evaluated.sol', import.meta.url), 'utf8');
  return compiled('Evaluated.sol', content, settings, ast);
}

/** A new chain that knows the contracts. */
export async function sceneOf(project: Compiled, ruleSet: 'cancun' | 'prague' | 'rootstock' = 'cancun') {
  return sceneOn(await createRpcHarness({ compat: 'service' }, { ruleSet }), project);
}

/** An existing chain that gets the contracts. */
export async function sceneOn({ call }: Pick<RpcHarness, 'call'>, { input, output, lines, file }: Compiled) {
  await call('inspect_addArtifacts', [input, output]);
  const [from] = (await call('eth_accounts')) as [string];
  const send = (fields: object) =>
    call('eth_sendTransaction', [{ from, gas: GAS, ...fields }]) as Promise<string>;
  const contractNamed = (name: string): CompiledContract => {
    const contract = output.contracts[file]?.[name];
    if (contract === undefined) throw new Error(`${name} was not compiled`);
    return contract;
  };
  const deploy = async (name: string, args: readonly unknown[] = [], value = '0x0') => {
    const { abi, evm } = contractNamed(name);
    const data = encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object.replace(/^0x/, '')}`, args });
    const hash = await send({ data, value });
    const { contractAddress, status } = (await call('eth_getTransactionReceipt', [hash])) as {
      contractAddress: string;
      status: string;
    };
    expect(status).toBe('0x1');
    return { hash, address: contractAddress };
  };
  const invoke = (name: string, to: string, functionName: string, args: readonly unknown[], fields = {}) =>
    send({ to, data: encodeFunctionData({ abi: contractNamed(name).abi, functionName, args }), ...fields });
  const statementsOf = async (hash: string) => {
    const { statements } = (await call('inspect_steps', [hash, { count: 0 }])) as {
      statements: readonly (readonly [first: number, frame: number, file: number, line: number])[];
    };
    return statements;
  };
  /** Resolves to the first step of the statement with this mark. */
  const stepOf = async (hash: string, mark: string): Promise<number> => {
    const line = lines.findIndex((text) => text.includes(`// @step ${mark}`)) + 1;
    const statements = await statementsOf(hash);
    const found = statements.find(([, , fileIndex, at]) => fileIndex >= 0 && at === line);
    if (found === undefined) throw new Error(`no statement has the mark ${mark}`);
    return found[0];
  };
  const evaluate = (hash: string, step: number, expression: string) =>
    call('inspect_evaluate', [hash, `0x${step.toString(16)}`, expression]) as Promise<Evaluated>;
  return { call, from, send, deploy, invoke, statementsOf, stepOf, evaluate, lines };
}
