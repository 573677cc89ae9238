import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { REMASC_ADDRESS } from '../../protocol/remasc-transaction.ts';
import type { Overlay } from '../../state/overlay.ts';

/** The slot that the network keeps a value of that name in: the name's letters as a number. */
function slotNamed(name: string): Uint8Array {
  return padLeft(new TextEncoder().encode(name), 32);
}

const SLOTS = {
  rewardBalance: slotNamed('rewardBalance'),
  burnedBalance: slotNamed('burnedBalance'),
  federationBalance: slotNamed('federationBalance'),
  brokenSelectionRule: slotNamed('brokenSelectionRule'),
  siblings: slotNamed('siblings'),
} as const;

/** An empty RLP list: where siblings were kept before they were looked for in the blocks. */
const NO_SIBLINGS = Uint8Array.of(0xc0);

type Amount = 'rewardBalance' | 'burnedBalance' | 'federationBalance';

/** What REMASC remembers from block to block. It stands in the storage of its account, as on the network. */
export class RemascLedger {
  readonly #state: Overlay;

  constructor(state: Overlay) {
    this.#state = state;
  }

  /** Writes what the network has in this storage from the first block on. */
  open(): void {
    this.#write('siblings', NO_SIBLINGS);
  }

  /** Wei: the fees that were collected and not shared out yet. */
  get rewardBalance(): bigint {
    return this.#amount('rewardBalance');
  }

  set rewardBalance(wei: bigint) {
    this.#write('rewardBalance', bigIntToBytes(wei));
  }

  /** Wei of the federation that wait until they are worth paying. */
  get federationBalance(): bigint {
    return this.#amount('federationBalance');
  }

  set federationBalance(wei: bigint) {
    this.#write('federationBalance', bigIntToBytes(wei));
  }

  /** Wei that nobody gets. */
  get burnedBalance(): bigint {
    return this.#amount('burnedBalance');
  }

  /** Lets that many wei be nobody's. They stay where they are. */
  burn(wei: bigint): void {
    this.#write('burnedBalance', bigIntToBytes(this.burnedBalance + wei));
  }

  /** True when a sibling of the block that was paid for last should have stood in its place. */
  get isSelectionRuleBroken(): boolean {
    return this.#state.storageAt(REMASC_ADDRESS, SLOTS.brokenSelectionRule).length > 0;
  }

  set isSelectionRuleBroken(isBroken: boolean) {
    this.#write('brokenSelectionRule', isBroken ? Uint8Array.of(1) : EMPTY_BYTES);
  }

  #amount(name: Amount): bigint {
    return bytesToBigInt(this.#state.storageAt(REMASC_ADDRESS, SLOTS[name]));
  }

  #write(name: keyof typeof SLOTS, value: Uint8Array): void {
    // Most blocks change nothing here, and what is not written costs no hashing.
    if (equalBytes(this.#state.storageAt(REMASC_ADDRESS, SLOTS[name]), value)) return;
    this.#state.setStorage(REMASC_ADDRESS, SLOTS[name], value);
  }
}
