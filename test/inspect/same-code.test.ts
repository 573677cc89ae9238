import { describe, expect, it, vi } from 'vitest';
import type { Artifacts } from '../../src/artifacts/artifacts.ts';
import type { CodeMatch, IndexedContract } from '../../src/artifacts/contract-index.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { BlockNotFoundError } from '../../src/chain/errors.ts';
import { Creations } from '../../src/inspect/creations.ts';
import {
  type BlockPosition,
  type CreationSearch,
  KnownContracts,
} from '../../src/inspect/known-contracts.ts';

const CODE = Uint8Array.of(0x60, 0x01);
const ADDRESS = new Uint8Array(20).fill(0xa1);
const CHAIN_ID = 33;

/** A match of a contract whose code is not unique. */
function match(name: string, sourceName: string, creation = name): CodeMatch {
  const contract = {
    name,
    sourceName,
    creation: { length: 1, fingerprint: creation, isMasked: true },
  } as IndexedContract;
  const artifact = { abi: [], signatures: [], deployed: null, creation: null } as never;
  return { contract, artifact, fit: 'exact' as never };
}

/** Artifacts with these matches for every code. A tool reports the deployed ones at the address. */
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

describe('code shared by several contracts', () => {
  const alpha = match('Alpha', 'A.sol');
  const beta = match('Beta', 'B.sol');
  const otherBeta = match('Beta', 'C.sol');
  const all = [alpha, beta, otherBeta];

  it('all names are returned if no deployment decides', async () => {
    const found = await known(all, []).of('deployed', CODE, ADDRESS);
    expect(found?.name).toBe('Alpha or Beta');
  });

  it.each([
    [alpha, 'A.sol'],
    [beta, 'B.sol'],
    [otherBeta, 'C.sol'],
  ])('the contract deployed at the address is returned, by name and file', async (at, file) => {
    const contracts = known(all, [at]);
    const found = await contracts.of('deployed', CODE, ADDRESS);
    expect(found?.name).toBe(at.contract.name);
    expect(found?.match.contract.sourceName).toBe(file);
    const elsewhere = await contracts.of('deployed', CODE, new Uint8Array(20));
    expect(elsewhere?.name).toBe('Alpha or Beta');
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe(at.contract.name);
  });

  it('a deployment without a file decides by name', async () => {
    const told = { ...beta, contract: { ...beta.contract, sourceName: null as never } };
    expect((await known(all, [told]).of('deployed', CODE, ADDRESS))?.name).toBe('Beta');
  });

  it('all names with the same creation code are returned if a tool finds names by code', async () => {
    const gamma = match('Gamma', 'G.sol', 'Alpha');
    const contracts = known([...all, gamma], [alpha], true);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha or Gamma');
    expect((await known([...all, gamma], [alpha]).of('deployed', CODE, ADDRESS))?.name).toBe('Alpha');
  });

  it('the creation in the same execution decides unless a tool reports another contract', async () => {
    const made = await known([alpha], []).of('creation', CODE, ADDRESS);
    const contracts = known(all, []);
    expect((await contracts.of('deployed', CODE, ADDRESS, { made }))?.name).toBe('Alpha');
    expect((await contracts.of('creation', CODE, ADDRESS, { made }))?.name).toBe('Alpha or Beta');
    const told = await known(all, [otherBeta]).of('deployed', CODE, ADDRESS, { made });
    expect(told?.match.contract.sourceName).toBe('C.sol');
  });

  it('all candidates with the same first contract are returned', async () => {
    const gamma = match('Gamma', 'G.sol');
    const contracts = known([alpha, beta, gamma], [alpha, gamma]);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha or Gamma');
    const made = await known([alpha, beta], []).of('creation', CODE, null);
    expect((await contracts.of('deployed', CODE, new Uint8Array(20), { made }))?.name).toBe('Alpha or Beta');
  });

  it('contracts with the same name are distinguished by file', async () => {
    const contracts = known([beta, otherBeta], [beta]);
    const elsewhere = await contracts.of('deployed', CODE, new Uint8Array(20));
    expect(elsewhere?.contracts).toEqual([beta.contract, otherBeta.contract]);
    const there = await contracts.of('deployed', CODE, ADDRESS);
    expect(there?.name).toBe('Beta');
    expect(there?.contracts).toEqual([beta.contract]);
    expect(await contracts.of('deployed', CODE, ADDRESS)).toBe(there);
  });

  it('the creation in the chain decides and is cached while its block is canonical', async () => {
    const place = { number: 3, hash: Uint8Array.of(3) };
    let current = place;
    const of = vi.fn(async () => ({ block: current, frame: null }));
    const creations = { isCurrent: ({ hash }: BlockPosition) => hash === current.hash, of };
    const contracts = known(all, [], false, creations);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha or Beta');
    await contracts.of('deployed', CODE, ADDRESS, { at: place });
    expect(of).toHaveBeenCalledTimes(1);
    current = { number: 3, hash: Uint8Array.of(4) };
    await contracts.of('deployed', CODE, ADDRESS);
    expect(of).toHaveBeenCalledTimes(2);
    // A removed block may have had other contracts than the current chain.
    await contracts.of('deployed', CODE, ADDRESS, { at: place });
    expect(of).toHaveBeenCalledTimes(2);
  });

  it('all names are returned if the creation block cannot be replayed', async () => {
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
