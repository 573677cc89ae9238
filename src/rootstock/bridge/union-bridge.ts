// The state of the union bridge.

import { padLeft } from '../../primitives/bytes.ts';
import { type BridgeStorage, keyedSlot, namedSlot } from './bridge-storage.ts';

const ADDRESS_SIZE = 20;
const WORD = 32;

const ADDRESS = namedSlot('unionBridgeContractAddress');
const LOCKING_CAP = namedSlot('unionBridgeLockingCap');
const TRANSFERRED = namedSlot('weisTransferredToUnionBridge');
/** The flags are stored inverted, so that unset means enabled. */
const REQUEST_DISABLED = namedSlot('unionBridgeRequestDisabled');
const RELEASE_DISABLED = namedSlot('unionBridgeReleaseDisabled');

/** The events that the union bridge stores for block headers (RSKIP-529, RSKIP-535). */
export type UnionEventKind = 'Super' | 'Base';

const EVENT_NAMES = { Super: 'superEvent', Base: 'baseEvent' } as const;
const EVENT_DATA = new TextEncoder().encode('data');

/** Maximum size of an event in bytes. */
export const MAX_EVENT_LENGTH = 128;

/** The initial cap of regtest in wei. */
const FIRST_LOCKING_CAP = 10n ** 18n;

/** The union bridge's state in the Bridge's storage (RSKIP-502). */
export class UnionBridge {
  readonly #storage: BridgeStorage;

  constructor(storage: BridgeStorage) {
    this.#storage = storage;
  }

  /** 20 bytes; zeros if not set. */
  get address(): Uint8Array {
    return this.#storage.word(ADDRESS).subarray(WORD - ADDRESS_SIZE);
  }

  set address(address: Uint8Array) {
    this.#storage.setWord(ADDRESS, padLeft(address, WORD));
  }

  /** Maximum amount of the Bridge's coins that the union bridge may hold, in wei. */
  get lockingCap(): bigint {
    return this.#storage.number(LOCKING_CAP) || FIRST_LOCKING_CAP;
  }

  set lockingCap(wei: bigint) {
    this.#storage.setNumber(LOCKING_CAP, wei);
  }

  /** The amount of the Bridge's coins that the union bridge holds, in wei. */
  get transferred(): bigint {
    return this.#storage.number(TRANSFERRED);
  }

  set transferred(wei: bigint) {
    this.#storage.setNumber(TRANSFERRED, wei);
  }

  /** True if it may request coins. */
  get mayRequest(): boolean {
    return this.#storage.number(REQUEST_DISABLED) === 0n;
  }

  /** True if it may return coins. */
  get mayRelease(): boolean {
    return this.#storage.number(RELEASE_DISABLED) === 0n;
  }

  permit(mayRequest: boolean, mayRelease: boolean): void {
    this.#storage.setNumber(REQUEST_DISABLED, mayRequest ? 0n : 1n);
    this.#storage.setNumber(RELEASE_DISABLED, mayRelease ? 0n : 1n);
  }

  /** Returns the last event of this kind; empty if there is none. */
  event(kind: UnionEventKind): Uint8Array {
    const name = EVENT_NAMES[kind];
    const length = Number(this.#storage.number(namedSlot(name)));
    return this.#storage.bytes(keyedSlot(name, EVENT_DATA), length);
  }

  /** Sets an event of at most {@link MAX_EVENT_LENGTH} bytes; an empty event removes it. */
  setEvent(kind: UnionEventKind, data: Uint8Array): void {
    const name = EVENT_NAMES[kind];
    const room = new Uint8Array(MAX_EVENT_LENGTH);
    room.set(data);
    this.#storage.setNumber(namedSlot(name), BigInt(data.length));
    // Trailing zeros overwrite a longer event.
    this.#storage.setBytes(keyedSlot(name, EVENT_DATA), room);
  }
}
