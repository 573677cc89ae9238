import { bigIntToBytes, bytesToBigInt, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import type { Signature } from '../primitives/secp256k1/secp256k1.ts';
import type { Transaction, TransactionRequest } from './transaction.ts';
import { accessListItem, authorizationsItem } from './transaction-fields.ts';

function unsignedItems(request: TransactionRequest): RlpItem[] {
  const fees =
    request.type === 2 || request.type === 4
      ? [bigIntToBytes(request.maxPriorityFeePerGas), bigIntToBytes(request.maxFeePerGas)]
      : [bigIntToBytes(request.maxFeePerGas)];
  const items: RlpItem[] = [
    bigIntToBytes(request.nonce),
    ...fees,
    bigIntToBytes(request.gasLimit),
    request.to ?? EMPTY_BYTES,
    bigIntToBytes(request.value),
    request.data,
  ];
  if (request.type === 0) return items;
  items.unshift(bigIntToBytes(request.chainId ?? 0n));
  items.push(accessListItem(request.accessList));
  if (request.type === 4) items.push(authorizationsItem(request.authorizationList));
  return items;
}

function envelope(type: number, items: readonly RlpItem[]): Uint8Array {
  const list = encodeRlp(items);
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list);
}

/** The 32 bytes a sender signs (EIP-155, EIP-2718). */
export function signingHash(request: TransactionRequest): Uint8Array {
  const items = unsignedItems(request);
  if (request.type === 0 && request.chainId !== null) {
    items.push(bigIntToBytes(request.chainId), EMPTY_BYTES, EMPTY_BYTES);
  }
  return keccak256(envelope(request.type, items));
}

/** The `v` that stands on the wire for a recovery bit. */
function signatureV(request: TransactionRequest, recovery: number): bigint {
  if (request.type !== 0) return BigInt(recovery);
  return request.chainId === null ? BigInt(27 + recovery) : request.chainId * 2n + 35n + BigInt(recovery);
}

/** The transaction with its signature values, encoding and hash. The signature is not checked. */
export function withSignatureValues(
  request: TransactionRequest,
  values: { readonly v: bigint; readonly r: bigint; readonly s: bigint },
  sender: Uint8Array,
): Transaction {
  const { v, r, s } = values;
  const items = [...unsignedItems(request), bigIntToBytes(v), bigIntToBytes(r), bigIntToBytes(s)];
  const raw = envelope(request.type, items);
  return { ...request, v, r, s, sender, raw, hash: keccak256(raw) };
}

/**
 * The transaction in the name of a sender whose key is not held. The sender's address stands in the place of the
 * signature, so that no two senders' transactions have the same hash; `v` is 0, which no signed legacy transaction has.
 */
export function withoutSignature(request: TransactionRequest, sender: Uint8Array): Transaction {
  const address = bytesToBigInt(sender);
  const unprotected = request.type === 0 ? { ...request, chainId: null } : request;
  return withSignatureValues(unprotected, { v: 0n, r: address, s: address }, sender);
}

/** The transaction signed by `sender`. */
export function withSignature(
  request: TransactionRequest,
  signature: Signature,
  sender: Uint8Array,
): Transaction {
  const r = bytesToBigInt(signature.compact.subarray(0, 32));
  const s = bytesToBigInt(signature.compact.subarray(32, 64));
  return withSignatureValues(request, { v: signatureV(request, signature.recovery), r, s }, sender);
}
