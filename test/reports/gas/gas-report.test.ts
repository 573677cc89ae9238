import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { LazyArtifacts } from '../../../src/artifacts/lazy-artifacts.ts';
import type { ChainNode } from '../../../src/node/create-node.ts';
import { createNode } from '../../../src/node/create-node.ts';
import { GasMeter } from '../../../src/reports/gas/gas-meter.ts';
import type { ChainGas, ContractGas, FunctionGas, GasReport } from '../../../src/reports/gas/gas-report.ts';
import { Measurements } from '../../../src/reports/measurements.ts';
import { createRpcServiceFactory } from '../../../src/rpc/rpc-service.ts';
import { callerOf, createRpcHarness, testConnection } from '../../rpc/rpc-harness.ts';
import { countingRandom } from '../../support/counting-random.ts';
import { createFakeTime } from '../../support/fake-time.ts';
import { TEST_DEFAULTS, TEST_START, testDependencies } from '../../support/test-chain.ts';
import { BUILD, INPUT, OUTPUT, type Request, runScenario, Sender } from './gas-scenario.ts';

const time = createFakeTime(TEST_START);

function requestOn(node: ChainNode): Request {
  const options = { compat: 'service', version: '1.2.3', hosted: false, fieldNames: 'service' } as const;
  return callerOf(createRpcServiceFactory(options, countingRandom(), time)(node, null), () =>
    testConnection(),
  );
}

function throwError(error: unknown): never {
  throw error;
}

/** A node that measures gas with the artifacts of the folders. */
function measuredNode(
  folders: readonly string[] = [BUILD],
  meter: GasMeter = new GasMeter(throwError),
): Promise<ChainNode> {
  const paths = folders.map((folder) => resolve(folder));
  const artifacts = new LazyArtifacts({ timers: time.timers, onWarning: () => undefined }, paths);
  const measurements = new Measurements({ gas: meter });
  return createNode(TEST_DEFAULTS, { ...testDependencies(time), artifacts, measurements });
}

async function reportOf(request: Request): Promise<GasReport> {
  return (await request('inspect_gasReport')) as GasReport;
}

function contractIn({ contracts }: ChainGas, name: string): ContractGas {
  const found = contracts.find((contract) => contract.name === name);
  if (found === undefined) throw new RangeError(`the report has no ${name}`);
  return found;
}

function functionIn(report: ChainGas, contract: string, name: string): FunctionGas {
  const found = contractIn(report, contract).functions.find((candidate) => candidate.name === name);
  if (found === undefined) throw new RangeError(`the report has no ${contract}.${name}`);
  return found;
}

function gasOf(receipts: Sender['receipts']): number {
  return Number(receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n));
}

/** The gas of the transactions in all parts of a report. */
function sumOfParts({ contracts, transfers }: ChainGas): number {
  const parts = contracts.flatMap(({ functions, deployments }) => [
    ...functions,
    ...(deployments === null ? [] : [deployments]),
  ]);
  return parts.reduce((sum, { transactions }) => sum + (transactions?.total ?? 0), transfers?.total ?? 0);
}

