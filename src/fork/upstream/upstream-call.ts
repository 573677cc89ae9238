// Upstream calls and the validation of their responses, to detect a broken endpoint.

import { equalBytes } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { ANSWERED_MEMBERS } from '../../wire/header.ts';
import { CERTAIN_LOG_MEMBERS } from '../../wire/log.ts';
import type { CertainMember } from '../../wire/members.ts';
import { CERTAIN_RECEIPT_MEMBERS } from '../../wire/receipt.ts';
import {
  asObject,
  tolerantData,
  tolerantFixedData,
  tolerantQuantity,
  tolerantWord,
} from '../../wire/tolerant.ts';
import { CERTAIN_TRANSACTION_MEMBERS } from '../../wire/transaction.ts';

/** Returns true if a value has the expected form. */
type Shape = (value: unknown) => boolean;

const MAX_QUANTITY = 2n ** 256n - 1n;

const isQuantity: Shape = (value) => {
  const quantity = tolerantQuantity(value);
  return quantity !== undefined && quantity <= MAX_QUANTITY;
};
const isData: Shape = (value) => tolerantData(value) !== undefined;
const isWord: Shape = (value) => tolerantWord(value) !== undefined;
const isText: Shape = (value) => typeof value === 'string';
const isObject: Shape = (value) => asObject(value) !== undefined;

function orNothing(shape: Shape): Shape {
  return (value) => value === undefined || value === null || shape(value);
}

function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** Returns a shape for objects with these members. Other members are ignored. */
function objectWith(members: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    const fields = asObject(value);
    return fields !== undefined && Object.entries(members).every(([name, shape]) => shape(fields[name]));
  };
}

