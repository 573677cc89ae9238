import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';
import { FileLane, failedTestText, laneKeyOf, openTestLane } from '../../../src/library/runners/file-lane.ts';
import type { RunFacts } from '../../../src/library/runners/run-facts.ts';
import { laneAt, type TestLane } from '../../../src/library/runners/test-lane.ts';
import type { GasReport } from '../../../src/reports/gas/gas-report.ts';

const vault = JSON.parse(
  readFileSync(new URL('../../../fixtures/examples/contracts/vault.json', import.meta.url), 'utf8'),
) as { bytecode: string };
const ROOT = '/home/dev/app';
const PATH = '/home/dev/app/test/vault.test.ts';
/** withdraw(5) */
const WITHDRAW = `0x2e1a7d4d${'5'.padStart(64, '0')}`;

interface Scene {
  readonly facts: RunFacts;
  readonly base: TestLane;
  readonly from: string;
  /** The address of a vault on the base chain. */
  readonly to: string;
}

/** A node with lanes and artifacts, and a vault on its base chain. */
async function scene(
  isolate: RunFacts['isolate'] = 'file',
  options: NonNullable<Parameters<typeof createNode>[0]> = {},
): Promise<Scene> {
  const artifacts = ['fixtures/examples/contracts/out'];
  const node = await createNode({ hardfork: 'cancun', artifacts, ...options });
  const server = await node.listen({ lanes: true });
  onTestFinished(async () => {
    await server.close();
    await node.close();
  });
  const base = laneAt(server.url, null);
  const [from = ''] = (await base.request({ method: 'eth_accounts' })) as string[];
  const creation = { from, data: vault.bytecode };
  const hash = await base.request({ method: 'eth_sendTransaction', params: [creation] });
  const receipt = await base.request({ method: 'eth_getTransactionReceipt', params: [hash] });
  const { contractAddress: to } = receipt as { contractAddress: string };
  return { facts: { url: server.url, isolate, keepsStates: false, root: ROOT }, base, from, to };
}

const headOf = (lane: TestLane): Promise<unknown> => lane.request({ method: 'eth_blockNumber' });
const labelsOf = async (lane: TestLane): Promise<unknown> => lane.request({ method: 'lane_list' });
const mine = (lane: TestLane): Promise<unknown> => lane.request({ method: 'evm_mine' });

/** Calls withdraw, which fails. */
async function withdraw(lane: TestLane, { from, to }: Scene): Promise<void> {
  const call = lane.request({ method: 'eth_call', params: [{ from, to, data: WITHDRAW }, 'latest'] });
  await expect(call).rejects.toMatchObject({ name: 'LaneAnswerError', data: expect.stringMatching(/^0x/) });
}

