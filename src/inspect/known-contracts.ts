/** The contracts that an execution met, as far as they are known: by their code, by their deployment, by a label, or by a guess. */

import type { Artifacts, DeployedName } from '../artifacts/artifacts.ts';
import type { CompilationSources } from '../artifacts/compilation.ts';
import type { CodeMatch, CodeSide, IndexedContract } from '../artifacts/contract-index.ts';
import { AbiTable } from '../artifacts/decoding.ts';
import { isLibraryCode } from '../artifacts/formats/library-signatures.ts';
import { SourceMap } from '../artifacts/source-map.ts';
import { SourceOutline } from '../artifacts/source-outline.ts';
import { hexKey, toHex } from '../primitives/hex.ts';
import { type Awaitable, runTask, whenReady } from '../primitives/task.ts';
import { WorkPieces } from '../primitives/work-pieces.ts';

/** The name of a module of Vyper, in that of its file. */
const VYPER_FILE = /([^/]+)\.vyi?$/;

/** One file of a contract's sources. */
export interface KnownFile {
  readonly name: string;
  readonly outline: SourceOutline;
}

/** Hardhat's names of functions that have no name of their own, and of one that the contract does not have. */
export const RECEIVE = '<receive>';
export const FALLBACK = '<fallback>';
export const UNRECOGNIZED_SELECTOR = '<unrecognized-selector>';

/** A contract whose artifact is known. */
export class KnownContract {
  readonly match: CodeMatch;
  readonly side: CodeSide;
  /** The contracts with this very code, several where the deployment does not say which one it is. */
  readonly contracts: readonly IndexedContract[];
  /** Their names, each once. */
  readonly names: readonly string[];
  /** The name of the contract; several with `or` between when they cannot be told apart. */
  readonly name: string;
  readonly table: AbiTable;
  /** The places of the source that the instructions come from; `null` without source map. */
  readonly map: SourceMap | null;
  #sources: Promise<CompilationSources | null> | null = null;
  readonly #files = new Map<number, Promise<KnownFile | null>>();

  constructor(
    matches: readonly [CodeMatch, ...CodeMatch[]],
    side: CodeSide,
    table: AbiTable,
    map: SourceMap | null,
  ) {
    this.match = matches[0];
    this.side = side;
    this.contracts = matches.map(({ contract }) => contract);
    this.names = namesOf(this.contracts);
    this.name = this.names.join(' or ');
    this.table = table;
    this.map = map;
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
    // The ABI of a library leaves out functions with parameters in storage.
    return isLibrary ? null : UNRECOGNIZED_SELECTOR;
  }

  /** Resolves to the indexes of the files that source maps name; empty when the sources are not known. */
  async fileNames(): Promise<ReadonlyMap<number, string>> {
    return (await this.#loaded())?.names ?? new Map();
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
    if (content === null) return null;
    const [, vyperModule = null] = VYPER_FILE.exec(name) ?? [];
    return { name, outline: await runTask(SourceOutline.read(content, vyperModule, new WorkPieces())) };
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

/** The contracts whose code frames ran, by the index of the frame. */
export type ContractsOfFrames = readonly (KnownContract | null)[];

/** The contracts that are known by their code. The facts of one are kept until the artifacts change. */
export class KnownContracts {
  readonly artifacts: Artifacts;
  readonly #chainId: () => number;
  readonly #known = new WeakMap<CodeMatch, KnownContract>();
  /** By address, the contracts whose code created the account last. */
  readonly #created = new Map<string, readonly IndexedContract[]>();

  constructor(artifacts: Artifacts, chainId: () => number) {
    this.artifacts = artifacts;
    this.#chainId = chainId;
  }

  /** Returns the name that a user gave to the address (`0x` and lower-case digits); `null` for none. */
  readonly labelOf = (address: string): string | null => this.artifacts.labels.get(address) ?? null;

  /** True where any address has a label. */
  get hasLabels(): boolean {
    return this.artifacts.labels.size > 0;
  }

  /** Returns the contract with this code; `null` when no artifact fits. `address` decides between contracts of one code. */
  of(
    side: CodeSide,
    code: Uint8Array,
    address: Uint8Array | null,
    hash?: Uint8Array,
  ): Awaitable<KnownContract | null> {
    return whenReady(this.artifacts.find(side, code, hash), (matches) => this.#meant(side, matches, address));
  }

  /**
   * Remembers which contract a transaction of the chain created at an address: the code of creations differs between contracts with the
   * same code when they are deployed.
   */
  created(address: Uint8Array, { contracts }: KnownContract): void {
    const key = hexKey(address);
    this.#created.delete(key);
    const [oldest] = this.#created.keys();
    if (this.#created.size >= MOST_CREATED && oldest !== undefined) this.#created.delete(oldest);
    this.#created.set(key, contracts);
  }

  #meant(side: CodeSide, matches: readonly CodeMatch[], address: Uint8Array | null): KnownContract | null {
    const [first, ...rest] =
      matches.length > 1 && address !== null ? this.#deployedAt(address, side, matches) : matches;
    if (first === undefined) return null;
    const known = this.#known.get(first);
    const meant = [first, ...rest].map(({ contract }) => contract);
    if (known?.contracts.length === meant.length && known.contracts.every((one, at) => one === meant[at])) {
      return known;
    }
    const template = first.artifact[side];
    const map = template === null ? null : SourceMap.of(template);
    const made = new KnownContract(
      [first, ...rest],
      side,
      new AbiTable(first.artifact.abi, first.artifact.signatures),
      map,
    );
    this.#known.set(first, made);
    return made;
  }

  /** Returns those of the contracts that a tool, or else the creation, says are at the address; all where neither does. */
  #deployedAt(address: Uint8Array, side: CodeSide, matches: readonly CodeMatch[]): readonly CodeMatch[] {
    const told = this.artifacts.deployedAt(this.#chainId(), toHex(address));
    const named = matches.filter(({ contract }) => told.some((there) => isNamed(contract, there)));
    const meant = matches.filter(
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
    if (meant.length > 0) return meant;
    const created = side === 'creation' ? [] : (this.#created.get(hexKey(address)) ?? []);
    const known = matches.filter(({ contract }) => created.some((there) => isNamed(contract, there)));
    return known.length > 0 ? known : matches;
  }
}

function isNamed(contract: IndexedContract, there: Pick<DeployedName, 'name' | 'sourceName'>): boolean {
  return there.name === contract.name && (there.sourceName ?? contract.sourceName) === contract.sourceName;
}

function isSameCreation({ creation: left }: IndexedContract, { creation: right }: IndexedContract): boolean {
  return left?.length === right?.length && left?.fingerprint === right?.fingerprint;
}
