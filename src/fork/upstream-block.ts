// Converting blocks and transactions of an upstream into those of the local chain.

import { padLeft } from '../primitives/bytes.ts';
import type { Block, BlockHeader } from '../protocol/block.ts';
import { transactionTypeWords } from '../protocol/errors.ts';
import { ethereumFields } from '../protocol/genesis.ts';
import { scheduledRuleSet } from '../protocol/hardforks/public-chains.ts';
import { DEFAULT_RULE_SET_NAME, type RuleSetName } from '../protocol/hardforks/registry.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { isTransactionType, type Transaction, type TransactionType } from '../protocol/transaction.ts';
import { withSignatureValues } from '../protocol/transaction-encoding.ts';
import { readForeignHeader } from '../wire/header.ts';
import {
  asObject,
  type JsonObject,
  tolerantData,
  tolerantFixedData,
  tolerantQuantity,
} from '../wire/tolerant.ts';
import { type ReadMember, readSignatureValues, readTransactionRequest } from '../wire/transaction.ts';
import type { ValueCodec } from '../wire/values.ts';
import { ForkPointError } from './errors.ts';

/** Reads the fields of one object of the upstream, in whose errors it is called `what`. */
export class UpstreamFields {
  readonly #fields: JsonObject;
  readonly #what: string;

  /** Throws a {@link ForkPointError} for what is no object. */
  constructor(value: unknown, what: string) {
    const fields = asObject(value);
    if (fields === undefined) throw new ForkPointError(`the fork URL has no ${what}`);
    this.#fields = fields;
    this.#what = what;
  }

  /** The field as it came. */
  raw(name: string): unknown {
    return this.#fields[name];
  }

  /** A value that must be there, by either name. Throws a {@link ForkPointError}. */
  needed<T>(name: string, codec: ValueCodec<T>, otherName?: string): T {
    return this.#required(name, this.#read(name, codec, otherName));
  }

