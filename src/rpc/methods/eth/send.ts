import { PENDING } from '../../../chain/block-selector.ts';
import type { CallToken } from '../../../chain/changes.ts';
import { EstimateFailedError } from '../../../chain/errors.ts';
import type { CallMessage } from '../../../chain/execution/calls.ts';
import { NO_OVERRIDES } from '../../../chain/execution/state-overrides.ts';
import { TransactionRejectedError } from '../../../chain/pool/errors.ts';
import type { ExecutionResult } from '../../../evm/engine.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { type Hex, hexKey, toHex } from '../../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../../primitives/steps.ts';
import { splitNetworkForm } from '../../../protocol/blobs.ts';
import {
  InvalidChainIdError,
  InvalidTransactionError,
  TransactionTypeError,
} from '../../../protocol/errors.ts';
import type { Transaction, TransactionRequest } from '../../../protocol/transaction.ts';
import { unsignedFieldsInSteps, withSignatureValues } from '../../../protocol/transaction-encoding.ts';
import { transactionViewInSteps } from '../../../wire/transaction.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import { type TransactionObject, transactionObject } from '../../codecs/call-object.ts';
import { data, hash32, quantity } from '../../codecs/hex-values.ts';
import type { Compat } from '../../compat.ts';
import {
  ExecutionError,
  InvalidParamsError,
  NotInPoolError,
  UnreadableTransactionError,
} from '../../errors.ts';
import {
  executionErrorOf,
  explainedMessage,
  type StackOfError,
  stackOfTransaction,
  withStack,
} from '../../execution-answers.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { blobRequest, decodeSent, encodedForSending, sendWithSidecar } from '../../sending.ts';

/** True if the pool transaction has the values of the object. Absent fields of the object match any value. */
function isMeant(waiting: Transaction, named: TransactionObject): boolean {
  const { to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = waiting;
  const isSame = (asked: bigint | null, has: bigint): boolean => asked === null || asked === has;
  const isSameTo = named.to === null ? to === null : to !== null && equalBytes(named.to, to);
  return (
    isSameTo &&
    isSame(named.value, value) &&
    (named.input === null || equalBytes(named.input, data)) &&
    isSame(named.gas, gasLimit) &&
    isSame(named.gasPrice, maxFeePerGas) &&
    isSame(named.maxFeePerGas, maxFeePerGas) &&
    isSame(named.maxPriorityFeePerGas, maxPriorityFeePerGas)
  );
}

/** Returns the content of a transaction without its signature. */
function requestOf({
  type,
  chainId,
  nonce,
  to,
  value,
  data,
  gasLimit,
  maxFeePerGas,
  maxPriorityFeePerGas,
  accessList,
  authorizationList,
  maxFeePerBlobGas,
  blobVersionedHashes,
}: Transaction): TransactionRequest {
  const content = { to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
  const blobs = { maxFeePerBlobGas, blobVersionedHashes };
  return { type, chainId, nonce, ...content, accessList, authorizationList, ...blobs };
}

/** Returns the error of a failed mined transaction. Hardhat's clients expect its hash in the data. */
function* failedSendErrorOf(
  compat: Compat,
  result: ExecutionResult,
  hash: Uint8Array,
  stack: StackOfError | null,
): Steps<ExecutionError> {
  const { code, message, data } = yield* executionErrorOf(compat, result);
  const { line, below } =
    stack === null ? { line: message, below: '' } : explainedMessage(compat, message, stack);
  const told = { message: line, txHash: toHex(hash), data, ...stack?.data };
  return new ExecutionError(code, line, told, undefined, below);
}

/** Resolves to the gas that a message needs. Rejects if it fails; the log explains the failure. */
async function gasNeeded(
  { node: { chain }, settings, deadline }: RpcContext,
  caller: CallToken | null,
  message: CallMessage,
): Promise<bigint> {
  try {
    return await chain.calls.estimateGas(message, PENDING, NO_OVERRIDES, deadline, caller, false);
  } catch (error) {
    if (!(error instanceof EstimateFailedError)) throw error;
    throw await deadline.run(executionErrorOf(settings.compat, error.result));
  }
}

const REFUSALS = [
  TransactionRejectedError,
  InvalidTransactionError,
  InvalidChainIdError,
  TransactionTypeError,
  UnreadableTransactionError,
] as const;

/** Adds a warning to the log if the nonce of an accepted transaction has a gap. */
function warnOfGap({ node: { chain }, call }: RpcContext, hash: Uint8Array): void {
  if (call?.isLogged !== true) return;
  const waiting = chain.pool.byHash(hash);
  if (waiting === undefined) return;
  const next = chain.pendingNonce(waiting.sender);
  if (waiting.nonce <= next) return;
  const warning = `the transaction is queued: its nonce is ${waiting.nonce}, but the sender's next nonce is ${next}; send the missing transactions first`;
  call.warnings = [...(call.warnings ?? []), warning];
}

/** Sends a transaction and counts it as accepted or rejected for the client. The log reports nonce gaps. */
export async function countedSend(context: RpcContext, send: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const { peers } = context.node;
  const { connection } = context;
  try {
    const hash = await send();
    peers.count(connection.remoteAddress, 'validTransactions');
    warnOfGap(context, hash);
    return hash;
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal)) {
      peers.count(connection.remoteAddress, 'invalidTransactions');
    }
    throw error;
  }
}

