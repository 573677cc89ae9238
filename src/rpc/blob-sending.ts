// Transactions with blobs, as callers send them: signed ones with their sidecar, and objects that name blobs.

import { versionedHashes } from '../chain/blobs/blob-proofs.ts';
import type { NamedBlob } from '../chain/blobs/blob-store.ts';
import type { SendRequest } from '../chain/mining/transaction-submitter.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { toHex } from '../primitives/hex.ts';
import { WorkPieces } from '../primitives/work-pieces.ts';
import { type BlobSidecar, joinNetworkForm } from '../protocol/blobs.ts';
import { InvalidTransactionError } from '../protocol/errors.ts';
import type { Transaction } from '../protocol/transaction.ts';
import type { TransactionObject } from './codecs/call-object.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { requireBlobsInRules, transactionRequest } from './transaction-request.ts';

/** The proofs that come with a blob where each of its cells has one (EIP-7594). */
const CELLS_PER_BLOB = 128;

/** Sends a transaction that was split from its sidecar, whose proofs are checked before. */
export async function sendWithSidecar(
  { chain, call, checkInterrupt }: RpcContext,
  transaction: Transaction,
  sidecar: BlobSidecar | null,
): Promise<Uint8Array> {
  const hashes = transaction.blobVersionedHashes;
  if (sidecar === null) {
    if (hashes.length === 0) return chain.send(transaction, call);
    throw new InvalidTransactionError(
      'missing sidecar in blob transaction: it is sent with its blobs, commitments and proofs around it (network form, EIP-4844)',
    );
  }
  const pieces = new WorkPieces(checkInterrupt);
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
  const { chain, checkInterrupt } = context;
  requireBlobsInRules(blobs, chain.ruleSet, 'transaction.blobs');
  const most = chain.ruleSet.blobs?.maximumInTransaction ?? 0;
  if (blobs.length > most) {
    throw new InvalidParamsError('transaction.blobs', `at most ${most} blobs`, `${blobs.length}`);
  }
  const pieces = new WorkPieces(checkInterrupt);
  const { proofs, commitments: given } = transaction;
  if (proofs !== null && given === null) {
    throw new InvalidParamsError('transaction.commitments', 'the commitments of the proofs', 'nothing');
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
    wanted === undefined ? 'no more than there are blobs' : `${toHex(wanted)}, which the blob has`,
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
  { chain, checkInterrupt }: RpcContext,
): Promise<Uint8Array> {
  const kind = chain.ruleSet.blobs?.sidecar;
  if (named.length === 0 || kind === undefined) return signed.raw;
  const blobs = named.map(({ blob }) => blob);
  if (given !== null) {
    const proofKind = proofKindOf(blobs.length, given.length);
    return joinNetworkForm(signed.raw, { proofKind, blobs, commitments, proofs: given });
  }
  const pieces = new WorkPieces(checkInterrupt);
  return joinNetworkForm(signed.raw, await chain.blobProofs.sidecar(blobs, commitments, kind, pieces));
}
