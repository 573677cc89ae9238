/** The contracts that an execution met, as far as they are known: by their code, by their deployment, by a label, or by a guess. */

import type { Artifacts } from '../artifacts/artifacts.ts';
import type { CompilationSources } from '../artifacts/compilation.ts';
import type { CodeMatch, CodeSide } from '../artifacts/contract-index.ts';
import { AbiTable } from '../artifacts/decoding.ts';
import { isLibraryCode } from '../artifacts/formats/library-signatures.ts';
import { SourceMap } from '../artifacts/source-map.ts';
import { SourceOutline } from '../artifacts/source-outline.ts';
import { toHex } from '../primitives/hex.ts';
import { type Awaitable, whenReady } from '../primitives/task.ts';

/** The name of a module of Vyper, in that of its file. */
const VYPER_FILE = /([^/]+)\.vyi?$/;

/** One file of a contract's sources. */
export interface KnownFile {
  readonly name: string;
  readonly outline: SourceOutline;
}

/** A contract whose artifact is known. */
export class KnownContract {
  readonly match: CodeMatch;
  readonly side: CodeSide;
  /** The names of all contracts with this very code, where the deployment does not say which one it is. */
  readonly names: readonly string[];
  readonly table: AbiTable;
  /** Where the instructions come from; `null` without source map. */
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
    this.names = [...new Set(matches.map(({ contract }) => contract.name))];
    this.table = table;
    this.map = map;
  }

  /** The name of the contract; several with `or` between when they cannot be told apart. */
  get name(): string {
    return this.names.join(' or ');
  }

  /** True for the code of a library, which checks that it is not called directly. */
  get isLibrary(): boolean {
    return isLibraryCode(this.match.artifact.deployed);
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
    return { name, outline: new SourceOutline(content, vyperModule) };
  }

  #loaded(): Promise<CompilationSources | null> {
    // Files that are gone since they were indexed leave the contract without sources.
    this.#sources ??= this.match.contract.sources().catch(() => null);
    return this.#sources;
  }
}

/** The contracts whose code frames ran, by the index of the frame. */
export type ContractsOfFrames = readonly (KnownContract | null)[];

/** The contracts that are known by their code. The facts of one are kept until the artifacts change. */
export class KnownContracts {
  readonly artifacts: Artifacts;
  readonly #chainId: () => number;
  readonly #known = new WeakMap<CodeMatch, KnownContract>();

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

  #meant(side: CodeSide, matches: readonly CodeMatch[], address: Uint8Array | null): KnownContract | null {
    const meant = matches.length > 1 && address !== null ? this.#deployedAt(address, matches) : [];
    const [first, ...rest] = meant.length > 0 ? meant : matches;
    if (first === undefined) return null;
    const known = this.#known.get(first);
    const isSame =
      rest.length === 0
        ? known?.names.length === 1
        : known?.names.length === new Set([first, ...rest].map(({ contract }) => contract.name)).size;
    if (known !== undefined && isSame) return known;
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

  /** Returns those of the contracts that a tool says are deployed at the address. */
  #deployedAt(address: Uint8Array, matches: readonly CodeMatch[]): CodeMatch[] {
    const deployed = this.artifacts.deployedAt(this.#chainId(), toHex(address));
    return matches.filter(({ contract: { name, sourceName } }) =>
      deployed.some((there) => there.name === name && there.sourceName === sourceName),
    );
  }
}
