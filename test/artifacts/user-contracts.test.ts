// The memory budget of compilations that are added over RPC. The oldest compilations are dropped above the
// budget.

import { syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.ts';
import type { IndexedContract } from '../../src/artifacts/contract-index.ts';
import { memoryOf, UserContracts } from '../../src/artifacts/user-contracts.ts';
import { finish } from '../../src/primitives/steps.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { countTurns } from '../support/turns.ts';

const TEXT = 100_000;

function codeOf(number: number): string {
  return `60${number.toString(16).padStart(2, '0')}`;
}

/** Artifacts with a budget of N long sources. */
function artifactsFor(texts: number): { readonly artifacts: Artifacts; readonly warnings: string[] } {
  const warnings: string[] = [];
  const artifacts = new Artifacts({
    timers: createFakeTime(0).timers,
    onWarning: (text) => void warnings.push(text),
    givenBudget: texts * TEXT,
  });
  return { artifacts, warnings };
}

/** Simulates a heap limit in bytes until the test ends. */
function limitHeap(limit: number): void {
  const statistics = v8.getHeapStatistics();
  const limited = vi.spyOn(v8, 'getHeapStatistics');
  limited.mockReturnValue({ ...statistics, heap_size_limit: limit });
  syncBuiltinESMExports();
  onTestFinished(() => {
    limited.mockRestore();
    syncBuiltinESMExports();
  });
}

/** Adds a contract with a long source. */
async function add(
  artifacts: Artifacts,
  name: string,
  number: number,
  content = 'x'.repeat(0.9 * TEXT),
): Promise<void> {
  const input = { sources: { 'A.sol': { content } } };
  const object = codeOf(number);
  const contract = { abi: [], evm: { bytecode: { object }, deployedBytecode: { object } } };
  await artifacts.addCompilation(input, { contracts: { 'A.sol': { [name]: contract } } });
}

async function namesOf(artifacts: Artifacts, number: number): Promise<string[]> {
  const matches = await artifacts.find('deployed', Buffer.from(codeOf(number), 'hex'));
  return matches.map(({ contract }) => contract.name);
}

describe('the memory budget of added contracts', () => {
  it('drops the oldest contracts above the limit', async () => {
    const { artifacts, warnings } = artifactsFor(3);
    for (let number = 1; number <= 34; number++) await add(artifacts, `C${number}`, number);
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['C32', 'C33', 'C34']);
    expect(warnings).toEqual([
      'artifacts added over RPC exceed 0 MiB, so the oldest artifacts are dropped; pass the artifact folder with --artifacts instead',
    ]);
  });

  it.each([
    [1, ['C5', 'C6']],
    [2, ['C6']],
  ])('is a quarter of the heap by default, shared by %i API keys', async (ownerCount, names) => {
    limitHeap(8 * TEXT);
    const timers = createFakeTime(0).timers;
    const artifacts = new Artifacts({ timers, onWarning: () => undefined, ownerCount });

    for (let number = 1; number <= 6; number++) await add(artifacts, `C${number}`, number);

    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(names);
  });

  it('is at most 256 MiB by default', async () => {
    limitHeap(2 ** 40);
    const artifacts = new Artifacts({ timers: createFakeTime(0).timers, onWarning: () => undefined });
    const content = 'x'.repeat(60 * 1024 ** 2);

    for (let number = 1; number <= 5; number++) await add(artifacts, `C${number}`, number, content);

    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['C2', 'C3', 'C4', 'C5']);
  });

  it('keeps the newest contract even if it exceeds the limit alone', async () => {
    const { artifacts } = artifactsFor(0.5);
    await add(artifacts, 'C1', 1);
    await add(artifacts, 'C2', 2);
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['C2']);
  });

  it('releases all references to a dropped contract, even after a search and a replacement', async () => {
    const { artifacts } = artifactsFor(2);
    await add(artifacts, 'C', 1);
    expect(await namesOf(artifacts, 1)).toEqual(['C']);
    await add(artifacts, 'C', 2);
    // The name still matches the previous code.
    expect(await namesOf(artifacts, 1)).toEqual(['C']);
    await add(artifacts, 'C', 3);
    expect(await namesOf(artifacts, 1)).toEqual([]);
    expect(await namesOf(artifacts, 3)).toEqual(['C']);
  });
});

