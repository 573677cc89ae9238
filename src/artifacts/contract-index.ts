/** Finds contracts by their code. Its memory does not depend on the size of the artifacts. */

import type { Steps } from '../primitives/steps.ts';
import { nextIteration } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import type { CodeTemplate, ContractArtifact, KnownDeployment } from './artifact.ts';
import { fingerprint, fingerprints } from './code-fingerprint.ts';
import { type Fit, fitOf } from './code-template.ts';
import type { CompilationSources } from './compilation.ts';

/** Maximum contracts with one fingerprint to read and compare. */
const MAX_CANDIDATES = 1_000;
/** Contracts to read per time slice. */
const CANDIDATES_IN_A_TURN = 16;

interface CodeKey {
  readonly length: number;
  readonly fingerprint: string;
  /** False if the code has holes that the fingerprint does not mask. This code is compared one by one. */
  readonly isMasked: boolean;
}

/** A contract in the index. Only its keys are in memory. */
export interface IndexedContract {
  readonly name: string;
  readonly sourceName: string;
  readonly creation: CodeKey | null;
  readonly deployed: CodeKey | null;
  /** True if immutable variables follow the deployed code (Vyper), so it is longer than compiled. */
  readonly hasTrailingImmutables: boolean;
  /** The deployments that the tool recorded. */
  readonly deployments: readonly KnownDeployment[];
  /** The artifact file; `null` if the artifact was passed in a call. */
  readonly file: string | null;
  /** Reads the whole artifact. Rejects if its file was deleted or is invalid. */
  load(): Promise<ContractArtifact>;
  /** Finds the sources. Resolves to `null` if they are unknown. */
  sources(): Promise<CompilationSources | null>;
}

/** Returns the key of a code; `null` without code. Yields between time slices. */
export function* codeKey(template: CodeTemplate | null): Steps<CodeKey | null> {
  if (template === null) return null;
  const { bytes, holes } = template;
  const filled = bytes.slice();
  for (const { start, length, kind } of holes) {
    if (kind !== 'metadata') filled.fill(0xff, start, start + length);
  }
  const found = yield* fingerprint(bytes);
  const isMasked = found === (yield* fingerprint(filled));
  return { length: bytes.length, fingerprint: found, isMasked };
}

export interface CodeMatch {
  readonly contract: IndexedContract;
  readonly artifact: ContractArtifact;
  readonly fit: Fit;
}

export type CodeSide = 'creation' | 'deployed';

interface SideIndex {
  /** By length and fingerprint. */
  readonly byKey: Map<string, Set<IndexedContract>>;
  /** The number of contracts by code length. */
  readonly lengths: Map<number, number>;
  readonly unmasked: Set<IndexedContract>;
}

function emptySide(): SideIndex {
  return { byKey: new Map(), lengths: new Map(), unmasked: new Set() };
}

/** The contracts of all artifacts, by code. */
export class ContractIndex {
  readonly #sides = { creation: emptySide(), deployed: emptySide() };
  readonly #contracts = new Set<IndexedContract>();
  /** By chain id and address. */
  readonly #deployed = new Map<string, Set<IndexedContract>>();

  /** All contracts in the order of addition. */
  get contracts(): Iterable<IndexedContract> {
    return this.#contracts;
  }

  /** Returns the contracts recorded at this deployment. */
  deployedAt(deployment: KnownDeployment): Iterable<IndexedContract> {
    return this.#deployed.get(deploymentKey(deployment)) ?? [];
  }

  get size(): number {
    return this.#contracts.size;
  }

  add(contract: IndexedContract): void {
    this.#contracts.add(contract);
    for (const deployment of contract.deployments) {
      const key = deploymentKey(deployment);
      this.#deployed.set(key, (this.#deployed.get(key) ?? new Set()).add(contract));
    }
    for (const side of ['creation', 'deployed'] as const) {
      const key = contract[side];
      if (key === null) continue;
      const { byKey, lengths, unmasked } = this.#sides[side];
      if (!key.isMasked) {
        unmasked.add(contract);
        continue;
      }
      const name = keyName(key.length, key.fingerprint);
      const sharing = byKey.get(name) ?? new Set();
      byKey.set(name, sharing.add(contract));
      lengths.set(key.length, (lengths.get(key.length) ?? 0) + 1);
    }
  }

  remove(contract: IndexedContract): void {
    if (!this.#contracts.delete(contract)) return;
    for (const deployment of contract.deployments) {
      const key = deploymentKey(deployment);
      const sharing = this.#deployed.get(key);
      sharing?.delete(contract);
      if (sharing?.size === 0) this.#deployed.delete(key);
    }
    for (const side of ['creation', 'deployed'] as const) {
      const key = contract[side];
      if (key === null) continue;
      const { byKey, lengths, unmasked } = this.#sides[side];
      if (unmasked.delete(contract)) continue;
      const name = keyName(key.length, key.fingerprint);
      const sharing = byKey.get(name);
      sharing?.delete(contract);
      if (sharing?.size === 0) byKey.delete(name);
      const left = (lengths.get(key.length) ?? 0) - 1;
      if (left > 0) lengths.set(key.length, left);
      else lengths.delete(key.length);
    }
  }

  /**
   * Finds the contracts with this code and returns only the best matches: `similar` ones only if none is
   * exact. Constructor arguments may follow initcode, so the longest match wins. Contracts whose file was
   * deleted are left out.
   */
  async find(side: CodeSide, code: Uint8Array): Promise<CodeMatch[]> {
    const matches: CodeMatch[] = [];
    let tried = 0;
    for (const contract of await runTask(this.#candidates(side, code))) {
      if (tried >= MAX_CANDIDATES) break;
      if (tried++ % CANDIDATES_IN_A_TURN === CANDIDATES_IN_A_TURN - 1) await nextIteration();
      const artifact = await contract.load().catch(() => null);
      const template = artifact?.[side] ?? null;
      if (artifact === null || template === null) continue;
      const fit = fitOf(template, code);
      if (fit !== null) matches.push({ contract, artifact, fit });
    }
    const longest = Math.max(...matches.map(({ artifact }) => artifact[side]?.bytes.length ?? 0));
    const long = matches.filter(({ artifact }) => artifact[side]?.bytes.length === longest);
    const exact = long.filter(({ fit }) => fit === 'exact');
    // Artifacts with source maps come first. Files of deployments have none.
    const isPlaced = ({ artifact }: CodeMatch): number =>
      (artifact[side]?.sourceMap ?? null) === null ? 1 : 0;
    return (exact.length > 0 ? exact : long).sort((left, right) => isPlaced(left) - isPlaced(right));
  }

  *#candidates(side: CodeSide, code: Uint8Array): Steps<Set<IndexedContract>> {
    const { byKey, lengths, unmasked } = this.#sides[side];
    const found = new Set<IndexedContract>();
    const mayFollow = (contract: IndexedContract): boolean =>
      side === 'creation' || contract.hasTrailingImmutables || contract.deployed?.length === code.length;
    const add = (length: number, value: string): void => {
      for (const contract of byKey.get(keyName(length, value)) ?? []) {
        if (mayFollow(contract)) found.add(contract);
      }
    };
    yield* fingerprints(code, lengths, add);
    for (const contract of unmasked) {
      if (mayFollow(contract) && (contract[side]?.length ?? 0) <= code.length) found.add(contract);
    }
    return found;
  }
}

function deploymentKey({ chainId, address }: KnownDeployment): string {
  return `${chainId}:${address}`;
}

function keyName(length: number, value: string): string {
  return `${length}:${value}`;
}
