/** Finds the storage layout of a contract: as the compiler gave it, else computed from the syntax trees. */

import type { CompilationSources } from '../compilation.ts';
import type { CodeMatch } from '../contract-index.ts';
import { solcVariables } from './solc-layout.ts';
import type { StorageLayout } from './storage-type.ts';
import { type DefinedContract, definitionsOf } from './syntax-definitions.ts';
import { treeLayout } from './tree-layout.ts';
import { vyperDefinitions, vyperVariables } from './vyper-layout.ts';

/** Resolves to the layout of the contract; `null` where neither the compiler nor the sources say it. */
export async function layoutOf({ contract, artifact }: CodeMatch): Promise<StorageLayout | null> {
  const { name, sourceName, storageLayout, transientStorageLayout, compiler } = artifact;
  // Files that are gone since they were indexed leave the contract without sources.
  const sources = await contract.sources().catch(() => null);
  if (compiler.language === 'Vyper') {
    const text = await textOfSource(sources, sourceName);
    const definitions = vyperDefinitions(text);
    const variables = vyperVariables(storageLayout, definitions);
    const transient = vyperVariables(transientStorageLayout, definitions);
    if (variables === null && transient === null) return null;
    return { origin: 'compiler', variables: variables ?? [], transient: transient ?? [], namespaces: [] };
  }
  const defined = await definedContract(sources, sourceName, name);
  const computed = defined === null ? null : treeLayout(defined);
  const variables = solcVariables(storageLayout, defined?.definitions ?? null);
  if (variables === null) return computed;
  const transient = solcVariables(transientStorageLayout, defined?.definitions ?? null);
  return {
    origin: 'compiler',
    variables,
    transient: transient ?? computed?.transient ?? [],
    namespaces: computed?.namespaces ?? [],
  };
}

async function textOfSource(sources: CompilationSources | null, sourceName: string): Promise<string> {
  return (await sources?.content(sourceName).catch(() => null)) ?? '';
}

async function definedContract(
  sources: CompilationSources | null,
  sourceName: string,
  name: string,
): Promise<DefinedContract | null> {
  return sources === null ? null : definitionsOf(sources, sourceName, name).catch(() => null);
}
