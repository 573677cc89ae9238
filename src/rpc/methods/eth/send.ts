import { PENDING } from '../../../chain/block-selector.ts';
import type { CallToken } from '../../../chain/changes.ts';
import { EstimateFailedError } from '../../../chain/errors.ts';
import type { CallMessage } from '../../../chain/execution/calls.ts';
import { NO_OVERRIDES } from '../../../chain/execution/state-overrides.ts';
import { TransactionRejectedError } from '../../../chain/pool/errors.ts';
import type { ExecutionResult } from '../../../evm/engine.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { type Hex, hexKey, toHex } from '../../../primitives/hex.ts';
import { splitNetworkForm } from '../../../protocol/blobs.ts';
import {
  InvalidChainIdError,
  InvalidTransactionError,
  MisshapenTransactionError,
  TransactionTypeError,
} from '../../../protocol/errors.ts';
import type { Transaction, TransactionRequest } from '../../../protocol/transaction.ts';
import { unsignedFieldsInPieces, withSignatureValues } from '../../../protocol/transaction-encoding.ts';
import { runTask, type Task } from '../../../scheduling/task.ts';
import { hexInPieces, WorkPieces } from '../../../scheduling/work-pieces.ts';
import { transactionViewInPieces } from '../../../wire/transaction.ts';
import { type JsonSchema, objectSchema } from '../../../wire/values.ts';
import { answersAsNetwork, type NodeContext } from '../../block-answers.ts';
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
import { blobRequest, encodedForSending, sendWithSidecar } from '../../sending.ts';

/** True where the transaction has what the object names; what that leaves out may be anything. */
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

/** The content of a transaction without its signature. */
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

/**
 * Returns the error of a transaction that stands in a block. Its data contain the hash too, in the form in which Hardhat's
 * clients look into them.
 */
function* failedSendErrorOf(
  compat: Compat,
  result: ExecutionResult,
  hash: Uint8Array,
  stack: StackOfError | null,
  pieces: WorkPieces,
): Task<ExecutionError> {
  const { code, message, data } = yield* executionErrorOf(compat, result, pieces);
  const { line, below } =
    stack === null ? { line: message, below: '' } : explainedMessage(compat, message, stack);
  const told = { message: line, txHash: toHex(hash), data, ...stack?.data };
  return new ExecutionError(code, line, told, undefined, below);
}

/** Resolves to the gas that a message needs. Rejects with the error of the dialect where it fails, which the log explains. */
async function gasNeeded(
  { node: { chain }, settings, deadline }: RpcContext,
  caller: CallToken | null,
  message: CallMessage,
): Promise<bigint> {
  try {
    return await chain.calls.estimateGas(message, PENDING, NO_OVERRIDES, deadline, caller, false);
  } catch (error) {
    if (!(error instanceof EstimateFailedError)) throw error;
    throw await runTask(executionErrorOf(settings.compat, error.result, new WorkPieces(deadline)));
  }
}

const REFUSALS = [
  TransactionRejectedError,
  InvalidTransactionError,
  InvalidChainIdError,
  TransactionTypeError,
  UnreadableTransactionError,
] as const;

/** Has the log say that a transaction was taken which no block can hold yet, since its sender has earlier nonces to use. */
function warnOfGap({ node: { chain }, call }: RpcContext, hash: Uint8Array): void {
  if (call?.isLogged !== true) return;
  const waiting = chain.pool.byHash(hash);
  if (waiting === undefined) return;
  const next = chain.pendingNonce(waiting.sender);
  if (waiting.nonce <= next) return;
  const warning = `the transaction is queued: its nonce is ${waiting.nonce}, but the sender's next nonce is ${next}; send the missing transactions first`;
  call.warnings = [...(call.warnings ?? []), warning];
}

/** Sends, and counts for the caller whether the transaction was taken or refused; the log says where it waits for an earlier one. */
export async function countedSend(context: RpcContext, send: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const {
    node: { peers },
    connection,
  } = context;
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
 * Sends a transaction and gives its hash. Where the dialect wants it, a transaction that was mined meanwhile and
 * failed is an error instead (`ExecutionError`) that contains its hash, because it stands in a block.
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
      const pieces = new WorkPieces(context.deadline);
      throw await runTask(failedSendErrorOf(compat, result, hash, stack, pieces));
    }
    return toHex(hash);
  } finally {
    stopListening();
  }
}

/** The highest chain id whose `v` (EIP-155) is one byte, as it must be on the network. */
const HIGHEST_CHAIN_ID = 109n;

/** True for bytes over which the reference node fails before it looks at what they hold. */
function failsUnread(error: unknown): boolean {
  if (error instanceof InvalidChainIdError) return error.given > HIGHEST_CHAIN_ID;
  return error instanceof MisshapenTransactionError || error instanceof TransactionTypeError;
}

/**
 * The transaction that the bytes encode, without its sidecar where it has one. Throws as `Chain.decode` does, and on a node that answers as the network does an
 * {@link UnreadableTransactionError} for typed transactions and whatever else is no list of nine items.
 */
export function decodeSent(context: NodeContext, raw: Uint8Array): Transaction {
  try {
    return context.node.chain.decode(splitNetworkForm(raw).raw);
  } catch (error) {
    if (error instanceof Error && answersAsNetwork(context) && failsUnread(error)) {
      throw new UnreadableTransactionError(error.message, { cause: error });
    }
    throw error;
  }
}

