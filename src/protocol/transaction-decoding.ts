import { bytesToBigInt, concatBytes, padLeft } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { RlpError, type RlpItem, SurplusBytesError, viewRlp } from '../primitives/rlp.ts';
import { addressOfPublicKey, curve } from '../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../primitives/secp256k1/secp256k1.ts';
import {
  InvalidChainIdError,
  InvalidTransactionError,
  MisshapenTransactionError,
  OwnTransactionTypeError,
  TransactionTypeError,
} from './errors.ts';
import type { RuleSet } from './hardforks/rule-set.ts';
import { isRemascTransaction, REMASC_SENDER } from './remasc.ts';
import {
  fieldFault,
  isTransactionType,
  NO_BLOBS,
  type Transaction,
  type TransactionRequest,
  type TransactionType,
} from './transaction.ts';
import {
  FieldReader,
  readAccessList,
  readAuthorizations,
  readVersionedHashes,
  signingHash,
} from './transaction-encoding.ts';

const FIRST_LIST_BYTE = 0xc0;

/** The fields of a signed transaction, by type. */
export const FIELD_COUNTS = { 0: 9, 1: 11, 2: 12, 3: 14, 4: 13 } as const;

/** A decoded transaction before its sender is recovered. */
interface Signed {
  readonly request: TransactionRequest;
  readonly v: bigint;
  /** The bytes of `r` and `s`, without leading zeros. */
  readonly rBytes: Uint8Array;
  readonly sBytes: Uint8Array;
  readonly recovery: number;
}

function readLegacy(item: RlpItem): Signed {
  const fields = new FieldReader(item, FIELD_COUNTS[0], 'a legacy transaction');
  const nonce = fields.integer('nonce', 8);
  const gasPrice = fields.integer('gasPrice');
  const gasLimit = fields.integer('gasLimit', 8);
  const to = fields.recipient('to');
  const value = fields.integer('value');
  const data = fields.bytes('data');
  const v = fields.integer('v');
  const isProtected = v >= 35n;
  const request: TransactionRequest = {
    type: 0,
    chainId: isProtected ? (v - 35n) / 2n : null,
    nonce,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    gasLimit,
    to,
    value,
    data,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
  };
  const recovery = Number(isProtected ? (v - 35n) % 2n : v - 27n);
  return { request, v, rBytes: fields.integerBytes('r'), sBytes: fields.integerBytes('s'), recovery };
}

/** The types that cannot create contracts (EIP-4844, EIP-7702). */
const TYPES_WITH_RECIPIENT: readonly TransactionType[] = [3, 4];

function readTyped(type: Exclude<TransactionType, 0>, item: RlpItem): Signed {
  const fields = new FieldReader(item, FIELD_COUNTS[type], `a transaction of type ${type}`);
  const chainId = fields.integer('chainId');
  const nonce = fields.integer('nonce', 8);
  const firstFee = fields.integer(type === 1 ? 'gasPrice' : 'maxPriorityFeePerGas');
  const maxFeePerGas = type === 1 ? firstFee : fields.integer('maxFeePerGas');
  const gasLimit = fields.integer('gasLimit', 8);
  const to = fields.recipient('to');
  if (to === null && TYPES_WITH_RECIPIENT.includes(type))
    throw new InvalidTransactionError(`a transaction of type ${type} cannot create a contract`);
  const value = fields.integer('value');
  const data = fields.bytes('data');
  const accessList = readAccessList(fields.list('accessList'));
  const maxFeePerBlobGas = type === 3 ? fields.integer('maxFeePerBlobGas') : 0n;
  const blobVersionedHashes = type === 3 ? readVersionedHashes(fields.list('blobVersionedHashes')) : [];
  const authorizationList = type === 4 ? readAuthorizations(fields.list('authorizationList')) : [];
  const v = fields.integer('yParity', 1);
  if (v > 1n) throw new InvalidTransactionError(`yParity is ${v}, expected 0 or 1`);
  const request: TransactionRequest = {
    type,
    chainId,
    nonce,
    maxFeePerGas,
    maxPriorityFeePerGas: firstFee,
    gasLimit,
    to,
    value,
    data,
    accessList,
    authorizationList,
    maxFeePerBlobGas,
    blobVersionedHashes,
  };
  const [rBytes, sBytes] = [fields.integerBytes('r'), fields.integerBytes('s')];
  return { request, v, rBytes, sBytes, recovery: Number(v) };
}

/** The highest type number of Rootstock's own envelopes (RSKIP-543). */
const HIGHEST_OWN_TYPE = 0x7f;

/** Maximum number of RLP items: more addresses, slots and authorizations than any block gas can pay. */
export const MAX_ITEMS = 2 ** 17;

