import { bigIntToBytes, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { keccak256, writeKeccak256 } from '../primitives/keccak.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import type { Encoding, Kinds } from './field-kinds.ts';
import type { TransactionType } from './transaction.ts';

/** An event that a contract emitted. */
export interface Log {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Up to four times 32 bytes. */
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** The result of a transaction in a block. */
export interface Receipt {
  readonly succeeded: boolean;
  /** Gas of this transaction and of those before it in the block. */
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  /** Wei per gas that the sender paid. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  /** The address of the contract a creation made or would have made; `null` for other transactions. */
  readonly contractAddress: Uint8Array | null;
}

/** The values of fields in receipts whose maker gives none. */
export const RECEIPT_DEFAULTS = { contractAddress: null } as const satisfies Partial<Receipt>;

/** The fields of a receipt but for its logs, and their bloom, which follows from them: in the order of records and dumps. */
export const RECEIPT_FIELDS = {
  succeeded: 'flag',
  cumulativeGasUsed: 'integer',
  gasUsed: 'integer',
  effectiveGasPrice: 'integer',
  contractAddress: 'optional address',
} as const satisfies Kinds<Omit<Receipt, 'logs' | 'logsBloom'>>;

const SUCCESS = Uint8Array.of(1);

/** Gas of the network's form, which knows no empty number: zero is one zero byte. */
function networkGas(gas: bigint): Uint8Array {
  return gas === 0n ? Uint8Array.of(0) : bigIntToBytes(gas);
}

/** The field form of logs: address, topics, data each. */
function logItems(logs: readonly Log[]): RlpItem {
  return logs.map((log) => [log.address, log.topics, log.data]);
}

/**
 * The receipt as it stands in the receipts trie. The network's form carries the status twice and the gas of the
 * transaction; the Ethereum form is that of EIP-658 and EIP-2718.
 */
export function encodeReceipt(receipt: Receipt, type: TransactionType, encoding: Encoding): Uint8Array {
  const status = receipt.succeeded ? SUCCESS : EMPTY_BYTES;
  const { cumulativeGasUsed, gasUsed, logsBloom } = receipt;
  const logs = logItems(receipt.logs);
  if (encoding === 'network') {
    return encodeRlp([status, networkGas(cumulativeGasUsed), logsBloom, logs, networkGas(gasUsed), status]);
  }
  const list = encodeRlp([status, bigIntToBytes(cumulativeGasUsed), logsBloom, logs]);
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list);
}

/** Bytes of a bloom filter. */
export const BLOOM_SIZE = 256;

interface Bit {
  readonly index: number;
  readonly mask: number;
}

/** Three pairs of bytes of a hash name the bits of what was hashed. */
const HASHED_PAIRS = [0, 2, 4] as const;

/** Returns the number, from 0 to 2047, of the bit that two bytes of a hash name. */
function bitAt(hash: Uint8Array, pair: number): number {
  return (((hash[pair] ?? 0) << 8) | (hash[pair + 1] ?? 0)) & 2047;
}

/** Returns the three bits of an address or topic. */
function bitsOf(item: Uint8Array): Bit[] {
  const hash = keccak256(item);
  return HASHED_PAIRS.map((pair) => {
    const bit = bitAt(hash, pair);
    return { index: BLOOM_SIZE - 1 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}

/** The bloom filter of no logs, which must not be written to. */
export const EMPTY_BLOOM = new Uint8Array(BLOOM_SIZE);

/** Makes the blooms of a block's receipts and, at the same time, that of the block (yellow paper, 4.3.1). */
export class BloomMaker {
  /** The bloom of all logs so far. */
  readonly joined = new Uint8Array(BLOOM_SIZE);
  readonly #hash = new Uint8Array(32);

  /** Returns the bloom filter over the addresses and topics of the logs, which must not be written to. */
  add(logs: readonly Log[]): Uint8Array {
    if (logs.length === 0) return EMPTY_BLOOM;
    const bloom = new Uint8Array(BLOOM_SIZE);
    for (const { address, topics } of logs) {
      this.#set(bloom, address);
      for (const topic of topics) this.#set(bloom, topic);
    }
    return bloom;
  }

  #set(bloom: Uint8Array, item: Uint8Array): void {
    writeKeccak256(this.#hash, 0, item);
    for (const pair of HASHED_PAIRS) {
      const bit = bitAt(this.#hash, pair);
      const index = BLOOM_SIZE - 1 - (bit >> 3);
      const set = (bloom[index] ?? 0) | (1 << (bit & 7));
      bloom[index] = set;
      this.joined[index] = (this.joined[index] ?? 0) | set;
    }
  }
}

/** Returns the bloom filter over the addresses and topics of the logs, which must not be written to. */
export function bloomOf(logs: readonly Log[]): Uint8Array {
  return new BloomMaker().add(logs);
}

/** Returns the union of bloom filters. */
export function joinBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(BLOOM_SIZE);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let index = 0; index < BLOOM_SIZE; index++)
      joined[index] = (joined[index] ?? 0) | (bloom[index] ?? 0);
  }
  return joined;
}

/** Returns a test for one address or topic: false when none of the logs behind a bloom can have it, true when one may. */
export function bloomProbe(item: Uint8Array): (bloom: Uint8Array) => boolean {
  const bits = bitsOf(item);
  return (bloom) => bits.every(({ index, mask }) => ((bloom[index] ?? 0) & mask) !== 0);
}
