// The state of the second bridge.

import { padLeft } from '../../primitives/bytes.ts';
import { type BridgeStorage, keyedSlot, namedSlot } from './bridge-storage.ts';

const ADDRESS_SIZE = 20;
const WORD = 32;

const ADDRESS = namedSlot('unionBridgeContractAddress');
const LOCKING_CAP = namedSlot('unionBridgeLockingCap');
const TRANSFERRED = namedSlot('weisTransferredToUnionBridge');
/** A flag that is not set means yes, so the stored flag is the opposite. */
const REQUEST_DISABLED = namedSlot('unionBridgeRequestDisabled');
const RELEASE_DISABLED = namedSlot('unionBridgeReleaseDisabled');

/** The events that the second bridge leaves for headers of blocks (RSKIP-529, RSKIP-535). */
export type UnionEventKind = 'Super' | 'Base';

const EVENT_NAMES = { Super: 'superEvent', Base: 'baseEvent' } as const;
const EVENT_DATA = new TextEncoder().encode('data');

/** The most bytes of an event. */
export const LONGEST_EVENT = 128;

/** The initial cap of a local network, in wei. */
const FIRST_LOCKING_CAP = 10n ** 18n;

/** The Bridge's state about the second one, in its storage (RSKIP-502). */
export class UnionBridge {
  readonly #storage: BridgeStorage;

  constructor(storage: BridgeStorage) {
    this.#storage = storage;
  }

  /** 20 bytes: zeros until the address is set. */
  get address(): Uint8Array {
    return this.#storage.word(ADDRESS).subarray(WORD - ADDRESS_SIZE);
  }

  set address(address: Uint8Array) {
    this.#storage.setWord(ADDRESS, padLeft(address, WORD));
  }

  /** The maximum amount of coins that it may have of the Bridge at a time, in wei. */
  get lockingCap(): bigint {
    return this.#storage.number(LOCKING_CAP) || FIRST_LOCKING_CAP;
  }

  set lockingCap(wei: bigint) {
    this.#storage.setNumber(LOCKING_CAP, wei);
  }

  /** The amount of coins that it has of the Bridge, in wei. */
  get transferred(): bigint {
    return this.#storage.number(TRANSFERRED);
  }

  set transferred(wei: bigint) {
    this.#storage.setNumber(TRANSFERRED, wei);
  }

  /** True when it may request coins. */
  get mayRequest(): boolean {
    return this.#storage.number(REQUEST_DISABLED) === 0n;
  }

  /** True when it may return coins. */
  get mayRelease(): boolean {
    return this.#storage.number(RELEASE_DISABLED) === 0n;
  }

  permit(mayRequest: boolean, mayRelease: boolean): void {
    this.#storage.setNumber(REQUEST_DISABLED, mayRequest ? 0n : 1n);
    this.#storage.setNumber(RELEASE_DISABLED, mayRelease ? 0n : 1n);
  }

  /** Returns the last event of the kind; empty for none. */
  event(kind: UnionEventKind): Uint8Array {
    const name = EVENT_NAMES[kind];
    const length = Number(this.#storage.number(namedSlot(name)));
    return this.#storage.bytes(keyedSlot(name, EVENT_DATA), length);
  }

  /** Sets an event of at most {@link LONGEST_EVENT} bytes; an empty one removes it. */
  setEvent(kind: UnionEventKind, data: Uint8Array): void {
    const name = EVENT_NAMES[kind];
    const room = new Uint8Array(LONGEST_EVENT);
    room.set(data);
    this.#storage.setNumber(namedSlot(name), BigInt(data.length));
    // Zeros after the end overwrite a longer event.
    this.#storage.setBytes(keyedSlot(name, EVENT_DATA), room);
  }
}
