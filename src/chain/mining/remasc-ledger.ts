import { type ExecutionObserver, reportTransfer } from '../../evm/observer.ts';
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES, equalBytes, padLeft } from '../../primitives/bytes.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import type { Log } from '../../protocol/receipt.ts';
import { REMASC_ADDRESS } from '../../protocol/remasc.ts';
import type { Overlay } from '../../state/overlay.ts';

const MINING_FEE_TOPIC = padLeft(new TextEncoder().encode('mining_fee_topic'), 32);

/** Pays from REMASC's account. Each payment emits a log, and observers see a call without gas. */
export class FeePayments {
  readonly #state: Overlay;
  readonly #observer: ExecutionObserver | undefined;
  readonly #logs: Log[] = [];

  constructor(state: Overlay, observer: ExecutionObserver | undefined) {
    this.#state = state;
    this.#observer = observer;
  }

  get logs(): readonly Log[] {
    return this.#logs;
  }

  /**
   * Pays `value` (wei) for the block with this hash. If a cheat lowered the balance, it pays the rest. A
   * payment of zero creates the account too.
   */
  pay(blockHash: Uint8Array, to: Uint8Array, value: bigint): void {
    const funds = this.#state.account(REMASC_ADDRESS)?.balance ?? 0n;
    const paid = value > funds ? funds : value;
    this.#add(REMASC_ADDRESS, -paid);
    this.#add(to, paid);
    if (this.#observer !== undefined)
      reportTransfer(this.#observer, { depth: 1, from: REMASC_ADDRESS, to, value: paid });
    const log: Log = {
      address: REMASC_ADDRESS,
      topics: [MINING_FEE_TOPIC, padLeft(to, 32)],
      data: encodeRlp([blockHash, bigIntToBytes(paid)]),
    };
    this.#logs.push(log);
    this.#observer?.log?.(log);
  }

  #add(address: Uint8Array, wei: bigint): void {
    const account = this.#state.account(address);
    if (account !== undefined && wei === 0n) return;
    const { nonce, balance } = account ?? { nonce: 0n, balance: 0n };
    this.#state.setAccount(address, { nonce, balance: balance + wei });
  }
}

/** Returns the storage slot of a name, as on Rootstock: the name's letters as a number. */
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

/** An empty RLP list. Rootstock stored siblings here before they were looked up in the blocks. */
const NO_SIBLINGS = Uint8Array.of(0xc0);

type Amount = 'rewardBalance' | 'burnedBalance' | 'federationBalance';

/** The values that REMASC stores between blocks, in its account's storage as on Rootstock. */
export class RemascLedger {
  readonly #state: Overlay;

  constructor(state: Overlay) {
    this.#state = state;
  }

  /** Writes the initial storage that Rootstock has from the first block. */
  open(): void {
    this.#write('siblings', NO_SIBLINGS);
  }

  /** Wei: collected fees that are not distributed yet. */
  get rewardBalance(): bigint {
    return this.#amount('rewardBalance');
  }

  set rewardBalance(wei: bigint) {
    this.#write('rewardBalance', bigIntToBytes(wei));
  }

  /** Wei of the federation below the minimum payment. */
  get federationBalance(): bigint {
    return this.#amount('federationBalance');
  }

  set federationBalance(wei: bigint) {
    this.#write('federationBalance', bigIntToBytes(wei));
  }

  /** Wei that are paid to no account. */
  get burnedBalance(): bigint {
    return this.#amount('burnedBalance');
  }

  /** Burns wei: they remain on REMASC's account and are paid to no one. */
  burn(wei: bigint): void {
    this.#write('burnedBalance', bigIntToBytes(this.burnedBalance + wei));
  }

  /** True if a sibling of the last paid block should have been chosen instead. */
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
    // Most blocks change no value. Skipping an equal write saves hashing.
    if (equalBytes(this.#state.storageAt(REMASC_ADDRESS, SLOTS[name]), value)) return;
    this.#state.setStorage(REMASC_ADDRESS, SLOTS[name], value);
  }
}
