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

  it('returns the same opcodes as the struct logs', async () => {
    const { count, steps } = await ask({ first: 0, count: 2000, memory: true });
    expect(count).toBe(structLogs.length);
    expect(
      steps.map(({ pc, op, gas, gasCost, stack, memory }) => ({ pc, op, gas, gasCost, stack, memory })),
    ).toEqual(
      structLogs.map(({ pc, op, gas, gasCost, stack, memory }) => ({ pc, op, gas, gasCost, stack, memory })),
    );
  });

  it('omits the outline of the transaction on request', async () => {
    const whole = await ask({ first: 7, count: 5 });
    const { statements, frames, files, ...rest } = whole;
    expect(statements.length * frames.length * files.length).toBeGreaterThan(0);
    expect(await ask({ first: 7, count: 5, outline: false })).toEqual(rest);
  });

  it('returns the same steps in pages, with the slots touched earlier', async () => {
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

  it('returns the executed source lines and the failing opcode', async () => {
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
  ])('inspect_steps rejects %j and reports the member', async (page, name) => {
    await expect(ask(page)).rejects.toThrow(name);
  });
});

describe('inspect_steps of failing frames', () => {
  const OUTER = `0x${'0a'.repeat(20)}`;
  const INNER = `0x${'0b'.repeat(20)}`;
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const store = (slot: number, value: number): string =>
    `60${value.toString(16).padStart(2, '0')}60${slot.toString(16).padStart(2, '0')}55`;
  /** Runs the code of the inner account on the storage of the outer one. */
  const delegate = `5f5f5f5f73${INNER.slice(2)}620186a0f450`;

  type FailingStep = Step & {
    readonly undone?: readonly (readonly [string, string, string])[];
    readonly error?: string;
    readonly slotBefore?: string;
  };

  async function stepsOf(
    innerEnd: string,
    ask: (count: number) => readonly object[] = (count) => [{ first: 0, count }],
  ): Promise<{ steps: FailingStep[]; storage: unknown }[]> {
    const { call } = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
    const [from] = (await call('eth_accounts')) as string[];
    const inner = `${store(1, 9)}${store(2, 8)}${store(1, 10)}${innerEnd}`;
    await call('anvil_setCode', [INNER, `0x${inner}`]);
    await call('anvil_setCode', [OUTER, `0x${store(1, 7)}${delegate}600154${store(3, 1)}00`]);
    const hash = await call('eth_sendTransaction', [{ from, to: OUTER, gas: GAS }]);
    const { count } = (await call('inspect_steps', [hash, {}])) as { count: number };
    const pages: { steps: FailingStep[]; storage: unknown }[] = [];
    for (const page of ask(count))
      pages.push((await call('inspect_steps', [hash, page])) as (typeof pages)[number]);
    return pages;
  }

  const undone = [
    [OUTER, word(2), word(0)],
    [OUTER, word(1), word(7)],
  ];

  it.each([
    ['reverts', '5f5ffd', 'REVERT'],
    ['halts', 'fe', 'INVALID'],
  ])('the step after a frame that %s lists the reverted slots', async (_, end, op) => {
    const [page] = await stepsOf(end);
    const steps = page?.steps ?? [];
    const last = steps.findIndex((step) => step.op === op);
    expect(steps.filter((step) => step.undone !== undefined)).toEqual([steps[last + 1]]);
    expect(steps[last + 1]?.undone).toEqual(undone);
    expect(steps[last + 1]?.op).toBe('POP');
    const writes = steps.filter((step) => step.op === 'SSTORE');
    expect(writes.map(({ slot, slotBefore }) => [...(slot ?? []), slotBefore])).toEqual(
      [
        [1, 7, 0],
        [1, 9, 7],
        [2, 8, 0],
        [1, 10, 9],
        [3, 1, 0],
      ].map((numbers) => numbers.map(word)),
    );
    expect(steps.find((step) => step.op === 'SLOAD')?.slot).toEqual([word(1), word(7)]);
    expect(steps.filter((step) => step.error !== undefined).map(({ index }) => index)).toEqual(
      op === 'INVALID' ? [last] : [],
    );
  });

  it('the step after a successful frame lists no reverted slots', async () => {
    const [page] = await stepsOf('00');
    expect(page?.steps.filter((step) => step.undone !== undefined)).toEqual([]);
    expect(page?.steps.find((step) => step.op === 'SLOAD')?.slot).toEqual([word(1), word(10)]);
  });

  it('each page has the same steps, with the slots before it', async () => {
    const pages = await stepsOf('fe', (count) => [
      { first: 0, count },
      ...Array.from({ length: count }, (_, first) => ({ first, count: 1 })),
    ]);
    const [whole, ...single] = pages;
    expect(single.flatMap(({ steps }) => steps)).toEqual(whole?.steps);
    const after = (whole?.steps ?? []).findIndex((step) => step.undone !== undefined);
    const slots = (values: readonly (readonly [number, number])[]): unknown => ({
      [OUTER]: values.map((pair) => pair.map(word)),
    });
    expect(single[after - 1]?.storage).toEqual(
      slots([
        [2, 8],
        [1, 10],
      ]),
    );
    expect(single[after + 1]?.storage).toEqual(
      slots([
        [2, 0],
        [1, 7],
      ]),
    );
  });
});

