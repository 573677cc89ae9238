// A call of an upstream, and the check that an answer can belong to it, so that a broken endpoint is noticed.

import { equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
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

/** Returns whether a value has the expected form. */
type Shape = (value: unknown) => boolean;

const LARGEST_QUANTITY = 2n ** 256n - 1n;

const isQuantity: Shape = (value) => {
  const quantity = tolerantQuantity(value);
  return quantity !== undefined && quantity <= LARGEST_QUANTITY;
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

/** Returns a shape for objects with these members; other members are ignored. */
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

/** Returns a shape for the block with the number in the first parameter; for any block when that is a tag. */
function numbered(shape: AnswerShape): AnswerShape {
  return (value, params) => {
    const wanted = tolerantQuantity(params[0]);
    const isWanted = wanted === undefined || tolerantQuantity(asObject(value)?.number) === wanted;
    return isWanted && shape(value, params);
  };
}

/** Returns a shape for an object with the hash of the first parameter in that member. */
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
 * The answers of methods (Ethereum execution API specification), as far as all node implementations agree. Nodes of the
 * network answer `null` for the code of an account without any, and for counts of an unknown block.
 */
const SHAPES = {
  /** Not checked, and passed on as it is: other makes of nodes differ too much. */
  anything: () => true,
  /** Not checked, but spelled as this node spells its own objects. */
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

/** The kind of an answer: the shapes are those of JSON-RPC results. */
export type AnswerKind = keyof typeof SHAPES;

/** The facts of an answer before it comes; the members are those of an `UpstreamCall`. */
interface ExpectedAnswer {
  readonly params: readonly unknown[];
  readonly expects: AnswerKind;
  readonly isThere?: true;
}

/** True when the value can be the answer to the call: where it cannot, the upstream is broken. */
export function isAnswerTo({ params, expects, isThere }: ExpectedAnswer, value: unknown): boolean {
  if (isThere === true && value === null) return false;
  const shape: AnswerShape = SHAPES[expects];
  return shape(value, params);
}

/** Stands in the parameters of a call for the block that the fork begins at, however the endpoint wants it named. */
export const PINNED_BLOCK: unique symbol = Symbol('the block that the fork begins at');

export interface UpstreamCall {
  readonly method: string;
  /** Fit for JSON, except for {@link PINNED_BLOCK}. */
  readonly params: readonly unknown[];
  readonly expects: AnswerKind;
  /** The list of the block in the first parameter that the answer counts: it follows from an answer with that block. */
  readonly counts?: 'transactions' | 'uncles';
  /** True where the subject of the call is known to exist: `null` is a wrong answer, even of a method that may give it. */
  readonly isThere?: true;
}

/** The error with which the upstream refused a call (JSON-RPC 2.0, error object). */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The outcome of one call. */
export type CallAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** A temporary failure: the call may be retried. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The call as text: calls with the same text have the same answer. */
export function textOfCall({ method, params }: Pick<UpstreamCall, 'method' | 'params'>): string {
  return JSON.stringify([method, params], (_key, value: unknown) => (value === PINNED_BLOCK ? '@' : value));
}

const HASH = /^0x[0-9a-f]{64}$/i;

/** Returns the question for a block. `block`: its hash or number in hexadecimal, as clients write it. */
export function blockCall(block: unknown, isFull: boolean): UpstreamCall {
  const params = [block, isFull];
  return typeof block === 'string' && HASH.test(block)
    ? { method: 'eth_getBlockByHash', params, expects: 'blockOfHash' }
    : { method: 'eth_getBlockByNumber', params, expects: 'blockOfNumber' };
}

/** Returns the question for the transaction with that hash, of 32 bytes. */
export function transactionCall(hash: Uint8Array): UpstreamCall {
  return { method: 'eth_getTransactionByHash', params: [toHex(hash)], expects: 'transactionOfHash' };
}

/** Callbacks about requests to an upstream and their answers. Hosts include their port, and no secrets. */
export interface UpstreamTraffic {
  /** A request begins, of one call or several; its retries are part of it. */
  begun(host: string): void;
  /** So many calls of a pending request have been answered, by that host. */
  answered(host: string, answers: number): void;
  /** No server was reached, with the reasons, and none has ever answered; it is tried again. Called once at most. */
  unreachable(reasons: string): void;
  /** A request ended, with all its answers or without. */
  ended(): void;
  /** The client was closed, though pending requests may still end. */
  closed(): void;
}
