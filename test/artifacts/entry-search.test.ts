import { describe, expect, it } from 'vitest';
import type { ContractArtifact } from '../../src/artifacts/artifact.ts';
import type { IndexedContract } from '../../src/artifacts/contract-index.ts';
import { EntrySearch } from '../../src/artifacts/entry-search.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';

/** A contract with functions of these names, and its read count. `null` simulates a deleted file. */
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

describe('EntrySearch', () => {
  it('reads each contract once, including contracts that are added later', async () => {
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

  it('caches entries up to its limit, and reads other contracts for each search', async () => {
    const made = ['One', 'Two', 'Three'].map((name) => contract(name, ['open', 'close']));
    const search = new EntrySearch(() => made.map(({ indexed }) => indexed), 4);
    for (let time = 0; time < 3; time++) {
      const [found] = await search.find('open', 10, neverCancelled);
      expect(found?.contracts).toHaveLength(3);
    }
    expect(made.map(({ reads }) => reads())).toEqual([1, 1, 3]);
  });

  it('finds a contract by its name if its file does not exist', async () => {
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

  it('finds a contract by its file name, and by its folder only if the text contains a slash', async () => {
    const search = new EntrySearch(() => [contract('Shop', []).indexed]);
    const count = async (text: string): Promise<number> =>
      (await search.find(text, 10, neverCancelled)).length;
    expect(await count('op.sol')).toBe(1);
    expect(await count('src')).toBe(0);
    expect(await count('src/sh')).toBe(1);
  });

  it('lists at most 50 contracts of an entry', async () => {
    const contracts = Array.from({ length: 60 }, (_, index) => contract(`Token${index}`, ['mint']).indexed);
    const search = new EntrySearch(() => contracts);
    const [found] = await search.find('MINT', 10, neverCancelled);
    expect(found?.contracts).toHaveLength(50);
    expect((await search.find('token', 7, neverCancelled)).length).toBe(7);
  });
});
