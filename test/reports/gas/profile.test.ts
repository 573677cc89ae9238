import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNode } from '../../../src/index.ts';
import type { SpeedscopeFile, SpeedscopeProfile } from '../../../src/reports/profile/profile-forms.ts';
import { createRpcHarness } from '../../rpc/rpc-harness.ts';
import { startNode } from '../../support/node-process.ts';
import { BUILD, type GasReceipt, type Request, runScenario, Sender } from './gas-scenario.ts';
import { jsonRequest } from './json-request.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-cli-profile-'));

function gasOf(receipts: readonly GasReceipt[]): number {
  return Number(receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n));
}

function weightOf({ weights }: SpeedscopeProfile): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}

/** The stacks of a profile as text, with their weights. */
function stacksOf({ shared, profiles }: SpeedscopeFile, index: number): Map<string, number> {
  const { samples = [], weights = [] } = profiles[index] ?? {};
  return new Map(
    samples.map((stack, at) => [
      stack.map((frame) => shared.frames[frame]?.name).join(' > '),
      weights[at] ?? 0,
    ]),
  );
}

/** Checks the file against the speedscope schema of sampled profiles. */
function expectSpeedscope(file: SpeedscopeFile): void {
  expect(file.$schema).toBe('https://www.speedscope.app/file-format-schema.json');
  for (const frame of file.shared.frames) {
    expect(typeof frame.name).toBe('string');
    if (frame.line !== undefined) expect(Number.isInteger(frame.line) && frame.file !== undefined).toBe(true);
  }
  for (const { type, unit, name, startValue, endValue, samples, weights } of file.profiles) {
    expect({ type, unit, name: typeof name, startValue }).toEqual({
      type: 'sampled',
      unit: 'none',
      name: 'string',
      startValue: 0,
    });
    expect(samples).toHaveLength(weights.length);
    expect(weights.every((weight) => Number.isInteger(weight) && weight > 0)).toBe(true);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(endValue);
    const indexes = samples.flat();
    expect(indexes.every((frame) => Number.isInteger(frame) && file.shared.frames[frame] !== undefined)).toBe(
      true,
    );
  }
}

async function localRequest(options: Parameters<typeof createNode>[0]) {
  const node = await createNode({ artifacts: BUILD, ...options });
  const request: Request = (method, params = []) => node.request({ method, params });
  return { node, request };
}

describe('inspect_profile', () => {
  it('the weights equal the gas of the receipt for each kind of transaction', async () => {
    const { node, request } = await localRequest({});
    const { receipts } = await runScenario(request);
    for (const [index, { gasUsed }] of receipts.entries()) {
      const { transactions } = (await request('eth_getBlockByNumber', [
        `0x${(index + 1).toString(16)}`,
        false,
      ])) as { transactions: string[] };
      const file = (await request('inspect_profile', [transactions[0]])) as SpeedscopeFile;
      expectSpeedscope(file);
      expect(file.profiles.map(weightOf), `transaction ${index}`).toEqual([Number(gasUsed), Number(gasUsed)]);
    }
    await node.close();
  });

  it('the profile contains nested contracts and functions, and the most expensive lines', async () => {
    const { node, request } = await localRequest({});
    const sender = new Sender(request);
    const safe = await sender.deploy('Safe');
    const proxy = await sender.deploy('Proxy1967', safe);
    await sender.call(proxy, 'Safe', 'withdraw', 0n);
    const { transactions } = (await request('eth_getBlockByNumber', ['latest', false])) as {
      transactions: string[];
    };
    const file = (await request('inspect_profile', [transactions[0]])) as SpeedscopeFile;
    const calls = [...stacksOf(file, 0).keys()];
    expect(calls).toContain('<transaction>');
    expect(calls.some((stack) => /Proxy1967\.<fallback>.* > Safe\.withdraw$/.test(stack))).toBe(true);
    // `held -= asked` reads and writes the slot: the most expensive line.
    const source = readFileSync(
      new URL('../../../fixtures/projects/sources/Proxies.sol', import.meta.url),
      'utf8',
    );
    const line = source.split('\n').findIndex((text) => text.includes('held -= asked')) + 1;
    const lines = [...stacksOf(file, 1)].filter(([stack]) => stack.includes('Safe.withdraw'));
    const [[dearest = ''] = []] = lines.sort(([, left], [, right]) => right - left);
    expect(dearest).toMatch(new RegExp(`Proxies\\.sol:${line}$`));
    await node.close();
  });

  it('inspect_profile without a hash requires --profile', async () => {
    const { call } = await createRpcHarness();
    await expect(call('inspect_profile')).rejects.toMatchObject({
      code: -32000,
      message: 'gas by call path is not measured; start the node with --profile (createNode: profile)',
    });
  });
});

describe('--profile', () => {
  it('the profile equals all receipts, including removed blocks', async () => {
    const path = join(folder, 'all.speedscope.json');
    const { node, request } = await localRequest({ profile: path });
    const snapshot = await request('evm_snapshot');
    const first = await runScenario(request);
    await request('evm_revert', [snapshot]);
    const second = await runScenario(request);
    await request('hardhat_reset');
    const all = gasOf([...first.receipts, ...second.receipts]);
    const sofar = (await request('inspect_profile')) as SpeedscopeFile;
    expect(sofar.profiles.map(weightOf)).toEqual([all, all]);
    await node.close();
    const file = JSON.parse(readFileSync(path, 'utf8')) as SpeedscopeFile;
    expectSpeedscope(file);
    expect(file.profiles.map(weightOf)).toEqual([all, all]);
    expect([...stacksOf(file, 0).keys()].some((stack) => stack.includes('<not profiled>'))).toBe(false);
  });

  it('the command line writes collapsed stacks, including lanes', async () => {
    const path = join(folder, 'gas.folded');
    const server = await startNode('--quiet', '--lanes', '--artifacts', BUILD, '--profile', path);
    const base = await runScenario(jsonRequest(server.url));
    const lane = await runScenario(jsonRequest(`${server.url}/a`));
    await server.stop();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const weights = lines.map((line) => Number(/ (\d+)$/.exec(line)?.[1]));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(
      gasOf([...base.receipts, ...lane.receipts]),
    );
    expect(
      lines.some((line) => line.startsWith('Cloner.withdrawFromLast;minimal proxy;Safe.withdraw;')),
    ).toBe(true);
    expect(lines.some((line) => /^Bare\.store;Calls\.sol:\d+ \d+$/.test(line))).toBe(true);
  });
});
