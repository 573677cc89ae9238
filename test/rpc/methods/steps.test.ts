import { readFileSync } from 'node:fs';
import { encodeFunctionData } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpcHarness } from '../rpc-harness.ts';

const run = new URL('../../../fixtures/projects/solc/0.8.28/', import.meta.url);
const input = JSON.parse(readFileSync(new URL('input.json', run), 'utf8'));
const output = JSON.parse(readFileSync(new URL('output.json', run), 'utf8'));
const { abi, evm } = output.contracts['Proxies.sol'].Safe;
const lines: readonly string[] = input.sources['Proxies.sol'].content.split('\n');
const GAS = '0x4c4b40';

interface Step {
  readonly index: number;
  readonly frame: number;
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly stack: readonly string[];
  readonly memory?: readonly string[];
  readonly slot?: readonly [string, string];
}

interface Steps {
  readonly count: number;
  readonly statements: readonly (readonly [number, number, number, number])[];
  readonly frames: readonly { readonly type: string; readonly contract: string | null }[];
  readonly files: readonly { readonly name: string; readonly content?: string }[];
  readonly steps: readonly Step[];
  readonly storage: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  readonly storageLimit: number;
  readonly failedAt: number | null;
}

describe('inspect_steps', () => {
  let ask: (page?: object) => Promise<Steps>;
  let structLogs: readonly Omit<Step, 'index' | 'frame'>[];

  beforeAll(async () => {
    const { call } = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
    await call('inspect_addArtifacts', [input, output]);
    const [from] = (await call('eth_accounts')) as string[];
    const send = (fields: object) => call('eth_sendTransaction', [{ from, gas: GAS, ...fields }]);
    const creation = await send({ data: `0x${evm.bytecode.object}` });
    const { contractAddress: to } = (await call('eth_getTransactionReceipt', [creation])) as {
      contractAddress: string;
    };
    const hash = await send({ to, data: encodeFunctionData({ abi, functionName: 'withdraw', args: [5n] }) });
    ask = async (page) =>
      (await call('inspect_steps', [hash, ...(page === undefined ? [] : [page])])) as Steps;
    const trace = (await call('debug_traceTransaction', [hash, { enableMemory: true }])) as {
      structLogs: typeof structLogs;
    };
    structLogs = trace.structLogs;
  });

  it('has the opcodes that the struct logs have', async () => {
    const { count, steps } = await ask({ first: 0, count: 2000, memory: true });
    expect(count).toBe(structLogs.length);
    expect(
      steps.map(({ pc, op, gas, gasCost, stack, memory }) => ({ pc, op, gas, gasCost, stack, memory })),
    ).toEqual(
      structLogs.map(({ pc, op, gas, gasCost, stack, memory }) => ({ pc, op, gas, gasCost, stack, memory })),
    );
  });

  it('leaves out what is told of the whole transaction in pages after the first question', async () => {
    const whole = await ask({ first: 7, count: 5 });
    const { statements, frames, files, ...rest } = whole;
    expect(statements.length * frames.length * files.length).toBeGreaterThan(0);
    expect(await ask({ first: 7, count: 5, outline: false })).toEqual(rest);
  });

  it('gives the same steps page by page, and what was touched before', async () => {
    const { steps: all, count } = await ask({ count: 2000 });
    const paged: Step[] = [];
    for (let first = 0; first < count; first += 50) paged.push(...(await ask({ first, count: 50 })).steps);
    expect(paged).toEqual(all);
    const load = all.find(({ op }) => op === 'SLOAD');
    expect(load?.slot).toBeDefined();
    const { storage, storageLimit } = await ask({ first: (load?.index ?? 0) + 1, count: 1 });
    expect(Object.values(storage)).toEqual([[load?.slot]]);
    expect(storageLimit).toBe(1_000);
  });

  it('names the lines of the source that ran, and the opcode that failed', async () => {
    const { statements, files, frames, failedAt, steps } = await ask({ count: 2000 });
    expect(files).toEqual([{ name: 'Proxies.sol' }]);
    const { files: whole } = await ask({ count: 0, sources: true });
    expect(whole).toEqual([{ name: 'Proxies.sol', content: lines.join('\n') }]);
    expect(frames).toMatchObject([{ type: 'CALL', contract: 'Safe' }]);
    const ran = statements.filter(([, , file]) => file === 0).map(([, , , line]) => lines[line - 1] ?? '');
    expect(ran.some((line) => line.includes('function withdraw'))).toBe(true);
    expect(ran.some((line) => line.includes('TooMuch'))).toBe(true);
    expect(steps[failedAt ?? -1]?.op).toBe('REVERT');
    expect(
      statements.every(([first], index) => index === 0 || first > (statements[index - 1]?.[0] ?? 0)),
    ).toBe(true);
  });

  it.each([
    [{ count: 2001 }, 'count'],
    [{ first: -1 }, 'first'],
    [{ last: 1 }, 'last'],
  ])('refuses %j by the name of the parameter', async (page, name) => {
    await expect(ask(page)).rejects.toThrow(name);
  });
});