/** Decodes the fields of a transaction. The signature is not verified. */
export function readEnvelope(raw: Uint8Array, ruleSet: RuleSet): Signed {
  const first = raw[0];
  if (first === undefined) throw new MisshapenTransactionError('Empty transaction data');
  try {
    if (first >= FIRST_LIST_BYTE) return readLegacy(viewRlp(raw, MAX_ITEMS));
    if (!isTransactionType(first) || first === 0 || !ruleSet.transactionTypes.includes(first)) {
      if (first < 0x80) throw new TransactionTypeError(first, ruleSet);
      viewRlp(raw, MAX_ITEMS);
      throw new MisshapenTransactionError('the transaction is neither a list nor a typed envelope');
    }
    if (ruleSet.hasOwnEnvelopes && first === 2 && (raw[1] ?? 0xff) <= HIGHEST_OWN_TYPE)
      throw new OwnTransactionTypeError(raw[1] ?? 0);
    return readTyped(first, viewRlp(raw.subarray(1), MAX_ITEMS));
  } catch (error) {
    if (!(error instanceof RlpError)) throw error;
    const reason = `the transaction is not valid RLP: ${error.message}`;
    throw error instanceof SurplusBytesError
      ? new MisshapenTransactionError(reason)
      : new InvalidTransactionError(reason);
  }
}

function recoverSender({ request, v, rBytes, sBytes, recovery }: Signed, r: bigint, s: bigint): Uint8Array {
  if (recovery !== 0 && recovery !== 1) {
    throw new InvalidTransactionError(`v is ${v}, expected 27, 28 or 35 + 2 * chain id + parity (EIP-155)`);
  }
  if (r === 0n || r >= CURVE_ORDER || s === 0n || s > CURVE_ORDER / 2n) {
    throw new InvalidTransactionError('the signature values are out of range (EIP-2)');
  }
  const compact = concatBytes(padLeft(rBytes, 32), padLeft(sBytes, 32));
  try {
    return addressOfPublicKey(curve.recover(signingHash(request), { compact, recovery }));
  } catch {
    throw new InvalidTransactionError('no public key can be recovered from the signature');
  }
}

/** Copies field by field, because a spread of this many members takes as long as decoding. */
function completed(
  { request, v }: Signed,
  r: bigint,
  s: bigint,
  sender: Uint8Array,
  raw: Uint8Array,
): Transaction {
  return {
    type: request.type,
    chainId: request.chainId,
    nonce: request.nonce,
    maxFeePerGas: request.maxFeePerGas,
    maxPriorityFeePerGas: request.maxPriorityFeePerGas,
    gasLimit: request.gasLimit,
    to: request.to,
    value: request.value,
    data: request.data,
    accessList: request.accessList,
    authorizationList: request.authorizationList,
    maxFeePerBlobGas: request.maxFeePerBlobGas,
    blobVersionedHashes: request.blobVersionedHashes,
    v,
    r,
    s,
    sender,
    raw,
    hash: keccak256(raw),
  };
}

/**
 * Decodes a transaction and recovers its sender. The result references `raw`, and its `data` is a view of it.
 * Accepts the transaction types of the rule set (EIP-2718) and legacy transactions without replay protection
 * (EIP-155). Under Rootstock's encoding, also accepts the unsigned REMASC transaction, which no pool accepts.
 * Throws {@link InvalidTransactionError}, {@link InvalidChainIdError} or {@link TransactionTypeError}.
 */
export function decodeTransaction(raw: Uint8Array, ruleSet: RuleSet, chainId: number): Transaction {
  const signed = readEnvelope(raw, ruleSet);
  const { request, v } = signed;
  const [r, s] = [bytesToBigInt(signed.rBytes), bytesToBigInt(signed.sBytes)];
  if (request.chainId !== null && request.chainId !== BigInt(chainId)) {
    throw new InvalidChainIdError(request.chainId, chainId);
  }
  const fault = fieldFault(request);
  if (fault !== null) throw new InvalidTransactionError(fault);
  const { gasLimit, to } = request;
  const isUnsignedClosing = ruleSet.encoding === 'network' && isRemascTransaction({ v, r, s, gasLimit, to });
  return completed(signed, r, s, isUnsignedClosing ? REMASC_SENDER : recoverSender(signed, r, s), raw);
}

/** Decodes a stored transaction with its known sender. The result references `raw`. */
export function restoreTransaction(raw: Uint8Array, ruleSet: RuleSet, sender: Uint8Array): Transaction {
  const signed = readEnvelope(raw, ruleSet);
  return completed(signed, bytesToBigInt(signed.rBytes), bytesToBigInt(signed.sBytes), sender, raw);
}
