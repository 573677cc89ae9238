// The state of the Bridge.

import type { PrecompileAccount } from '../../evm/precompiles/precompiled-contract.ts';
import { bigIntToFixedBytes, bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';
import { PegRecords } from '../peg/peg-records.ts';
import { WaitingPegouts } from '../peg/pegouts-waiting.ts';
import { UtxoStore } from '../peg/utxo-store.ts';
import type { BridgeConstants } from './bridge-constants.ts';
import { BridgeStorage, keyedSlot, namedSlot } from './bridge-storage.ts';
import { LockWhitelist } from './lock-whitelist.ts';
import { ParentChain } from './parent-chain.ts';
import { UnionBridge } from './union-bridge.ts';

/** A pegout request. */
export interface QueuedPegout {
  /** The recipient: the hash of a public key, 20 bytes. */
  readonly destination: Uint8Array;
  /** Satoshi. */
  readonly amount: bigint;
  /** The hash of the requesting transaction, 32 bytes. */
  readonly transactionHash: Uint8Array;
}

const FEE_PER_KILOBYTE = namedSlot('feePerKb');
const LOCKING_CAP = namedSlot('lockingCap');
const NEXT_PEGOUT_BLOCK = namedSlot('nextPegoutHeight');
const HEADER_TIMESTAMP = namedSlot('receiveHeadersLastTimestamp');
const QUEUE_LENGTH = namedSlot('releaseRequestQueue');
const QUEUE = 'releaseRequest';

const DESTINATION_SIZE = 20;
const AMOUNT_SIZE = 8;
const HASH_SIZE = 32;
const INDEX_SIZE = 8;

/** The Bridge's state in its account. */
export class BridgeState {
  readonly #storage: BridgeStorage;
  readonly #constants: BridgeConstants;
  readonly parentChain: ParentChain;
  readonly whitelist: LockWhitelist;
  readonly utxos: UtxoStore;
  readonly pegs: PegRecords;
  readonly pegouts: WaitingPegouts;
  readonly union: UnionBridge;

  constructor(account: PrecompileAccount, constants: BridgeConstants) {
    this.#constants = constants;
    this.#storage = new BridgeStorage(account);
    this.parentChain = new ParentChain(this.#storage);
    this.whitelist = new LockWhitelist(this.#storage);
    this.utxos = new UtxoStore(this.#storage);
    this.pegs = new PegRecords(this.#storage);
    this.pegouts = new WaitingPegouts(this.#storage);
    this.union = new UnionBridge(this.#storage);
  }

  /** The fee per 1,000 bytes on the parent chain, in satoshi. */
  get feePerKilobyte(): bigint {
    return this.#storage.number(FEE_PER_KILOBYTE) || this.#constants.firstFeePerKilobyte;
  }

  set feePerKilobyte(satoshi: bigint) {
    this.#storage.setNumber(FEE_PER_KILOBYTE, satoshi);
  }

  /** Maximum amount of coins locked on the parent chain, in satoshi. */
  get lockingCap(): bigint {
    return this.#storage.number(LOCKING_CAP) || this.#constants.firstLockingCap;
  }

  set lockingCap(satoshi: bigint) {
    this.#storage.setNumber(LOCKING_CAP, satoshi);
  }

  /** The next block number that processes the queue. */
  get nextPegoutBlock(): bigint {
    return this.#storage.number(NEXT_PEGOUT_BLOCK);
  }

  set nextPegoutBlock(number: bigint) {
    this.#storage.setNumber(NEXT_PEGOUT_BLOCK, number);
  }

  /** The timestamp of the block with the last `receiveHeader`, in seconds since 1970; 0 if there is none. */
  get headerTimestamp(): number {
    return Number(this.#storage.number(HEADER_TIMESTAMP));
  }

  set headerTimestamp(seconds: number) {
    this.#storage.setNumber(HEADER_TIMESTAMP, BigInt(seconds));
  }

  get queueLength(): number {
    return Number(this.#storage.number(QUEUE_LENGTH));
  }

  /** Returns the queued pegouts, oldest first. */
  queuedPegouts(): QueuedPegout[] {
    return Array.from({ length: this.queueLength }, (_, index) => {
      const bytes = this.#storage.bytes(queueSlot(index), DESTINATION_SIZE + AMOUNT_SIZE + HASH_SIZE);
      return {
        destination: bytes.subarray(0, DESTINATION_SIZE),
        amount: bytesToBigInt(bytes.subarray(DESTINATION_SIZE, DESTINATION_SIZE + AMOUNT_SIZE)),
        transactionHash: bytes.subarray(DESTINATION_SIZE + AMOUNT_SIZE),
      };
    });
  }

  /** Removes the oldest pegouts from the queue. */
  dequeue(count: number): void {
    const left = this.queuedPegouts().slice(count);
    this.#storage.setNumber(QUEUE_LENGTH, 0n);
    for (const pegout of left) this.queue(pegout);
  }

  queue({ destination, amount, transactionHash }: QueuedPegout): void {
    const { queueLength } = this;
    const bytes = concatBytes(destination, bigIntToFixedBytes(amount, AMOUNT_SIZE), transactionHash);
    this.#storage.setBytes(queueSlot(queueLength), bytes);
    this.#storage.setNumber(QUEUE_LENGTH, BigInt(queueLength + 1));
  }
}

function queueSlot(index: number): Uint8Array {
  return keyedSlot(QUEUE, bigIntToFixedBytes(BigInt(index), INDEX_SIZE));
}
