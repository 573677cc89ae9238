// Runs the failures of fixtures/projects with the build output of each compiler version.

import { readdirSync, readFileSync } from 'node:fs';
import type { Failure as FixtureFailure } from '../../../fixtures/projects/run-failure.d.mts';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';

const projects = new URL('../../../fixtures/projects/', import.meta.url);

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(path, projects), 'utf8')) as Content;
}

interface Failure extends FixtureFailure {
  readonly call?: { readonly contract?: string };
}

interface CompiledContract {
  readonly abi: unknown;
  readonly evm: { readonly bytecode: { readonly object: string; readonly linkReferences: unknown } };
}

const { runFailure } = (await import(new URL('run-failure.mjs', projects).href)) as {
  runFailure: (
    failure: Failure,
    request: (method: string, params: unknown[]) => Promise<unknown>,
    readArtifact: (contract: string) => unknown,
  ) => Promise<{ readonly hash: string | undefined }>;
};
const { RUNS } = (await import(new URL('settings.mjs', projects).href)) as {
  RUNS: readonly { readonly name: string; readonly solc: string; readonly coarse: boolean }[];
};
const failures = readJson<readonly Failure[]>('failures.json');

/** The folders with build output, such as `solc/0.8.28`. */
export const FOLDERS = ['solc', 'vyper'].flatMap((compiler) =>
  readdirSync(new URL(`${compiler}/`, projects)).map((name) => `${compiler}/${name}`),
);

export interface FixtureRun {
  /** True if the optimizer, the IR pipeline or Vyper leaves coarse positions. */
  readonly isCoarse: boolean;
  readonly failures: readonly Failure[];
  /** Runs a failure on a new chain, and resolves to the hash of its transaction. */
  fail(failure: Failure): Promise<Pick<RpcHarness, 'call'> & { readonly hash: string }>;
}

/** Returns the failures that a folder of build output can run. */
export function fixtureRun(folder: string): FixtureRun {
  const version = folder.slice(folder.indexOf('/') + 1);
  const vyper = folder.startsWith('vyper/') ? `vyper-${version.slice(0, 3)}` : null;
  const run = RUNS.find(({ name }) => vyper === null && name === version);
  const input = readJson<object>(`${folder}/input.json`);
  const output = readJson<{ contracts: Record<string, Record<string, CompiledContract>> }>(
    `${folder}/output.json`,
  );
  const contracts = new Map(Object.values(output.contracts).flatMap((ofFile) => Object.entries(ofFile)));
  const readArtifact = (contract: string): unknown => {
    const { abi, evm } = contracts.get(contract) ?? {};
    const digits = evm?.bytecode.object.replace(/^0x/, '');
    return { abi, bytecode: `0x${digits}`, linkReferences: evm?.bytecode.linkReferences };
  };
  const possible = failures.filter(({ group, outcome, blockGasLimit, deploy, create, call }) => {
    if (outcome === 'rejected' || blockGasLimit !== undefined) return false;
    if (group.startsWith('vyper') ? group !== vyper : vyper !== null) return false;
    const named = [...deploy.map(({ contract }) => contract), create?.contract, call?.contract];
    return named.every((each) => each === undefined || contracts.has(each));
  });

  return {
    isCoarse: vyper !== null || run?.coarse === true,
    failures: possible,
    async fail(failure) {
      const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
      const compiled = run === undefined ? input : { ...input, solcVersion: run.solc };
      await call('inspect_addArtifacts', [compiled, output]);
      const { hash } = await runFailure(failure, (method, params) => call(method, params), readArtifact);
      if (hash === undefined) throw new Error(`${failure.name} was rejected`);
      return { call, hash };
    },
  };
}
