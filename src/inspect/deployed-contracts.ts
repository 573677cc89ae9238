/** Finds the contract at an address, the implementation behind a proxy, and the sources of a contract. */

import type { Abi } from 'abitype';
import type { CompilerFacts } from '../artifacts/artifact.ts';
import type { Fit } from '../artifacts/code-template.ts';
import type { CompilationSources } from '../artifacts/compilation.ts';
import { treesOf } from '../artifacts/layout/syntax-definitions.ts';
import type { Chain } from '../chain/chain.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { precompilesOf } from '../protocol/hardforks/precompiles.ts';
import { type CancelCheck, yieldToOthers } from '../scheduling/cancel-check.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockPosition, KnownContract, KnownContracts } from './known-contracts.ts';
import { implementationOf, type PossibleProxy } from './proxies.ts';
import { callNow } from './state-changes.ts';

export interface ContractsAt {
  /** `null` if no artifact describes the code. */
  readonly contract: KnownContract | null;
  /** The implementation of a proxy; `null` if the account is not a proxy. */
  readonly implementation: { readonly address: Uint8Array; readonly contract: KnownContract | null } | null;
}

export interface AccountWithCode {
  readonly code: Uint8Array;
  /** `null` if no artifact describes the code. */
  readonly contract: KnownContract | null;
}

export class DeployedContracts {
  readonly known: KnownContracts;
  readonly #chain: Chain;
  /** The addresses of the precompiles, in the format of `hexKey`. */
  #precompiles: ReadonlySet<string> | undefined;

  constructor(chain: Chain, known: KnownContracts) {
    this.#chain = chain;
    this.known = known;
  }

  /** Returns the code at an address and its contract; `null` without code. `at` is the block of the state. */
  *accountAt(
    state: WorldState,
    address: Uint8Array,
    at: BlockPosition | null = null,
  ): Task<AccountWithCode | null> {
    const code = yield* waitFor(fetchingState(() => state.account(address)?.code ?? null));
    if (code === null || code.bytes.length === 0) return null;
    const contract = yield* waitFor(this.known.of('deployed', code.bytes, address, { hash: code.hash, at }));
    return { code: code.bytes, contract };
  }

  /** Returns true if the rules have a precompile at the address and no code in the state replaces it. */
  *hasPrecompile(state: WorldState, address: Uint8Array): Task<boolean> {
    this.#precompiles ??= new Set(precompilesOf(this.#chain.ruleSet).map((one) => hexKey(one.address)));
    if (!this.#precompiles.has(hexKey(address))) return false;
    const code = yield* waitFor(fetchingState(() => state.account(address)?.code ?? null));
    return code === null || code.bytes.length === 0;
  }

  /** Returns the implementation of a proxy; `null` if the account is not a proxy. */
  *behind(proxy: PossibleProxy, at: BlockPosition | null = null): Task<ContractsAt['implementation']> {
    const { state } = proxy;
    const target = yield* implementationOf(proxy, (to, data) => callNow(this.#chain, state, to, data));
    if (target === null) return null;
    const account = yield* this.accountAt(state, target, at);
    return { address: target, contract: account?.contract ?? null };
  }

  /** Returns the contract at an address and, for a proxy, its implementation. */
  *at(state: WorldState, address: Uint8Array): Task<ContractsAt> {
    const account = yield* this.accountAt(state, address);
    if (account === null) return { contract: null, implementation: null };
    const { code, contract } = account;
    return { contract, implementation: yield* this.behind({ state, address, code, input: EMPTY_BYTES }) };
  }
}

/** Maximum characters of all files together. Files beyond the limit are reported without content. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

export interface SourceText {
  /** The name that the compiler or its build tool uses. */
  readonly name: string;
  /** `null` if unknown, or if it exceeds the limit. */
  readonly content: string | null;
}

export interface ContractSource {
  readonly name: string;
  /** All contracts with the same code, if the deployment does not identify one of them. */
  readonly names: readonly string[];
  readonly sourceName: string;
  /** `exact`, or `similar` if only the metadata differ, for example after a change of a comment. */
  readonly fit: Fit;
  readonly compiler: CompilerFacts;
  readonly abi: Abi;
  /** The contract's own file first, then its imports. */
  readonly files: readonly SourceText[];
  /** The artifact file; `null` if the artifact was passed in a call. */
  readonly artifact: string | null;
}

/**
 * Resolves to the sources of a contract; `files` is empty unless `hasFiles` is set. Rejects with the error
 * that `checkCancelled` throws.
 */
export async function contractSource(
  { match, names, name }: KnownContract,
  hasFiles: boolean,
  checkCancelled: CancelCheck,
): Promise<ContractSource> {
  const { artifact, contract, fit } = match;
  // If a file was deleted after it was indexed, the contract has no sources.
  const sources = hasFiles ? await contract.sources().catch(() => null) : null;
  const files: SourceText[] = [];
  let left = MAX_CHARACTERS;
  for (const file of sources === null ? [] : await namesOf(sources, artifact.sourceName)) {
    await yieldToOthers(checkCancelled);
    const content = left === 0 ? null : await sources?.content(file).catch(() => null);
    const isShort = typeof content === 'string' && content.length <= left;
    if (isShort) left -= content.length;
    files.push({ name: file, content: isShort ? content : null });
  }
  const { sourceName, compiler, abi } = artifact;
  return { name, names, sourceName, fit, compiler, abi, files, artifact: contract.file };
}

/** The file and its imports. Without a syntax tree: all files of the compilation. */
async function namesOf(sources: CompilationSources, sourceName: string): Promise<string[]> {
  const names: string[] = [];
  let hasTree = false;
  for await (const { name, tree } of treesOf(sources, sourceName)) {
    names.push(name);
    hasTree ||= tree !== null;
  }
  return hasTree ? names : [...new Set([sourceName, ...sources.names.values()])];
}