describe('contracts that are added again', () => {
  it('replace previous contracts in memory', async () => {
    const { artifacts, warnings } = artifactsFor(1_000);
    for (let round = 0; round < 100; round++)
      for (let number = 1; number <= 8; number++) await add(artifacts, `C${number}`, number);
    expect(artifacts.givenCompilations).toBe(8);
    expect(await namesOf(artifacts, 1)).toEqual(['C1']);
    expect(warnings).toEqual([]);
  });

  it('keep a previous contract in memory only while a code is matched to it', async () => {
    const { artifacts } = artifactsFor(1_000);
    await add(artifacts, 'C', 1);
    expect(await namesOf(artifacts, 1)).toEqual(['C']);
    for (let round = 0; round < 10; round++) await add(artifacts, 'C', 2);
    expect(artifacts.givenCompilations).toBe(2);
    expect(await namesOf(artifacts, 1)).toEqual(['C']);
    // A contract with the first code replaces the match.
    await add(artifacts, 'D', 1);
    expect(await namesOf(artifacts, 1)).toEqual(['D']);
    await add(artifacts, 'C', 2);
    expect(artifacts.givenCompilations).toBe(2);
  });

  it('release a compilation after all its contracts are replaced', async () => {
    const { artifacts } = artifactsFor(1_000);
    const compiled = { abi: [], evm: { deployedBytecode: { object: codeOf(1) } } };
    await artifacts.addCompilation({}, { contracts: { 'A.sol': { C1: compiled, C2: compiled } } });
    await add(artifacts, 'C1', 2);
    expect(artifacts.givenCompilations).toBe(2);
    await add(artifacts, 'C2', 3);
    expect(artifacts.givenCompilations).toBe(2);
  });

  it('do not match a code with contracts that are replaced during the search', async () => {
    const { artifacts } = artifactsFor(1_000);
    const addMany = async (number: number): Promise<void> => {
      const compiled = { abi: [], evm: { deployedBytecode: { object: codeOf(number) } } };
      const contracts = Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [`Many${index}`, compiled]),
      );
      await artifacts.addCompilation({}, { contracts: { 'A.sol': contracts } });
    };
    await add(artifacts, 'C', 1);
    await addMany(1);
    // The search among this number of contracts takes several iterations of the event loop.
    const found = namesOf(artifacts, 1);
    await add(artifacts, 'C', 2);
    expect(await found).toContain('C');
    await addMany(2);
    expect(artifacts.givenCompilations).toBe(2);
    expect(await namesOf(artifacts, 1)).toEqual([]);
  });
});

describe('UserContracts with 90,000 contracts', () => {
  const COUNT = 90_000;

  function contracts(): IndexedContract[] {
    return Array.from({ length: COUNT }, (_, at) => ({
      name: `C${at}`,
      sourceName: 'A.sol',
      creation: null,
      deployed: null,
      hasTrailingImmutables: false,
      deployments: [],
      file: null,
      load: () => Promise.reject(new Error('the contract is not read')),
      sources: async () => null,
    }));
  }

  it('adds and drops contracts in time slices', async () => {
    let known = 0;
    const given = new UserContracts(1, { add: () => void known++, remove: () => void known-- });
    const turnsOfAdding = async (added: readonly IndexedContract[]): Promise<number> => {
      const pieces = new TimeSlice(neverCancelled);
      return (await countTurns(async () => runTask(given.add(added, 2), pieces))).turns;
    };
    const adding = await turnsOfAdding(contracts());
    expect([known, adding > 60]).toEqual([COUNT, true]);
    const dropping = await turnsOfAdding([]);
    expect([known, dropping > 60]).toEqual([0, true]);
  });

  it('counts their memory in time slices', async () => {
    const output = Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`C${at}`, 'code']));
    const count = async () => runTask(memoryOf([output]), new TimeSlice(neverCancelled));
    const { result, turns } = await countTurns(count);
    expect(result).toBe(COUNT * (24 + 4));
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});

describe('memoryOf', () => {
  it('counts strings and members at every depth', () => {
    const counted = (value: unknown): number => finish(memoryOf([value]));
    expect(counted('x'.repeat(1_000))).toBe(1_000);
    expect(counted({ a: { b: ['x'.repeat(1_000)] } })).toBe(1_000 + 3 * 24);
    expect(counted(Array.from({ length: 1_000 }, () => 1))).toBe(24_000);
  });
});