function shapesOf(members: readonly CertainMember[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(
    members.map(({ name, tolerate, isQuantity: isNumber, isOptional }) => {
      const shape: Shape = isNumber ? isQuantity : (value) => tolerate(value) !== undefined;
      return [name, isOptional ? orNothing(shape) : shape];
    }),
  );
}

const HEADER = shapesOf(ANSWERED_MEMBERS);
const LOG = shapesOf(CERTAIN_LOG_MEMBERS);

const isHeader = objectWith(HEADER);
const isTransaction = objectWith(shapesOf(CERTAIN_TRANSACTION_MEMBERS));
const isBlockOfHashes = objectWith({ ...HEADER, transactions: listOf(isText) });
const isFullBlock = objectWith({ ...HEADER, transactions: listOf(isTransaction) });
const isReceipt = objectWith(shapesOf(CERTAIN_RECEIPT_MEMBERS));
const isFeeHistory = objectWith({
  baseFeePerGas: orNothing(listOf(orNothing(isQuantity))),
  gasUsedRatio: orNothing(listOf(orNothing((value) => typeof value === 'number'))),
  reward: orNothing(listOf(orNothing(listOf(isQuantity)))),
  baseFeePerBlobGas: orNothing(listOf(orNothing(isQuantity))),
  blobGasUsedRatio: orNothing(listOf(orNothing((value) => typeof value === 'number'))),
});

/** A shape that also depends on the parameters of the call. */
type AnswerShape = (value: unknown, params: readonly unknown[]) => boolean;

const isBlock: AnswerShape = (value, [, isFull]) =>
  isFull === true ? isFullBlock(value) : isBlockOfHashes(value);

/** Returns a shape for a block with the number in the first parameter, or any block if that is a tag. */
function numbered(shape: AnswerShape): AnswerShape {
  return (value, params) => {
    const wanted = tolerantQuantity(params[0]);
    const isWanted = wanted === undefined || tolerantQuantity(asObject(value)?.number) === wanted;
    return isWanted && shape(value, params);
  };
}

/** Returns a shape for an object whose `member` equals the hash in the first parameter. */
function hashed(member: string, shape: AnswerShape): AnswerShape {
  return (value, params) => {
    const wanted = tolerantFixedData(params[0], 32);
    const own = tolerantFixedData(asObject(value)?.[member], 32);
    const isWanted = wanted === undefined || (own !== undefined && equalBytes(own, wanted));
    return isWanted && shape(value, params);
  };
}

function nullable(shape: AnswerShape): AnswerShape {
  return (value, params) => value === null || shape(value, params);
}

/**
 * The response shapes of methods (Ethereum execution API specification), as far as all node implementations
 * agree. Rootstock's nodes return `null` for an account without code, and for counts of an unknown block.
 */
const SHAPES = {
  /** Not checked and passed on unchanged, because node implementations differ too much. */
  anything: () => true,
  /** Not checked, but formatted like this node's own objects. */
  fields: () => true,
  quantity: isQuantity,
  count: nullable(isQuantity),
  word: isWord,
  data: isData,
  dataOrNull: nullable(isData),
  blockOfNumber: nullable(numbered(isBlock)),
  blockOfHash: nullable(hashed('hash', isBlock)),
  headerOfNumber: nullable(numbered(isHeader)),
  headerOfHash: nullable(hashed('hash', isHeader)),
  header: nullable(isHeader),
  transactionOfHash: nullable(hashed('hash', isTransaction)),
  transaction: nullable(isTransaction),
  receiptOfHash: nullable(hashed('transactionHash', isReceipt)),
  receipts: nullable(listOf(isReceipt)),
  logs: listOf(objectWith({ ...LOG, blockNumber: isQuantity })),
  feeHistory: isFeeHistory,
  traces: listOf(isObject),
  tracesOrNull: nullable(listOf(isObject)),
} satisfies Readonly<Record<string, AnswerShape>>;

/** The kind of a response. Shapes are JSON-RPC results. */
export type AnswerKind = keyof typeof SHAPES;

/** The known facts of a response before it arrives: members of an `UpstreamCall`. */
interface ExpectedAnswer {
  readonly params: readonly unknown[];
  readonly expects: AnswerKind;
  readonly isThere?: true;
}

/** True if the value is a valid response to the call. Otherwise the upstream is broken. */
export function isAnswerTo({ params, expects, isThere }: ExpectedAnswer, value: unknown): boolean {
  if (isThere === true && value === null) return false;
  const shape: AnswerShape = SHAPES[expects];
  return shape(value, params);
}

/** Represents the fork block in call parameters: `@` in keys. The endpoint determines its form. */
export const PINNED_BLOCK: { readonly toJSON: () => string } = Object.freeze({ toJSON: () => '@' });

export interface UpstreamCall {
  readonly method: string;
  /** JSON-compatible, except for {@link PINNED_BLOCK}. */
  readonly params: readonly unknown[];
  readonly expects: AnswerKind;
  /** The list of the block in the first parameter that the response counts. It derives from the block. */
  readonly counts?: 'transactions' | 'uncles';
  /** True if the subject of the call is known to exist, so that `null` is an invalid response. */
  readonly isThere?: true;
  /** True for a hint: if it fails alone or twice, it is not retried. */
  readonly isOptional?: true;
  /** The block of {@link PINNED_BLOCK}, if it is later than the client's pinned block. */
  readonly at?: BlockPin;
}

/** Returns the call with the number of a block in place of {@link PINNED_BLOCK}. */
export function callAt<Call extends UpstreamCall>(call: Call, number: number): Call {
  if (!call.params.includes(PINNED_BLOCK)) return call;
  const params = call.params.map((param) => (param === PINNED_BLOCK ? toQuantity(number) : param));
  return { ...call, params };
}

/** The upstream's error for a call (JSON-RPC 2.0, error object). */
export interface Rejection {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** No response to a call. The call may be sent again. */
interface FailedCall {
  readonly kind: 'failed';
  readonly reason: string;
  /** The upstream limits its rate. */
  readonly isRateLimited?: boolean;
  /** The node does not store the state, so that it will never answer this call. */
  readonly isPruned?: boolean;
  /** The upstream's requested delay in milliseconds. */
  readonly retryAfter?: number | null;
}

export type CallAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly refusal: Rejection }
  | FailedCall;

/** A block by number and hash, so that no other block can replace it. */
export interface BlockPin {
  readonly number: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

/** A call with its key. Questions with equal keys have equal responses. */
export interface Question extends UpstreamCall {
  /** Method and parameters as JSON text. Caches, records and dumps contain it. */
  readonly key: string;
}

/** Returns the call with its key. */
export function questionOf(call: UpstreamCall): Question {
  return { ...call, key: JSON.stringify([call.method, call.params]) };
}

/**
 * Returns the question about an account, or a slot of it, after the fork block. Both are hex text. Equal to
 * `questionOf`, but several times as fast, because states make this question for each read.
 */
export function stateQuestion(method: string, expects: AnswerKind, address: string, slot?: string): Question {
  if (slot === undefined)
    return { method, params: [address, PINNED_BLOCK], expects, key: `["${method}",["${address}","@"]]` };
  const key = `["${method}",["${address}","${slot}","@"]]`;
  return { method, params: [address, slot, PINNED_BLOCK], expects, key };
}

const HASH = /^0x[0-9a-f]{64}$/i;

/** Returns the question for a block. `block` is its hash or number as hex text. */
export function blockQuestion(block: unknown, isFull: boolean): Question {
  const params = [block, isFull];
  return questionOf(
    typeof block === 'string' && HASH.test(block)
      ? { method: 'eth_getBlockByHash', params, expects: 'blockOfHash' }
      : { method: 'eth_getBlockByNumber', params, expects: 'blockOfNumber' },
  );
}

/** Returns the question for a transaction (32-byte hash). */
export function transactionQuestion(hash: Uint8Array): Question {
  return questionOf({
    method: 'eth_getTransactionByHash',
    params: [toHex(hash)],
    expects: 'transactionOfHash',
  });
}

/** Returns the question for the receipt of a transaction (hash as hex text). */
export function receiptQuestion(hash: unknown): Question {
  return questionOf({ method: 'eth_getTransactionReceipt', params: [hash], expects: 'receiptOfHash' });
}

/** Callbacks for upstream requests and responses. Hosts include the port and no secrets. */
export interface UpstreamTraffic {
  /** A request with one or more calls starts. Retries are part of it. */
  begun(host: string): void;
  /** This host responded to a number of calls of a pending request. */
  answered(host: string, answers: number): void;
  /** No server was reached so far, with the reasons. The request is retried. Called once at most. */
  unreachable(reasons: string): void;
  /** A request ended, with or without all responses. */
  ended(): void;
  /** The client was closed. Pending requests may still end. */
  closed(): void;
}
