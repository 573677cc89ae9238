/** Definitions of contracts, structs, enums and value types in solc's syntax trees, without bodies. */

import { nextIteration } from '../../scheduling/cancel-check.ts';
import type { CompilationSources } from '../compilation.ts';
import { type JsonObject, objectOf, textOf, withoutScheme } from '../formats/contract-json.ts';

/** Maximum files to read per contract. */
const MAX_FILES = 400;

const KEPT_NODES: ReadonlySet<unknown> = new Set([
  'ContractDefinition',
  'StructDefinition',
  'EnumDefinition',
  'UserDefinedValueTypeDefinition',
]);

/** A node of a syntax tree. Its members are not checked. */
export type SyntaxNode = JsonObject;

function nodesOf(value: unknown): SyntaxNode[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** The definitions of one compiler run, by AST id. */
export class SyntaxDefinitions {
  readonly #byId = new Map<number, SyntaxNode>();
  /** Import aliases: names that differ from the name in the defining file. */
  readonly #aliases = new Set<unknown>();
  /** A cache of enum member names. */
  readonly #enumerations = new Map<SyntaxNode, readonly string[]>();

  /** Adds the definitions of a file; `unit` is its syntax tree. */
  add(unit: unknown): void {
    for (const node of nodesOf(objectOf(unit).nodes)) {
      this.#addNode(node);
      if (node.nodeType === 'ImportDirective') {
        for (const { local } of nodesOf(node.symbolAliases)) this.#aliases.add(local);
      }
      if (node.nodeType === 'ContractDefinition') {
        for (const member of nodesOf(node.nodes)) this.#addNode(member);
      }
    }
  }

  #addNode(node: SyntaxNode): void {
    if (!KEPT_NODES.has(node.nodeType) || typeof node.id !== 'number') return;
    if (node.nodeType !== 'ContractDefinition') {
      this.#byId.set(node.id, node);
      return;
    }
    const nodes = nodesOf(node.nodes).filter(
      ({ nodeType }) => nodeType === 'VariableDeclaration' || nodeType === 'StructDefinition',
    );
    this.#byId.set(node.id, { ...node, nodes });
  }

  /** Returns the definition with this id if it has this kind; otherwise `null`. */
  definition(id: unknown, kind: string): SyntaxNode | null {
    const node = typeof id === 'number' ? this.#byId.get(id) : undefined;
    return node?.nodeType === kind ? node : null;
  }

  /** Returns the contract of this name in the file; `null` for none. */
  contract(name: string, isInFile: (definition: SyntaxNode) => boolean): SyntaxNode | null {
    for (const node of this.#byId.values()) {
      if (node.nodeType === 'ContractDefinition' && node.name === name && isInFile(node)) return node;
    }
    return null;
  }

  /** Returns the member names of an enum; `null` if the id belongs to another definition. */
  enumeration(id: unknown, label: string): readonly string[] | null {
    const node = this.definition(id, 'EnumDefinition');
    if (node === null || !isNamedBy(node, label)) return null;
    const known = this.#enumerations.get(node);
    if (known !== undefined) return known;
    const names = nodesOf(node.members).map(({ name }) => textOf(name) ?? '');
    this.#enumerations.set(node, names);
    return names;
  }

  /**
   * Returns the underlying type of a user-defined value type, as named in the source; `null` if the id
   * belongs to another definition.
   */
  underlyingType(id: number, label: string): string | null {
    const node = this.definition(id, 'UserDefinedValueTypeDefinition');
    if (node === null || !isNamedBy(node, label)) return null;
    return textOf(objectOf(node.underlyingType).name);
  }

  /** Returns the contract and its base contracts, most basic first; `null` if one is unknown or duplicate. */
  linearized(contract: SyntaxNode): readonly SyntaxNode[] | null {
    if (!Array.isArray(contract.linearizedBaseContracts)) return null;
    const found = new Set<SyntaxNode>();
    for (const id of contract.linearizedBaseContracts) {
      const base = this.definition(id, 'ContractDefinition');
      if (base === null || found.has(base)) return null;
      found.add(base);
    }
    const bases = [...found];
    return bases.every((each) => this.#hasItsBases(each)) ? bases.reverse() : null;
  }

  /** Returns false if an id and the source name different contracts, as in files of several compiler runs. */
  #hasItsBases(contract: SyntaxNode): boolean {
    return nodesOf(contract.baseContracts).every((specifier) => {
      const { name, referencedDeclaration } = objectOf(specifier.baseName);
      const base = this.definition(referencedDeclaration, 'ContractDefinition');
      const path = textOf(name) ?? textOf(objectOf(objectOf(specifier.baseName).pathNode).name);
      const last = path?.split('.').at(-1);
      return base !== null && (last === undefined || last === base.name || this.#aliases.has(last));
    });
  }
}

/** Returns true if the label of a type (`enum Layouts.Color`) names the definition. */
export function isNamedBy({ canonicalName, name }: SyntaxNode, label: string): boolean {
  const full = textOf(canonicalName) ?? textOf(name) ?? '';
  return full !== '' && (label === full || label.endsWith(` ${full}`) || label.endsWith(`.${full}`));
}

/** Returns the imported files under the compiler's names. */
function importsOf(unit: unknown): string[] {
  return nodesOf(objectOf(unit).nodes).flatMap(({ nodeType, absolutePath }) =>
    nodeType === 'ImportDirective' && typeof absolutePath === 'string' ? [absolutePath] : [],
  );
}

export interface DefinedContract {
  readonly definitions: SyntaxDefinitions;
  readonly contract: SyntaxNode;
}

/** A file with its syntax tree, or `null` without one. */
interface TreeOfFile {
  readonly name: string;
  readonly tree: unknown;
}

/** Reads the syntax trees of a file and its imports one by one, and yields to other tasks after each. */
export async function* treesOf(sources: CompilationSources, sourceName: string): AsyncGenerator<TreeOfFile> {
  const names = new Set([sourceName]);
  // A set can grow while a loop iterates over it.
  for (const name of names) {
    const tree = await sources.ast(name).catch(() => null);
    yield { name, tree };
    for (const imported of importsOf(tree)) if (names.size < MAX_FILES) names.add(withoutScheme(imported));
    await nextIteration();
  }
}

/** Resolves to the definitions of a contract's file and its imports; `null` if the contract is not found. */
export async function definitionsOf(
  sources: CompilationSources,
  sourceName: string,
  contractName: string,
): Promise<DefinedContract | null> {
  const definitions = new SyntaxDefinitions();
  let contract: SyntaxNode | null = null;
  for await (const { name, tree } of treesOf(sources, sourceName)) {
    definitions.add(tree);
    if (name !== sourceName) continue;
    const ids = new Set(nodesOf(objectOf(tree).nodes).map(({ id }) => id));
    contract = definitions.contract(contractName, ({ id }) => ids.has(id));
    if (contract === null) return null;
  }
  return contract === null ? null : { definitions, contract };
}
