import { describe, expect, it } from 'vitest';
import type { ContractArtifact } from '../../src/artifacts/artifact.ts';
import type { IndexedContract } from '../../src/artifacts/contract-index.ts';
import { EntrySearch } from '../../src/artifacts/entry-search.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';

/** A contract with functions of these names; `null` for one whose file is gone. Counts how often it is read. */
function contract(name: string, functions: readonly string[] | null) {
  let reads = 0;
  const abi = functions?.map((entry) => ({ type: 'function', name: entry, inputs: [] }));
  const indexed: IndexedContract = {
    name,
    sourceName: `src/${name}.sol`,
    creation: null,
    deployed: null,
    hasTrailingImmutables: false,
    deployments: [],
    file: null,
    load: async () => {
      reads++;
      if (abi === undefined) throw new Error('the file is gone');
      return { name, abi } as unknown as ContractArtifact;
    },
    sources: async () => null,
  };
  return { indexed, reads: () => reads };
}

describe('a search of entries', () => {
  it('reads each contract once, and those that come later when they come', async () => {
    const [first, later] = [contract('First', ['open']), contract('Later', ['reopen'])];
    const contracts = [first.indexed];
    const search = new EntrySearch(() => contracts);
    const names = async (text: string) =>
      (await search.find(text, 10, neverCancelled)).map(({ signature }) => signature);
    expect(await names('open')).toEqual(['open()']);
    contracts.push(later.indexed);
    expect(await names('open')).toEqual(['open()', 'reopen()']);
    expect(await names('late')).toEqual(['Later']);
    expect([first.reads(), later.reads()]).toEqual([1, 1]);
  });

  it('keeps so many entries, and reads the contracts beyond for each search', async () => {
    const made = ['One', 'Two', 'Three'].map((name) => contract(name, ['open', 'close']));
    const search = new EntrySearch(() => made.map(({ indexed }) => indexed), 4);
    for (let time = 0; time < 3; time++) {
      const [found] = await search.find('open', 10, neverCancelled);
      expect(found?.contracts).toHaveLength(3);
    }
    expect(made.map(({ reads }) => reads())).toEqual([1, 1, 3]);
  });

  it('finds a contract whose file is gone by its name', async () => {
    const search = new EntrySearch(() => [contract('Gone', null).indexed]);
    expect(await search.find('gone', 10, neverCancelled)).toEqual([
      {
        kind: 'contract',
        name: 'Gone',
        signature: 'Gone',
        selector: null,
        contracts: [{ name: 'Gone', sourceName: 'src/Gone.sol' }],
      },
    ]);
    expect(await search.find('  ', 10, neverCancelled)).toEqual([]);
  });

  it('finds a contract by its file, and by the folder of that only where a path is looked for', async () => {
    const search = new EntrySearch(() => [contract('Shop', []).indexed]);
    const count = async (text: string): Promise<number> =>
      (await search.find(text, 10, neverCancelled)).length;
    expect(await count('op.sol')).toBe(1);
    expect(await count('src')).toBe(0);
    expect(await count('src/sh')).toBe(1);
  });

  it('names 50 of the contracts that have an entry', async () => {
    const contracts = Array.from({ length: 60 }, (_, index) => contract(`Token${index}`, ['mint']).indexed);
    const search = new EntrySearch(() => contracts);
    const [found] = await search.find('MINT', 10, neverCancelled);
    expect(found?.contracts).toHaveLength(50);
    expect((await search.find('token', 7, neverCancelled)).length).toBe(7);
  });
});
