/** The registry of the user's artifacts, from folders, projects and calls. The node works without any. */

import { getHeapStatistics } from 'node:v8';
import type { Awaitable } from '../primitives/awaitable.ts';
import type { Timers } from '../primitives/clock.ts';
import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';
import type { Steps } from '../primitives/steps.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { KnownDeployment } from './artifact.ts';
import { ArtifactFolder } from './artifact-folder.ts';
import { Compilation } from './compilation.ts';
import { type CodeMatch, type CodeSide, ContractIndex, type IndexedContract } from './contract-index.ts';
import type { NamedDeployment } from './deployment-files.ts';
import { EntrySearch } from './entry-search.ts';
import { contractsOf } from './files.ts';
import { MemoryDocument } from './json-document.ts';
import { memoryOf, UserContracts } from './user-contracts.ts';

/** Maximum codes with cached matches. */
const MAX_MATCHES = 200;
/** Units of work per match. */
const MATCH_WORK = 8;
/** Maximum different warnings. Their texts are kept, so that each is reported once. */
const MAX_WARNINGS = 1_000;
/**
 * Memory limit of the compilations that calls add, for all owners together, in bytes. If a quarter of the
 * heap limit is smaller, it applies.
 */
const MAX_GIVEN = 256 * 1024 * 1024;
const GIVEN_SHARE = 4;
const MEBIBYTE = 1024 * 1024;

function givenBudget(ownerCount: number): number {
  const ofAll = Math.min(MAX_GIVEN, getHeapStatistics().heap_size_limit / GIVEN_SHARE);
  return Math.floor(ofAll / ownerCount);
}

/** The name of a contract that a tool recorded as deployed. */
export type DeployedName = Omit<NamedDeployment, keyof KnownDeployment>;

export interface ArtifactsDependencies {
  readonly timers: Timers;
  /** Called once per unreadable file or folder, with a message that names it. */
  readonly onWarning: (text: string) => void;
  /**
   * Memory limit of compilations that calls add, in bytes. Default: a quarter of the heap limit, at most 256
   * MiB, divided among the owners.
   */
  readonly givenBudget?: number;
  /** The number of API keys that share the default budget (default 1). */
  readonly ownerCount?: number;
  /** Bytes of a folder's files that the first result waits for (default 128 MiB). */
  readonly readSoon?: number;
}

