/** Reads the output folders of Hardhat, Foundry, Truffle and Ignition: compiled contracts and deployments. */

// Synchronous calls take a fifth of the time of `node:fs/promises`. Between them, the reader yields.
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ChooseMember } from '../json/json-ranges.ts';
import { nextIteration } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { CodeTemplate, ContractArtifact, KnownDeployment } from './artifact.ts';
import { ArtifactBoundError } from './artifact-bound.ts';
import { Compilation, type CompilationSources } from './compilation.ts';
import { codeKey, type IndexedContract } from './contract-index.ts';
import {
  BROADCAST_FILE,
  EARLIER_BROADCAST,
  hardhatDeployment,
  type IgnitionAddresses,
  type NamedDeployment,
  readBroadcast,
  readIgnitionAddresses,
  truffleDeployments,
} from './deployment-files.ts';
import { contractOfFile, type JsonObject, objectOf, textOf } from './formats/contract-json.ts';
import { withSignatures } from './formats/library-signatures.ts';
import { FileDocument, type JsonDocument, parseJson } from './json-document.ts';
import { checkLayouts } from './layout/layout-of.ts';
import { BUILD_INFO, type SourceFiles, treeIn } from './source-files.ts';

/** Folders without artifacts that may be large. Folders whose names begin with a dot are skipped too. */
const SKIPPED_FOLDERS = new Set(['node_modules', 'cache']);

function isSkipped(folder: string): boolean {
  return folder.startsWith('.') || SKIPPED_FOLDERS.has(folder);
}

/** Maximum folders below a root, and maximum files and folders in them. */
const MAX_FOLDERS = 5_000;
const MAX_ENTRIES = 100_000;
/** Maximum bytes of a file. Build info of large projects has a few hundred megabytes. */
const MAX_FILE_SIZE = 1024 ** 3;

/** The folder has more files than build outputs have. It probably contains them, like a home directory. */
export class FolderBoundError extends Error {
  override readonly name = 'FolderBoundError';

  constructor(root: string) {
    super(
      `${root} has more than ${MAX_FOLDERS} folders or ${MAX_ENTRIES} files; pass the compiler's output folder instead`,
    );
  }
}

/** Units of a time slice for a call of the file system. */
const CALL_UNITS = 2 ** 11;

/** A file with its state at the time of listing. */
export interface ListedFile {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** In bytes. */
  readonly size: number;
}

interface Listing {
  readonly files: readonly ListedFile[];
  /**
   * The folders that may contain files, the root first. If the root does not exist, its nearest existing
   * parent, because the root may be created there.
   */
  readonly folders: readonly string[];
}

/**
 * Lists all JSON files below a folder, or the file itself. Only the root may be a link. Folders whose names
 * begin with a dot are skipped. The list is empty for a path that does not exist. Rejects with {@link
 * FolderBoundError}.
 */
export async function listJsonFiles(root: string): Promise<Listing> {
  const facts = factsOf(root);
  if (facts === null) return { files: [], folders: [nearestFolder(dirname(root))] };
  if (facts.isFile()) {
    return { files: [{ path: root, modified: facts.mtimeMs, size: facts.size }], folders: [dirname(root)] };
  }
  const files: ListedFile[] = [];
  const folders = [root];
  const slice = new TimeSlice();
  let seen = 0;
  for (const folder of folders) {
    const turn = slice.spend(CALL_UNITS);
    if (turn !== undefined) await turn;
    for (const entry of entriesOf(folder).sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (++seen > MAX_ENTRIES || folders.length > MAX_FOLDERS) throw new FolderBoundError(root);
      if (entry.isDirectory() && !isSkipped(entry.name)) folders.push(path);
      if (!entry.isFile() || !isArtifactName(entry.name)) continue;
      const turn = slice.spend(CALL_UNITS);
      if (turn !== undefined) await turn;
      const found = factsOf(path);
      if (found !== null) files.push({ path, modified: found.mtimeMs, size: found.size });
    }
  }
  return { files, folders };
}

