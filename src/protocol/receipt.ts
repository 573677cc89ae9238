import { equalBytes } from '../primitives/bytes.ts';
import { keccak256, writeKeccak256 } from '../primitives/keccak.ts';
import {
  rlpIntegerLength,
  rlpLength,
  rlpListLength,
  writeListPrefix,
  writeRlp,
  writeRlpInteger,
} from '../primitives/rlp.ts';
import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
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

/** Logs that are counted without being made, and made one after the other. */
export type LogSequence = Iterable<Log> & { readonly length: number };

/** The result of a transaction in a block. */
export interface Receipt {
  readonly succeeded: boolean;
  /** Gas of this transaction and of those before it in the block. */
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  /** Wei per gas that the sender paid. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
  /** The same logs where they are in storage: {@link logsOf} gives those of any receipt. */
  readonly storedLogs?: LogSequence;
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  /** The address of the contract a creation made or would have made; `null` for other transactions. */
  readonly contractAddress: Uint8Array | null;
}

/** Returns the logs of a receipt for callers that count them or need each of them once: very many then take no memory. */
export function logsOf(receipt: Pick<Receipt, 'logs' | 'storedLogs'>): LogSequence {
  return receipt.storedLogs ?? receipt.logs;
}

/** Returns the receipt as if it had no logs but that bloom. None of its logs is made. */
export function withoutLogs(
  { succeeded, cumulativeGasUsed, gasUsed, effectiveGasPrice, contractAddress }: Receipt,
  logsBloom: Uint8Array,
): Receipt {
  return {
    succeeded,
    cumulativeGasUsed,
    gasUsed,
    effectiveGasPrice,
    logs: [],
    logsBloom,
    contractAddress,
  };
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
} as const satisfies Kinds<Omit<Receipt, 'logs' | 'storedLogs' | 'logsBloom'>>;

/** The encodings of the status of a receipt, one byte each: 1, and the empty number. */
const SUCCESS = 1;
const FAILURE = 0x80;

/** Writes gas; the network's form knows no empty number, so that zero is one zero byte there. */
function writeGas(target: Uint8Array, start: number, gas: bigint, isNetwork: boolean): number {
  if (gas > 0n || !isNetwork) return writeRlpInteger(target, start, gas);
  target[start] = 0;
  return start + 1;
}

/** The bytes of a topic, which is a word, with its prefix. */
const TOPIC_LENGTH = 33;

function topicsLength(topics: readonly Uint8Array[]): number {
  return TOPIC_LENGTH * topics.length;
}

/** Returns the bytes of a log in a receipt without the prefix of its list: address, topics, data. */
function logLength({ address, topics, data }: Log): number {
  return rlpLength(address) + rlpListLength(topicsLength(topics)) + rlpLength(data);
}

function writeLog(target: Uint8Array, start: number, log: Log): number {
  const { address, topics, data } = log;
  let end = writeListPrefix(target, start, logLength(log));
  end = writeRlp(target, end, address);
  end = writeListPrefix(target, end, topicsLength(topics));
  for (const topic of topics) end = writeRlp(target, end, topic);
  return writeRlp(target, end, data);
}

/** Logs that are encoded at once. */
const LOGS_AT_ONCE = 256;
/** Units of work for finding out how long a log is, and for writing it besides its data. */
const LENGTH_WORK = 16;
const ENCODING_WORK = 64;

/**
 * Returns the receipt as it stands in the receipts trie. The network's form carries the status twice and the gas of the
 * transaction; the Ethereum form is that of EIP-658 and EIP-2718. With a `scratch` that is long enough, it is written to its
 * beginning and a view of it is returned, which is cheaper where it is only hashed.
 */
export function encodeReceipt(
  receipt: Receipt,
  type: TransactionType,
  encoding: Encoding,
  scratch?: Uint8Array,
): Uint8Array {
  const { logs } = receipt;
  let logsLength = 0;
  for (const log of logs) logsLength += rlpListLength(logLength(log));
  const begun = beginReceipt(receipt, { type, isNetwork: encoding === 'network', logsLength }, scratch);
  let { end } = begun;
  for (const log of logs) end = writeLog(begun.encoded, end, log);
  return endReceipt(receipt, begun, end);
}

/** Returns true where a receipt is best encoded by {@link encodeReceiptInPieces}. */
export function isEncodedInPieces(receipt: Receipt): boolean {
  return logsOf(receipt).length > LOGS_AT_ONCE;
}

/** As {@link encodeReceipt}, in pieces where the logs are many. */
export function* encodeReceiptInPieces(
  receipt: Receipt,
  type: TransactionType,
  encoding: Encoding,
  pieces: WorkPieces,
): Task<Uint8Array> {
  const logs = logsOf(receipt);
  if (logs.length <= LOGS_AT_ONCE) return encodeReceipt(receipt, type, encoding);
  const logsBloom =
    receipt.storedLogs === undefined ? receipt.logsBloom : yield* new BloomMaker().addInPieces(logs, pieces);
  let logsLength = 0;
  for (const log of logs) {
    logsLength += rlpListLength(logLength(log));
    const turn = pieces.spend(LENGTH_WORK);
    if (turn !== undefined) yield turn;
  }
  const known = withoutLogs(receipt, logsBloom);
  const begun = beginReceipt(known, { type, isNetwork: encoding === 'network', logsLength });
  let { end } = begun;
  for (const log of logs) {
    end = writeLog(begun.encoded, end, log);
    const turn = pieces.spend(ENCODING_WORK + log.data.length);
    if (turn !== undefined) yield turn;
  }
  return endReceipt(known, begun, end);
}

