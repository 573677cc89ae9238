import type { ExecutionObserver } from '../../evm/observer.ts';
import { bigIntToBytes, EMPTY_BYTES, padLeft } from '../../primitives/bytes.ts';
import { encodeRlp } from '../../primitives/rlp.ts';
import type { Log } from '../../protocol/receipt.ts';
import { REMASC_ADDRESS } from '../../protocol/remasc-transaction.ts';
import type { Overlay } from '../../state/overlay.ts';

const MINING_FEE_TOPIC = padLeft(new TextEncoder().encode('mining_fee_topic'), 32);

/** Pays out of REMASC's account, each time with a log; observers see a call without gas for each. */
export class FeePayments {
  readonly #state: Overlay;
  readonly #observer: ExecutionObserver | undefined;
  readonly #logs: Log[] = [];

  constructor(state: Overlay, observer: ExecutionObserver | undefined) {
    this.#state = state;
    this.#observer = observer;
  }

  /** The logs of all payments so far. */
  get logs(): readonly Log[] {
    return this.#logs;
  }

  /**
   * Pays `value` (wei) for the block with that hash, or as much of it as is there: somebody may have changed the balance.
   * A payment of nothing makes the account too.
   */
  pay(blockHash: Uint8Array, to: Uint8Array, value: bigint): void {
    const funds = this.#state.account(REMASC_ADDRESS)?.balance ?? 0n;
    const paid = value > funds ? funds : value;
    this.#add(REMASC_ADDRESS, -paid);
    this.#add(to, paid);
    this.#tellTransfer(to, paid);
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

  #tellTransfer(to: Uint8Array, value: bigint): void {
    this.#observer?.frameStart?.({
      kind: 'CALL',
      depth: 1,
      from: REMASC_ADDRESS,
      to,
      input: EMPTY_BYTES,
      gas: 0n,
      value,
      isPrecompile: false,
    });
    this.#observer?.frameEnd?.({ outcome: 'success', haltReason: null, output: EMPTY_BYTES, gasUsed: 0n });
  }
}
