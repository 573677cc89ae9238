/** All that the node knows of its user's contracts, from folders, projects and calls. Everything works without it, and better with it. */

import { getHeapStatistics } from 'node:v8';
import { MemoryDocument } from '../json/json-document.ts';
import type { Timers } from '../primitives/clock.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { type Awaitable, runTask, type Task } from '../scheduling/task.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import type { KnownDeployment } from './artifact.ts';
import { ArtifactFolder } from './artifact-folder.ts';
import { Compilation } from './compilation.ts';
import { type CodeMatch, type CodeSide, ContractIndex, type IndexedContract } from './contract-index.ts';
import type { NamedDeployment } from './deployment-files.ts';
import { EntrySearch } from './entry-search.ts';
import { contractsOf } from './files.ts';
import { GivenContracts, memoryOf } from './given-contracts.ts';

/** Codes whose matches are kept. */
const MOST_MATCHES = 200;
/** Units of work for looking at a match. */
const MATCH_WORK = 8;
/** The maximum number of different warnings: the texts are kept, so that each is given once. */
const MOST_WARNINGS = 1_000;
/** The bytes that given compilations of all owners may take, and their share of the heap if that is smaller. */
const MOST_GIVEN = 256 * 1024 * 1024;
const GIVEN_SHARE = 4;
const MEBIBYTE = 1024 * 1024;

function givenBudget(ownerCount: number): number {
  const ofAll = Math.min(MOST_GIVEN, getHeapStatistics().heap_size_limit / GIVEN_SHARE);
  return Math.floor(ofAll / ownerCount);
}

/** The name of a contract that a tool says is deployed. */
export type DeployedName = Omit<NamedDeployment, keyof KnownDeployment>;

/** The dependencies of the registry. */
export interface ArtifactsDependencies {
  readonly timers: Timers;
  /** Called once for each file or folder that cannot be read, with a sentence that names it. */
  readonly onWarning: (text: string) => void;
  /** The bytes that compilations given by calls may take; by default a quarter of the heap's limit, at most 256 MiB, per owner. */
  readonly givenBudget?: number;
  /** The number of API keys that share the default budget; 1 by default. */
  readonly ownerCount?: number;
  /** The bytes of files of a folder that a first answer waits for; 128 MiB by default. */
  readonly readSoon?: number;
}

