// One run of a compiler: its input and output as standard JSON, or a tool's build info with both.

import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { CodeTemplate, ContractArtifact } from './artifact.ts';
import { contractOfOutput, type JsonObject, objectOf, textOf } from './formats/contract-json.ts';
import { withProgram } from './formats/ethdebug.ts';
import { withSignatures } from './formats/library-signatures.ts';
import { CODE_MEMBERS, type JsonDocument, PROGRAM } from './json-document.ts';
import { filesOfVyperMap, vyperSourceMap } from './source-map.ts';

/** The sources of a contract. Files are read on demand. */
export interface CompilationSources {
  /** File names by source-map index. */
  readonly names: ReadonlyMap<number, string>;
  /** Resolves to the text of a file; `null` if unknown. */
  content(name: string): Promise<string | null>;
  /** Resolves to the abstract syntax tree of a file; `null` if absent. */
  ast(name: string): Promise<unknown>;
}

/** Returns the path to the part. Some documents have it at the top level, others in a member. */
function rootOf(document: JsonDocument, part: 'input' | 'output'): readonly string[] {
  return document.members([]).includes(part) ? [part] : [];
}

const MEMBERS = ['abi', 'metadata', 'storageLayout', 'transientStorageLayout', 'layout'] as const;
const SIDES = ['bytecode', 'deployedBytecode'] as const;

/** The input and output of one run of solc or Vyper. */
export class Compilation {
  readonly #input: JsonDocument;
  readonly #output: JsonDocument;
  readonly #inputRoot: readonly string[];
  readonly #outputRoot: readonly string[];
  /** The compiler version from the caller; otherwise from the build info or the contracts' metadata. */
  readonly #version: string | null;
  #sources: Promise<CompilationSources> | null = null;
  #head: Promise<{ readonly input: unknown; readonly version: string | null }> | null = null;

  constructor(input: JsonDocument, output: JsonDocument, version: string | null = null) {
    this.#input = input;
    this.#output = output;
    this.#inputRoot = rootOf(input, 'input');
    this.#outputRoot = rootOf(output, 'output');
    this.#version = version;
  }

  /** Yields the contracts of the output, by file and name. */
  *contracts(): Generator<{ readonly sourceName: string; readonly name: string }, void, undefined> {
    const root = [...this.#outputRoot, 'contracts'];
    for (const sourceName of this.#output.members(root)) {
      for (const name of this.#output.members([...root, sourceName])) yield { sourceName, name };
    }
  }

  /**
   * Reads a contract with its ETHDebug programs; `null` if the output has no such contract. Rejects like
   * {@link JsonDocument.read}.
   */
  async contract(sourceName: string, name: string): Promise<ContractArtifact | null> {
    const artifact = await this.contractWithoutPrograms(sourceName, name);
    if (artifact === null) return null;
    const path = [...this.#outputRoot, 'contracts', sourceName, name, 'evm'];
    const told = async (code: CodeTemplate | null, side: string): Promise<CodeTemplate | null> => {
      if (code === null) return null;
      // A program that is too long to read is left out; the code is usable without it.
      const program = await this.#output.read([...path, side, PROGRAM]).catch(() => null);
      return runTask(withProgram(code, program), new TimeSlice());
    };
    const [creation, deployed] = SIDES;
    const tree = (): Promise<unknown> =>
      this.#output.read([...this.#outputRoot, 'sources', sourceName, 'ast']);
    return {
      ...(await withSignatures(artifact, tree)),
      creation: await told(artifact.creation, creation),
      deployed: await told(artifact.deployed, deployed),
    };
  }

  /** Reads only the parts of a contract that the index needs. Resolves and rejects like {@link contract}. */
  async contractWithoutPrograms(sourceName: string, name: string): Promise<ContractArtifact | null> {
    const path = [...this.#outputRoot, 'contracts', sourceName, name];
    if (this.#output.members(path).length === 0) return null;
    const value: Record<string, unknown> = {};
    for (const member of MEMBERS) value[member] = await this.#output.read([...path, member]);
    const evm: Record<string, unknown> = {};
    for (const side of SIDES) evm[side] = await this.#code([...path, 'evm', side]);
    evm.methodIdentifiers = await this.#output.read([...path, 'evm', 'methodIdentifiers']);
    this.#head ??= this.#readHead();
    const compiler = await this.#head;
    return runTask(contractOfOutput(sourceName, name, { ...value, evm }, compiler), new TimeSlice());
  }

  async #code(path: readonly string[]): Promise<JsonObject> {
    const code: Record<string, unknown> = {};
    for (const member of CODE_MEMBERS) code[member] = await this.#output.read([...path, member]);
    if (typeof code.sourceMap === 'object' && code.sourceMap !== null) {
      const { names, content } = await this.sources();
      const texts = new Map<number, string>();
      // Only read the files of this map: a contract uses few files of a project, and they are read again for
      // each contract.
      const files = filesOfVyperMap(code.sourceMap);
      for (const [id, name] of names) if (files.has(id)) texts.set(id, (await content(name)) ?? '');
      const task = vyperSourceMap(code.sourceMap, textOf(code.object) ?? '', texts);
      code.sourceMap = await runTask(task, new TimeSlice());
    }
    return code;
  }

  async #readHead(): Promise<{ readonly input: unknown; readonly version: string | null }> {
    const language = await this.#input.read([...this.#inputRoot, 'language']);
    const settings = await this.#input.read([...this.#inputRoot, 'settings']);
    // Vyper's own output has its version in `compiler`: `vyper-0.3.10`.
    const compiler = textOf(await this.#output.read(['compiler']));
    const told = textOf(await this.#input.read(['solcVersion'])) ?? compiler;
    const spoken = textOf(language) ?? (compiler?.startsWith('vyper') === true ? 'Vyper' : null);
    return { input: { language: spoken, settings }, version: this.#version ?? told };
  }

  /** Reads the list of files; their texts are read later. Names are the user's names (see Hardhat 3). */
  sources(): Promise<CompilationSources> {
    this.#sources ??= this.#readSources();
    return this.#sources;
  }

  async #readSources(): Promise<CompilationSources> {
    const root = [...this.#outputRoot, 'sources'];
    // Hardhat 3 compiles `contracts/Token.sol` as `project/contracts/Token.sol`.
    const compiledNames = new Map<string, string>();
    const userNames = new Map<string, string>();
    for (const [user, compiled] of Object.entries(objectOf(await this.#input.read(['userSourceNameMap'])))) {
      if (typeof compiled !== 'string') continue;
      compiledNames.set(user, compiled);
      userNames.set(compiled, user);
    }
    const names = new Map<number, string>();
    for (const name of this.#output.members(root)) {
      const id = await this.#output.read([...root, name, 'id']);
      if (typeof id === 'number') names.set(id, userNames.get(name) ?? name);
    }
    const compiledName = (name: string): string => compiledNames.get(name) ?? name;
    return {
      names,
      content: async (name) =>
        textOf(await this.#input.read([...this.#inputRoot, 'sources', compiledName(name), 'content'])),
      ast: async (name) => (await this.#output.read([...root, compiledName(name), 'ast'])) ?? null,
    };
  }
}