/** Returns `null` if the file does not exist or cannot be read. */
function factsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Returns the entries of a folder; none if it cannot be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function nearestFolder(path: string): string {
  const isThere = factsOf(path)?.isDirectory() === true;
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** False for `X.dbg.json` too: it is only read together with `X.json`. */
function isArtifactName(name: string): boolean {
  return name.endsWith('.json') && !name.endsWith('.dbg.json');
}

/** Larger files are scanned for the needed members instead of parsed as a whole. In bytes. */
const LARGE_FILE = 512 * 1024;

/** The members to read from a contract's file. Trees, sources and documentation are skipped. */
const CONTRACT_MEMBERS: ReadonlySet<string> = new Set([
  '_format',
  'abi',
  'address',
  'bytecode',
  'buildInfo',
  'buildInfoId',
  'compiler',
  'contractName',
  'deployedBytecode',
  'deployedLinkReferences',
  'deployedSourceMap',
  'id',
  'immutableReferences',
  'inputSourceName',
  'linkReferences',
  'metadata',
  'networks',
  'sourceMap',
  'sourceName',
  'sourcePath',
  'storageLayout',
  'transientStorageLayout',
]);

const contractMembers: ChooseMember = ([top = '', member]) => {
  if (top === 'ast') return member === undefined ? 'enter' : member === 'absolutePath' ? 'take' : 'skip';
  return CONTRACT_MEMBERS.has(top) ? 'take' : 'skip';
};

/** Reads the members of a file that describe a contract. Rejects invalid JSON. */
async function readContractMembers({ path, size }: ListedFile): Promise<JsonObject> {
  if (size <= LARGE_FILE) return objectOf(parseJson(readFileSync(path, 'utf8')));
  const document = await FileDocument.open(path, contractMembers);
  const members: Record<string, unknown> = {};
  for (const name of document.members([])) members[name] = await document.read([name]);
  return { ...members, ast: { absolutePath: await document.read(['ast', 'absolutePath']) } };
}

export type FileContent =
  | { readonly kind: 'contracts'; readonly contracts: readonly IndexedContract[] }
  /** Build info. Contracts of other files refer to it. */
  | { readonly kind: 'buildInfo' }
  /** Contract addresses of an Ignition deployment, by id. */
  | ({ readonly kind: 'ignition' } & IgnitionAddresses)
  | { readonly kind: 'deployments'; readonly deployments: readonly NamedDeployment[] }
  | { readonly kind: 'other' };

const OTHER: FileContent = { kind: 'other' };

/** Reads the content of a file below `root`. Rejects with the reason if a compiler's file is unreadable. */
export async function readFileContent(
  file: ListedFile,
  root: string,
  sourceFiles: SourceFiles,
): Promise<FileContent> {
  const name = basename(file.path);
  if (name.endsWith('.dbg.json')) return OTHER;
  if (file.size > MAX_FILE_SIZE)
    throw new Error(`the file has ${file.size} bytes; the maximum is ${MAX_FILE_SIZE}`);
  if (name === 'deployed_addresses.json') {
    const addresses = await readIgnitionAddresses(file.path);
    return addresses === null ? OTHER : { kind: 'ignition', ...addresses };
  }
  if (name === BROADCAST_FILE) {
    const deployments = await readBroadcast(file.path);
    if (deployments !== null) return { kind: 'deployments', deployments };
  }
  // Skip files of earlier runs.
  if (EARLIER_BROADCAST.test(name)) return OTHER;
  const folder = dirname(file.path);
  // If the root itself is build info, read the contracts in it.
  if (basename(folder) === BUILD_INFO && folder !== root && file.path !== root) return { kind: 'buildInfo' };
  const members = await readContractMembers(file);
  const deployment = await hardhatDeployment(folder, members);
  const ownName = name.slice(0, name.indexOf('.'));
  const fallbackName = deployment === null ? ownName : ownName.replace(/_(?:Implementation|Proxy)$/, '');
  const artifact = await runTask(contractOfFile(members, fallbackName), new TimeSlice());
  if (artifact === null) return readCompilation(file);
  checkLayouts(artifact);
  const load = (): Promise<ContractArtifact> => loadFile(file, fallbackName, sourceFiles);
  const sources = async (): Promise<CompilationSources | null> => {
    const read = await readContractMembers(file);
    const described = await runTask(contractOfFile(read, fallbackName), new TimeSlice());
    return described === null ? null : sourceFiles.sourcesOf(file.path, read, described);
  };
  const deployments = [...truffleDeployments(members.networks), ...(deployment === null ? [] : [deployment])];
  const contract = await indexed(artifact, file.path, deployments, load, sources);
  return { kind: 'contracts', contracts: [contract] };
}

/** Reads a contract, with data of its build info: source maps, immutables, layouts, compiler settings. */
async function loadFile(
  file: ListedFile,
  fallbackName: string,
  sourceFiles: SourceFiles,
): Promise<ContractArtifact> {
  const members = await readContractMembers(file);
  const artifact = await runTask(contractOfFile(members, fallbackName), new TimeSlice());
  if (artifact === null) throw new Error(`${file.path} has changed`);
  const compilation = await sourceFiles.compilationOf(file.path, members).catch(() => null);
  const compiledName = textOf(members.inputSourceName) ?? artifact.sourceName;
  const compiled = await compilation?.contract(compiledName, artifact.name).catch(() => null);
  if (compiled === undefined || compiled === null) return withSignatures(artifact, () => treeIn(file.path));
  // Build info of an earlier build describes other code.
  if (!isSameCode(compiled.deployed, artifact.deployed)) return artifact;
  if (!isSameCode(compiled.creation, artifact.creation)) return artifact;
  return { ...compiled, sourceName: artifact.sourceName, abi: artifact.abi };
}

function isSameCode(left: CodeTemplate | null, right: CodeTemplate | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left.bytes, right.bytes) === 0;
}

