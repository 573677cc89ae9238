/** Identifies the contracts of an execution: by code, deployment record, label or guess. */

import type { Artifacts, DeployedName } from '../artifacts/artifacts.ts';
import type { CompilationSources } from '../artifacts/compilation.ts';
import type { CodeMatch, CodeSide, IndexedContract } from '../artifacts/contract-index.ts';
import { AbiTable } from '../artifacts/decoding.ts';
import { isLibraryCode } from '../artifacts/formats/library-signatures.ts';
import { SourceMap } from '../artifacts/source-map.ts';
import { type Awaitable, isPromise, whenReady } from '../primitives/awaitable.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import type { Steps } from '../primitives/steps.ts';
import { runTask } from '../scheduling/task.ts';
import { type KnownFile, KnownFiles } from './known-files.ts';

/** Hardhat's names for functions without a name, and for an unknown selector. */
export const RECEIVE = '<receive>';
export const FALLBACK = '<fallback>';
export const UNRECOGNIZED_SELECTOR = '<unrecognized-selector>';

/** A contract with an artifact. */
export class KnownContract {
  readonly match: CodeMatch;
  /** Several if the deployment does not identify one of them. */
  readonly matches: readonly CodeMatch[];
  readonly side: CodeSide;
  readonly contracts: readonly IndexedContract[];
  /** The distinct names of the contracts. */
  readonly names: readonly string[];
  /** The contract's name, or several names joined with `or` if the contracts are indistinguishable. */
  readonly name: string;
  readonly table: AbiTable;
  /** `null` without a source map. */
  readonly map: SourceMap | null;
  readonly #knownFiles: KnownFiles;
  #sources: Promise<CompilationSources | null> | null = null;
  /** By index. */
  readonly #files = new Map<number, Promise<KnownFile | null>>();

  constructor(
    matches: readonly [CodeMatch, ...CodeMatch[]],
    side: CodeSide,
    table: AbiTable,
    map: SourceMap | null,
    knownFiles: KnownFiles,
  ) {
    this.match = matches[0];
    this.matches = matches;
    this.side = side;
    this.contracts = matches.map(({ contract }) => contract);
    this.names = namesOf(this.contracts);
    this.name = this.names.join(' or ');
    this.table = table;
    this.map = map;
    this.#knownFiles = knownFiles;
  }

  /** True for library code, which rejects direct calls. */
  get isLibrary(): boolean {
    return isLibraryCode(this.match.artifact.deployed);
  }

  /** Returns the name of the function that this call data selects; `null` if unknown. */
  functionMeantBy(input: Uint8Array): string | null {
    const { table, isLibrary } = this;
    const called = table.functionOf(input);
    if (called !== null) return called.name;
    if (input.length === 0 && table.hasReceive) return RECEIVE;
    if (table.hasFallback) return FALLBACK;
    // A library's ABI omits functions with storage parameters. Yul sources have no ABI.
    return isLibrary || this.match.artifact.compiler.language === 'Yul' ? null : UNRECOGNIZED_SELECTOR;
  }

  /** Resolves to the files of the code, by source-map index in ascending order. */
  async filesOfCode(): Promise<ReadonlyMap<number, KnownFile>> {
    const indexes = [...(this.map?.files ?? [])].sort((left, right) => left - right);
    const files = new Map<number, KnownFile>();
    for (const index of indexes) {
      const file = await this.file(index);
      if (file !== null) files.set(index, file);
    }
    return files;
  }

  /** Resolves to the file that defines the contract; `null` if unknown. */
  async ownFile(): Promise<KnownFile | null> {
    const { sourceName } = this.match.contract;
    const names = (await this.#loaded())?.names ?? new Map<number, string>();
    const [index] = [...names].find(([, name]) => name === sourceName) ?? [];
    return index === undefined ? null : this.file(index);
  }

  /** Resolves to a source file by its source-map index; `null` if unknown. */
  file(index: number): Promise<KnownFile | null> {
    const known = this.#files.get(index) ?? this.#readFile(index);
    this.#files.set(index, known);
    return known;
  }

  async #readFile(index: number): Promise<KnownFile | null> {
    const sources = await this.#loaded();
    const name = sources?.names.get(index);
    if (sources === null || name === undefined) return null;
    const content = await sources.content(name).catch(() => null);
    return content === null ? null : this.#knownFiles.of(name, content);
  }

  #loaded(): Promise<CompilationSources | null> {
    // If a file was deleted after it was indexed, the contract has no sources.
    this.#sources ??= this.match.contract.sources().catch(() => null);
    return this.#sources;
  }
}

function namesOf(contracts: readonly IndexedContract[]): string[] {
  return [...new Set(contracts.map(({ name }) => name))];
}

/** Maximum addresses with a cached creation. */
const MAX_CREATED = 10_000;

