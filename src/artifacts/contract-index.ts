/** Finds contracts by their code among all that are known, in memory that does not depend on the size of their artifacts. */

import { nextTurn } from '../scheduling/interrupt.ts';
import { runTask, type Task } from '../scheduling/task.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import type { CodeTemplate, ContractArtifact, KnownDeployment } from './artifact.ts';
import { fingerprint, fingerprints } from './code-fingerprint.ts';
import { type Fit, fitOf } from './code-template.ts';
import type { CompilationSources } from './compilation.ts';

/** Contracts with the same fingerprint that are read and compared: names of more say nothing to a person. */
const MOST_CANDIDATES = 1_000;
/** Contracts that are read in one turn of the event loop. */
const CANDIDATES_IN_A_TURN = 16;

/** The key of a code in the index. */
interface CodeKey {
  readonly length: number;
  readonly fingerprint: string;
  /** False where something is filled in that fingerprints do not leave out: such code is compared one by one. */
  readonly isMasked: boolean;
}

/** A contract of which only what finds it is in memory. */
export interface IndexedContract {
  readonly name: string;
  readonly sourceName: string;
  readonly creation: CodeKey | null;
  readonly deployed: CodeKey | null;
  /** True when immutable variables follow the deployed code (Vyper), which then is longer than the compiler's. */
  readonly hasTrailingImmutables: boolean;
  /** The places at which the tool says that it is deployed. */
  readonly deployments: readonly KnownDeployment[];
  /** The file that describes it; `null` for one that was given by a call. */
  readonly file: string | null;
  /** Reads all of it. Rejects when its file is gone or damaged. */
  load(): Promise<ContractArtifact>;
  /** Reads where its sources are. Resolves to `null` when they are not known. */
  sources(): Promise<CompilationSources | null>;
}

/** Returns how a code is found, in pieces where it is long; `null` for none. */
export function* codeKey(template: CodeTemplate | null, pieces: WorkPieces): Task<CodeKey | null> {
  if (template === null) return null;
  const { bytes, holes } = template;
  const filled = bytes.slice();
  for (const { start, length, kind } of holes) {
    if (kind !== 'metadata') filled.fill(0xff, start, start + length);
  }
  const found = yield* fingerprint(bytes, pieces);
  const isMasked = found === (yield* fingerprint(filled, pieces));
  return { length: bytes.length, fingerprint: found, isMasked };
}

/** A contract whose code fits. */
export interface CodeMatch {
  readonly contract: IndexedContract;
  readonly artifact: ContractArtifact;
  readonly fit: Fit;
}

/** The code of a contract that is looked for. */
export type CodeSide = 'creation' | 'deployed';

interface SideIndex {
  /** By length and fingerprint. */
  readonly byKey: Map<string, Set<IndexedContract>>;
  /** The number of contracts by the length of their code. */
  readonly lengths: Map<number, number>;
  readonly unmasked: Set<IndexedContract>;
}

function emptySide(): SideIndex {
  return { byKey: new Map(), lengths: new Map(), unmasked: new Set() };
}

/** The contracts of all sources of artifacts, found by code. */
export class ContractIndex {
  readonly #sides = { creation: emptySide(), deployed: emptySide() };
  readonly #contracts = new Set<IndexedContract>();
  /** By chain id and address. */
  readonly #deployed = new Map<string, Set<IndexedContract>>();

  /** All contracts, in the order in which they came. */
  get contracts(): Iterable<IndexedContract> {
    return this.#contracts;
  }

  /** Returns the contracts whose artifacts are deployed there. */
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
   * Finds the contracts that have this code; the best fits only, so that `similar` ones come only where none is exact. A
   * creation may be followed by the arguments of its constructor: of several the longest wins. Contracts whose file is gone
   * meanwhile are left out.
   */
  async find(side: CodeSide, code: Uint8Array): Promise<CodeMatch[]> {
    const matches: CodeMatch[] = [];
    let tried = 0;
    for (const contract of await runTask(this.#candidates(side, code))) {
      if (tried >= MOST_CANDIDATES) break;
      if (tried++ % CANDIDATES_IN_A_TURN === CANDIDATES_IN_A_TURN - 1) await nextTurn();
      const artifact = await contract.load().catch(() => null);
      const template = artifact?.[side] ?? null;
      if (artifact === null || template === null) continue;
      const fit = fitOf(template, code);
      if (fit !== null) matches.push({ contract, artifact, fit });
    }
    const longest = Math.max(...matches.map(({ artifact }) => artifact[side]?.bytes.length ?? 0));
    const long = matches.filter(({ artifact }) => artifact[side]?.bytes.length === longest);
    const exact = long.filter(({ fit }) => fit === 'exact');
    // Artifacts with positions come first: files of deployments have none.
    const isPlaced = ({ artifact }: CodeMatch): number =>
      (artifact[side]?.sourceMap ?? null) === null ? 1 : 0;
    return (exact.length > 0 ? exact : long).sort((left, right) => isPlaced(left) - isPlaced(right));
  }

  *#candidates(side: CodeSide, code: Uint8Array): Task<Set<IndexedContract>> {
    const { byKey, lengths, unmasked } = this.#sides[side];
    const found = new Set<IndexedContract>();
    const mayFollow = (contract: IndexedContract): boolean =>
      side === 'creation' || contract.hasTrailingImmutables || contract.deployed?.length === code.length;
    const add = (length: number, value: string): void => {
      for (const contract of byKey.get(keyName(length, value)) ?? []) {
        if (mayFollow(contract)) found.add(contract);
      }
    };
    yield* fingerprints(code, lengths, add, new WorkPieces());
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
