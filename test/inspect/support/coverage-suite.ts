// Runs the unmodified test of fixtures/coverage against a node, without Hardhat.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { ContractFactory, JsonRpcProvider, type Signer } from 'ethers';
import { expect } from 'vitest';

/** The project directory. */
export const COVERAGE_PROJECT = fileURLToPath(new URL('../../../fixtures/coverage/', import.meta.url));

interface LinkReferences {
  readonly [file: string]: { readonly [library: string]: readonly { readonly start: number }[] };
}

interface Artifact {
  readonly abi: readonly Record<string, unknown>[];
  readonly bytecode: string;
  readonly linkReferences: LinkReferences;
}

function artifactOf(contract: string, artifacts: string): Artifact {
  const files = ['Statements', 'Shapes', 'Family'].map(
    (file) => `${artifacts}/contracts/${file}.sol/${contract}.json`,
  );
  for (const file of files) {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`there is no artifact of ${contract}`);
}

function linked({ bytecode, linkReferences }: Artifact, libraries: Readonly<Record<string, string>>): string {
  let code = bytecode;
  for (const file of Object.values(linkReferences)) {
    for (const [name, places] of Object.entries(file)) {
      for (const { start } of places) {
        const at = 2 + 2 * start;
        code = code.slice(0, at) + (libraries[name] ?? '').slice(2).toLowerCase() + code.slice(at + 40);
      }
    }
  }
  return code;
}

type Action = () => unknown;

/** Runs all tests of the suite one by one against the node at the URL. Rejects with the first failure. */
export async function runCoverageSuite(
  url: string,
  artifacts = `${COVERAGE_PROJECT}artifacts`,
): Promise<string[]> {
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, batchMaxCount: 1 });
  const signers = (): Promise<Signer[]> => Promise.all([0, 1].map((index) => provider.getSigner(index)));
  const ethers = {
    provider,
    getSigners: signers,
    async getContractFactory(
      name: string,
      { libraries = {} }: { libraries?: Readonly<Record<string, string>> } = {},
    ): Promise<ContractFactory> {
      const artifact = artifactOf(name, artifacts);
      const [signer] = await signers();
      return new ContractFactory(artifact.abi, linked(artifact, libraries), signer);
    },
  };
  const steps: { readonly name: string; readonly run: Action; readonly before: readonly Action[] }[] = [];
  let before: Action[] = [];
  const describe = (_name: string, define: Action): void => {
    before = [];
    define();
  };
  const modules: Readonly<Record<string, unknown>> = { chai: { expect }, hardhat: { ethers } };
  const source = readFileSync(`${COVERAGE_PROJECT}test/suite.js`, 'utf8');
  const suite = runInThisContext(`(function (require, describe, it, beforeEach) {${source}\n})`);
  suite(
    (name: string) => modules[name],
    describe,
    (name: string, run: Action) => steps.push({ name, run, before }),
    (action: Action) => before.push(action),
  );
  for (const step of steps) {
    for (const action of step.before) await action();
    await step.run();
  }
  provider.destroy();
  return steps.map(({ name }) => name);
}
