import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../fixtures/projects/run-failure.mjs';

const projects = new URL('../../fixtures/projects/', import.meta.url);

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(new URL(path, projects), 'utf8')) as Content;
}

const failures = readJson<readonly Failure[]>('failures.json');

/** Kinds of failures that a stack trace must explain. */
const KINDS = [
  'revert-with-reason',
  'revert-without-reason',
  'require-with-reason',
  'require-without-reason',
  'require-with-custom-error',
  'custom-error',
  'unknown-error',
  ...['01', '11', '12', '21', '22', '31', '32', '41', '51'].map((code) => `panic-0x${code}`),
  'out-of-gas',
  'invalid-opcode',
  'no-code',
  'no-code-with-result',
  'short-return-data',
  'unknown-selector',
  'wrong-parameters',
  'value-refused',
  'fallback',
  'call-failed',
  'constructor',
  'constructor-arguments',
  'creation',
  'code-too-large',
  'initcode-too-large',
  'library-internal',
  'library-delegatecall',
  'library-direct',
  'modifier',
  'inherited-function',
  'free-function',
  'internal-calls',
  'external-calls',
  'inline-assembly',
  'low-level-bubble',
  'low-level-call',
  'try-catch',
  'precompile',
  'stack-depth',
  'proxy-eip1967',
  'proxy-beacon',
  'proxy-eip1167',
  'proxy-eip2535',
];

describe('the build outputs of the fixtures', () => {
  it('match the current sources and settings', () => {
    const script = fileURLToPath(new URL('build.mjs', projects));
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.each([
    'hardhat-2/artifacts/contracts/Linked.sol/Linked.json',
    'hardhat-3/artifacts/contracts/Layouts.sol/Layouts.json',
    'foundry/out/Linked.sol/Linked.json',
    'truffle/build/contracts/Divider.json',
    'ignition/ignition/deployments/chain-31337/deployed_addresses.json',
    'solc/0.8.28/output.json',
    'vyper/0.3.10/output.json',
    'vyper/0.4.3/output.json',
  ])('include %s', (path) => {
    expect(existsSync(new URL(path, projects))).toBe(true);
  });
});

describe('the recorded failures of the fixtures', () => {
  it('cover every kind with a unique name', () => {
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    expect(new Set(failures.map(({ name }) => name)).size).toBe(failures.length);
  });

  it.each(failures)('of $name have frames on marked source lines', ({ outcome, frames }) => {
    if (outcome !== 'rejected') expect(frames).not.toEqual([]);
    for (const { file, line, column } of frames.filter((frame) => frame.file !== null)) {
      const text = readFileSync(new URL(`sources/${file}`, projects), 'utf8').split('\n')[(line ?? 0) - 1];
      expect(text).toMatch(/(?:\/\/|#) @at \w+/);
      expect(text?.[(column ?? 0) - 1]).toMatch(/\S/);
    }
  });

  it.each(['hardhat-2', 'hardhat-3'])('have the same names as the traces of %s', (tool) => {
    const { traces } = readJson<{ traces: readonly { name: string }[] }>(`${tool}/traces.json`);
    const run = failures.filter(
      ({ group, kind }) => /^(?:main|layouts)$/.test(group) && kind !== 'stack-depth',
    );
    expect(traces.map(({ name }) => name)).toEqual(run.map(({ name }) => name));
  });
});