  /**
   * A value, or a blank one where it is absent or cannot be meant. Throws a {@link ForkPointError} for a list with items that
   * cannot be meant.
   */
  given<T>(name: string, codec: ValueCodec<T>, otherName?: string): T {
    const value = this.#read(name, codec, otherName);
    return Array.isArray(this.#fields[name]) ? this.#required(name, value) : (value ?? codec.blank);
  }

  #read<T>(name: string, codec: ValueCodec<T>, otherName: string | undefined): T | undefined {
    const value = codec.tolerate(this.#fields[name]);
    return value === undefined && otherName !== undefined ? codec.tolerate(this.#fields[otherName]) : value;
  }

  /** A quantity that must be there. Throws a {@link ForkPointError}. */
  quantity(name: string): bigint {
    return this.#required(name, tolerantQuantity(this.#fields[name]));
  }

  /** A quantity, or `otherwise` where it is absent. */
  optionalQuantity<Otherwise>(name: string, otherwise: Otherwise): bigint | Otherwise {
    return tolerantQuantity(this.#fields[name]) ?? otherwise;
  }

  /** A count, an index or a time that must be there. Throws a {@link ForkPointError}. */
  number(name: string): number {
    return Number(this.quantity(name));
  }

  /** Bytes of a fixed size that must be there. Throws a {@link ForkPointError}. */
  fixed(name: string, size: number): Uint8Array {
    return this.#required(name, tolerantFixedData(this.#fields[name], size));
  }

  #required<Value>(name: string, value: Value | undefined): Value {
    if (value !== undefined) return value;
    const given = formOf(this.#fields[name]);
    throw new ForkPointError(`invalid response from the fork URL: ${name} of its ${this.#what} is ${given}`);
  }
}

/** Returns the form of an invalid value. The value itself could be private, if the URL is of a client of a hosted node. */
function formOf(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  if (typeof value === 'string') return `a text of ${value.length} character${value.length === 1 ? '' : 's'}`;
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  return `a ${typeof value}`;
}

/** The number of a block, or `undefined` where the upstream has not mined the object yet. */
export function blockNumberOf(value: unknown, field = 'blockNumber'): number | undefined {
  const number = tolerantQuantity(asObject(value)?.[field]);
  return number === undefined ? undefined : Number(number);
}

/** The public chains with the network's own rules. */
const NETWORK_CHAIN_IDS: ReadonlySet<number> = new Set([30, 31]);

/**
 * The rules of Ethereum that a chain without a known schedule is taken to have. Its headers do not say which: rollups have the
 * opcodes of a hardfork without its header fields. Osaka would hold its transactions to 2^24 gas, which few of them do.
 */
const RULE_SET_OF_OTHERS: RuleSetName = 'prague';

/**
 * Returns the rule set of a chain with that id at a block: the one that the block had where the chain's schedule is known,
 * else, as far as the block shows it, one of Ethereum when there is a base fee, or the network's own.
 */
export function ruleSetOfBlock(block: unknown, chainId: number): RuleSetName {
  const fields = new UpstreamFields(block, 'fork block');
  const scheduled = scheduledRuleSet(chainId, fields.number('number'), fields.number('timestamp'));
  if (scheduled !== undefined) return scheduled;
  const hasBaseFee = fields.optionalQuantity('baseFeePerGas', null) !== null;
  return hasBaseFee && !NETWORK_CHAIN_IDS.has(chainId) ? RULE_SET_OF_OTHERS : DEFAULT_RULE_SET_NAME;
}

function headerOf(fields: UpstreamFields, ruleSet: RuleSet): BlockHeader {
  const { ethereum, ...header } = readForeignHeader((name, codec, isNeeded) =>
    isNeeded ? fields.needed(name, codec) : fields.given(name, codec),
  );
  const baseFeePerGas = ruleSet.fees.baseFee(ethereum.baseFeePerGas);
  return {
    ...header,
    uncleCount: uncleCount(fields.raw('uncles')),
    ethereum: ethereumFields(ruleSet, { ...ethereum, baseFeePerGas }),
  };
}

function uncleCount(uncles: unknown): number {
  return Array.isArray(uncles) ? uncles.length : 0;
}

/**
 * Returns a block of the upstream as the parent of local ones: number, hash, time and limits are the upstream's; its
 * transactions are left out, and fields that it does not have are zero. Throws a `ForkPointError` for a value that is
 * no block.
 */
export function blockOfUpstream(block: unknown, ruleSet: RuleSet): Block {
  const fields = new UpstreamFields(block, 'fork block');
  const header = headerOf(fields, ruleSet);
  return {
    header,
    hash: fields.fixed('hash', 32),
    transactions: [],
    receipts: [],
    uncles: [],
    totalDifficulty: fields.optionalQuantity('totalDifficulty', header.difficulty),
    size: Number(fields.optionalQuantity('size', 0n)),
  };
}

/** Returns the hash of a block of the upstream as 32 bytes; `undefined` for a value that is no block. */
export function hashOfUpstream(hash: unknown): Uint8Array | undefined {
  const bytes = tolerantData(hash);
  return bytes === undefined || bytes.length > 32 ? undefined : padLeft(bytes, 32);
}

const EIP_155 = 35n;

function typeOf(fields: UpstreamFields): TransactionType {
  const type = Number(fields.optionalQuantity('type', 0n));
  if (isTransactionType(type)) return type;
  throw new ForkPointError(
    `cannot fork at this transaction: an earlier transaction of the same block has the unsupported type ${transactionTypeWords(type)}`,
  );
}

/**
 * Returns a mined transaction of the upstream for execution. Its sender is the one that the upstream names. Throws a
 * {@link ForkPointError} for a transaction that cannot be executed here.
 */
export function transactionOfUpstream(value: unknown): Transaction {
  const fields = new UpstreamFields(value, 'transaction');
  const type = typeOf(fields);
  const read: ReadMember = (name, codec, necessity, otherName) =>
    necessity === 'everywhere' ? fields.needed(name, codec, otherName) : fields.given(name, codec, otherName);
  const request = readTransactionRequest(read, type);
  const signature = readSignatureValues(read, type === 0 ? ['v'] : ['yParity', 'v']);
  const { v } = signature;
  const chainId = type > 0 ? request.chainId : v >= EIP_155 ? (v - EIP_155) / 2n : null;
  return withSignatureValues({ ...request, chainId }, signature, fields.fixed('from', 20));
}

/** True for the transaction with which the network ends a block, which has no sender. */
export function isClosingTransaction(value: unknown): boolean {
  const fields = asObject(value);
  const from = tolerantFixedData(fields?.from, 20);
  const isZero = from?.every((byte) => byte === 0);
  return isZero === true && (tolerantQuantity(fields?.r) ?? 0n) === 0n;
}