/**
 * Sends a transaction and returns its hash. In compat modes with `failedSendIsError`, it throws an
 * `ExecutionError` with the hash if the transaction was mined in the meantime and failed.
 */
export async function sendAndAnswer(context: RpcContext, send: () => Promise<Uint8Array>): Promise<Hex> {
  const { compat } = context.settings;
  if (!compat.failedSendIsError) return toHex(await countedSend(context, send));
  const results = new Map<string, ExecutionResult>();
  const stopListening = context.node.chain.events.on('block', (block, executions) => {
    for (const [index, execution] of executions?.entries() ?? []) {
      const transaction = block.transactions[index];
      if (transaction !== undefined) results.set(hexKey(transaction.hash), execution);
    }
  });
  try {
    const hash = await countedSend(context, send);
    const result = results.get(hexKey(hash));
    if (result !== undefined && result.outcome !== 'success') {
      const stack = await stackOfTransaction(context, hash);
      throw await context.deadline.run(failedSendErrorOf(compat, result, hash, stack));
    }
    return toHex(hash);
  } finally {
    stopListening();
  }
}

/** Sends a signed transaction with its sidecar; resolves to its hash. Rejects as {@link decodeSent}. */
export async function sendRaw(context: RpcContext, raw: Uint8Array): Promise<Uint8Array> {
  const transaction = decodeSent(context, raw);
  if (transaction.blobVersionedHashes.length === 0) return context.node.chain.send(transaction, context.call);
  return sendWithSidecar(context, transaction, splitNetworkForm(raw).sidecar);
}

/** Fills a transaction of a client and sends it. Rejects as {@link blobRequest}. */
async function sendObject(
  context: RpcContext,
  transaction: TransactionObject,
  send: 'sendFrom' | 'sendUnsigned',
): Promise<unknown> {
  const { generation, call } = context;
  const { request, blobs } = await blobRequest(transaction, context);
  const options = { life: generation, call, blobs };
  return sendAndAnswer(context, () => context.node.chain[send](transaction.from, request, options));
}

/** An unsent transaction, encoded and as an object. */
export const SIGNED_TRANSACTION_JSON_SCHEMA: JsonSchema = objectSchema({
  raw: data.jsonSchema,
  tx: { type: 'object' },
});

/** Returns an unsent transaction, encoded and as an object. Yields if it is long. */
export async function signedTransactionView(
  transaction: Transaction,
  raw: Uint8Array,
  { node: { chain }, deadline }: RpcContext,
): Promise<{ readonly raw: Hex; readonly tx: unknown }> {
  const digits = await deadline.run(hexInSteps(raw));
  return {
    raw: digits,
    tx: await deadline.run(transactionViewInSteps(transaction, null, chain.ruleSet)),
  };
}

const NO_SIGNATURE = { v: 0n, r: 0n, s: 0n };