/** Resolves to the index entry of a contract. It does not refer to the artifact, which saves memory. */
async function indexed(
  { name, sourceName, creation, deployed, compiler }: ContractArtifact,
  file: string | null,
  deployments: readonly KnownDeployment[],
  load: () => Promise<ContractArtifact>,
  sources: () => Promise<CompilationSources | null>,
): Promise<IndexedContract> {
  const slice = new TimeSlice();
  return {
    name,
    sourceName,
    creation: await runTask(codeKey(creation), slice),
    deployed: await runTask(codeKey(deployed), slice),
    hasTrailingImmutables: compiler.language === 'Vyper',
    deployments,
    file,
    load,
    sources,
  };
}

/** Reads a compiler output, with or without the input in the same file. */
async function readCompilation(file: ListedFile): Promise<FileContent> {
  const document = await FileDocument.open(file.path);
  const hasContracts = document.members([]).some((name) => name === 'contracts' || name === 'output');
  if (!hasContracts) return OTHER;
  const input = await inputBeside(file.path, document);
  const contracts = await contractsOf(new Compilation(input, document), file.path);
  return contracts.length > 0 ? { kind: 'contracts', contracts } : OTHER;
}

/** Finds the input file of an output file: `input.json` of `output.json`, `X.json` of `X.output.json`. */
async function inputBeside(path: string, output: JsonDocument): Promise<JsonDocument> {
  if (output.members([]).includes('input')) return output;
  const name = basename(path);
  const other = name.replace('.output.json', '.json').replace('output', 'input');
  if (other === name) return output;
  return FileDocument.open(join(dirname(path), other)).catch(() => output);
}

/**
 * Reads all contracts of a compiler run, one by one, and yields between them. Rejects with {@link
 * ArtifactBoundError} if one exceeds a bound.
 */
export async function contractsOf(compilation: Compilation, file: string | null): Promise<IndexedContract[]> {
  const contracts: IndexedContract[] = [];
  for (const { sourceName, name } of compilation.contracts()) {
    const read = await boundedContract(compilation, sourceName, name);
    if (read === null) continue;
    const load = async (): Promise<ContractArtifact> => {
      const again = await compilation.contract(sourceName, name);
      if (again === null)
        throw new Error(`${file ?? 'the compilation'} no longer contains the contract ${name}`);
      return again;
    };
    contracts.push(await indexed(read, file, [], load, () => compilation.sources()));
    await nextIteration();
  }
  return contracts;
}

async function boundedContract(
  compilation: Compilation,
  sourceName: string,
  name: string,
): Promise<ContractArtifact | null> {
  try {
    const read = await compilation.contractWithoutPrograms(sourceName, name);
    if (read !== null) checkLayouts(read);
    return read;
  } catch (error) {
    throw error instanceof ArtifactBoundError ? error.of(sourceName, name) : error;
  }
}
