/** Finds the storage layout of a contract: from the compiler, otherwise from the syntax trees. */

import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { ContractArtifact } from '../artifact.ts';
import { ArtifactBoundError } from '../artifact-bound.ts';
import type { CompilationSources } from '../compilation.ts';
import type { CodeMatch } from '../contract-index.ts';
import { LayoutBoundError, MAX_LAYOUT_NODES } from './layout-bound.ts';
import { solcVariables } from './solc-layout.ts';
import type { StorageLayout } from './storage-type.ts';
import { type DefinedContract, definitionsOf } from './syntax-definitions.ts';
import { treeLayout } from './tree-layout.ts';
import { vyperDefinitions, vyperVariables } from './vyper-layout.ts';

/**
 * Resolves to the layout; `null` if neither the compiler nor the sources have it. Rejects with
 * `LayoutBoundError` if it has too many nodes.
 */
export async function layoutOf({ contract, artifact }: CodeMatch): Promise<StorageLayout | null> {
  const { name, sourceName, storageLayout, transientStorageLayout, compiler } = artifact;
  // If a file was deleted after it was indexed, the contract has no sources.
  const sources = await contract.sources().catch(() => null);
  if (compiler.language === 'Vyper') {
    const text = await textOfSource(sources, sourceName);
    const definitions = await runTask(vyperDefinitions(text), new TimeSlice());
    const variables = vyperVariables(storageLayout, definitions);
    const transient = vyperVariables(transientStorageLayout, definitions);
    if (variables === null && transient === null) return null;
    return { origin: 'compiler', variables: variables ?? [], transient: transient ?? [], namespaces: [] };
  }
  const defined = await definedContract(sources, sourceName, name);
  const variables = solcVariables(storageLayout, defined?.definitions ?? null);
  if (variables === null) return defined === null ? null : treeLayout(defined);
  const computed = defined === null ? null : boundedTreeLayout(defined);
  const transient = solcVariables(transientStorageLayout, defined?.definitions ?? null);
  return {
    origin: 'compiler',
    variables,
    transient: transient ?? computed?.transient ?? [],
    namespaces: computed?.namespaces ?? [],
  };
}

/** Returns the layout from the syntax trees, besides the compiler's layout; `null` if it exceeds a bound. */
function boundedTreeLayout(defined: DefinedContract): StorageLayout | null {
  try {
    return treeLayout(defined);
  } catch (error) {
    if (error instanceof LayoutBoundError) return null;
    throw error;
  }
}

/** Throws `ArtifactBoundError` if a layout of the artifact has too many nodes. */
export function checkLayouts({ compiler, storageLayout, transientStorageLayout }: ContractArtifact): void {
  // Vyper's types are in its sources, and are read together with the layout.
  if (compiler.language === 'Vyper') return;
  for (const [member, layout] of Object.entries({ storageLayout, transientStorageLayout })) {
    try {
      solcVariables(layout, null);
    } catch (error) {
      if (!(error instanceof LayoutBoundError)) throw error;
      const expected = `a layout of at most ${MAX_LAYOUT_NODES} variables and members`;
      throw new ArtifactBoundError(member, expected, `an invalid layout: ${error.message}`);
    }
  }
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