describe('the targets of inspect_steps', () => {
  const data = encodeFunctionData({ abi, functionName: 'withdraw', args: [5n] });

  async function deployed() {
    const { call } = await createRpcHarness({ compat: 'service' }, { ruleSet: 'prague' });
    await call('inspect_addArtifacts', [input, output]);
    const [from] = (await call('eth_accounts')) as string[];
    const send = (fields: object) => call('eth_sendTransaction', [{ from, gas: GAS, ...fields }]);
    const creation = await send({ data: `0x${evm.bytecode.object}` });
    const { contractAddress: to } = (await call('eth_getTransactionReceipt', [creation])) as {
      contractAddress: string;
    };
    const steps = async (target: unknown) =>
      (await call('inspect_steps', [target, { count: 2000 }])) as Steps;
    return { call, send, steps, from, to };
  }

  it('returns the steps of a failed call by number, also after the chain has changed', async () => {
    const { call, send, steps, from, to } = await deployed();
    const snapshot = await call('evm_snapshot');
    const mined = await steps(await send({ to, data }));
    await call('evm_revert', [snapshot]);
    await call('eth_call', [{ from, to, data, gas: GAS }, 'latest']).catch(() => null);
    await call('anvil_setCode', [to, '0x00']);
    const failed = await steps(2);
    expect(failed.statements).toEqual(mined.statements);
    expect(failed.steps.map(({ op }) => op)).toEqual(mined.steps.map(({ op }) => op));
    expect(failed.failedAt).toBe(mined.failedAt);
    for (const target of ['0x2', { failure: 2 }, { failure: '0x2' }, { failure: 'last' }])
      expect(await steps(target)).toEqual(failed);
    expect((await steps(1)).statements).toEqual(mined.statements);
  });

  it('returns the steps of an estimate', async () => {
    const { call, steps, from, to } = await deployed();
    await call('eth_estimateGas', [{ from, to, data }, 'latest']).catch(() => null);
    const { files, steps: all, failedAt } = await steps({ failure: 'last' });
    expect(files).toEqual([{ name: 'Proxies.sol' }]);
    expect(all[failedAt ?? -1]?.op).toBe('REVERT');
  });

  it('returns the steps of a call with a block and overrides', async () => {
    const { call, steps, from, to } = await deployed();
    const block = await call('eth_blockNumber');
    await call('evm_mine');
    await call('anvil_setCode', [to, '0x00']);
    const target = { call: { from, to, data }, block };
    expect((await steps(target)).failedAt).not.toBeNull();
    expect((await steps({ call: { from, to, data } })).count).toBe(1);
    const stateOverrides = { [to]: { code: '0x5f5f00' } };
    expect((await steps({ ...target, stateOverrides })).count).toBe(3);
    const push = { ...target, stateOverrides, hardfork: 'london' };
    expect((await steps(push)).count).toBe(1);
  });

  it('reports that a failure is unknown', async () => {
    const { steps } = await deployed();
    await expect(steps(7)).rejects.toMatchObject({
      code: -32000,
      message: 'failure 7 not found: the number of failures is 0',
    });
  });

  it.each([
    [0, 'target: expected a transaction hash, the number of a failure'],
    ['0x12', 'failure 18 not found'],
    ['0xzz', 'target: expected a transaction hash'],
    [{}, 'target: expected a transaction hash'],
    [{ failure: 'first' }, 'target.failure: expected the number of a failure, from 1, or "last"'],
    [{ failure: 1, block: 'latest' }, 'target.block: expected no value'],
    [{ failure: 1, call: {} }, 'target.call: expected no value'],
    [{ block: 'latest' }, 'target: expected a transaction hash'],
    [{ call: {}, blok: '0x1' }, 'target.blok: expected no key with this name'],
  ])('rejects the target %j', async (target, message) => {
    const { steps } = await deployed();
    await expect(steps(target)).rejects.toThrow(message);
  });
});
