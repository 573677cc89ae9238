/**
 * The contracts of a chain by their addresses: those whose code is there, and those behind proxies; and the sources from which one was
 * compiled.
 */

import type { Abi } from 'abitype';
import type { CompilerFacts } from '../artifacts/artifact.ts';
import type { Fit } from '../artifacts/code-template.ts';
import type { CompilationSources } from '../artifacts/compilation.ts';
import { treesOf } from '../artifacts/layout/syntax-definitions.ts';
import type { Chain } from '../chain/chain.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { precompilesOf } from '../protocol/hardforks/precompiles.ts';
import { type CheckInterrupt, yieldToOthers } from '../scheduling/interrupt.ts';
import { type Task, waitFor } from '../scheduling/task.ts';
import { fetchingState } from '../state/state-source.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockPlace, KnownContract, KnownContracts } from './known-contracts.ts';
import { implementationOf, type PossibleProxy } from './proxies.ts';
import { askNow } from './state-changes.ts';

/** The contract at an address. */
export interface ContractsAt {
  /** `null` where no artifact describes it. */
  readonly contract: KnownContract | null;
  /** The contract that a proxy hands its calls to; `null` for one that is no proxy. */
  readonly implementation: { readonly address: Uint8Array; readonly contract: KnownContract | null } | null;
}

/** An account with code. */
export interface AccountWithCode {
  readonly code: Uint8Array;
  /** `null` where no artifact describes it. */
  readonly contract: KnownContract | null;
}

/** The contracts of a chain by their addresses. */
export class DeployedContracts {
  readonly known: KnownContracts;
  readonly #chain: Chain;
  /** The addresses of the precompiles, as `hexKey` spells them. */
  #precompiles: ReadonlySet<string> | undefined;

  constructor(chain: Chain, known: KnownContracts) {
    this.#chain = chain;
    this.known = known;
  }

  /** Returns the code at an address and the contract that it is of; `null` where there is no code. `at` is the block of the state. */
  *accountAt(
    state: WorldState,
    address: Uint8Array,
    at: BlockPlace | null = null,
  ): Task<AccountWithCode | null> {
    const code = yield* waitFor(fetchingState(() => state.account(address)?.code ?? null));
    if (code === null || code.bytes.length === 0) return null;
    const contract = yield* waitFor(this.known.of('deployed', code.bytes, address, { hash: code.hash, at }));
    return { code: code.bytes, contract };
  }

  /** Returns true if the rules of the chain have a precompile at the address, and no code replaces it in the state. */
  *hasPrecompile(state: WorldState, address: Uint8Array): Task<boolean> {
    this.#precompiles ??= new Set(precompilesOf(this.#chain.ruleSet).map((one) => hexKey(one.address)));
    if (!this.#precompiles.has(hexKey(address))) return false;
    const code = yield* waitFor(fetchingState(() => state.account(address)?.code ?? null));
    return code === null || code.bytes.length === 0;
  }

  /** Returns the contract that a proxy hands its call to; `null` for an account that is no proxy. */
  *behind(proxy: PossibleProxy, at: BlockPlace | null = null): Task<ContractsAt['implementation']> {
    const { state } = proxy;
    const target = yield* implementationOf(proxy, (to, data) => askNow(this.#chain, state, to, data));
    if (target === null) return null;
    const account = yield* this.accountAt(state, target, at);
    return { address: target, contract: account?.contract ?? null };
  }

  /** Returns the contract at an address, and the one behind it where it is a proxy. */
  *at(state: WorldState, address: Uint8Array): Task<ContractsAt> {
    const account = yield* this.accountAt(state, address);
    if (account === null) return { contract: null, implementation: null };
    const { code, contract } = account;
    return { contract, implementation: yield* this.behind({ state, address, code, input: EMPTY_BYTES }) };
  }
}

/** Characters of all files together; of others only the names are reported. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** A file of sources. */
export interface SourceText {
  /** As the compiler, or the tool around it, names it. */
  readonly name: string;
  /** `null` where it is not known, or too long to be reported. */
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
