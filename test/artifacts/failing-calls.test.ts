import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Failure, type RunArtifact, runFailure } from '../../fixtures/projects/run-failure.mjs';
import { createNode, type LocalNode } from '../../src/index.ts';

const projects = new URL('../../fixtures/projects/', import.meta.url);

interface CompiledContract {
  readonly abi: readonly unknown[];
  readonly evm: { readonly bytecode: { readonly object: string; readonly linkReferences?: unknown } };
}

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(path, projects), 'utf8')) as Content;
}

const failures = readJson<readonly Failure[]>('failures.json');

/** The message for compilers from 0.8.0; undefined if Hardhat has no message. */
function modernMessage({ message }: Failure): string | undefined {
  return (typeof message === 'string' ? message : message?.['>=0.8.0']) ?? undefined;
}

describe.each([
  ['solc/0.8.0', ['legacy']],
  ['solc/0.8.19-optimized', ['main']],
  ['solc/0.8.28', ['main', 'layouts']],
  ['solc/0.8.37-via-ir', ['main', 'layouts']],
  ['vyper/0.3.10', ['vyper-0.3']],
  ['vyper/0.4.3', ['vyper-0.4']],
])('failing contracts of %s', (run, groups) => {
  const { contracts } = readJson<{ contracts: Record<string, Record<string, CompiledContract>> }>(
    `${run}/output.json`,
  );
  const byName = new Map(Object.values(contracts).flatMap((each) => Object.entries(each)));
  let node: LocalNode;

  // Only a block of this size reaches the maximum stack depth.
  beforeAll(async () => {
    node = await createNode({ hardfork: 'cancun', compat: 'hardhat', gasLimit: 2 ** 41 });
    return () => node.close();
  });

  async function readArtifact(name: string): Promise<RunArtifact> {
    const contract = byName.get(name);
    if (contract === undefined) throw new Error(`${run} has no ${name}`);
    const { object, linkReferences } = contract.evm.bytecode;
    return { abi: contract.abi, bytecode: `0x${object.replace(/^0x/, '')}`, linkReferences };
  }

  const ofThese = failures.filter(
    ({ group, deploy, create }) =>
      groups.includes(group) &&
      [...deploy, ...(create === undefined ? [] : [create])].every(({ contract }) => byName.has(contract)),
  );

  it.each(ofThese)('$name fails with the expected error', async (failure) => {
    const request = async (method: string, params: readonly unknown[]) => node.request({ method, params });
    const { error } = await runFailure(failure, request, readArtifact);
    expect(error).toBeDefined();
    const message = modernMessage(failure);
    // Vyper 0.3 does not forward the revert data of a failed creation.
    if (failure.name === 'Failing.make of vyper-0.3') {
      expect(error?.message).toBe('Transaction reverted without a reason string');
      return;
    }
    // These messages do not depend on the source.
    if (message !== undefined && /reason string|panic code/.test(message) && !/without/.test(message)) {
      expect(error?.message).toBe(message);
    }
  });
});
