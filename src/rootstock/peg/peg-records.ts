import { concatBytes } from '../../primitives/bytes.ts';
import { type BridgeStorage, keyedSlot } from '../bridge/bridge-storage.ts';

const PROCESSED = 'btcTxHashAP';
const COINBASE = 'coinbaseInformation';
const PEGOUT_INDEX = 'pegoutTxSigHash';
const FLYOVER_USED = 'fastBridgeHashUsedInBtcTx';
const FLYOVER_FEDERATION = 'fastBridgeFederationInformation';

const HASH_SIZE = 32;
const PRESENT = Uint8Array.of(1);

/** The facts about transactions of the parent chain that the Bridge remembers. Hashes are in text order. */
export class PegRecords {
  readonly #storage: BridgeStorage;

  constructor(storage: BridgeStorage) {
    this.#storage = storage;
  }

  /** Returns the number of the block that processed a transaction (txid); `undefined` if none did. */
  processedAt(transactionId: Uint8Array): bigint | undefined {
    const stored = this.#storage.number(keyedSlot(PROCESSED, transactionId));
    return stored === 0n ? undefined : stored - 1n;
  }

  markProcessed(transactionId: Uint8Array, blockNumber: number): void {
    this.#storage.setNumber(keyedSlot(PROCESSED, transactionId), BigInt(blockNumber) + 1n);
  }

  /** Returns the registered root of the wtxids of a block; `undefined` if none is registered. */
  witnessRoot(blockHash: Uint8Array): Uint8Array | undefined {
    return this.#presentHash(keyedSlot(COINBASE, blockHash));
  }

  setWitnessRoot(blockHash: Uint8Array, root: Uint8Array): void {
    this.#storage.setBytes(keyedSlot(COINBASE, blockHash), concatBytes(PRESENT, root));
  }

  /** Returns true if the Bridge created a pegout with this hash of its first input (RSKIP-379). */
  isPegout(signatureHash: Uint8Array): boolean {
    return this.#storage.number(keyedSlot(PEGOUT_INDEX, signatureHash)) !== 0n;
  }

  addPegout(signatureHash: Uint8Array): void {
    this.#storage.setNumber(keyedSlot(PEGOUT_INDEX, signatureHash), 1n);
  }

  /** Returns true if a transaction (txid) already paid for this Flyover agreement (RSKIP-176). */
  isFlyoverUsed(transactionId: Uint8Array, derivationHash: Uint8Array): boolean {
    return this.#storage.number(keyedSlot(FLYOVER_USED, concatBytes(transactionId, derivationHash))) !== 0n;
  }

  markFlyoverUsed(transactionId: Uint8Array, derivationHash: Uint8Array): void {
    this.#storage.setNumber(keyedSlot(FLYOVER_USED, concatBytes(transactionId, derivationHash)), 1n);
  }

  /** Returns the derivation hash in the Flyover script with this hash (20 bytes); `undefined` if unknown. */
  flyoverDerivation(scriptHash: Uint8Array): Uint8Array | undefined {
    return this.#presentHash(keyedSlot(FLYOVER_FEDERATION, scriptHash));
  }

  setFlyoverDerivation(scriptHash: Uint8Array, derivationHash: Uint8Array): void {
    this.#storage.setBytes(keyedSlot(FLYOVER_FEDERATION, scriptHash), concatBytes(PRESENT, derivationHash));
  }

  #presentHash(slot: Uint8Array): Uint8Array | undefined {
    const stored = this.#storage.bytes(slot, PRESENT.length + HASH_SIZE);
    return stored[0] === 0 ? undefined : stored.slice(PRESENT.length);
  }
}
