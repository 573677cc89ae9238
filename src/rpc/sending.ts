/**
 * Sends the calls of a batch (EIP-5792), in one transaction of a delegating account (EIP-7702) or in order.
 * Sends blobs with a transaction.
 */

import { type NamedBlob, versionedHashes } from '../chain/blobs.ts';
import type { BatchCall } from '../chain/genesis/batch-account.ts';
import type { SendRequest } from '../chain/mining/transaction-submitter.ts';
import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import { type BlobSidecar, joinNetworkForm, splitNetworkForm } from '../protocol/blobs.ts';
import {
  InvalidChainIdError,
  InvalidTransactionError,
  MisshapenTransactionError,
  TransactionTypeError,
} from '../protocol/errors.ts';
import type { Authorization, Transaction } from '../protocol/transaction.ts';
import { authorizationHash } from '../protocol/transaction-encoding.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { delegateOf } from '../state/account.ts';
import { fetchingState } from '../state/state-source.ts';
import { answersAsRootstock, type NodeContext } from './block-answers.ts';
import { type TransactionObject, transactionObject } from './codecs/call-object.ts';
import { readSync } from './codecs/codec.ts';
import { InvalidParamsError, UnreadableTransactionError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { requireBlobsInRules, transactionRequest } from './transaction-request.ts';

/** A call of a client; `null` if absent. */
export interface GivenCall {
  readonly to: Uint8Array | null;
  readonly value: bigint | null;
  readonly data: Uint8Array | null;
}

/**
 * The support of an account for several calls in one transaction (EIP-5792). A `supported` account delegates
 * to the batch code; a `ready` account will delegate with its first batch.
 */
export type AtomicStatus = 'supported' | 'ready' | 'unsupported';

const TYPE_WITH_AUTHORIZATIONS = 4;

/** Resolves to the code of an account in the latest state. */
async function codeOf({ node: { chain } }: RpcContext, account: Uint8Array): Promise<Uint8Array> {
  return fetchingState(() => chain.headState().account(account)?.code.bytes ?? EMPTY_BYTES);
}

/** Resolves to the support of an account, which requires EIP-7702 and an unlocked account. */
export async function atomicStatusOf(context: RpcContext, account: Uint8Array): Promise<AtomicStatus> {
  const {
    node: { chain },
  } = context;
  const isInRules = chain.ruleSet.transactionTypes.includes(TYPE_WITH_AUTHORIZATIONS);
  if (!isInRules || !chain.wallet.isUnlocked(account)) return 'unsupported';
  const code = await codeOf(context, account);
  if (code.length === 0) return 'ready';
  const { BATCH_ACCOUNT_ADDRESS } = await import('../chain/genesis/batch-account.ts');
  const delegate = delegateOf(code);
  return delegate !== null && equalBytes(delegate, BATCH_ACCOUNT_ADDRESS) ? 'supported' : 'unsupported';
}

const ZERO_ADDRESS = new Uint8Array(20);

/** Returns the calls of a batch; `null` if one creates a contract or calls the zero address. */
export function batchCalls(calls: readonly GivenCall[]): BatchCall[] | null {
  const batch: BatchCall[] = [];
  for (const { to, value, data } of calls) {
    if (to === null || equalBytes(to, ZERO_ADDRESS)) return null;
    batch.push({ to, value: value ?? 0n, data: data ?? EMPTY_BYTES });
  }
  return batch;
}

/** Returns the transaction object of a call, as for eth_sendTransaction. */
function objectOf(
  sender: Uint8Array,
  { to, value, data }: GivenCall,
  others: object = {},
): TransactionObject {
  const given = {
    from: toHex(sender),
    ...(to === null ? {} : { to: toHex(to) }),
    value: toQuantity(value ?? 0n),
    data: toHex(data ?? EMPTY_BYTES),
    ...others,
  };
  const reading = readSync(transactionObject, given);
  if (!('value' in reading))
    throw new TypeError(`a call could not be decoded as a transaction: ${reading.expected}`);
  return reading.value;
}

function signedDelegation(
  { node: { chain } }: RpcContext,
  account: Uint8Array,
  to: Uint8Array,
  nonce: bigint,
): Authorization {
  const content = { chainId: BigInt(chain.settings.chainId), address: to, nonce };
  const { compact, recovery } = chain.wallet.signHash(account, authorizationHash(content));
  const [r, s] = [compact.subarray(0, 32), compact.subarray(32)];
  return { ...content, yParity: BigInt(recovery), r: bytesToBigInt(r), s: bytesToBigInt(s) };
}

function authorizationJson({ chainId, address, nonce, yParity, r, s }: Authorization): object {
  const numbers = Object.entries({ chainId, nonce, yParity, r, s });
  return {
    address: toHex(address),
    ...Object.fromEntries(numbers.map(([name, value]) => [name, toQuantity(value)])),
  };
}

/**
 * Sends the calls in one transaction of the account to itself and resolves to its hash. A `ready` account
 * delegates in this transaction. The batch code is deployed if absent. Rejects as `Chain.sendFrom` does.
 */
export async function sendAtomically(
  context: RpcContext,
  sender: Uint8Array,
  calls: readonly BatchCall[],
  status: Exclude<AtomicStatus, 'unsupported'>,
): Promise<Uint8Array> {
  const {
    node: { chain },
    generation,
    call,
  } = context;
  const { BATCH_ACCOUNT_ADDRESS, batchAccountCode, batchData } = await import(
    '../chain/genesis/batch-account.ts'
  );
  const code = batchAccountCode();
  if (!equalBytes(await codeOf(context, BATCH_ACCOUNT_ADDRESS), code)) {
    await chain.cheats.setCode(BATCH_ACCOUNT_ADDRESS, code);
  }
  // The authorization is verified after the sender's nonce has increased (EIP-7702).
  const authorizations = (nonce: bigint): Authorization[] =>
    status === 'ready' ? [signedDelegation(context, sender, BATCH_ACCOUNT_ADDRESS, nonce + 1n)] : [];
  const asked = authorizations(chain.pendingNonce(sender));
  const others = asked.length === 0 ? {} : { authorizationList: asked.map(authorizationJson) };
  const self = { to: sender, value: 0n, data: batchData(calls) };
  const request = await fetchingState(() => transactionRequest(objectOf(sender, self, others), context));
  const atItsTurn = (): SendRequest => {
    const nonce = chain.pendingNonce(sender);
    return { ...request, nonce, authorizationList: authorizations(nonce) };
  };
  return chain.sendFrom(sender, atItsTurn, { life: generation, call });
}

/** Sends one call as a transaction and resolves to its hash. Rejects as `Chain.sendFrom` does. */
export async function sendCall(
  context: RpcContext,
  sender: Uint8Array,
  given: GivenCall,
): Promise<Uint8Array> {
  const {
    node: { chain },
    generation,
    call,
  } = context;
  const request = await fetchingState(() => transactionRequest(objectOf(sender, given), context));
  return chain.sendFrom(sender, request, { life: generation, call });
}

/** Proofs per blob if each cell has its own (EIP-7594). */
const CELLS_PER_BLOB = 128;

/** The highest chain id with a one-byte `v` (EIP-155), as Rootstock requires. */
const HIGHEST_CHAIN_ID = 109n;

/** True for bytes that rskj rejects before it reads their contents. */
function failsUnread(error: unknown): boolean {
  if (error instanceof InvalidChainIdError) return error.given > HIGHEST_CHAIN_ID;
  return error instanceof MisshapenTransactionError || error instanceof TransactionTypeError;
}

/**
 * Decodes a transaction, without its sidecar. Throws as `Chain.decode` does. On a node that follows
 * Rootstock, it throws {@link UnreadableTransactionError} for typed transactions and for data other than a
 * list of nine items.
 */
export function decodeSent(context: NodeContext, raw: Uint8Array): Transaction {
  try {
    return context.node.chain.decode(splitNetworkForm(raw).raw);
  } catch (error) {
    if (error instanceof Error && answersAsRootstock(context) && failsUnread(error)) {
      throw new UnreadableTransactionError(error.message, { cause: error });
    }
    throw error;
  }
}

/** Resolves to the blobs of a transaction, after verifying the proofs of its sidecar. */
export async function verifiedBlobs(
  { node: { chain }, deadline }: RpcContext,
  transaction: Transaction,
  sidecar: BlobSidecar | null,
): Promise<readonly NamedBlob[]> {
  const hashes = transaction.blobVersionedHashes;
  if (sidecar === null) {
    if (hashes.length === 0) return [];
    throw new InvalidTransactionError(
      'missing sidecar in blob transaction: send it in the network form, with blobs, commitments and proofs (EIP-4844)',
    );
  }
  return chain.blobProofs.check(sidecar, hashes, chain.ruleSet, new TimeSlice(deadline));
}

/** Sends a transaction and its separate sidecar, after verifying the proofs. */
export async function sendWithSidecar(
  context: RpcContext,
  transaction: Transaction,
  sidecar: BlobSidecar | null,
): Promise<Uint8Array> {
  const blobs = await verifiedBlobs(context, transaction, sidecar);
  return context.node.chain.send(transaction, context.call, blobs);
}

/** The request of a transaction, with the blobs of its object. */
export interface BlobRequest {
  readonly request: SendRequest;
  readonly blobs: readonly NamedBlob[];
  readonly commitments: readonly Uint8Array[];
  /** The client's proofs; `null` if the node computes them. */
  readonly proofs: readonly Uint8Array[] | null;
}

function proofKindOf(blobs: number, proofs: number): BlobSidecar['proofKind'] {
  return proofs === blobs * CELLS_PER_BLOB ? 'cell proofs' : 'blob proofs';
}

/**
 * Resolves to the request of a transaction object as `transactionRequest` does, with the hashes of its blobs.
 * The hashes come from the client's commitments if it sent proofs, else the node computes the commitments.
 * Rejects with {@link InvalidParamsError} for other hashes, and with {@link InvalidTransactionError} for
 * invalid blobs or proofs.
 */
export async function blobRequest(
  transaction: TransactionObject,
  context: RpcContext,
  gasOf?: Parameters<typeof transactionRequest>[2],
): Promise<BlobRequest> {
  const { blobs } = transaction;
  if (blobs === null || blobs.length === 0) {
    const request = await transactionRequest(transaction, context, gasOf);
    return { request, blobs: [], commitments: [], proofs: null };
  }
  const {
    node: { chain },
    deadline,
  } = context;
  requireBlobsInRules(blobs, chain.ruleSet, 'transaction.blobs');
  const most = chain.ruleSet.blobs?.maximumInTransaction ?? 0;
  if (blobs.length > most) {
    throw new InvalidParamsError(
      'transaction.blobs',
      `at most ${most} blobs (too many blobs in one transaction)`,
      `${blobs.length}`,
    );
  }
  const slice = new TimeSlice(deadline);
  const { proofs, commitments: given } = transaction;
  if (proofs !== null && given === null) {
    throw new InvalidParamsError(
      'transaction.commitments',
      'commitments, because the request contains proofs',
      'nothing',
    );
  }
  const commitments =
    given !== null && proofs !== null ? given : await chain.blobProofs.commitments(blobs, slice);
  const hashes = versionedHashes(commitments);
  if (proofs !== null) {
    const sidecar = { proofKind: proofKindOf(blobs.length, proofs.length), blobs, commitments, proofs };
    await chain.blobProofs.check(sidecar, hashes, chain.ruleSet, slice);
  } else requireSame('transaction.commitments', given, commitments);
  requireSame('transaction.blobVersionedHashes', transaction.blobVersionedHashes, hashes);
  const named = blobs.flatMap((blob, index) => {
    const hash = hashes[index];
    return hash === undefined ? [] : [{ hash, blob }];
  });
  const request = await transactionRequest({ ...transaction, blobVersionedHashes: hashes }, context, gasOf);
  return { request, blobs: named, commitments, proofs };
}

/** Throws {@link InvalidParamsError} if given values differ from the values of the blobs. */
function requireSame(
  place: string,
  given: readonly Uint8Array[] | null,
  expected: readonly Uint8Array[],
): void {
  if (given === null || given.length === 0) return;
  const wrong = expected.findIndex((value, index) => !equalBytes(value, given[index] ?? new Uint8Array(0)));
  if (given.length === expected.length && wrong < 0) return;
  const index = wrong < 0 ? expected.length : wrong;
  const [wanted, got] = [expected[index], given[index]];
  throw new InvalidParamsError(
    `${place}[${index}]`,
    wanted === undefined ? 'one item per blob' : `${toHex(wanted)}, the value computed from the blob`,
    got === undefined ? 'nothing' : toHex(got),
  );
}

/**
 * Resolves to the encoding of a signed transaction for sending, with the sidecar of its blobs. Missing proofs
 * are computed as the hardfork requires; cell proofs take a second and a half per blob.
 */
export async function encodedForSending(
  signed: Transaction,
  { blobs: named, commitments, proofs: given }: BlobRequest,
  { node: { chain }, deadline }: RpcContext,
): Promise<Uint8Array> {
  const kind = chain.ruleSet.blobs?.sidecar;
  if (named.length === 0 || kind === undefined) return signed.raw;
  const blobs = named.map(({ blob }) => blob);
  if (given !== null) {
    const proofKind = proofKindOf(blobs.length, given.length);
    return joinNetworkForm(signed.raw, { proofKind, blobs, commitments, proofs: given });
  }
  const slice = new TimeSlice(deadline);
  return joinNetworkForm(signed.raw, await chain.blobProofs.sidecar(blobs, commitments, kind, slice));
}
