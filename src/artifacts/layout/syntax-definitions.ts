/** The definitions of contracts, structs and the like in the syntax trees of solc, without the bodies of functions. */

import { nextTurn } from '../../scheduling/interrupt.ts';
import type { CompilationSources } from '../compilation.ts';
import { type JsonObject, objectOf, textOf, withoutScheme } from '../formats/contract-json.ts';

/** Files of one contract that are read. */
const MOST_FILES = 400;

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

/** The definitions of one run of the compiler, by the numbers that it gave them. */
export class SyntaxDefinitions {
  readonly #byId = new Map<number, SyntaxNode>();
  /** Names that imports give to what has another name in its own file. */
  readonly #aliases = new Set<unknown>();
  /** The names of the members of enumerations, each read once. */
  readonly #enumerations = new Map<SyntaxNode, readonly string[]>();

  /** Adds the definitions of a file; `unit` is its tree. */
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

  /** Returns the definition with that number if it is of that kind; `null` otherwise. */
  definition(id: unknown, kind: string): SyntaxNode | null {
    const node = typeof id === 'number' ? this.#byId.get(id) : undefined;
    return node?.nodeType === kind ? node : null;
  }

  /** Returns the contract of that name that stands in the file; `null` for none. */
  contract(name: string, isInFile: (definition: SyntaxNode) => boolean): SyntaxNode | null {
    for (const node of this.#byId.values()) {
      if (node.nodeType === 'ContractDefinition' && node.name === name && isInFile(node)) return node;
    }
    return null;
  }

  /** Returns the names of the members of an enumeration; `null` when another definition has that number. */
  enumeration(id: unknown, label: string): readonly string[] | null {
    const node = this.definition(id, 'EnumDefinition');
    if (node === null || !isNamedBy(node, label)) return null;
    const known = this.#enumerations.get(node);
    if (known !== undefined) return known;
    const names = nodesOf(node.members).map(({ name }) => textOf(name) ?? '');
    this.#enumerations.set(node, names);
    return names;
  }

  /** Returns the type below a user-defined value type, as the source names it; `null` as above. */
  underlyingType(id: number, label: string): string | null {
    const node = this.definition(id, 'UserDefinedValueTypeDefinition');
    if (node === null || !isNamedBy(node, label)) return null;
    return textOf(objectOf(node.underlyingType).name);
  }

  /** Returns the contract and those that it inherits, the most basic first; `null` when one of them is not known or listed twice. */
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

  /** False when a number means another contract than the one that the source names: the files are of several runs. */
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

/** True when the label of a type (`enum Layouts.Color`) is that of the definition. */
export function isNamedBy({ canonicalName, name }: SyntaxNode, label: string): boolean {
  const full = textOf(canonicalName) ?? textOf(name) ?? '';
  return full !== '' && (label === full || label.endsWith(` ${full}`) || label.endsWith(`.${full}`));
}

/** Returns the files that a file imports, as the compiler names them. */
function importsOf(unit: unknown): string[] {
  return nodesOf(objectOf(unit).nodes).flatMap(({ nodeType, absolutePath }) =>
    nodeType === 'ImportDirective' && typeof absolutePath === 'string' ? [absolutePath] : [],
  );
}

/** A contract in its definitions. */
export interface DefinedContract {
  readonly definitions: SyntaxDefinitions;
  readonly contract: SyntaxNode;
}

/** A file with its tree; `null` for one without. */
interface TreeOfFile {
  readonly name: string;
  readonly tree: unknown;
}

/** Reads the trees of a file and of those that it imports, one at a time with turns for others between. */
export async function* treesOf(sources: CompilationSources, sourceName: string): AsyncGenerator<TreeOfFile> {
  const names = new Set([sourceName]);
  // A set can grow while it is walked through.
  for (const name of names) {
    const tree = await sources.ast(name).catch(() => null);
    yield { name, tree };
    for (const imported of importsOf(tree)) if (names.size < MOST_FILES) names.add(withoutScheme(imported));
    await nextTurn();
  }
}

/** Resolves to the definitions of a contract's file and of those that it imports; `null` when there are none. */
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
