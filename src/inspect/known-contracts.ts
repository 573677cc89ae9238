/** The contracts that an execution met, as far as they are known: by their code, by their deployment, by a label, or by a guess. */

import type { Artifacts, DeployedName } from '../artifacts/artifacts.ts';
import type { CompilationSources } from '../artifacts/compilation.ts';
import type { CodeMatch, CodeSide, IndexedContract } from '../artifacts/contract-index.ts';
import { AbiTable } from '../artifacts/decoding.ts';
import { isLibraryCode } from '../artifacts/formats/library-signatures.ts';
import { SourceMap } from '../artifacts/source-map.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { type Awaitable, isPromise, runTask, type Task, whenReady } from '../scheduling/task.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import { type KnownFile, KnownFiles } from './known-files.ts';

/** Hardhat's names of functions that have no name of their own, and of one that the contract does not have. */
export const RECEIVE = '<receive>';
export const FALLBACK = '<fallback>';
export const UNRECOGNIZED_SELECTOR = '<unrecognized-selector>';

/** A contract whose artifact is known. */
export class KnownContract {
  readonly match: CodeMatch;
  /** Several where the deployment does not say which one it is. */
  readonly matches: readonly CodeMatch[];
  readonly side: CodeSide;
  /** The contracts of the matches. */
  readonly contracts: readonly IndexedContract[];
  /** Their names, each once. */
  readonly names: readonly string[];
  /** The name of the contract; several with `or` between when they cannot be told apart. */
  readonly name: string;
  readonly table: AbiTable;
  /** The places of the source that the instructions come from; `null` without source map. */
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

  /** True for the code of a library, which checks that it is not called directly. */
  get isLibrary(): boolean {
    return isLibraryCode(this.match.artifact.deployed);
  }

  /** Returns the name of the function that a call with these data means; `null` where the contract does not say it. */
  functionMeantBy(input: Uint8Array): string | null {
    const { table, isLibrary } = this;
    const called = table.functionOf(input);
    if (called !== null) return called.name;
    if (input.length === 0 && table.hasReceive) return RECEIVE;
    if (table.hasFallback) return FALLBACK;
    // The ABI of a library leaves out functions with parameters in storage, and a source of Yul has none.
    return isLibrary || this.match.artifact.compiler.language === 'Yul' ? null : UNRECOGNIZED_SELECTOR;
  }

  /** Resolves to the files that the code comes from, with their indexes in source maps, in that order. */
  async filesOfCode(): Promise<ReadonlyMap<number, KnownFile>> {
    const indexes = [...(this.map?.files ?? [])].sort((left, right) => left - right);
    const files = new Map<number, KnownFile>();
    for (const index of indexes) {
      const file = await this.file(index);
      if (file !== null) files.set(index, file);
    }
    return files;
  }

  /** Resolves to the file that the contract stands in; `null` for one that is not known. */
  async ownFile(): Promise<KnownFile | null> {
    const { sourceName } = this.match.contract;
    const names = (await this.#loaded())?.names ?? new Map<number, string>();
    const [index] = [...names].find(([, name]) => name === sourceName) ?? [];
    return index === undefined ? null : this.file(index);
  }

  /** Resolves to a file of the sources by its index in source maps; `null` for one that is not known. */
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
    // Files that are gone since they were indexed leave the contract without sources.
    this.#sources ??= this.match.contract.sources().catch(() => null);
    return this.#sources;
  }
}

function namesOf(contracts: readonly IndexedContract[]): string[] {
  return [...new Set(contracts.map(({ name }) => name))];
}

/** Addresses whose creation is remembered. */
const MOST_CREATED = 10_000;

/** The expression that creates a contract, with the name of the contract behind that of the module where it has one. */
const CREATION = /^new\s+(?:[A-Za-z_$][\w$]*\s*\.\s*)*(?<name>[A-Za-z_$][\w$]*)/;
/** Characters of an expression that are looked at. */
const LONGEST_NAMED = 1_000;