/** Matches an expression that creates a contract, with an optional module name before the contract name. */
const CREATION = /^new\s+(?:[A-Za-z_$][\w$]*\s*\.\s*)*(?<name>[A-Za-z_$][\w$]*)/;
/** Maximum characters of an expression to match. */
const MAX_NAMED_LENGTH = 1_000;

export interface BlockPosition {
  readonly number: number;
  readonly hash: Uint8Array;
}

export interface CreatingFrame {
  readonly initcode: Uint8Array;
  /**
   * The code that created it, and the program counter of the creation. `null` if a transaction created it, or
   * if the program counter is unknown.
   */
  readonly maker: { readonly side: CodeSide; readonly code: Uint8Array; readonly pc: number } | null;
}

export interface FoundCreation {
  /** The block that created the contract. */
  readonly block: BlockPosition;
  /** `null` if no transaction of the block created it. */
  readonly frame: CreatingFrame | null;
}

export interface CreationSearch {
  /** True while the block is on the chain. */
  isCurrent(block: BlockPosition): boolean;
  /** Resolves to the creation of the contract at an address (20 bytes); `null` if no block created it. */
  of(address: Uint8Array): Promise<FoundCreation | null>;
}

/** The contract's name and file. A reference to the contract itself would keep its sources in memory. */
type ContractName = Pick<IndexedContract, 'name' | 'sourceName'>;

/** The contracts that match an account's creation, cached with the block of the creation. */
interface KnownCreation {
  readonly block: BlockPosition;
  /** The version of the artifacts. */
  readonly version: number;
  readonly contracts: readonly ContractName[];
}

/** Facts about a code besides its bytes. */
export interface CodeFacts {
  /** The keccak hash, if known. */
  readonly hash?: Uint8Array | undefined;
  /** The contract that was created at the address in the same execution. */
  readonly made?: KnownContract | null;
  /** The block of the state that has the code; absent for the current state of the chain. */
  readonly at?: BlockPosition | null;
}

/** The contracts of the frames, by index of the frame. */
export type ContractsOfFrames = readonly (KnownContract | null)[];

/** Reads the ABI and source map of a contract. Yields between time slices. */
function* knownContract(
  side: CodeSide,
  matches: readonly [CodeMatch, ...CodeMatch[]],
  files: KnownFiles,
): Steps<KnownContract> {
  const { artifact } = matches[0];
  const template = artifact[side];
  const table = yield* AbiTable.read(artifact.abi, artifact.signatures);
  const map = template === null ? null : yield* SourceMap.read(template);
  return new KnownContract(matches, side, table, map, files);
}

/** The contracts known by their code. A contract is cached until the artifacts change. */
export class KnownContracts {
  readonly artifacts: Artifacts;
  readonly #chainId: () => number;
  readonly #creations: CreationSearch | null;
  /** Contracts by their first match, or promises of them while the ABI and source map are read. */
  readonly #known = new WeakMap<CodeMatch, Awaitable<KnownContract>>();
  readonly #files = new KnownFiles();
  /** By address. */
  readonly #created = new Map<string, KnownCreation>();

  /** Without `creations`, only recorded deployments distinguish contracts with the same code. */
  constructor(artifacts: Artifacts, chainId: () => number, creations: CreationSearch | null = null) {
    this.artifacts = artifacts;
    this.#chainId = chainId;
    this.#creations = creations;
  }

  /** Returns the user's label for the address (`0x` and digits); `null` for none. */
  readonly labelOf = (address: string): string | null => {
    const { labels } = this.artifacts;
    return labels.size === 0 ? null : (labels.get(address.toLowerCase()) ?? null);
  };

  /** True if any address has a label. */
  get hasLabels(): boolean {
    return this.artifacts.labels.size > 0;
  }

