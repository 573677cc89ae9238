import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { type BridgeStorage, keyedSlot, namedSlot } from '../bridge/bridge-storage.ts';

/** An unspent output of the parent chain that the federation can spend. */
export interface Utxo {
  /** The id of the transaction (txid): 32 bytes in text order. */
  readonly transactionId: Uint8Array;
  /** The index of the output. */
  readonly index: number;
  /** Satoshi. */
  readonly value: bigint;
  /** The output script: P2SH, 23 bytes. */
  readonly script: Uint8Array;
  /** True for an output of a coinbase. Rootstock registers it, but never spends it. */
  readonly isCoinbase: boolean;
}

const LENGTH = namedSlot('newFederationBtcUTXOs');
const ENTRY = 'federationUtxo';
const INDEX_SIZE = 4;
const ID_SIZE = 32;
const VALUE_SIZE = 8;
const SCRIPT_SIZE = 23;
const VALUE_START = ID_SIZE + INDEX_SIZE;
const SCRIPT_START = VALUE_START + VALUE_SIZE;
const FLAG_START = SCRIPT_START + SCRIPT_SIZE;
const SIZE = FLAG_START + 1;

function slotOf(position: number): Uint8Array {
  return keyedSlot(ENTRY, bigIntToFixedBytes(BigInt(position), INDEX_SIZE));
}

function encode({ transactionId, index, value, script, isCoinbase }: Utxo): Uint8Array {
  if (script.length !== SCRIPT_SIZE) throw new Error(`expected a P2SH script, got ${script.length} bytes`);
  return concatBytes(
    transactionId,
    bigIntToFixedBytes(BigInt(index), INDEX_SIZE),
    bigIntToFixedBytes(value, VALUE_SIZE),
    script,
    Uint8Array.of(isCoinbase ? 1 : 0),
  );
}

function decode(bytes: Uint8Array): Utxo {
  return {
    transactionId: bytes.slice(0, ID_SIZE),
    index: Number(bytesToBigInt(bytes.subarray(ID_SIZE, VALUE_START))),
    value: bytesToBigInt(bytes.subarray(VALUE_START, SCRIPT_START)),
    script: bytes.slice(SCRIPT_START, FLAG_START),
    isCoinbase: bytes[FLAG_START] === 1,
  };
}

export function isSameUtxo(left: Utxo, right: Pick<Utxo, 'transactionId' | 'index'>): boolean {
  return left.index === right.index && equalBytes(left.transactionId, right.transactionId);
}

/**
 * Returns the outputs that the federation spends. Rootstock calculates the depth of a coinbase's output with an
 * overflow, so the output never counts as mature.
 */
export function withoutCoinbases<Output extends Utxo>(utxos: readonly Output[]): Output[] {
  return utxos.filter(({ isCoinbase }) => !isCoinbase);
}

/** The federation's unspent outputs in the storage of the Bridge, in the order of their registration. */
export class UtxoStore {
  readonly #storage: BridgeStorage;

  constructor(storage: BridgeStorage) {
    this.#storage = storage;
  }

  get length(): number {
    return Number(this.#storage.number(LENGTH));
  }

  all(): Utxo[] {
    return Array.from({ length: this.length }, (_, position) =>
      decode(this.#storage.bytes(slotOf(position), SIZE)),
    );
  }

  /** The satoshi that the federation can spend. */
  get balance(): bigint {
    return withoutCoinbases(this.all()).reduce((sum, { value }) => sum + value, 0n);
  }

  add(utxos: readonly Utxo[]): void {
    this.#write(utxos, this.length);
  }

  /** Removes the spent outputs. */
  remove(spent: readonly Pick<Utxo, 'transactionId' | 'index'>[]): void {
    const before = this.all();
    const kept = before.filter((utxo) => !spent.some((each) => isSameUtxo(utxo, each)));
    const firstMoved = before.findIndex((utxo, position) => utxo !== kept[position]);
    if (firstMoved >= 0) this.#write(kept.slice(firstMoved), firstMoved);
  }

  #write(utxos: readonly Utxo[], start: number): void {
    for (const [position, utxo] of utxos.entries()) {
      this.#storage.setBytes(slotOf(start + position), encode(utxo));
    }
    this.#storage.setNumber(LENGTH, BigInt(start + utxos.length));
  }
}
