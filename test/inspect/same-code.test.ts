import { describe, expect, it, vi } from 'vitest';
import type { Artifacts } from '../../src/artifacts/artifacts.ts';
import type { CodeMatch, IndexedContract } from '../../src/artifacts/contract-index.ts';
import type { FrameStart, Outcome } from '../../src/evm/observer.ts';
import { TraceBudget } from '../../src/evm/tracers/tracer.ts';
import { ExecutionRecorder } from '../../src/inspect/execution-recorder.ts';
import { contractsOfFrames } from '../../src/inspect/inspection.ts';
import { KnownContracts } from '../../src/inspect/known-contracts.ts';
import { NOTHING, RESULT, START, subject } from './made-up-execution.ts';

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

  it('has that of the contract whose creation made it, unless a tool tells another one', async () => {
    const created = await known([alpha], []).of('creation', CODE, ADDRESS);
    if (created === null) throw new Error('nothing was found');
    const contracts = known(all, []);
    contracts.created(ADDRESS, created);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha');
    expect((await contracts.of('creation', CODE, ADDRESS))?.name).toBe('Alpha or Beta');
    expect((await contracts.of('deployed', CODE, new Uint8Array(20)))?.name).toBe('Alpha or Beta');
    const told = known(all, [otherBeta]);
    told.created(ADDRESS, created);
    expect((await told.of('deployed', CODE, ADDRESS))?.match.contract.sourceName).toBe('C.sol');
  });

  it('names what is meant where as many others have the same first contract', async () => {
    const gamma = match('Gamma', 'G.sol');
    const contracts = known([alpha, beta, gamma], [alpha, gamma]);
    expect((await contracts.of('deployed', CODE, ADDRESS))?.name).toBe('Alpha or Gamma');
    const others = await known([alpha, beta], []).of('creation', CODE, null);
    if (others === null) throw new Error('nothing was found');
    contracts.created(new Uint8Array(20), others);
    expect((await contracts.of('deployed', CODE, new Uint8Array(20)))?.name).toBe('Alpha or Beta');
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

  it.each<[string, number, readonly [Outcome, Outcome, Outcome]]>([
    ['is remembered when all calls around the creation succeed', 1, ['success', 'success', 'success']],
    ['is forgotten when the creation fails', 0, ['success', 'success', 'revert']],
    ['is forgotten when a call around the creation fails and is caught', 0, ['success', 'revert', 'success']],
    ['is forgotten when the transaction fails', 0, ['revert', 'success', 'success']],
  ])('%s', async (_, count, [outermost, between, innermost]) => {
    const recorder = new ExecutionRecorder(subject(new TraceBudget()), []);
    const creation: FrameStart = { ...START, kind: 'CREATE', to: ADDRESS, input: CODE };
    for (const start of [START, START, creation]) recorder.frameStart(start);
    for (const outcome of [innermost, between, outermost]) recorder.frameEnd({ ...NOTHING, outcome });
    const contracts = known([alpha], []);
    const created = vi.spyOn(contracts, 'created');
    await contractsOfFrames(recorder.result(RESULT), contracts, () => undefined, true);
    expect(created).toHaveBeenCalledTimes(count);
  });
});
