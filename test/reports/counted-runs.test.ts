import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Interface } from 'ethers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import type { LocalNode } from '../../src/library/local-node.ts';
import { type LcovFile, lcovTotals, parseLcov } from '../../src/reports/coverage/lcov.ts';
import { COVERAGE_PROJECT } from '../inspect/support/coverage-suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Output {
  readonly sources: Readonly<Record<string, { readonly ast?: unknown }>>;
}

const SOURCE = 'contracts/Statements.sol';
/** The line of `missingElse` with its `if`. */
const LINE = 67;

async function readArtifact(): Promise<{ abi: Interface; bytecode: string }> {
  const text = await readFile(`${COVERAGE_PROJECT}artifacts/${SOURCE}/Statements.json`, 'utf8');
  const { abi, bytecode } = JSON.parse(text);
  return { abi: new Interface(abi), bytecode };
}

interface Scene {
  readonly node: LocalNode;
  readonly file: string;
  /** A call of `missingElse`. */
  readonly call: Readonly<Record<string, string>>;
  request(method: string, ...params: unknown[]): Promise<unknown>;
  coverage(): Promise<LcovFile[]>;
  /** The count of `missingElse`. */
  times(): Promise<number>;
}

async function setScene(options: Readonly<Record<string, unknown>> = {}): Promise<Scene> {
  const file = join(await temporaryDirectory(), 'lcov.info');
  const artifacts = `${COVERAGE_PROJECT}artifacts`;
  const node = await createNode({ coverage: file, artifacts, ...options });
  onTestFinished(() => node.close());
  const { abi, bytecode } = await readArtifact();
  const request = (method: string, ...params: unknown[]): Promise<unknown> =>
    node.request({ method, params });
  const [from = ''] = (await request('eth_accounts')) as string[];
  const data = bytecode + abi.encodeDeploy([7]).slice(2);
  const hash = await request('eth_sendTransaction', { from, data, gas: '0x4c4b40' });
  const receipt = (await request('eth_getTransactionReceipt', hash)) as { contractAddress: string };
  const call = { from, to: receipt.contractAddress, data: abi.encodeFunctionData('missingElse', [4]) };
  const coverage = async (): Promise<LcovFile[]> =>
    parseLcov((await request('inspect_coverage', 'lcov')) as string);
  return {
    node,
    file,
    call,
    request,
    coverage,
    times: async () => (await coverage()).find(({ name }) => name === SOURCE)?.lines.get(LINE) ?? Number.NaN,
  };
}

describe('runs that coverage counts', () => {
  it('a transaction is counted once, with or without an estimate before it', async () => {
    const { call, request, times } = await setScene();
    await request('eth_sendTransaction', call);
    expect(await times()).toBe(1);
    await request('eth_sendTransaction', { ...call, gas: '0x30d40' });
    expect(await times()).toBe(2);
  });

  it('calls and estimates are counted once each', async () => {
    const { call, request, times } = await setScene();
    await request('eth_call', call, 'latest');
    await request('eth_estimateGas', call);
    await request('eth_simulateV1', { blockStateCalls: [{ calls: [call] }] });
    await request('eth_callMany', [{ transactions: [call, call] }]);
    expect(await times()).toBe(5);
  });

  it('replays and internal runs of the node are not counted', async () => {
    const { call, request, times } = await setScene({ compat: 'anvil' });
    const hash = await request('eth_sendTransaction', { ...call, gas: '0x30d40' });
    await request('debug_traceTransaction', hash);
    await request('debug_traceCall', call, 'latest');
    await request('inspect_transaction', hash);
    await request('inspect_call', call);
    await request('eth_createAccessList', call);
    await request('eth_fillTransaction', call);
    await request('evm_setAutomine', false);
    await request('eth_sendTransaction', { ...call, gas: '0x30d40' });
    await request('eth_getBlockByNumber', 'pending', false);
    expect(await times()).toBe(1);
    await request('evm_mine');
    expect(await times()).toBe(2);
  });

  it('reverts, resets and closed forks do not reduce the counts', async () => {
    const { node, call, request, times, file } = await setScene();
    const snapshot = await request('evm_snapshot');
    await request('eth_sendTransaction', call);
    await request('evm_revert', snapshot);
    const other = await node.fork();
    await other.request({ method: 'eth_sendTransaction', params: [call] });
    await other.close();
    await request('hardhat_reset');
    expect(await times()).toBe(2);
    const expected = await request('inspect_coverage', 'lcov');
    await node.close();
    expect(await readFile(file, 'utf8')).toBe(expected);
  });

  it('a contract without a source map is not counted, and a note lists it', async () => {
    const artifacts = fileURLToPath(
      new URL('../../fixtures/artifacts/shanghai/Counter.json', import.meta.url),
    );
    const node = await createNode({ coverage: join(await temporaryDirectory(), 'lcov.info'), artifacts });
    onTestFinished(() => node.close());
    const [from = ''] = (await node.request({ method: 'eth_accounts' })) as string[];
    const { bytecode } = JSON.parse(await readFile(artifacts, 'utf8'));
    await node.request({
      method: 'eth_sendTransaction',
      params: [{ from, data: bytecode, gas: '0x4c4b40' }],
    });
    const { notes } = (await node.request({ method: 'inspect_coverage' })) as { notes: string[] };
    expect(notes).toEqual([expect.stringMatching(/Counter has no source map in its build output\.$/)]);
  });

  it('excluded sources are not counted', async () => {
    const { coverage } = await setScene({ coverageExclude: ['contracts/free.sol', 'contracts/S*s.sol'] });
    expect((await coverage()).map(({ name }) => name)).toEqual(['contracts/Family.sol']);
  });
});

describe('coverage without syntax trees', () => {
  it('the coverage has the same lines and functions, and the branches of statements', async () => {
    const folder = `${COVERAGE_PROJECT}artifacts/build-info`;
    const [name = ''] = await readdir(folder);
    const { input, output }: { input: unknown; output: Output } = JSON.parse(
      await readFile(join(folder, name), 'utf8'),
    );
    const sources = Object.fromEntries(
      Object.entries(output.sources).map(([path, source]) => [path, { ...source, ast: undefined }]),
    );
    const withTree = await setScene();
    const without = await setScene({ artifacts: undefined });
    await without.request('inspect_addArtifacts', input, JSON.parse(JSON.stringify({ ...output, sources })));
    for (const scene of [withTree, without]) await scene.request('eth_sendTransaction', scene.call);
    const [trees, texts] = [await withTree.coverage(), await without.coverage()];
    expect(texts.map(({ name: file, lines }) => [file, [...lines]])).toEqual(
      trees.map(({ name: file, lines }) => [file, [...lines]]),
    );
    const calls = (files: readonly LcovFile[]) =>
      files.map(({ functions }) => functions.map(({ line, times }) => [line, times]));
    expect(calls(texts)).toEqual(calls(trees));
    const branches = (files: readonly LcovFile[]) => files.map((file) => lcovTotals(file).branches.found);
    // Four `?:` and two `||` are not found.
    expect([branches(trees), branches(texts)]).toEqual([
      [2, 2, 46, 2],
      [2, 2, 34, 2],
    ]);
  });
});
