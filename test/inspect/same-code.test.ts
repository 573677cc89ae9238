import { describe, expect, it, vi } from 'vitest';
import type { Artifacts } from '../../src/artifacts/artifacts.ts';
import type { CodeMatch, IndexedContract } from '../../src/artifacts/contract-index.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { BlockNotFoundError } from '../../src/chain/errors.ts';
import { Creations } from '../../src/inspect/creations.ts';
import { type BlockPlace, type CreationSearch, KnownContracts } from '../../src/inspect/known-contracts.ts';

const CODE = Uint8Array.of(0x60, 0x01);
const ADDRESS = new Uint8Array(20).fill(0xa1);
const CHAIN_ID = 33;

/** A match of a contract whose code others have too. */
function match(name: string, sourceName: string, creation = name): CodeMatch {
  const contract = {
    name,
    sourceName,
    creation: { length: 1, fingerprint: creation, isMasked: true },
  } as IndexedContract;
  const artifact = { abi: [], signatures: [], deployed: null, creation: null } as never;
  return { contract, artifact, fit: 'exact' as never };
}

/** Artifacts that find these matches for every code, of which a tool says that some are deployed at the address. */
function known(
  matches: readonly CodeMatch[],
  deployed: readonly CodeMatch[],
  isByCode = false,
  creations: CreationSearch | null = null,
): KnownContracts {
  const artifacts = {
    labels: new Map<string, string>(),
    version: 1,
    find: async () => matches,
    deployedAt: (chainId: number, address: string) =>
      chainId === CHAIN_ID && address === `0x${'a1'.repeat(20)}`
        ? deployed.map(({ contract: { name, sourceName } }) => ({ name, sourceName, isByCode }))
        : [],
  };
  return new KnownContracts(artifacts as unknown as Artifacts, () => CHAIN_ID, creations);
}

describe('code that several contracts have', () => {
  const alpha = match('Alpha', 'A.sol');
  const beta = match('Beta', 'B.sol');
  const otherBeta = match('Beta', 'C.sol');
  const all = [alpha, beta, otherBeta];

  it('has all their names where no deployment decides', async () => {
    const found = await known(all, []).of('deployed', CODE, ADDRESS);
    expect(found?.name).toBe('Alpha or Beta');
  });

  it.each([
    [alpha, 'A.sol'],
    [beta, 'B.sol'],
    [otherBeta, 'C.sol'],
  ])('has that of the contract which is deployed at the address, by name and file', async (at, file) => {
    const contracts = known(all, [at]);
    const found = await contracts.of('deployed', CODE, ADDRESS);
    expect(found?.name).toBe(at.contract.name);
    expect(found?.match.contract.sourceName).toBe(file);
    const elsewhere = await contracts.of('deployed', CODE, new Uint8Array(20));
    expect(elsewhere?.name).toBe('Alpha or Beta');
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe(at.contract.name);
  });

  it('has the name that a tool tells without a file', async () => {
    const told = { ...beta, contract: { ...beta.contract, sourceName: null as never } };
    expect((await known(all, [told]).of('deployed', CODE, ADDRESS))?.name).toBe('Beta');
  });

  it('has the names of all with the same creation where a tool finds names by code', async () => {
    const gamma = match('Gamma', 'G.sol', 'Alpha');
    const contracts = known([...all, gamma], [alpha], true);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha or Gamma');
    expect((await known([...all, gamma], [alpha]).of('deployed', CODE, ADDRESS))?.name).toBe('Alpha');
  });

  it('has that of the contract whose creation made it in the same execution, unless a tool tells another one', async () => {
    const made = await known([alpha], []).of('creation', CODE, ADDRESS);
    const contracts = known(all, []);
    expect((await contracts.of('deployed', CODE, ADDRESS, { made }))?.name).toBe('Alpha');
    expect((await contracts.of('creation', CODE, ADDRESS, { made }))?.name).toBe('Alpha or Beta');
    const told = await known(all, [otherBeta]).of('deployed', CODE, ADDRESS, { made });
    expect(told?.match.contract.sourceName).toBe('C.sol');
  });

  it('names what is meant where as many others have the same first contract', async () => {
    const gamma = match('Gamma', 'G.sol');
    const contracts = known([alpha, beta, gamma], [alpha, gamma]);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha or Gamma');
    const made = await known([alpha, beta], []).of('creation', CODE, null);
    expect((await contracts.of('deployed', CODE, new Uint8Array(20), { made }))?.name).toBe('Alpha or Beta');
  });

  it('is told apart by files where the names are the same', async () => {
    const contracts = known([beta, otherBeta], [beta]);
    const elsewhere = await contracts.of('deployed', CODE, new Uint8Array(20));
    expect(elsewhere?.contracts).toEqual([beta.contract, otherBeta.contract]);
    const there = await contracts.of('deployed', CODE, ADDRESS);
    expect(there?.name).toBe('Beta');
    expect(there?.contracts).toEqual([beta.contract]);
    expect(await contracts.of('deployed', CODE, ADDRESS)).toBe(there);
  });

  it('has that of the contract whose creation is in the chain, asked for once as long as its block is there', async () => {
    const place = { number: 3, hash: Uint8Array.of(3) };
    let current = place;
    const of = vi.fn(async () => ({ block: current, frame: null }));
    const creations = { isCurrent: ({ hash }: BlockPlace) => hash === current.hash, of };
    const contracts = known(all, [], false, creations);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha or Beta');
    await contracts.of('deployed', CODE, ADDRESS, { at: place });
    expect(of).toHaveBeenCalledTimes(1);
    current = { number: 3, hash: Uint8Array.of(4) };
    await contracts.of('deployed', CODE, ADDRESS);
    expect(of).toHaveBeenCalledTimes(2);
    // A block that has left the chain had other contracts than those that the chain has now.
    await contracts.of('deployed', CODE, ADDRESS, { at: place });
    expect(of).toHaveBeenCalledTimes(2);
  });

  it('has all names where the block of the creation cannot be run again', async () => {
    const block = { header: { number: 1 }, hash: Uint8Array.of(1), transactions: [], receipts: [] };
    const chain = {
      history: { creationBlock: () => block },
      tracing: { block: () => Promise.reject(new BlockNotFoundError('1', 0)) },
    };
    const creations = new Creations(chain as unknown as Chain);
    expect(await creations.of(ADDRESS)).toMatchObject({ frame: null });
    expect((await known(all, [], false, creations).of('deployed', CODE, ADDRESS))?.name).toBe(
      'Alpha or Beta',
    );
  });
});
