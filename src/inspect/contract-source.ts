/** Finds the sources from which the contract at an address was compiled. */

import type { Abi } from 'abitype';
import type { CompilerFacts } from '../artifacts/artifact.ts';
import type { Fit } from '../artifacts/code-template.ts';
import type { CompilationSources } from '../artifacts/compilation.ts';
import { treesOf } from '../artifacts/layout/syntax-definitions.ts';
import { type CheckInterrupt, yieldToOthers } from '../primitives/interrupt.ts';
import type { KnownContract } from './known-contracts.ts';

/** Characters of all files together; of others only the names are told. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** A file of sources. */
export interface SourceText {
  /** As the compiler, or the tool around it, names it. */
  readonly name: string;
  /** `null` where it is not known, or too long to be told. */
  readonly content: string | null;
}

/** The sources of a contract. */
export interface ContractSource {
  readonly name: string;
  /** All contracts with this very code, where the deployment does not say which one it is. */
  readonly names: readonly string[];
  readonly sourceName: string;
  /** `exact`; `similar` where only the metadata differ, as after a change of a comment. */
  readonly fit: Fit;
  readonly compiler: CompilerFacts;
  readonly abi: Abi;
  /** The contract's own file first, then those that it imports. */
  readonly files: readonly SourceText[];
  /** The file of the artifact; `null` for one that a call gave. */
  readonly artifact: string | null;
}

/** Resolves to the sources of a contract; `files` is empty without `hasFiles`. Rejects with what `checkInterrupt` throws. */
export async function contractSource(
  { match, names, name }: KnownContract,
  hasFiles: boolean,
  checkInterrupt: CheckInterrupt,
): Promise<ContractSource> {
  const { artifact, contract, fit } = match;
  // Files that are gone since they were indexed leave the contract without sources.
  const sources = hasFiles ? await contract.sources().catch(() => null) : null;
  const files: SourceText[] = [];
  let left = MOST_CHARACTERS;
  for (const file of sources === null ? [] : await namesOf(sources, artifact.sourceName)) {
    await yieldToOthers(checkInterrupt);
    const content = left === 0 ? null : await sources?.content(file).catch(() => null);
    const isShort = typeof content === 'string' && content.length <= left;
    if (isShort) left -= content.length;
    files.push({ name: file, content: isShort ? content : null });
  }
  const { sourceName, compiler, abi } = artifact;
  return { name, names, sourceName, fit, compiler, abi, files, artifact: contract.file };
}

/** The file and those that it imports; all of the compilation where there is no syntax tree. */
async function namesOf(sources: CompilationSources, sourceName: string): Promise<string[]> {
  const names: string[] = [];
  let hasTree = false;
  for await (const { name, tree } of treesOf(sources, sourceName)) {
    names.push(name);
    hasTree ||= tree !== null;
  }
  return hasTree ? names : [...new Set([sourceName, ...sources.names.values()])];
}