describe('lane of a test file', () => {
  it('the lane starts from the base chain under the name of the file, for each run', async () => {
    const { facts, base } = await scene();
    const file = await FileLane.open(facts, PATH);
    expect(file.lane.url).toBe(`${facts.url}/test~vault.test.ts`);
    expect(file.variables).toMatchObject({ NODE_CLI_URL: file.lane.url, ETH_RPC_URL: file.lane.url });
    await mine(file.lane);
    expect([await headOf(base), await headOf(file.lane)]).toEqual(['0x1', '0x2']);
    const again = await FileLane.open(facts, PATH);
    expect(await headOf(again.lane)).toBe('0x1');
    expect(await labelsOf(base)).toEqual([
      {
        key: 'test~vault.test.ts',
        blockNumber: '0x1',
        label: { name: 'test/vault.test.ts', outcome: 'running', note: null },
      },
    ]);
    await again.close();
    expect(await labelsOf(base)).toMatchObject([{ label: { outcome: 'passed' } }]);
  });

  it('the lane is reset after each test with isolate: test, but not with isolate: file', async () => {
    for (const [isolate, head] of [
      ['test', '0x1'],
      ['file', '0x2'],
    ] as const) {
      const { facts } = await scene(isolate);
      const file = await FileLane.open(facts, PATH);
      await file.beforeTest();
      await mine(file.lane);
      expect(await file.afterTest('mines')).toBeNull();
      expect(await headOf(file.lane)).toBe(head);
      await file.close();
    }
  });

  it('the lane is reset even if a test reverted to an earlier snapshot, and reports this once', async () => {
    const found = await scene('test');
    const { facts, base } = found;
    const file = await FileLane.open(facts, PATH);
    const earlier = await file.lane.request({ method: 'evm_snapshot' });
    await mine(file.lane);
    for (const isFirst of [true, false]) {
      const snapshot = isFirst ? earlier : await file.lane.request({ method: 'evm_snapshot' });
      await file.beforeTest();
      await file.lane.request({ method: 'evm_revert', params: [snapshot] });
      for (let time = 0; time < 4; time++) await mine(file.lane);
      await withdraw(file.lane, found);
      if (isFirst) await file.failed('goes back');
      const text = await file.afterTest(isFirst ? 'goes back' : 'goes back again');
      if (isFirst)
        expect(text).toBe(
          [
            "node-cli: test/vault.test.ts > goes back: the test reverted its lane to an earlier snapshot. This removed the snapshot of isolate: 'test'. The lane was restored from a copy, so earlier snapshots of the file are lost. If tests use snapshots of earlier tests, use isolate: 'file'.",
            `  lane ${facts.url}/${laneKeyOf('test/vault.test.ts > goes back > reverted')}/_/feed`,
          ].join('\n'),
        );
      else expect(text).toBeNull();
      expect(await headOf(file.lane)).toBe('0x2');
    }
    // The failure can still be inspected on its lane.
    await file.close();
    expect(await labelsOf(base)).toMatchObject([
      { blockNumber: '0x5', label: { name: 'test/vault.test.ts > goes back', outcome: null } },
      { blockNumber: '0x6', label: { name: 'test/vault.test.ts > goes back again', outcome: null } },
      { blockNumber: '0x2', label: { name: 'test/vault.test.ts', outcome: 'failed' } },
    ]);
  });

  it('the lane has the gas of all its tests under its name, even if it was replaced', async () => {
    const { facts, base, from } = await scene('test', { gasReport: true });
    const file = await FileLane.open(facts, PATH);
    const send = async (): Promise<void> => {
      await file.lane.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] });
    };
    await file.beforeTest();
    await send();
    expect(await file.afterTest('pays in')).toBeNull();
    const earlier = await file.lane.request({ method: 'evm_snapshot' });
    await file.beforeTest();
    await send();
    await file.lane.request({ method: 'evm_revert', params: [earlier] });
    const lost = laneAt(facts.url, laneKeyOf('test/vault.test.ts > goes back > reverted'));
    expect(await file.afterTest('goes back')).toContain(`lane ${lost.url}/_/feed`);
    await file.beforeTest();
    await send();
    expect(await file.afterTest('pays out')).toBeNull();
    // A user may continue on the lane that is kept.
    await lost.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] });
    await file.close();
    const { lanes } = (await base.request({ method: 'inspect_gasReport' })) as GasReport;
    expect(lanes.map(({ lane, transactions }) => [lane, transactions?.calls])).toEqual([
      [null, 1],
      [file.lane.key, 3],
      [lost.key, 1],
    ]);
  });

  it('a failed test is reported with the source line, once per repeated failure', async () => {
    const found = await scene('test');
    const file = await FileLane.open(found.facts, PATH);
    await file.beforeTest();
    await withdraw(file.lane, found);
    await file.afterTest('pays in');
    await file.beforeTest();
    for (let time = 0; time < 3; time++) await withdraw(file.lane, found);
    const text = await file.failed('pays out');
    await file.afterTest('pays out');
    expect(text.split('\n')).toEqual([
      'node-cli: test/vault.test.ts > pays out',
      "  Error: reverted with custom error 'TooMuch(asked: 5, held: 0)'",
      '      at Vault.withdraw (contracts/Vault.sol:20:40)',
      `      ${file.lane.url}/_/failure/4`,
      `  lane ${file.lane.url}/_/feed`,
    ]);
    await file.close();
    expect(await labelsOf(found.base)).toMatchObject([
      {
        label: {
          outcome: 'failed',
          note: "pays out: Error: reverted with custom error 'TooMuch(asked: 5, held: 0)'",
        },
      },
    ]);
  });

  it('each failed estimate and transaction is reported with its page', async () => {
    const found = await scene();
    const { from, to } = found;
    const file = await FileLane.open(found.facts, PATH);
    await file.beforeTest();
    const call = { from, to, data: WITHDRAW };
    const estimate = file.lane.request({ method: 'eth_estimateGas', params: [call] });
    await expect(estimate).rejects.toMatchObject({ name: 'LaneAnswerError' });
    const sent = { ...call, gas: '0x30d40' };
    const hash = await file.lane
      .request({ method: 'eth_sendTransaction', params: [sent] })
      .catch(() => file.lane.request({ method: 'eth_getBlockByNumber', params: ['latest', false] }))
      .then((answer) => (typeof answer === 'string' ? answer : Object(answer).transactions[0]));
    const links = (await file.failed('pays out')).split('\n').filter((line) => line.includes('http'));
    expect(links).toEqual([
      `      ${file.lane.url}/_/tx/${hash}`,
      `      ${file.lane.url}/_/failure/1`,
      `  lane ${file.lane.url}/_/feed`,
    ]);
  });

  it('a test that fails without a chain failure is reported so', async () => {
    const { facts } = await scene();
    const file = await FileLane.open(facts, PATH);
    await file.beforeTest();
    expect(await file.failed('adds')).toContain('\n  Nothing failed on the chain.\n');
  });
});

describe('the report of a failed test', () => {
  it('has no links if the node serves no explorer', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/lane`;
    const failures = [{ number: '0x1', transactionHash: null, failure: { message: 'reverted' } }];
    const lane = { ...laneAt(url, null), request: async () => ({ failures }) };
    expect(await failedTestText(lane, url, 'pays', '0x0')).toBe(
      `node-cli: pays\n  Error: reverted\n  lane ${url}`,
    );
  });
});

describe('lane of a test', () => {
  it('the lane starts from the lane of its file and does not change it', async () => {
    const found = await scene();
    const file = await FileLane.open(found.facts, PATH);
    await mine(file.lane);
    const own = await openTestLane(found.facts, PATH, 'pays out');
    await mine(own.lane);
    expect([await headOf(file.lane), await headOf(own.lane)]).toEqual(['0x2', '0x3']);
    expect(await own.end(false)).toBeNull();
    const other = await openTestLane(found.facts, PATH, 'refuses');
    await withdraw(other.lane, found);
    expect(await other.end(true)).toContain('TooMuch(asked: 5, held: 0)');
    expect(await labelsOf(found.base)).toMatchObject([
      {},
      { label: { name: 'test/vault.test.ts > pays out', outcome: 'passed' } },
      { label: { name: 'test/vault.test.ts > refuses', outcome: 'failed' } },
    ]);
    expect(await other.lane.drop()).toBe(true);
    expect(await other.lane.drop()).toBe(false);
  });
});
