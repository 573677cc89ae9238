/** The contracts of a chain by their addresses: those whose code is there, and those behind proxies. */

import type { Chain } from '../chain/chain.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { type Task, waitFor } from '../primitives/task.ts';
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
