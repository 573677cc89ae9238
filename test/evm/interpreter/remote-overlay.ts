import { hexKey } from '../../../src/primitives/hex.ts';
import { type AccountView, Overlay } from '../../../src/state/overlay.ts';
import { MissingStateError } from '../../../src/state/state-source.ts';
import type { WorldState } from '../../../src/state/world-state.ts';

/** An overlay that fetches each account, code and slot before its first read. */
export class RemoteOverlay extends Overlay {
  readonly fetched: string[] = [];
  readonly #known: Set<string>;

  /** `known`: keys that are already fetched. Overlays on one state may share them. */
  constructor(base: WorldState, known = new Set<string>()) {
    super(base);
    this.#known = known;
  }

  override account(address: Uint8Array): AccountView | undefined {
    this.#require(`account ${hexKey(address)}`);
    return super.account(address);
  }

  override code(address: Uint8Array): Uint8Array {
    this.#require(`code ${hexKey(address)}`);
    return super.code(address);
  }

  override storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#require(`slot ${hexKey(slot)} of ${hexKey(address)}`);
    return super.storageAt(address, slot);
  }

  #require(key: string): void {
    if (this.#known.has(key)) return;
    throw new MissingStateError(async () => {
      this.fetched.push(key);
      this.#known.add(key);
    });
  }
}
