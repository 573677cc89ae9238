// The state access of ethereumjs.

import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, type Address } from '@ethereumjs/util';
import { boundedBalance } from '../evm/admission.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import { equalBytes, stripLeadingZeros } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { KECCAK_EMPTY } from '../primitives/keccak.ts';
import { type CancelCheck, neverCancelled } from '../scheduling/cancel-check.ts';
import type { AccountView, Overlay } from '../state/overlay.ts';
import { fetchingState } from '../state/state-source.ts';

/** An account of an overlay for ethereumjs. Its storage root is computed on access. */
class OverlayAccount extends Account {
  readonly #storageRoot: () => Uint8Array;

  constructor({ nonce, balance, code }: AccountView, storageRoot: () => Uint8Array) {
    super(nonce, balance, null, code.hash, code.bytes.length);
    this.#storageRoot = storageRoot;
  }

  override get storageRoot(): Uint8Array {
    return this.#storageRoot();
  }
}

/** The slot values at the start of the transaction, for the price of SSTORE (EIP-2200). */
class OriginalStorage {
  readonly #values = new Map<string, Uint8Array>();
  readonly #read: (address: Address, slot: Uint8Array) => Promise<Uint8Array>;

  constructor(read: (address: Address, slot: Uint8Array) => Promise<Uint8Array>) {
    this.#read = read;
  }

  /** Returns the original value, recorded on the first call, because SSTORE reads it before it writes. */
  async get(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    const key = hexKey(address.bytes) + hexKey(slot);
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = await this.#read(address, slot);
    this.#values.set(key, value);
    return value;
  }

  clear(): void {
    this.#values.clear();
  }
}

/** The state access of ethereumjs. Its overlay changes per message; the machine is shared. */
export class OverlayStateManager implements StateManagerInterface {
  readonly originalStorageCache = new OriginalStorage((address, slot) => this.getStorage(address, slot));
  #overlay: Overlay | undefined;
  #checkCancelled = neverCancelled;
  #openCheckpoints = 0;
  #sender: Uint8Array | undefined;

  /**
   * Sets the overlay. The first read of the sender returns an account without code, because ethereumjs
   * rejects transactions from contracts (EIP-3607), but impersonated contracts may send. If `checkCancelled`
   * throws, fetching state ends with that error.
   */
  open(overlay: Overlay, sender: Uint8Array, checkCancelled: CancelCheck): void {
    this.#overlay = overlay;
    this.#checkCancelled = checkCancelled;
    this.#sender = sender;
    this.#openCheckpoints = 0;
  }

  /** Removes the overlay and reverts checkpoints left open by an error. */
  close(): void {
    for (; this.#openCheckpoints > 0; this.#openCheckpoints--) this.#state.revert();
    this.#overlay = undefined;
  }

  #fetching<Result>(read: () => Result): Awaitable<Result> {
    return fetchingState<Result>(read, this.#checkCancelled);
  }

  get #state(): Overlay {
    if (this.#overlay === undefined) throw new Error('no message is running');
    return this.#overlay;
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const view = await this.#fetching(() => this.#state.account(address.bytes));
    if (view === undefined) return undefined;
    const account = new OverlayAccount(view, () => this.#state.storageRootOf(address.bytes));
    if (this.#sender !== undefined && equalBytes(this.#sender, address.bytes)) {
      this.#sender = undefined;
      account.codeHash = KECCAK_EMPTY;
    }
    return account;
  }

  /** Writes nonce and balance. Code and storage have their own methods. */
  async putAccount(address: Address, account?: Account): Promise<void> {
    await this.#fetching(() => {
      if (account === undefined) this.#state.deleteAccount(address.bytes);
      else this.#write(address, account);
    });
  }

  /** Writes nonce and balance if they are given. Code and storage have their own methods. */
  async modifyAccountFields(address: Address, { nonce, balance }: AccountFields): Promise<void> {
    const view = await this.#fetching(() => this.#state.account(address.bytes));
    this.#write(address, { nonce: nonce ?? view?.nonce ?? 0n, balance: balance ?? view?.balance ?? 0n });
  }

  #write(address: Address, { nonce, balance }: { readonly nonce: bigint; readonly balance: bigint }): void {
    this.#state.setAccount(address.bytes, { nonce, balance: boundedBalance(balance) });
  }

  async deleteAccount(address: Address): Promise<void> {
    await this.#fetching(() => this.#state.deleteAccount(address.bytes));
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.#fetching(() => this.#state.code(address.bytes));
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    await this.#fetching(() => this.#state.setCode(address.bytes, code));
  }

  async getStorage(address: Address, slot: Uint8Array): Promise<Uint8Array> {
    return this.#fetching(() => this.#state.storageAt(address.bytes, slot));
  }

  async putStorage(address: Address, slot: Uint8Array, value: Uint8Array): Promise<void> {
    await this.#fetching(() => this.#state.setStorage(address.bytes, slot, stripLeadingZeros(value)));
  }

  async clearStorage(address: Address): Promise<void> {
    await this.#fetching(() => this.#state.clearStorage(address.bytes));
  }

  async checkpoint(): Promise<void> {
    this.#openCheckpoints++;
    this.#state.checkpoint();
  }

  async commit(): Promise<void> {
    this.#openCheckpoints--;
    this.#state.commit();
  }

  async revert(): Promise<void> {
    this.#openCheckpoints--;
    this.#state.revert();
  }

  async getStateRoot(): Promise<Uint8Array> {
    return this.#state.toWorldState().root;
  }

  async hasStateRoot(root: Uint8Array): Promise<boolean> {
    return equalBytes(root, await this.getStateRoot());
  }

  /** Always throws, because an overlay cannot switch to another root. */
  async setStateRoot(): Promise<void> {
    throw new Error('an overlay cannot be set to another state');
  }

  /** Clears the original values of the transaction, the only cache. */
  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  shallowCopy(): OverlayStateManager {
    const copy = new OverlayStateManager();
    copy.#overlay = this.#overlay;
    return copy;
  }
}