describe('gas report', () => {
  it('totals equal the receipts, as a whole and per function', async () => {
    const request = requestOn(await measuredNode());
    const { receipts } = await runScenario(request);
    const report = await reportOf(request);
    const failed = receipts.filter(({ status }) => !status);
    expect(report.transactions).toMatchObject({
      calls: receipts.length,
      reverted: failed.length,
      total: gasOf(receipts),
    });
    expect(sumOfParts(report)).toBe(gasOf(receipts));
    const [deployment, , , , bareDeployment] = receipts;
    const bare = receipts.filter(({ to }) => to === bareDeployment?.contractAddress);
    const stores = bare.slice(0, 4).map(({ gasUsed }) => Number(gasUsed));
    expect(functionIn(report, 'Bare', 'store').transactions).toMatchObject({
      calls: 4,
      reverted: 0,
      min: Math.min(...stores),
      max: Math.max(...stores),
      total: stores.reduce((sum, gas) => sum + gas),
    });
    expect(contractIn(report, 'Safe').deployments?.transactions?.total).toBe(Number(deployment?.gasUsed));
  });

  it('proxy calls count for the implementation, and proxies are listed', async () => {
    const request = requestOn(await measuredNode());
    await runScenario(request);
    const report = await reportOf(request);
    const safe = contractIn(report, 'Safe');
    expect(safe.proxies).toEqual(['Proxy1967', 'minimal proxy (EIP-1167)']);
    // Two direct calls and one call through the proxy. One of the direct calls reverts.
    expect(functionIn(report, 'Safe', 'withdraw').transactions).toMatchObject({ calls: 3, reverted: 1 });
    // Called by the contract that created the minimal proxy.
    expect(functionIn(report, 'Safe', 'withdraw').internal).toMatchObject({ calls: 1, reverted: 0 });
    expect(contractIn(report, 'Proxy1967').functions).toEqual([]);
  });

  it('inner calls and creations count with the gas of their frames', async () => {
    const request = requestOn(await measuredNode());
    const sender = new Sender(request);
    const creations = await sender.deploy('Creations');
    await sender.call(creations, 'Creations', 'create', 20n);
    await request('evm_mine');
    const { transactions } = (await request('eth_getBlockByNumber', ['0x2', false])) as {
      transactions: string[];
    };
    const { call } = (await request('inspect_transaction', [transactions[0]])) as {
      call: { items: { gasUsed: string }[] };
    };
    const { deployments } = contractIn(await reportOf(request), 'Child');
    expect(deployments).toMatchObject({ transactions: null, codeSize: 372 });
    expect(deployments?.internal).toMatchObject({ calls: 1, total: Number(call.items[0]?.gasUsed) });
    expect(deployments?.codeSizeShare).toBeCloseTo(372 / 24_576);
  });

  it('calls and creations that never ran are not counted', async () => {
    const request = requestOn(await measuredNode());
    const [caller, target] = ['0xca', '0x7a'].map((begin) => `${begin}${'11'.repeat(19)}`);
    const noData = '60006000';
    const call = (value: number) => `${noData}${noData}600${value}73${target?.slice(2)}5af150`;
    await request('anvil_setCode', [target, '0x00']);
    await request('anvil_setCode', [caller, `0x${call(1)}${call(0)}${noData}6001f05000`]);
    const [from] = (await request('eth_accounts')) as string[];
    await request('eth_sendTransaction', [{ from, to: caller }]);
    const { contracts } = await reportOf(request);
    const of = (address: string | undefined) => contracts.find((contract) => contract.address === address);
    expect(of(caller)?.functions).toMatchObject([{ transactions: { calls: 1, reverted: 0 } }]);
    expect(of(target)?.functions).toMatchObject([{ internal: { calls: 1, reverted: 0 } }]);
    expect(contracts).toHaveLength(2);
  });

  it('a failed lookup of names is reported, and no gas is lost', async () => {
    const errors: unknown[] = [];
    const node = await measuredNode([BUILD], new GasMeter((error) => errors.push(error), 2));
    const request = requestOn(node);
    const fault = new Error('a fault of the inspector');
    const load = vi.spyOn(node.inspector, 'load').mockRejectedValueOnce(fault);
    const { receipts } = await runScenario(request);
    await vi.waitFor(() => expect(load).toHaveBeenCalled(), { timeout: 60_000 });
    const report = await reportOf(request);
    expect(errors).toEqual([fault]);
    expect(sumOfParts(report)).toBe(gasOf(receipts));
    expect(functionIn(report, 'Bare', 'store').transactions).toMatchObject({ calls: 4 });
  });

  it('reverts, resets and removed blocks do not reduce the totals', async () => {
    const request = requestOn(await measuredNode());
    const snapshot = await request('evm_snapshot');
    const first = await runScenario(request);
    await request('evm_revert', [snapshot]);
    const second = await runScenario(request);
    await request('hardhat_reset');
    const third = await runScenario(request);
    const all = [first, second, third].flatMap(({ receipts }) => receipts);
    const report = await reportOf(request);
    expect(report.transactions).toMatchObject({ calls: all.length, total: gasOf(all) });
    expect(functionIn(report, 'Bare', 'store').transactions?.calls).toBe(12);
  });

  it('lanes are reported together and separately, including removed lanes', async () => {
    const node = await measuredNode();
    const base = requestOn(node);
    const sender = new Sender(base);
    const bare = await sender.deploy('Bare');
    const lanes = await Promise.all(['a', 'b'].map((lane) => node.branch('present', lane)));
    const senders = lanes.map((lane) => new Sender(requestOn(lane)));
    for (const [index, own] of senders.entries())
      for (let count = 0; count <= index; count++) await own.call(bare, 'Bare', 'store', BigInt(count + 1));
    const [a, b] = lanes.map(requestOn);
    expect(functionIn(await reportOf(b as Request), 'Bare', 'store').transactions?.calls).toBe(2);
    expect((await reportOf(a as Request)).lanes).toEqual([]);
    for (const lane of lanes) await lane.chain.close();
    const report = await reportOf(base);
    expect(report.transactions?.total).toBe(gasOf([sender, ...senders].flatMap(({ receipts }) => receipts)));
    expect(functionIn(report, 'Bare', 'store').transactions?.calls).toBe(3);
    expect(report.lanes.map(({ lane, transactions }) => [lane, transactions?.calls])).toEqual([
      [null, 1],
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('lanes renamed to the same name are merged', async () => {
    const node = await measuredNode();
    const base = requestOn(node);
    const creations = await new Sender(base).deploy('Creations');
    for (let run = 0; run < 300; run++) {
      const lane = await node.branch('present', `run ${run}`);
      await new Sender(requestOn(lane)).call(creations, 'Creations', 'create', 20n);
      // Frames of the transaction wait to be counted. From time to time, a report is in progress.
      const reported = run % 100 === 50 ? reportOf(base) : null;
      lane.renameLane('same.test.js');
      await reported;
      await lane.chain.close();
    }
    const last = await node.branch('present', 'new.test.js');
    await new Sender(requestOn(last)).call(creations, 'Creations', 'create', 20n);
    await last.chain.close();
    const report = await reportOf(base);
    expect(report.hasMoreLanes).toBe(false);
    const createdIn = (gas: ChainGas) =>
      gas.contracts.reduce((sum, { deployments }) => sum + (deployments?.internal?.calls ?? 0), 0);
    expect(report.lanes.map((gas) => [gas.lane, gas.transactions?.calls, createdIn(gas)])).toEqual([
      [null, 1, 0],
      ['new.test.js', 1, 1],
      ['same.test.js', 300, 300],
    ]);
    expect(report.transactions?.calls).toBe(302);
  });

  it('contracts are named by later artifacts, and otherwise by address', async () => {
    const request = requestOn(await measuredNode([]));
    const sender = await runScenario(request);
    const before = await reportOf(request);
    const [, , , , bare] = sender.receipts;
    const unknown = before.contracts.find(({ address }) => address === bare?.contractAddress);
    expect(unknown).toMatchObject({ name: bare?.contractAddress, source: null });
    expect(unknown?.functions.map(({ name }) => name)).toContain('0xdeadbeef');
    expect(sumOfParts(before)).toBe(gasOf(sender.receipts));
    await request('inspect_addArtifacts', [INPUT, OUTPUT]);
    const after = await reportOf(request);
    expect(functionIn(after, 'Bare', 'store').transactions?.calls).toBe(4);
    expect(functionIn(after, 'Bare', '0xdeadbeef (no such function)').transactions?.reverted).toBe(1);
    expect(sumOfParts(after)).toBe(gasOf(sender.receipts));
  });

  it('each transaction of a block is counted', async () => {
    const request = requestOn(await measuredNode());
    const sender = new Sender(request);
    const bare = await sender.deploy('Bare');
    await request('evm_setAutomine', [false]);
    const [from] = (await request('eth_accounts')) as string[];
    const data = `0x6057361d${'1'.padStart(64, '0')}`;
    for (let nonce = 1; nonce <= 5; nonce++)
      await request('eth_sendTransaction', [{ from, to: bare, data, gas: '0x30d40' }]);
    await request('evm_mine');
    expect(functionIn(await reportOf(request), 'Bare', 'store').transactions?.calls).toBe(5);
  });

  it('inspect_gasReport without --gas-report is rejected with a remedy', async () => {
    const { call } = await createRpcHarness();
    await expect(call('inspect_gasReport')).rejects.toMatchObject({
      code: -32000,
      message: 'gas is not measured; start the node with --gas-report (createNode: gasReport)',
    });
  });
});

describe('execution results', () => {
  async function framesOf(node: ChainNode): Promise<unknown[]> {
    const found: unknown[] = [];
    node.chain.events.on('block', (_block, results) => {
      for (const result of results ?? []) found.push(result.frames);
    });
    await new Sender(requestOn(node)).deploy('Bare');
    return found;
  }

  it('results contain frames only if gas is measured', async () => {
    expect(await framesOf(await createNode(TEST_DEFAULTS, testDependencies(time)))).toEqual([undefined]);
    expect(await framesOf(await measuredNode())).toMatchObject([{ frames: [{ kind: 'CREATE' }] }]);
  });
});
