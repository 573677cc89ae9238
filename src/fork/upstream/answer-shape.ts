import { equalBytes } from '../../primitives/bytes.ts';
import { ANSWERED_MEMBERS } from '../../wire/header.ts';
import {
  asObject,
  tolerantData,
  tolerantFixedData,
  tolerantQuantity,
  tolerantWord,
} from '../../wire/tolerant.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** Tells whether a value can be what it is said to be. */
type Shape = (value: unknown) => boolean;

const LARGEST_QUANTITY = 2n ** 256n - 1n;

const isQuantity: Shape = (value) => {
  const quantity = tolerantQuantity(value);
  return quantity !== undefined && quantity <= LARGEST_QUANTITY;
};
const isData: Shape = (value) => tolerantData(value) !== undefined;
const isWord: Shape = (value) => tolerantWord(value) !== undefined;
const isAddress: Shape = (value) => tolerantFixedData(value, 20) !== undefined;
const isHash: Shape = (value) => tolerantFixedData(value, 32) !== undefined;
const isText: Shape = (value) => typeof value === 'string';
const isObject: Shape = (value) => asObject(value) !== undefined;

function orNothing(shape: Shape): Shape {
  return (value) => value === undefined || value === null || shape(value);
}

function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

/** An object with these members; what it has besides is its own affair. */
function objectWith(members: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    const fields = asObject(value);
    return fields !== undefined && Object.entries(members).every(([name, shape]) => shape(fields[name]));
  };
}

const HEADER = Object.fromEntries(
  ANSWERED_MEMBERS.map(({ name, tolerate, isQuantity: isNumber, isOptional }) => {
    const shape: Shape = isNumber ? isQuantity : (value) => tolerate(value) !== undefined;
    return [name, isOptional ? orNothing(shape) : shape];
  }),
);
const TRANSACTION = { hash: isHash, blockNumber: orNothing(isQuantity) };
const LOG = { address: isAddress, topics: listOf(isHash), data: orNothing(isData) };

const isHeader = objectWith(HEADER);
const isTransaction = objectWith(TRANSACTION);
const isBlockOfHashes = objectWith({ ...HEADER, transactions: listOf(isText) });
const isFullBlock = objectWith({ ...HEADER, transactions: listOf(isTransaction) });
const isReceipt = objectWith({
  transactionHash: isHash,
  blockHash: orNothing(isHash),
  blockNumber: orNothing(isQuantity),
  logs: orNothing(listOf(objectWith(LOG))),
});
const isFeeHistory = objectWith({
  baseFeePerGas: orNothing(listOf(orNothing(isQuantity))),
  gasUsedRatio: orNothing(listOf(orNothing((value) => typeof value === 'number'))),
  reward: orNothing(listOf(orNothing(listOf(isQuantity)))),
});

/** Like the others, but it also depends on what was asked. */
type AnswerShape = (value: unknown, params: readonly unknown[]) => boolean;

const isBlock: AnswerShape = (value, [, isFull]) =>
  isFull === true ? isFullBlock(value) : isBlockOfHashes(value);

/** The block of the number that the first parameter asks for; of any where it is a tag. */
function numbered(shape: AnswerShape): AnswerShape {
  return (value, params) => {
    const wanted = tolerantQuantity(params[0]);
    const isWanted = wanted === undefined || tolerantQuantity(asObject(value)?.number) === wanted;
    return isWanted && shape(value, params);
  };
}

/** What has the hash that the first parameter asks for, in that member. */
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

function shapes(shape: AnswerShape, names: readonly string[]): [string, AnswerShape][] {
  return names.map((name) => [name, shape]);
}

/**
 * What methods answer (Ethereum execution API specification), as far as all makes of nodes agree. Nodes of the network have
 * `null` for the code of an account without any, and for counts of an unknown block.
 */
const ANSWER_SHAPES: ReadonlyMap<string, AnswerShape> = new Map([
  ...shapes(isQuantity, ['eth_chainId', 'eth_estimateGas', 'eth_getBalance', 'eth_getTransactionCount']),
  ...shapes(nullable(isQuantity), [
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockTransactionCountByNumber',
    'eth_getUncleCountByBlockHash',
    'eth_getUncleCountByBlockNumber',
  ]),
  ...shapes(isWord, ['eth_getStorageAt']),
  ...shapes(isData, ['eth_call']),
  ...shapes(nullable(isData), [
    'eth_getCode',
    'eth_getRawTransactionByBlockHashAndIndex',
    'eth_getRawTransactionByBlockNumberAndIndex',
    'eth_getRawTransactionByHash',
  ]),
  ...shapes(nullable(numbered(isBlock)), ['eth_getBlockByNumber']),
  ...shapes(nullable(hashed('hash', isBlock)), ['eth_getBlockByHash']),
  ...shapes(nullable(numbered(isHeader)), ['eth_getHeaderByNumber']),
  ...shapes(nullable(hashed('hash', isHeader)), ['eth_getHeaderByHash']),
  ...shapes(nullable(isHeader), ['eth_getUncleByBlockHashAndIndex', 'eth_getUncleByBlockNumberAndIndex']),
  ...shapes(nullable(hashed('hash', isTransaction)), ['eth_getTransactionByHash']),
  ...shapes(nullable(isTransaction), [
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByBlockNumberAndIndex',
  ]),
  ...shapes(nullable(hashed('transactionHash', isReceipt)), ['eth_getTransactionReceipt']),
  ...shapes(nullable(listOf(isReceipt)), ['eth_getBlockReceipts']),
  ...shapes(listOf(objectWith({ ...LOG, blockNumber: isQuantity })), ['eth_getLogs']),
  ...shapes(isFeeHistory, ['eth_feeHistory']),
  ...shapes(listOf(isObject), ['trace_filter']),
  ...shapes(nullable(listOf(isObject)), ['trace_block', 'trace_transaction']),
]);

/** True when the value can be the answer to the call: where it cannot, the upstream is not well. */
export function isAnswerTo({ method, params, isThere }: UpstreamCall, value: unknown): boolean {
  if (isThere === true && value === null) return false;
  return ANSWER_SHAPES.get(method)?.(value, params) ?? true;
}
