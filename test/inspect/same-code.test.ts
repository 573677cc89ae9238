import { describe, expect, it } from 'vitest';
import type { Artifacts } from '../../src/artifacts/artifacts.ts';
import type { CodeMatch, IndexedContract } from '../../src/artifacts/contract-index.ts';
import { KnownContracts } from '../../src/inspect/known-contracts.ts';

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
): KnownContracts {
  const artifacts = {
    labels: new Map<string, string>(),
    find: async () => matches,
    deployedAt: (chainId: number, address: string) =>
      chainId === CHAIN_ID && address === `0x${'a1'.repeat(20)}`
        ? deployed.map(({ contract: { name, sourceName } }) => ({ name, sourceName, isByCode }))
        : [],
  };
  return new KnownContracts(artifacts as unknown as Artifacts, () => CHAIN_ID);
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
});