export const ETH_SEND: readonly Method[] = [
  /**
   * Signs a transaction with an account of the node and sends it. Default gas: 21000 for a plain transfer,
   * else 90000 or the estimate in the next block, if higher. Default gas price: the node's. Default nonce:
   * the account's next.
   */
  defineMethod({
    name: 'eth_sendTransaction',
    summary: 'Signs and sends a transaction',
    params: [param('transaction', transactionObject)],
    needsKeys: true,
    result: { description: 'The transaction hash', schema: hash32.jsonSchema },
    handler: (context, transaction) => sendObject(context, transaction, 'sendFrom'),
  }),
  /**
   * Sends a signed transaction. With automining, its receipt exists when the hash is returned. A transaction
   * with a nonce gap stays in the pool.
   */
  defineMethod({
    name: 'eth_sendRawTransaction',
    summary: 'Sends a signed transaction',
    params: [param('transaction', data)],
    result: { description: 'The transaction hash', schema: hash32.jsonSchema },
    handler: (context, raw) => sendAndAnswer(context, () => sendRaw(context, raw)),
  }),
  /**
   * Sends a transaction from any account or contract without its key and without impersonation. The account
   * pays for it. Absent fields are filled as by eth_sendTransaction.
   */
  defineMethod({
    name: 'eth_sendUnsignedTransaction',
    summary: 'Sends a transaction from any account, without its key',
    params: [param('transaction', transactionObject)],
    needsKeys: true,
    result: { description: 'The transaction hash', schema: hash32.jsonSchema },
    handler: (context, transaction) => sendObject(context, transaction, 'sendUnsigned'),
  }),
  /** Fills type, fees, gas and nonce, for the sender to sign. The signature has zeros. */
  defineMethod({
    name: 'eth_fillTransaction',
    summary: 'Fills in the missing fields of a transaction, without signing it',
    params: [param('transaction', transactionObject)],
    result: {
      description: 'The unsigned transaction: encoded in `raw`, and as an object in `tx`',
      schema: SIGNED_TRANSACTION_JSON_SCHEMA,
    },
    handler: async (context, transaction) => {
      const { chain } = context.node;
      const { deadline } = context;
      const { from } = transaction;
      // The client signs the transaction, so it gets the gas that is needed and not a default.
      const asked = await withStack(context, (caller) =>
        blobRequest(transaction, context, (message) => gasNeeded(context, caller, message)),
      );
      const nonce = asked.request.nonce ?? chain.pendingNonce(from);
      const request = { ...asked.request, nonce };
      const fields = await deadline.run(unsignedFieldsInSteps(request));
      const filled = withSignatureValues(request, NO_SIGNATURE, from, fields);
      return signedTransactionView(filled, await encodedForSending(filled, asked, context), context);
    },
  }),
  /**
   * Replaces a pool transaction by a copy with another gas price or gas limit, and a new signature. The
   * object must contain its sender, nonce and recipient; all its fields must match. Rejects if the pool has
   * no matching transaction, or if the price is too low to replace it.
   */
  defineMethod({
    name: 'eth_resend',
    summary: 'Replaces a pending transaction, with another gas price or gas limit',
    params: [
      param('transaction', transactionObject),
      optional<bigint | null>('gasPrice', quantity, null),
      optional<bigint | null>('gasLimit', quantity, null),
    ],
    needsKeys: true,
    result: { description: 'The hash of the replacement', schema: hash32.jsonSchema },
    handler: async (context, named, gasPrice, gasLimit) => {
      const { chain } = context.node;
      const { generation, call } = context;
      const { from, nonce } = named;
      if (nonce === null) {
        throw new InvalidParamsError(
          'transaction.nonce',
          'the nonce of the pending transaction (missing transaction nonce)',
          'nothing',
        );
      }
      const waiting = chain.pool.bySenderAndNonce(from, nonce);
      if (waiting === undefined || !isMeant(waiting, named)) throw new NotInPoolError(from, nonce);
      const fees = gasPrice === null ? {} : { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice };
      const gas = gasLimit === null ? {} : { gasLimit };
      const request = { ...requestOf(waiting), ...fees, ...gas };
      return toHex(
        await countedSend(context, () => chain.sendFrom(from, request, { life: generation, call })),
      );
    },
  }),
];
