// Converts blocks and transactions of an upstream to local ones.

import { padLeft } from '../primitives/bytes.ts';
import type { Block, BlockHeader } from '../protocol/block.ts';
import { transactionTypeName } from '../protocol/errors.ts';
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
import { FIELD_CODECS, type ValueCodec } from '../wire/values.ts';
import { ForkPointError } from './errors.ts';

/** Reads the fields of an upstream object. Errors call it `what`. */
export class UpstreamFields {
  readonly #fields: JsonObject;
  readonly #what: string;

  /** Throws a {@link ForkPointError} if the value is not an object. */
  constructor(value: unknown, what: string) {
    const fields = asObject(value);
    if (fields === undefined) throw new ForkPointError(`the fork URL has no ${what}`);
    this.#fields = fields;
    this.#what = what;
  }

  /** The unchecked field. */
  raw(name: string): unknown {
    return this.#fields[name];
  }

  /** Reads a required value by either name. Throws a {@link ForkPointError}. */
  needed<T>(name: string, codec: ValueCodec<T>, otherName?: string): T {
    return this.#required(name, this.#read(name, codec, otherName));
  }

  /**
   * Reads an optional value, blank if absent or invalid. Throws a {@link ForkPointError} for invalid items.
   */
  given<T>(name: string, codec: ValueCodec<T>, otherName?: string): T {
    const value = this.#read(name, codec, otherName);
    return Array.isArray(this.#fields[name]) ? this.#required(name, value) : (value ?? codec.blank);
  }

  #read<T>(name: string, codec: ValueCodec<T>, otherName: string | undefined): T | undefined {
    const value = codec.tolerate(this.#fields[name]);
    return value === undefined && otherName !== undefined ? codec.tolerate(this.#fields[otherName]) : value;
  }

  /** Reads a value, or returns `otherwise` if it is absent. Throws a {@link ForkPointError} for an invalid value. */
  orElse<T>(name: string, codec: ValueCodec<T>, otherwise: T): T {
    const value = this.#fields[name];
    return value === undefined || value === null ? otherwise : this.needed(name, codec);
  }

  /** Reads a required quantity. Throws a {@link ForkPointError}. */
  quantity(name: string): bigint {
    return this.#required(name, tolerantQuantity(this.#fields[name]));
  }

  /** Reads a quantity, or returns `otherwise` if it is absent. */
  optionalQuantity<Otherwise>(name: string, otherwise: Otherwise): bigint | Otherwise {
    return tolerantQuantity(this.#fields[name]) ?? otherwise;
  }

  /** Reads a required count, index or time. Throws a {@link ForkPointError}. */
  number(name: string): number {
    return Number(this.quantity(name));
  }

  /** Reads required bytes of a fixed size. Throws a {@link ForkPointError}. */
  fixed(name: string, size: number): Uint8Array {
    return this.#required(name, tolerantFixedData(this.#fields[name], size));
  }

  #required<Value>(name: string, value: Value | undefined): Value {
    if (value !== undefined) return value;
    const given = formOf(this.#fields[name]);
    throw new ForkPointError(`invalid response from the fork URL: ${name} of its ${this.#what} is ${given}`);
  }
}

/** Describes the form of an invalid value. A hosted node's client must not see a private value. */
function formOf(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  if (typeof value === 'string') return `a text of ${value.length} character${value.length === 1 ? '' : 's'}`;
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  return `a ${typeof value}`;
}

/** The number of a block; `undefined` if the object is not mined yet. */
export function blockNumberOf(value: unknown, field = 'blockNumber'): number | undefined {
  const number = tolerantQuantity(asObject(value)?.[field]);
  return number === undefined ? undefined : Number(number);
}

/** Rootstock's mainnet and testnet. */
const NETWORK_CHAIN_IDS: ReadonlySet<number> = new Set([30, 31]);

/**
 * The default Ethereum rule set for a chain without a known schedule. Headers do not reveal it: rollups have
 * the opcodes of a hardfork without its header fields. Osaka would limit transactions to 2^24 gas, which few
 * of these chains do.
 */
const RULE_SET_OF_OTHERS: RuleSetName = 'prague';

/**
 * Returns the rule set at a block: from the chain's schedule if known. Otherwise it is an Ethereum rule set
 * if the block has a base fee, or else Rootstock's.
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
    // Without gas, no call and no transaction could run.
    gasLimit: fields.orElse('gasLimit', FIELD_CODECS.gas, ruleSet.usualBlockGas),
    uncleCount: uncleCount(fields.raw('uncles')),
    ethereum: ethereumFields(ruleSet, { ...ethereum, baseFeePerGas }),
  };
}

function uncleCount(uncles: unknown): number {
  return Array.isArray(uncles) ? uncles.length : 0;
}

/**
 * Converts an upstream block to the parent of local blocks. Number, hash, time and limits are the upstream's.
 * Transactions are omitted, and missing fields are zero. Throws a `ForkPointError` for an invalid block.
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

/** Returns a block hash as 32 bytes; `undefined` if invalid. */
export function hashOfUpstream(hash: unknown): Uint8Array | undefined {
  const bytes = tolerantData(hash);
  return bytes === undefined || bytes.length > 32 ? undefined : padLeft(bytes, 32);
}

const EIP_155 = 35n;

function typeOf(fields: UpstreamFields, task: string): TransactionType {
  const type = Number(fields.optionalQuantity('type', 0n));
  if (isTransactionType(type)) return type;
  throw new ForkPointError(
    `${task}: a replayed transaction of its block has the unsupported type ${transactionTypeName(type)}`,
  );
}

/**
 * Converts a mined upstream transaction for execution, with the upstream's sender. `task` begins the error.
 * Throws a {@link ForkPointError} for an unsupported transaction.
 */
export function transactionOfUpstream(value: unknown, task = 'cannot fork at this transaction'): Transaction {
  const fields = new UpstreamFields(value, 'transaction');
  const type = typeOf(fields, task);
  const read: ReadMember = (name, codec, necessity, otherName) =>
    necessity === 'everywhere' ? fields.needed(name, codec, otherName) : fields.given(name, codec, otherName);
  const request = readTransactionRequest(read, type);
  const signature = readSignatureValues(read, type === 0 ? ['v'] : ['yParity', 'v']);
  const { v } = signature;
  const chainId = type > 0 ? request.chainId : v >= EIP_155 ? (v - EIP_155) / 2n : null;
  return withSignatureValues({ ...request, chainId }, signature, fields.fixed('from', 20));
}

/** True for Rootstock's closing transaction, which has no sender. */
export function isClosingTransaction(value: unknown): boolean {
  const fields = asObject(value);
  const from = tolerantFixedData(fields?.from, 20);
  const isZero = from?.every((byte) => byte === 0);
  return isZero === true && (tolerantQuantity(fields?.r) ?? 0n) === 0n;
}