/** The artifacts of a node, by code and by deployment. Its chains and lanes share them. */
export class Artifacts {
  readonly #dependencies: ArtifactsDependencies;
  /** The artifacts whose folders these artifacts share; `null` for none. */
  readonly #base: Artifacts | null;
  /** The artifacts that share these folders. */
  readonly #followers = new Set<Artifacts>();
  readonly #index = new ContractIndex();
  readonly #folders = new Map<string, ArtifactFolder>();
  /** The reasons why added folders were rejected as too large, by folder. */
  readonly #refusals = new Map<string, string>();
  /** Contracts that calls added. */
  readonly #given: UserContracts;
  readonly #givenBudget: number;
  readonly #warned = new Set<string>();
  /** Matches by side and code hash, or promises during the search. Cleared after every change. */
  #matches = new Map<string, Awaitable<CodeMatch[]>>();
  /** Earlier matches by code. They remain valid after the artifacts change. */
  readonly #earlier = new Map<string, CodeMatch[]>();
  /** Contracts, functions, events and errors by name. */
  readonly entries = new EntrySearch(() => this.#index.contracts);
  /** The user's labels of addresses (`0x` and lower-case digits). */
  readonly labels = new Map<string, string>();
  #version = 0;
  /** Settles after all added folders are read; `null` if none is pending. */
  #reading: Promise<void> | null = null;

  /** With a `base`, the contracts of its folders are included, but not the ones that calls added to it. */
  constructor(dependencies: ArtifactsDependencies, base: Artifacts | null = null) {
    this.#dependencies = dependencies;
    this.#givenBudget = dependencies.givenBudget ?? givenBudget(dependencies.ownerCount ?? 1);
    this.#given = new UserContracts(this.#givenBudget, {
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

  /** Reports a warning once, although several chains and lanes share the artifacts. */
  warn(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= MAX_WARNINGS) return;
    this.#warned.add(text);
    this.#dependencies.onWarning(text);
  }

  /** Changes with every added or removed contract. */
  get version(): number {
    return this.#version;
  }

  get isEmpty(): boolean {
    return this.#index.size === 0;
  }

  get contracts(): Iterable<IndexedContract> {
    return this.#index.contracts;
  }

  /** Waits until all added folders are read. */
  ready(): Awaitable<void> {
    return this.#reading ?? this.#base?.ready();
  }

  /** True during the first read of added folders. */
  get isReading(): boolean {
    return this.#reading !== null;
  }

  /**
   * Adds a folder or a file with artifacts. It is read in the background and watched. A second call with the
   * same path has no effect.
   */
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

  /** Returns why an added folder was rejected; `null` if it was not. */
  refusalOf(root: string): string | null {
    return this.#refusals.get(root) ?? null;
  }

  /** Reads the changes in the folders immediately. Resolves after the read; never rejects. */
  async refresh(): Promise<void> {
    await this.#base?.refresh();
    await Promise.all([...this.#folders.values()].map((folder) => folder.refresh()));
  }

  /**
   * Adds the contracts of a run of solc or Vyper, from its standard JSON input and output. They replace
   * contracts with the same file and name from earlier calls. If all runs exceed the budget, the oldest are
   * dropped. A replaced run is released from memory unless an earlier match refers to it. Resolves to the
   * number of contracts. Rejects with `ArtifactBoundError` without any change.
   */
  async addCompilation(input: unknown, output: unknown, version: string | null = null): Promise<number> {
    const compilation = new Compilation(new MemoryDocument(input), new MemoryDocument(output), version);
    const contracts = await contractsOf(compilation, null);
    const slice = new TimeSlice();
    const bytes = await runTask(memoryOf([input, output]), slice);
    const dropped = await runTask(this.#given.add(contracts, bytes), slice);
    if (dropped.size > 0) this.#forget(dropped);
    if (this.#given.hasReplaced) this.#given.release(await runTask(this.#namingEarlier(), slice));
    return contracts.length;
  }

  /** The number of compilations from calls in memory. */
  get givenCompilations(): number {
    return this.#given.compilations;
  }

  /** Returns the contracts in earlier matches. */
  *#namingEarlier(): Steps<Set<IndexedContract>> {
    const naming = new Set<IndexedContract>();
    for (const matches of this.#earlier.values()) {
      for (const { contract } of matches) naming.add(contract);
      yield MATCH_WORK * matches.length;
    }
    return naming;
  }

  /** Removes the earlier matches of dropped contracts, because they would keep their sources in memory. */
  #forget(dropped: ReadonlySet<IndexedContract>): void {
    for (const [key, matches] of this.#earlier) {
      if (matches.some(({ contract }) => dropped.has(contract))) this.#earlier.delete(key);
    }
    const budget = Math.floor(this.#givenBudget / MEBIBYTE);
    this.warn(
      `artifacts added over RPC exceed ${budget} MiB, so the oldest artifacts are dropped; pass the artifact folder with --artifacts instead`,
    );
  }

  /** Finds the contracts with this code (see `ContractIndex.find`). `hash` is its keccak hash, if known. */
  find(side: CodeSide, code: Uint8Array, hash?: Uint8Array): Awaitable<CodeMatch[]> {
    if (code.length === 0) return [];
    const key = `${side}:${hexKey(hash ?? keccak256(code))}`;
    const known = this.#matches.get(key);
    if (known !== undefined) return known;
    if (this.#matches.size >= MAX_MATCHES) this.#matches.clear();
    const kept = this.#matches;
    const found = this.#index.find(side, code).then((matches) => {
      // If a contract was replaced during the search, do not cache its match: its memory is no longer
      // counted.
      const isCurrent = kept === this.#matches;
      const all = isCurrent || matches.length === 0 ? this.#orEarlier(key, matches) : matches;
      if (kept.get(key) === found) kept.set(key, all);
      return all;
    });
    kept.set(key, found);
    return found;
  }

  /**
   * Returns the matches; if empty, the earlier matches of the same code. A deployed contract keeps its name
   * after its source is recompiled.
   */
  #orEarlier(key: string, matches: CodeMatch[]): CodeMatch[] {
    if (matches.length === 0) return this.#earlier.get(key) ?? [];
    if (this.#earlier.size >= MAX_MATCHES) this.#earlier.clear();
    this.#earlier.set(key, matches);
    return matches;
  }

  /** Returns the contracts that tools recorded at this address (`0x`, lower-case digits) of the chain. */
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
