// Decodes transactions that are not signed yet, in the encodings of ethers, viem, geth and `eth_fillTransaction`.

import { bytesToBigInt, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { encodeRlp, RlpError, type RlpItem, viewRlp } from '../primitives/rlp.ts';
import {
  InvalidChainIdError,
  InvalidTransactionError,
  MisshapenTransactionError,
  SignedTransactionError,
} from './errors.ts';
import type { RuleSet } from './hardforks/rule-set.ts';
import { fieldFault, isTransactionType, type TransactionRequest } from './transaction.ts';
import { FIELD_COUNTS, MAX_ITEMS, readEnvelope } from './transaction-decoding.ts';

/** `v`, `r` and `s`. */
const SIGNATURE_FIELDS = 3;

/**
 * Appends an empty signature to the fields, if it is absent. Returns other bytes unchanged. Throws a
 * {@link MisshapenTransactionError} for a wrong number of fields.
 */
function withEmptySignature(raw: Uint8Array): Uint8Array {
  const first = raw[0] ?? 0;
  const type = isTransactionType(first) ? first : 0;
  const start = type === 0 ? 0 : 1;
  let fields: RlpItem;
  try {
    fields = viewRlp(raw.subarray(start), MAX_ITEMS);
  } catch (error) {
    // The transaction decoder reports the error.
    if (error instanceof RlpError) return raw;
    throw error;
  }
  const count = FIELD_COUNTS[type];
  if (fields instanceof Uint8Array || fields.length === count) return raw;
  if (fields.length !== count - SIGNATURE_FIELDS) {
    throw new MisshapenTransactionError(
      `an unsigned transaction of type ${type} has ${fields.length} fields, expected ${count - SIGNATURE_FIELDS}, or ${count} with an empty signature`,
    );
  }
  return concatBytes(raw.subarray(0, start), encodeRlp([...fields, EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES]));
}

/**
 * Decodes an unsigned transaction. The signature can be absent or zero; `v` of a legacy transaction can be the
 * chain id (EIP-155). A legacy transaction without chain id gets the id of the chain. Throws
 * {@link SignedTransactionError} for a signed transaction, and errors like `decodeTransaction`.
 */
export function decodeUnsignedTransaction(
  raw: Uint8Array,
  ruleSet: RuleSet,
  chainId: number,
): TransactionRequest {
  const { request, v, rBytes, sBytes } = readEnvelope(withEmptySignature(raw), ruleSet);
  if (bytesToBigInt(rBytes) !== 0n || bytesToBigInt(sBytes) !== 0n) throw new SignedTransactionError();
  const own = BigInt(chainId);
  const given = request.type === 0 ? v : (request.chainId ?? 0n);
  if (given !== own && (given !== 0n || request.type !== 0)) throw new InvalidChainIdError(given, chainId);
  const fault = fieldFault(request);
  if (fault !== null) throw new InvalidTransactionError(fault);
  return { ...request, chainId: own };
}
