import type {
  AccessListEntry,
  Authorization,
  Transaction,
  TransactionType,
} from '../protocol/transaction.ts';
import { withSignatureValues } from '../protocol/transaction-encoding.ts';
import { asObject, tolerantFixedData, tolerantQuantity, UpstreamFields } from './decoding.ts';
import { ForkPointError } from './errors.ts';

const EIP_155 = 35n;

function objectsOf(value: unknown): UpstreamFields[] {
  return Array.isArray(value) ? value.map((item) => new UpstreamFields(item, 'transaction')) : [];
}

function accessListOf(value: unknown): AccessListEntry[] {
  return objectsOf(value).map((entry) => {
    const keys = entry.raw('storageKeys');
    const storageKeys = Array.isArray(keys) ? keys.flatMap((key) => tolerantFixedData(key, 32) ?? []) : [];
    return { address: entry.fixed('address', 20), storageKeys };
  });
}

function authorizationsOf(value: unknown): Authorization[] {
  return objectsOf(value).map((entry) => ({
    chainId: entry.quantity('chainId'),
    address: entry.fixed('address', 20),
    nonce: entry.quantity('nonce'),
    yParity: entry.optionalQuantity('yParity', null) ?? entry.quantity('v'),
    r: entry.quantity('r'),
    s: entry.quantity('s'),
  }));
}

function typeOf(fields: UpstreamFields): TransactionType {
  const type = Number(fields.optionalQuantity('type', 0n));
  if (type === 0 || type === 1 || type === 2 || type === 4) return type;
  throw new ForkPointError(
    `A transaction of type ${type} stands before the one to fork at, which cannot be run here`,
  );
}

/**
 * A mined transaction of the upstream, to be run again. Its sender is the one that the upstream names. Throws a
 * {@link ForkPointError} for one that cannot be run here.
 */
export function transactionOfUpstream(value: unknown): Transaction {
  const fields = new UpstreamFields(value, 'transaction');
  const type = typeOf(fields);
  const v = fields.optionalQuantity('v', 0n);
  const chainId = fields.optionalQuantity('chainId', null);
  const gasPrice = fields.optionalQuantity('gasPrice', 0n);
  const hasTwoFees = type === 2 || type === 4;
  const request = {
    type,
    chainId: type === 0 ? (v >= EIP_155 ? (v - EIP_155) / 2n : null) : chainId,
    nonce: fields.quantity('nonce'),
    maxFeePerGas: hasTwoFees ? fields.quantity('maxFeePerGas') : gasPrice,
    maxPriorityFeePerGas: hasTwoFees ? fields.quantity('maxPriorityFeePerGas') : gasPrice,
    gasLimit: fields.quantity('gas'),
    to: fields.optionalFixed('to', 20, null),
    value: fields.optionalQuantity('value', 0n),
    data: fields.data('input'),
    accessList: accessListOf(fields.raw('accessList')),
    authorizationList: authorizationsOf(fields.raw('authorizationList')),
  };
  const wireV = type === 0 ? v : (fields.optionalQuantity('yParity', null) ?? v);
  const signature = { v: wireV, r: fields.optionalQuantity('r', 0n), s: fields.optionalQuantity('s', 0n) };
  return withSignatureValues(request, signature, fields.fixed('from', 20));
}

/** True for the transaction by which the network ends a block: it is no transaction of anybody. */
export function isClosingTransaction(value: unknown): boolean {
  const fields = asObject(value);
  const from = tolerantFixedData(fields?.from, 20);
  const isNobodys = from?.every((byte) => byte === 0);
  return isNobodys === true && (tolerantQuantity(fields?.r) ?? 0n) === 0n;
}