  /**
   * Returns the contract with this code; `null` if no artifact fits. Several contracts can have the same
   * code. Then deployment records of tools decide, otherwise `made` (the contract created in the same
   * execution), otherwise the creation on the chain. If `at` is a block that left the chain, the chain's
   * creations are ignored.
   */
  of(
    side: CodeSide,
    code: Uint8Array,
    address: Uint8Array | null,
    { hash, made = null, at = null }: CodeFacts = {},
  ): Awaitable<KnownContract | null> {
    return whenReady(this.artifacts.find(side, code, hash), (matches) => {
      if (matches.length < 2 || address === null) return this.#contractOf(side, matches);
      const told = this.#toldAt(address, matches);
      if (told.length > 0) return this.#contractOf(side, told);
      if (side === 'creation') return this.#contractOf(side, matches);
      if (made !== null) return this.#contractOf(side, namedAmong(matches, made.contracts));
      if (at !== null && this.#creations?.isCurrent(at) !== true) return this.#contractOf(side, matches);
      return whenReady(this.#createdAt(address), (created) =>
        this.#contractOf(side, namedAmong(matches, created)),
      );
    });
  }

  /**
   * Resolves to both codes of a contract of the artifacts, whether it is deployed or not. They are not cached,
   * because a project can have thousands of contracts.
   */
  async compiled(contract: IndexedContract): Promise<KnownContract[]> {
    // If a file was deleted after it was indexed, the contract has no artifact.
    const artifact = await contract.load().catch(() => null);
    if (artifact === null) return [];
    const sides = (['creation', 'deployed'] as const).filter((side) => artifact[side] !== null);
    const match: CodeMatch = { contract, artifact, fit: 'exact' };
    return Promise.all(sides.map((side) => runTask(knownContract(side, [match], this.#files))));
  }

  /**
   * Resolves to the contract that the creator's source names at the program counter `pc`. `made` has several
   * contracts with the same initcode. Resolves to `made` if the source names none of them.
   */
  async createdBy(made: KnownContract, maker: KnownContract, pc: number): Promise<KnownContract> {
    const range = made.matches.length < 2 ? null : (maker.map?.rangeAt(pc) ?? null);
    const file = range === null ? null : await maker.file(range.file);
    if (range === null || file === null) return made;
    const text = file.outline.textOf(range.start, Math.min(range.length, MAX_NAMED_LENGTH));
    const name = CREATION.exec(text)?.groups?.name;
    const named = made.matches.filter(({ contract }) => contract.name === name);
    return (await this.#contractOf(made.side, named)) ?? made;
  }

  /** The contracts that match the account's creation; empty if the chain does not have the creation. */
  #createdAt(address: Uint8Array): Awaitable<readonly ContractName[]> {
    const creations = this.#creations;
    if (creations === null) return [];
    const known = this.#created.get(hexKey(address));
    const isValid = known?.version === this.artifacts.version && creations.isCurrent(known.block);
    return isValid ? known.contracts : this.#findCreation(creations, address);
  }

  async #findCreation(creations: CreationSearch, address: Uint8Array): Promise<readonly ContractName[]> {
    const { version } = this.artifacts;
    const found = await creations.of(address);
    if (found === null) return [];
    const contracts = found.frame === null ? [] : await this.#madeIn(found.frame, address);
    const key = hexKey(address);
    this.#created.delete(key);
    const [oldest] = this.#created.keys();
    if (this.#created.size >= MAX_CREATED && oldest !== undefined) this.#created.delete(oldest);
    this.#created.set(key, { block: found.block, version, contracts });
    return contracts;
  }

  async #madeIn({ initcode, maker }: CreatingFrame, address: Uint8Array): Promise<readonly ContractName[]> {
    const made = await this.of('creation', initcode, address);
    if (made === null) return [];
    if (maker === null) return made.contracts.map(nameOf);
    const { side, code, pc } = maker;
    // Do not search for creators of creators: accounts can have created each other.
    const by = await this.#contractOf(side, await this.artifacts.find(side, code));
    return (by === null ? made : await this.createdBy(made, by, pc)).contracts.map(nameOf);
  }

  #contractOf(side: CodeSide, matches: readonly CodeMatch[]): Awaitable<KnownContract | null> {
    const [first, ...rest] = matches;
    if (first === undefined) return null;
    return whenReady(this.#known.get(first) ?? null, (known) => {
      const isSame = known?.matches.length === matches.length;
      if (known !== null && isSame && known.matches.every((one, at) => one === matches[at])) return known;
      const made = runTask(knownContract(side, [first, ...rest], this.#files));
      this.#known.set(first, made);
      if (isPromise(made))
        made.then(
          (contract) => this.#known.set(first, contract),
          () => this.#known.delete(first),
        );
      return made;
    });
  }

  /** Returns the matches that the deployment records of tools list at the address. */
  #toldAt(address: Uint8Array, matches: readonly CodeMatch[]): readonly CodeMatch[] {
    const told = this.artifacts.deployedAt(this.#chainId(), toHex(address));
    const named = matches.filter(({ contract }) => told.some((there) => isNamed(contract, there)));
    return matches.filter(
      (match) =>
        named.includes(match) ||
        told.some(
          (there) =>
            there.isByCode &&
            named.some(
              ({ contract }) => isNamed(contract, there) && isSameCreation(contract, match.contract),
            ),
        ),
    );
  }
}

/** Returns the matches of these contracts; all matches if none fits. */
function namedAmong(matches: readonly CodeMatch[], contracts: readonly ContractName[]): readonly CodeMatch[] {
  const named = matches.filter(({ contract }) => contracts.some((there) => isNamed(contract, there)));
  return named.length > 0 ? named : matches;
}

function nameOf({ name, sourceName }: IndexedContract): ContractName {
  return { name, sourceName };
}

function isNamed(contract: IndexedContract, there: Pick<DeployedName, 'name' | 'sourceName'>): boolean {
  return there.name === contract.name && (there.sourceName ?? contract.sourceName) === contract.sourceName;
}

function isSameCreation({ creation: left }: IndexedContract, { creation: right }: IndexedContract): boolean {
  return left?.length === right?.length && left?.fingerprint === right?.fingerprint;
}
