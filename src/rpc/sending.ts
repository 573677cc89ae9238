/** Sending the calls of a batch (EIP-5792), in one transaction of an account that delegates (EIP-7702) or one after the other, and blobs with a transaction. */

import { type NamedBlob, versionedHashes } from '../chain/blobs.ts';
import type { BatchCall } from '../chain/genesis/batch-account.ts';
import type { SendRequest } from '../chain/mining/transaction-submitter.ts';
import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import { type BlobSidecar, joinNetworkForm } from '../protocol/blobs.ts';
import { InvalidTransactionError } from '../protocol/errors.ts';
import type { Authorization, Transaction } from '../protocol/transaction.ts';
import { authorizationHash } from '../protocol/transaction-encoding.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import { delegateOf } from '../state/account.ts';
import { fetchingState } from '../state/state-source.ts';
import { type TransactionObject, transactionObject } from './codecs/call-object.ts';
import { readAtOnce } from './codecs/codec.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { requireBlobsInRules, transactionRequest } from './transaction-request.ts';

/** A call as the caller gave it; `null` for what is absent. */
export interface GivenCall {
  readonly to: Uint8Array | null;
  readonly value: bigint | null;
  readonly data: Uint8Array | null;
}

/**
 * The ability of an account to send several calls in one transaction, in the words of EIP-5792: it does already, or it will
 * delegate to the code for that when it first does.
 */
export type AtomicStatus = 'supported' | 'ready' | 'unsupported';

const TYPE_WITH_AUTHORIZATIONS = 4;

/** Resolves to the code of an account after the newest block. */
async function codeOf({ node: { chain } }: RpcContext, account: Uint8Array): Promise<Uint8Array> {
  return fetchingState(() => chain.headState().account(account)?.code.bytes ?? EMPTY_BYTES);
}

/** Resolves to what the account can do: the rules must have delegations, and the node its key. */
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

/** The calls as a batch takes them; `null` where one creates a contract or calls the zero address, which no batch can. */
export function batchCalls(calls: readonly GivenCall[]): BatchCall[] | null {
  const batch: BatchCall[] = [];
  for (const { to, value, data } of calls) {
    if (to === null || equalBytes(to, ZERO_ADDRESS)) return null;
    batch.push({ to, value: value ?? 0n, data: data ?? EMPTY_BYTES });
  }
  return batch;
}

/** The transaction object that a caller of eth_sendTransaction would give for the call. */
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
  const reading = readAtOnce(transactionObject, given);
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
 * Sends the calls in one transaction of the account to itself and resolves to its hash. An account that is `ready` begins to
 * delegate with it; the code for that is put on the chain where it is not there. Rejects as `Chain.sendFrom` does.
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
  // The nonce of the sender has been raised when the authorization is looked at (EIP-7702).
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

/** Sends one call as a transaction of its own and resolves to its hash. Rejects as `Chain.sendFrom` does. */
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

/** The proofs that come with a blob where each of its cells has one (EIP-7594). */
const CELLS_PER_BLOB = 128;

/** Sends a transaction that was split from its sidecar, whose proofs are checked before. */
export async function sendWithSidecar(
  { node: { chain }, call, deadline }: RpcContext,
  transaction: Transaction,
  sidecar: BlobSidecar | null,
): Promise<Uint8Array> {
  const hashes = transaction.blobVersionedHashes;
  if (sidecar === null) {
    if (hashes.length === 0) return chain.send(transaction, call);
    throw new InvalidTransactionError(
      'missing sidecar in blob transaction: send it in the network form, with blobs, commitments and proofs (EIP-4844)',
    );
  }
  const pieces = new WorkPieces(deadline);
  const blobs = await chain.blobProofs.check(sidecar, hashes, chain.ruleSet, pieces);
  return chain.send(transaction, call, blobs);
}

/** A request of a transaction, with its blobs where the object that asked for it has them. */
export interface BlobRequest {
  readonly request: SendRequest;
  readonly blobs: readonly NamedBlob[];
  readonly commitments: readonly Uint8Array[];
  /** The proofs that the caller gave; `null` where the node is to make them. */
  readonly proofs: readonly Uint8Array[] | null;
}

function proofKindOf(blobs: number, proofs: number): BlobSidecar['proofKind'] {
  return proofs === blobs * CELLS_PER_BLOB ? 'cell proofs' : 'blob proofs';
}

/**
 * Resolves to the request of a transaction object as `transactionRequest` does, with the hashes of the blobs that the object has:
 * of commitments that come with their proofs, else of those that the node makes. Rejects with {@link InvalidParamsError} for
 * hashes of others, and with {@link InvalidTransactionError} for bytes that are no blobs and for wrong proofs.
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
    throw new InvalidParamsError('transaction.blobs', `at most ${most} blobs`, `${blobs.length}`);
  }
  const pieces = new WorkPieces(deadline);
  const { proofs, commitments: given } = transaction;
  if (proofs !== null && given === null) {
    throw new InvalidParamsError(
      'transaction.commitments',
      'commitments, because the request contains proofs',
      'nothing',
    );
  }
  const commitments =
    given !== null && proofs !== null ? given : await chain.blobProofs.commitments(blobs, pieces);
  const hashes = versionedHashes(commitments);
  if (proofs !== null) {
    const sidecar = { proofKind: proofKindOf(blobs.length, proofs.length), blobs, commitments, proofs };
    await chain.blobProofs.check(sidecar, hashes, chain.ruleSet, pieces);
  } else requireSame('transaction.commitments', given, commitments);
  requireSame('transaction.blobVersionedHashes', transaction.blobVersionedHashes, hashes);
  const named = blobs.flatMap((blob, index) => {
    const hash = hashes[index];
    return hash === undefined ? [] : [{ hash, blob }];
  });
  const request = await transactionRequest({ ...transaction, blobVersionedHashes: hashes }, context, gasOf);
  return { request, blobs: named, commitments, proofs };
}

/** Throws {@link InvalidParamsError} for values that are given and are not those of the blobs. */
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
 * Resolves to the bytes of a signed transaction as it is sent: with its sidecar, where it was asked for with blobs. Proofs that the
 * caller did not give are made as the rules have them; those of cells take a second and a half for each blob.
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
  const pieces = new WorkPieces(deadline);
  return joinNetworkForm(signed.raw, await chain.blobProofs.sidecar(blobs, commitments, kind, pieces));
}