/** The artifacts of a node, found by code and by deployment. Its chains and lanes share them. */
export class Artifacts {
  readonly #dependencies: ArtifactsDependencies;
  /** Shares its folders with these artifacts; `null` for none. */
  readonly #base: Artifacts | null;
  /** The artifacts that share the folders of these. */
  readonly #followers = new Set<Artifacts>();
  readonly #index = new ContractIndex();
  readonly #folders = new Map<string, ArtifactFolder>();
  /** By folder that was added and is too large, the reason. */
  readonly #refusals = new Map<string, string>();
  /** Contracts that calls have given. */
  readonly #given: GivenContracts;
  readonly #givenBudget: number;
  readonly #warned = new Set<string>();
  /** Matches by side and hash of the code, or promises of them while they are looked for; emptied when anything changes. */
  #matches = new Map<string, Awaitable<CodeMatch[]>>();
  /** The matches of codes that were found, which outlast the artifacts. */
  readonly #earlier = new Map<string, CodeMatch[]>();
  /** The contracts, functions, events and errors by their names. */
  readonly entries = new EntrySearch(() => this.#index.contracts);
  /** The names that users gave to addresses (`0x` and lower-case digits). */
  readonly labels = new Map<string, string>();
  #version = 0;
  /** Settles when what was added so far is read; `null` when it is. */
  #reading: Promise<void> | null = null;

  /** With a `base`, contracts of its folders are known here too, but nothing that calls gave to it. */
  constructor(dependencies: ArtifactsDependencies, base: Artifacts | null = null) {
    this.#dependencies = dependencies;
    this.#givenBudget = dependencies.givenBudget ?? givenBudget(dependencies.ownerCount ?? 1);
    this.#given = new GivenContracts(this.#givenBudget, {
      add: (contract) => this.#add(contract),
      remove: (contract) => this.#remove(contract),
    });
    this.#base = base;
    if (base !== null) base.#share(this);
  }

  #share(follower: Artifacts): void {
    for (const contract of this.#index.contracts) if (!this.#given.has(contract)) follower.#add(contract);
    this.#followers.add(follower);
  }

  /** Reports a warning once. Chains and lanes that share the artifacts meet the same facts. */
  warn(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= MOST_WARNINGS) return;
    this.#warned.add(text);
    this.#dependencies.onWarning(text);
  }

  /** Changes whenever a contract comes or goes. */
  get version(): number {
    return this.#version;
  }

  /** True when no contract is known. */
  get isEmpty(): boolean {
    return this.#index.size === 0;
  }

  /** All contracts that are known. */
  get contracts(): Iterable<IndexedContract> {
    return this.#index.contracts;
  }

  /** Waits until what was added so far is read. */
  ready(): Awaitable<void> {
    return this.#reading ?? this.#base?.ready();
  }

  /** True while folders that were added are read for the first time. */
  get isReading(): boolean {
    return this.#reading !== null;
  }

  /** Adds a folder, or a file, with artifacts, which is read in the background and watched. Adding it twice adds it once. */
  addFolder(root: string): void {
    if (this.#folders.has(root)) return;
    const folder = new ArtifactFolder(
      root,
      {
        add: (contract) => {
          for (const artifacts of [this, ...this.#followers]) artifacts.#add(contract);
        },
        remove: (contract) => {
          for (const artifacts of [this, ...this.#followers]) artifacts.#remove(contract);
        },
        warning: this.#dependencies.onWarning,
      },
      this.#dependencies.timers,
      this.#dependencies.readSoon,
    );
    this.#folders.set(root, folder);
    this.#refusals.delete(root);
    const reading: Promise<void> = Promise.all([this.#reading, folder.start()]).then(() => {
      if (folder.refusal !== null) {
        this.#folders.delete(root);
        this.#refusals.set(root, folder.refusal);
      }
      if (this.#reading === reading) this.#reading = null;
    });
    this.#reading = reading;
  }

  /** Returns why a folder that was added is not read; `null` for one that is. */
  refusalOf(root: string): string | null {
    return this.#refusals.get(root) ?? null;
  }

  /** Reads now what has changed in the folders. Resolves when that is done; never rejects. */
  async refresh(): Promise<void> {
    await this.#base?.refresh();
    await Promise.all([...this.#folders.values()].map((folder) => folder.refresh()));
  }

  /**
   * Adds the contracts of a run of solc or Vyper: its input and output as standard JSON. Contracts of the same file and name that
   * calls added before are replaced. If all runs exceed the budget, the oldest are dropped. A replaced run leaves memory unless a code
   * is still named by it. Resolves to the number of contracts. Rejects with `ArtifactBoundError`, and changes nothing then.
   */
  async addCompilation(input: unknown, output: unknown, version: string | null = null): Promise<number> {
    const compilation = new Compilation(new MemoryDocument(input), new MemoryDocument(output), version);
    const contracts = await contractsOf(compilation, null);
    const pieces = new WorkPieces();
    const bytes = await runTask(memoryOf([input, output], pieces));
    const dropped = await runTask(this.#given.add(contracts, bytes, pieces));
    if (dropped.size > 0) this.#forget(dropped);
    if (this.#given.hasReplaced) this.#given.release(await runTask(this.#namingEarlier(pieces)));
    return contracts.length;
  }

  /** The number of given compilations in memory. */
  get givenCompilations(): number {
    return this.#given.compilations;
  }

  /** Returns the contracts that name earlier codes. */
  *#namingEarlier(pieces: WorkPieces): Task<Set<IndexedContract>> {
    const naming = new Set<IndexedContract>();
    for (const matches of this.#earlier.values()) {
      for (const { contract } of matches) naming.add(contract);
      const turn = pieces.spend(MATCH_WORK * matches.length);
      if (turn !== undefined) yield turn;
    }
    return naming;
  }

  /** Forgets contracts that were dropped: matches of earlier codes would keep their sources in memory. */
  #forget(dropped: ReadonlySet<IndexedContract>): void {
    for (const [key, matches] of this.#earlier) {
      if (matches.some(({ contract }) => dropped.has(contract))) this.#earlier.delete(key);
    }
    const budget = Math.floor(this.#givenBudget / MEBIBYTE);
    this.warn(
      `artifacts added over RPC exceed ${budget} MiB, so the oldest artifacts are dropped; pass the artifact folder with --artifacts instead`,
    );
  }

  /** Finds the contracts with this code (see `ContractIndex.find`). `hash` is its keccak hash where that is known. */
  find(side: CodeSide, code: Uint8Array, hash?: Uint8Array): Awaitable<CodeMatch[]> {
    if (code.length === 0) return [];
    const key = `${side}:${hexKey(hash ?? keccak256(code))}`;
    const known = this.#matches.get(key);
    if (known !== undefined) return known;
    if (this.#matches.size >= MOST_MATCHES) this.#matches.clear();
    const kept = this.#matches;
    const found = this.#index.find(side, code).then((matches) => {
      // Contracts that were replaced during the search must not name the code later: their memory is no longer counted.
      const isCurrent = kept === this.#matches;
      const all = isCurrent || matches.length === 0 ? this.#orEarlier(key, matches) : matches;
      if (kept.get(key) === found) kept.set(key, all);
      return all;
    });
    kept.set(key, found);
    return found;
  }

  /**
   * Returns the matches; without any, those of the same code from before a change. A contract on the chain stays what it is
   * when its source is compiled anew.
   */
  #orEarlier(key: string, matches: CodeMatch[]): CodeMatch[] {
    if (matches.length === 0) return this.#earlier.get(key) ?? [];
    if (this.#earlier.size >= MOST_MATCHES) this.#earlier.clear();
    this.#earlier.set(key, matches);
    return matches;
  }

  /** Returns the contracts that tools say are deployed at the address (`0x` and lower-case digits) of the chain. */
  deployedAt(chainId: number, address: string): DeployedName[] {
    const isThere = (at: KnownDeployment): boolean => at.chainId === chainId && at.address === address;
    const found: DeployedName[] = [];
    for (const { name, sourceName } of this.#index.deployedAt({ chainId, address })) {
      found.push({ name, sourceName, isByCode: false });
    }
    for (const folder of [
      ...(this.#base === null ? [] : this.#base.#folders.values()),
      ...this.#folders.values(),
    ]) {
      for (const deployment of folder.deployments()) if (isThere(deployment)) found.push(deployment);
    }
    return found;
  }

  /** Ends watching. */
  close(): void {
    for (const folder of this.#folders.values()) folder.close();
  }

  #add(contract: IndexedContract): void {
    this.#index.add(contract);
    this.#changed();
  }

  #remove(contract: IndexedContract): void {
    this.#index.remove(contract);
    this.#changed();
  }

  #changed(): void {
    this.#version++;
    this.#matches = new Map();
  }
}