/** Sends a signed transaction, with its sidecar where it has blobs; resolves to its hash. Rejects as {@link decodeSent} throws. */
export async function sendRaw(context: RpcContext, raw: Uint8Array): Promise<Uint8Array> {
  const transaction = decodeSent(context, raw);
  if (transaction.blobVersionedHashes.length === 0) return context.node.chain.send(transaction, context.call);
  return sendWithSidecar(context, transaction, splitNetworkForm(raw).sidecar);
}

/** A transaction that is not sent yet, encoded and as an object. */
export const SIGNED_TRANSACTION_JSON_SCHEMA: JsonSchema = objectSchema({
  raw: data.jsonSchema,
  tx: { type: 'object' },
});

/** Returns a transaction that is not sent yet: its encoding, and its members. In pieces where it is long. */
export async function signedTransactionView(
  transaction: Transaction,
  raw: Uint8Array,
  { node: { chain }, deadline }: RpcContext,
): Promise<{ readonly raw: Hex; readonly tx: unknown }> {
  const pieces = new WorkPieces(deadline);
  const digits = await runTask(hexInPieces(raw, pieces));
  return {
    raw: digits,
    tx: await runTask(transactionViewInPieces(transaction, null, chain.ruleSet, pieces)),
  };
}

const NO_SIGNATURE = { v: 0n, r: 0n, s: 0n };

export const ETH_SEND: readonly Method[] = [
  /**
   * Signs a transaction with an account of this node and sends it. Gas defaults to what a plain transfer costs (21000), for
   * all else to 90000 or to the estimate in the next block when that is larger; the gas price to the node's; the nonce to the
   * account's next.
   */
  defineMethod({
    name: 'eth_sendTransaction',
    summary: 'Signs and sends a transaction',
    params: [param('transaction', transactionObject)],
    needsKeys: true,
    result: { description: 'The transaction hash', schema: hash32.jsonSchema },
    handler: async (context, transaction) => {
      const {
        node: { chain },
        generation,
        call,
      } = context;
      const { request, blobs } = await blobRequest(transaction, context);
      return sendAndAnswer(context, () =>
        chain.sendFrom(transaction.from, request, { life: generation, call, blobs }),
      );
    },
  }),
  /**
   * Takes a signed transaction. With the instant miner its receipt exists when the hash is answered; one whose nonce is
   * ahead waits in the pool.
   */
  defineMethod({
    name: 'eth_sendRawTransaction',
    summary: 'Sends a signed transaction',
    params: [param('transaction', data)],
    result: { description: 'The transaction hash', schema: hash32.jsonSchema },
    handler: (context, raw) => sendAndAnswer(context, () => sendRaw(context, raw)),
  }),
  /**
   * Sends a transaction in the name of any account, a contract too, without its key and without impersonation. The
   * account pays for it. Fields that are left out are filled in as by `eth_sendTransaction`.
   */
  defineMethod({
    name: 'eth_sendUnsignedTransaction',
    summary: 'Sends a transaction from any account, without its key',
    params: [param('transaction', transactionObject)],
    needsKeys: true,
    result: { description: 'The transaction hash', schema: hash32.jsonSchema },
    handler: async (context, transaction) => {
      const {
        node: { chain },
        generation,
        call,
      } = context;
      const { request, blobs } = await blobRequest(transaction, context);
      return sendAndAnswer(context, () =>
        chain.sendUnsigned(transaction.from, request, { life: generation, call, blobs }),
      );
    },
  }),
  /** Fills in what a transaction leaves out (type, fees, gas, nonce), for its sender to sign. Its signature is zeros. */
  defineMethod({
    name: 'eth_fillTransaction',
    summary: 'Fills in the missing fields of a transaction, without signing it',
    params: [param('transaction', transactionObject)],
    result: {
      description: 'The unsigned transaction: encoded in `raw`, and as an object in `tx`',
      schema: SIGNED_TRANSACTION_JSON_SCHEMA,
    },
    handler: async (context, transaction) => {
      const {
        node: { chain },
        deadline,
      } = context;
      const { from } = transaction;
      // The caller means to sign the transaction, so it gets the gas that it needs and no default.
      const asked = await withStack(context, (caller) =>
        blobRequest(transaction, context, (message) => gasNeeded(context, caller, message)),
      );
      const nonce = asked.request.nonce ?? chain.pendingNonce(from);
      const request = { ...asked.request, nonce };
      const fields = await runTask(unsignedFieldsInPieces(request, new WorkPieces(deadline)));
      const filled = withSignatureValues(request, NO_SIGNATURE, from, fields);
      return signedTransactionView(filled, await encodedForSending(filled, asked, context), context);
    },
  }),
  /**
   * Replaces a transaction that waits in the pool by the same one with another price or other gas, signed anew. The object
   * must name its sender, its nonce and its recipient; what else it names must be as it waits. A transaction that does not wait, or is another one,
   * is an error, and so is a price that is not high enough to replace it.
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
      const {
        node: { chain },
        generation,
        call,
      } = context;
      const { from, nonce } = named;
      if (nonce === null) {
        throw new InvalidParamsError('transaction.nonce', 'the nonce of the pending transaction', 'nothing');
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