/** The form of an encoding, and the bytes of the logs in it without the prefix of their list. */
interface ReceiptForm {
  readonly type: TransactionType;
  readonly isNetwork: boolean;
  readonly logsLength: number;
}

/** An encoding that is written up to its logs. */
interface BegunReceipt extends ReceiptForm {
  readonly encoded: Uint8Array;
  readonly size: number;
  /** The place of the first log. */
  readonly end: number;
}

function beginReceipt(receipt: Receipt, form: ReceiptForm, scratch?: Uint8Array): BegunReceipt {
  const { cumulativeGasUsed, gasUsed, logsBloom } = receipt;
  const { type, isNetwork, logsLength } = form;
  let length = 1 + rlpIntegerLength(cumulativeGasUsed) + rlpLength(logsBloom) + rlpListLength(logsLength);
  if (isNetwork) length += rlpIntegerLength(gasUsed) + 1;

  const prefix = isNetwork || type === 0 ? 0 : 1;
  const size = prefix + rlpListLength(length);
  const encoded = scratch !== undefined && scratch.length >= size ? scratch : new Uint8Array(size);
  if (prefix > 0) encoded[0] = type;
  let end = writeListPrefix(encoded, prefix, length);
  // Written out, as lists of items would be measured again at each level.
  encoded[end++] = receipt.succeeded ? SUCCESS : FAILURE;
  end = writeGas(encoded, end, cumulativeGasUsed, isNetwork);
  end = writeRlp(encoded, end, logsBloom);
  end = writeListPrefix(encoded, end, logsLength);
  return { type, isNetwork, logsLength, encoded, size, end };
}

function endReceipt(
  receipt: Receipt,
  { isNetwork, encoded, size }: BegunReceipt,
  logsEnd: number,
): Uint8Array {
  if (isNetwork) {
    const end = writeGas(encoded, logsEnd, receipt.gasUsed, isNetwork);
    encoded[end] = receipt.succeeded ? SUCCESS : FAILURE;
  }
  return encoded.length === size ? encoded : encoded.subarray(0, size);
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

/** Units of work for the bits of a log. */
const BLOOM_WORK = 128;

/** The bloom filter of no logs, which must not be written to. */
export const EMPTY_BLOOM = new Uint8Array(BLOOM_SIZE);

/** An address or topic with the numbers of its bits in a bloom. */
interface MarkedItem {
  readonly item: Uint8Array;
  readonly first: number;
  readonly second: number;
  readonly third: number;
}

/** Makes the blooms of a block's receipts and, at the same time, that of the block (yellow paper, 4.3.1). */
export class BloomMaker {
  /** `null` before the first log. */
  #joined: Uint8Array | null = null;
  readonly #hash = new Uint8Array(32);
  /** The last emitter and the last topic at each place, since one log is often like the one before it. */
  readonly #last: MarkedItem[] = [];

  /** The bloom of all logs so far, which must not be written to; {@link EMPTY_BLOOM} for none, which is known at a glance. */
  get joined(): Uint8Array {
    return this.#joined ?? EMPTY_BLOOM;
  }

  /** Returns the bloom filter over the addresses and topics of the logs, which must not be written to. */
  add(logs: LogSequence): Uint8Array {
    if (logs.length === 0) return EMPTY_BLOOM;
    const bloom = new Uint8Array(BLOOM_SIZE);
    for (const log of logs) this.#mark(bloom, log);
    return bloom;
  }

  /** As {@link add}, in pieces where the logs are many. */
  *addInPieces(logs: LogSequence, pieces: WorkPieces): Task<Uint8Array> {
    const bloom = new Uint8Array(BLOOM_SIZE);
    for (const log of logs) {
      this.#mark(bloom, log);
      const turn = pieces.spend(BLOOM_WORK);
      if (turn !== undefined) yield turn;
    }
    return bloom;
  }

  #mark(bloom: Uint8Array, { address, topics }: Log): void {
    this.#set(bloom, address, 0);
    let place = 1;
    for (const topic of topics) this.#set(bloom, topic, place++);
  }

  #set(bloom: Uint8Array, item: Uint8Array, place: number): void {
    let marked = this.#last[place];
    if (marked === undefined || !equalBytes(marked.item, item)) {
      marked = this.#marked(item);
      this.#last[place] = marked;
    }
    this.#joined ??= new Uint8Array(BLOOM_SIZE);
    // Written out, as until V8 has optimized a loop over a list it makes an object for each step.
    setBit(bloom, this.#joined, marked.first);
    setBit(bloom, this.#joined, marked.second);
    setBit(bloom, this.#joined, marked.third);
  }

  #marked(item: Uint8Array): MarkedItem {
    writeKeccak256(this.#hash, 0, item);
    const [first, second, third] = HASHED_PAIRS;
    const bitOf = (pair: number): number => bitAt(this.#hash, pair);
    return { item, first: bitOf(first), second: bitOf(second), third: bitOf(third) };
  }
}

/** Sets the bit in both blooms. */
function setBit(bloom: Uint8Array, joined: Uint8Array, bit: number): void {
  const index = BLOOM_SIZE - 1 - (bit >> 3);
  const set = (bloom[index] ?? 0) | (1 << (bit & 7));
  bloom[index] = set;
  joined[index] = (joined[index] ?? 0) | set;
}

/** Returns the bloom filter over the addresses and topics of the logs, which must not be written to. */
export function bloomOf(logs: LogSequence): Uint8Array {
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