/** The place of a block in the chain. */
export interface BlockPlace {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** The frame that created a contract. */
export interface CreatingFrame {
  readonly initcode: Uint8Array;
  /** The code that created it, and the place in it; `null` for a transaction that did, or where the place is not known. */
  readonly maker: { readonly side: CodeSide; readonly code: Uint8Array; readonly pc: number } | null;
}

/** A creation that was looked for. */
export interface FoundCreation {
  /** The block since which there is a contract at the address. */
  readonly block: BlockPlace;
  /** `null` where no transaction of the block created it. */
  readonly frame: CreatingFrame | null;
}

/** Finds how the contracts of a chain were created. */
export interface CreationSearch {
  /** True while the block is on the chain. */
  isCurrent(block: BlockPlace): boolean;
  /** Resolves to the creation of the contract at an address (20 bytes); to `null` where no block of the chain created one. */
  of(address: Uint8Array): Promise<FoundCreation | null>;
}

/** The name of a contract in its file. The contract itself would keep its sources in memory. */
type ContractName = Pick<IndexedContract, 'name' | 'sourceName'>;

/** The contracts whose creation made an account, as they were found in a block. */
interface KnownCreation {
  readonly block: BlockPlace;
  /** That of the artifacts. */
  readonly version: number;
  readonly contracts: readonly ContractName[];
}

/** The facts about a code beside its bytes. */
export interface CodeFacts {
  /** Its keccak hash, where that is known. */
  readonly hash?: Uint8Array | undefined;
  /** The contract whose creation in the same execution made the account. */
  readonly made?: KnownContract | null;
  /** The block after which the account has the code; absent for one of the chain as it is. */
  readonly at?: BlockPlace | null;
}

/** The contracts whose code frames ran, by the index of the frame. */
export type ContractsOfFrames = readonly (KnownContract | null)[];

/** Reads what is known of a contract: its ABI and its source map, in pieces where they are long. */
function* knownContract(
  side: CodeSide,
  matches: readonly [CodeMatch, ...CodeMatch[]],
  files: KnownFiles,
): Task<KnownContract> {
  const { artifact } = matches[0];
  const template = artifact[side];
  const pieces = new WorkPieces();
  const table = yield* AbiTable.read(artifact.abi, artifact.signatures, pieces);
  const map = template === null ? null : yield* SourceMap.read(template, pieces);
  return new KnownContract(matches, side, table, map, files);
}

/** The contracts that are known by their code. The facts of one are kept until the artifacts change. */
export class KnownContracts {
  readonly artifacts: Artifacts;
  readonly #chainId: () => number;
  readonly #creations: CreationSearch | null;
  /** The contracts of the first of their matches, or promises of them while their ABI and source map are read. */
  readonly #known = new WeakMap<CodeMatch, Awaitable<KnownContract>>();
  readonly #files = new KnownFiles();
  /** By address. */
  readonly #created = new Map<string, KnownCreation>();

  /** `creations` are those of the chain; without them, contracts with the same code are told apart by what tools say only. */
  constructor(artifacts: Artifacts, chainId: () => number, creations: CreationSearch | null = null) {
    this.artifacts = artifacts;
    this.#chainId = chainId;
    this.#creations = creations;
  }

  /** Returns the name that a user gave to the address (`0x` and digits); `null` for none. */
  readonly labelOf = (address: string): string | null => {
    const { labels } = this.artifacts;
    return labels.size === 0 ? null : (labels.get(address.toLowerCase()) ?? null);
  };

  /** True where any address has a label. */
  get hasLabels(): boolean {
    return this.artifacts.labels.size > 0;
  }

  /**
   * Returns the contract with this code; `null` when no artifact fits. Between contracts of one code decides what tools say of the
   * address, else `made`, the contract whose creation made the account in the same execution, else the creation that the chain has. With
   * `at`, a block that has left the chain meanwhile, the chain of now says nothing of it.
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
   * Resolves to the one of several contracts with the same code of creation that the source of their maker names at the place of the
   * creation; to them all where it names none of them.
   */
  async createdBy(made: KnownContract, maker: KnownContract, pc: number): Promise<KnownContract> {
    const range = made.matches.length < 2 ? null : (maker.map?.rangeAt(pc) ?? null);
    const file = range === null ? null : await maker.file(range.file);
    if (range === null || file === null) return made;
    const text = file.outline.textOf(range.start, Math.min(range.length, LONGEST_NAMED));
    const name = CREATION.exec(text)?.groups?.name;
    const named = made.matches.filter(({ contract }) => contract.name === name);
    return (await this.#contractOf(made.side, named)) ?? made;
  }

  /** The contracts whose creation made the account; none where the chain does not say it. */
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
    if (this.#created.size >= MOST_CREATED && oldest !== undefined) this.#created.delete(oldest);
    this.#created.set(key, { block: found.block, version, contracts });
    return contracts;
  }

  async #madeIn({ initcode, maker }: CreatingFrame, address: Uint8Array): Promise<readonly ContractName[]> {
    const made = await this.of('creation', initcode, address);
    if (made === null) return [];
    if (maker === null) return made.contracts.map(nameOf);
    const { side, code, pc } = maker;
    // The makers of makers are not asked for: accounts can have made each other.
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

  /** Returns those of the contracts that a tool says are at the address. */
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

/** Returns those of the matches that are of one of the contracts; all where none is. */
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
