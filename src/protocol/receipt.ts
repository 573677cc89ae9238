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
import { finish, type Steps } from '../primitives/steps.ts';
import type { Encoding, Kinds } from './field-kinds.ts';
import type { TransactionType } from './transaction.ts';

export interface Log {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Up to four topics of 32 bytes. */
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** Logs with a known count that are created lazily. */
export type LogSequence = Iterable<Log> & { readonly length: number };

export interface Receipt {
  readonly succeeded: boolean;
  /** Gas of this and the preceding transactions of the block. */
  readonly cumulativeGasUsed: bigint;
  readonly gasUsed: bigint;
  /** Wei per gas that the sender paid. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
  /** The same logs, if they are stored lazily. {@link logsOf} works for all receipts. */
  readonly storedLogs?: LogSequence;
  /** 256 bytes. */
  readonly logsBloom: Uint8Array;
  /** The address of the created contract, even if the creation failed; `null` for other transactions. */
  readonly contractAddress: Uint8Array | null;
}

/** A receipt whose logs are only read one by one. */
export interface FiledReceipt extends Omit<Receipt, 'logs' | 'logsBloom'> {
  readonly logs: LogSequence;
}

/** Returns the logs of a receipt to count them or read each once. Stored logs are not all held in memory. */
export function logsOf(receipt: Pick<FiledReceipt, 'logs' | 'storedLogs'>): LogSequence {
  return receipt.storedLogs ?? receipt.logs;
}

/** Returns the receipt without its logs but with this bloom. Creates no logs. */
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

/** Defaults for fields that may be omitted. */
export const RECEIPT_DEFAULTS = { contractAddress: null } as const satisfies Partial<Receipt>;

/** The fields of a receipt in the order of records and dumps, without logs and bloom. */
export const RECEIPT_FIELDS = {
  succeeded: 'flag',
  cumulativeGasUsed: 'integer',
  gasUsed: 'integer',
  effectiveGasPrice: 'integer',
  contractAddress: 'optional address',
} as const satisfies Kinds<Omit<Receipt, 'logs' | 'storedLogs' | 'logsBloom'>>;

/** The status bytes of a receipt: 1, and the RLP of zero. */
const SUCCESS = 1;
const FAILURE = 0x80;

/** Writes gas. In Rootstock's encoding, zero is a single zero byte. */
function writeGas(target: Uint8Array, start: number, gas: bigint, isNetwork: boolean): number {
  if (gas > 0n || !isNetwork) return writeRlpInteger(target, start, gas);
  target[start] = 0;
  return start + 1;
}

/** The bytes of an encoded topic, including its prefix. */
const TOPIC_LENGTH = 33;

function topicsLength(topics: readonly Uint8Array[]): number {
  return TOPIC_LENGTH * topics.length;
}

/** Returns the length of an encoded log without its list prefix: address, topics, data. */
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

/** Logs to encode without yielding. */
const LOGS_AT_ONCE = 256;
/** Work units to measure a log, and to write a log without its data. */
const LENGTH_WORK = 16;
const ENCODING_WORK = 64;
/** Work units per step. */
const STEP_WORK = 2 ** 13;

/**
 * Returns the encoding of a receipt in the receipts trie. Rootstock's encoding of legacy transactions contains
 * the status twice and the gas of the transaction. The others are EIP-658 and EIP-2718 (RSKIP-543). If `scratch` is long enough, the
 * result is a view of it. Use it if the result is only hashed, because it is cheaper. Few logs are one step.
 */
export function* encodeReceipt(
  receipt: Receipt,
  type: TransactionType,
  encoding: Encoding,
  scratch?: Uint8Array,
): Steps<Uint8Array> {
  const logs = logsOf(receipt);
  const areMany = logs.length > LOGS_AT_ONCE;
  const logsBloom =
    areMany && receipt.storedLogs !== undefined ? yield* new BloomMaker().add(logs) : receipt.logsBloom;
  let [logsLength, work] = [0, 0];
  for (const log of logs) {
    logsLength += rlpListLength(logLength(log));
    work += LENGTH_WORK;
    if (areMany && work >= STEP_WORK) {
      yield work;
      work = 0;
    }
  }
  const known = areMany ? withoutLogs(receipt, logsBloom) : receipt;
  const form = { type, isNetwork: encoding === 'network' && type === 0, logsLength };
  const begun = beginReceipt(known, form, areMany ? undefined : scratch);
  let { end } = begun;
  for (const log of logs) {
    end = writeLog(begun.encoded, end, log);
    work += ENCODING_WORK + log.data.length;
    if (areMany && work >= STEP_WORK) {
      yield work;
      work = 0;
    }
  }
  return endReceipt(known, begun, end);
}

/** The format of an encoding, and the length of its logs without the list prefix. */
interface ReceiptForm {
  readonly type: TransactionType;
  readonly isNetwork: boolean;
  readonly logsLength: number;
}

/** An encoding written up to its logs. */
interface BegunReceipt extends ReceiptForm {
  readonly encoded: Uint8Array;
  readonly size: number;
  /** The offset of the first log. */
  readonly end: number;
}

function beginReceipt(receipt: Receipt, form: ReceiptForm, scratch?: Uint8Array): BegunReceipt {
  const { cumulativeGasUsed, gasUsed, logsBloom } = receipt;
  const { type, isNetwork, logsLength } = form;
  let length = 1 + rlpIntegerLength(cumulativeGasUsed) + rlpLength(logsBloom) + rlpListLength(logsLength);
  if (isNetwork) length += rlpIntegerLength(gasUsed) + 1;

  const prefix = type === 0 ? 0 : 1;
  const size = prefix + rlpListLength(length);
  const encoded = scratch !== undefined && scratch.length >= size ? scratch : new Uint8Array(size);
  if (prefix > 0) encoded[0] = type;
  let end = writeListPrefix(encoded, prefix, length);
  // Written field by field, because nested lists would be measured again at each level.
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

/** In bytes. */
export const BLOOM_SIZE = 256;

interface Bit {
  readonly index: number;
  readonly mask: number;
}

/** The byte offsets in a hash that select the three bits of an item. */
const HASHED_PAIRS = [0, 2, 4] as const;

/** Returns the bit (0 to 2047) that two bytes of a hash select. */
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

/** Work units for the bits of a log. */
const BLOOM_WORK = 128;
/** Logs per step. */
const BLOOMED_AT_ONCE = 64;

/** The bloom without logs. Must not be modified. */
export const EMPTY_BLOOM = new Uint8Array(BLOOM_SIZE);

/** An address or topic with its three bits. */
interface MarkedItem {
  readonly item: Uint8Array;
  readonly first: number;
  readonly second: number;
  readonly third: number;
}

/** Computes the blooms of a block's receipts and the bloom of the block (yellow paper, 4.3.1). */
export class BloomMaker {
  /** `null` before the first log. The bloom of the first logs itself, until others are added. */
  #joined: Uint8Array | null = null;
  #isShared = true;
  readonly #hash = new Uint8Array(32);
  /** The last address and the last topic per index, because consecutive logs are often similar. */
  readonly #last: MarkedItem[] = [];

  /** The bloom of all logs so far, or {@link EMPTY_BLOOM} itself without logs. Must not be modified. */
  get joined(): Uint8Array {
    return this.#joined ?? EMPTY_BLOOM;
  }

  /** Returns the bloom of the addresses and topics of the logs. Must not be modified. */
  *add(logs: LogSequence): Steps<Uint8Array> {
    if (logs.length === 0) return EMPTY_BLOOM;
    const bloom = new Uint8Array(BLOOM_SIZE);
    if (this.#joined === null) this.#joined = bloom;
    else if (this.#isShared) {
      this.#joined = this.#joined.slice();
      this.#isShared = false;
    }
    let count = 0;
    for (const log of logs) {
      this.#mark(bloom, log);
      if (++count % BLOOMED_AT_ONCE === 0) yield BLOOMED_AT_ONCE * BLOOM_WORK;
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
    // Without a loop, because unoptimized V8 code allocates an object for each step of a loop over a list.
    const joined = this.#joined ?? bloom;
    setBit(bloom, joined, marked.first);
    setBit(bloom, joined, marked.second);
    setBit(bloom, joined, marked.third);
  }

  #marked(item: Uint8Array): MarkedItem {
    writeKeccak256(this.#hash, 0, item);
    return { item, first: bitAt(this.#hash, 0), second: bitAt(this.#hash, 2), third: bitAt(this.#hash, 4) };
  }
}

function setBit(bloom: Uint8Array, joined: Uint8Array, bit: number): void {
  const index = BLOOM_SIZE - 1 - (bit >> 3);
  const set = (bloom[index] ?? 0) | (1 << (bit & 7));
  bloom[index] = set;
  joined[index] = (joined[index] ?? 0) | set;
}

/** Returns the bloom of the addresses and topics of the logs. Must not be modified. */
export function bloomOf(logs: LogSequence): Uint8Array {
  return finish(new BloomMaker().add(logs));
}

/** Returns a test for an address or topic. It is false if no log of the bloom can contain the item. */
export function bloomProbe(item: Uint8Array): (bloom: Uint8Array) => boolean {
  const bits = bitsOf(item);
  return (bloom) => bits.every(({ index, mask }) => ((bloom[index] ?? 0) & mask) !== 0);
}
