// Decodes the inputs and outputs that a client passes to create a transaction.

import { scriptOfAddress } from '../../bitcoin/address.ts';
import { opReturnScript } from '../../bitcoin/script.ts';
import { FINAL_SEQUENCE, type ParentInput, type ParentOutput } from '../parent-transaction.ts';
import {
  digitsToBytes,
  isObject,
  type JsonObject,
  shown,
  toAmount,
  toArray,
  toHash,
  toObject,
  toText,
} from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';

/** The highest sequence that permits a replacement (BIP-125). */
const REPLACEABLE_SEQUENCE = 0xfffffffd;
/** The highest sequence that permits a lock time. */
export const LOCK_TIME_SEQUENCE = 0xfffffffe;
/** Maximum number of inputs, and of outputs. A transaction of the mempool has fewer. */
const MAX_COUNT = 5000;
/** Maximum data of an output without a receiver. */
const MAX_DATA_SIZE = 65_535;

function invalid(message: string): BitcoinRpcError {
  return new BitcoinRpcError(CODES.parameter, `Invalid parameter, ${message}`);
}

function requireCount(count: number, name: 'inputs' | 'outputs'): void {
  if (count > MAX_COUNT) throw invalid(`at most ${MAX_COUNT} ${name} are allowed`);
}

/** Returns the output script of an address. */
export function requireScript(address: string): Uint8Array {
  const script = scriptOfAddress(address);
  if (script === undefined) {
    throw new BitcoinRpcError(CODES.addressOrKey, `Invalid Bitcoin address: ${shown(address)}`);
  }
  return script;
}

/** Decodes `[{txid, vout, sequence}]`. */
export function inputsOf(list: readonly unknown[], defaultSequence: number): ParentInput[] {
  requireCount(list.length, 'inputs');
  return list.map((item) => {
    const { txid, vout, sequence = defaultSequence } = toObject(item);
    if (typeof vout !== 'number') throw invalid('missing vout key');
    if (vout < 0) throw invalid('vout cannot be negative');
    if (!Number.isInteger(vout) || vout > FINAL_SEQUENCE) throw invalid('vout is out of range');
    const isSequence =
      Number.isInteger(sequence) && Number(sequence) >= 0 && Number(sequence) <= FINAL_SEQUENCE;
    if (!isSequence) throw invalid('sequence number is out of range');
    return {
      txid: toHash(txid, 'txid'),
      index: vout,
      script: new Uint8Array(0),
      sequence: Number(sequence),
      witness: [],
    };
  });
}

function pairsOf(value: unknown): [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  return toArray(value).map((item) => {
    const [pair, ...others] = Object.entries(toObject(item));
    if (pair === undefined || others.length > 0) throw invalid('key-value pair must contain exactly one key');
    return pair;
  });
}

/** Decodes `[{address: amount}, {data: digits}]`, or one object with these members. */
export function outputsOf(value: unknown): ParentOutput[] {
  const known = new Set<string>();
  const pairs = pairsOf(value);
  requireCount(pairs.length, 'outputs');
  return pairs.map(([key, content]) => {
    if (key === 'data') {
      if (known.has(key)) throw invalid('duplicate key: data');
      known.add(key);
      return { value: 0n, script: dataScript(content) };
    }
    const script = requireScript(key);
    if (known.has(key)) throw invalid(`duplicated address: ${key}`);
    known.add(key);
    return { value: toAmount(content), script };
  });
}

function dataScript(content: unknown): Uint8Array {
  const text = toText(content);
  const bytes = digitsToBytes(text);
  if (bytes === undefined || bytes.length > MAX_DATA_SIZE) {
    throw new BitcoinRpcError(CODES.parameter, `Data must be hexadecimal string (not '${shown(text)}')`);
  }
  return opReturnScript(bytes);
}

/** Decodes `{address: amount}` without data. */
export function paymentsOf(amounts: JsonObject): ParentOutput[] {
  const payments = Object.entries(amounts);
  requireCount(payments.length, 'outputs');
  return payments.map(([address, amount]) => ({
    script: requireScript(address),
    value: requirePositive(toAmount(amount)),
  }));
}

/** Throws unless an amount can be sent. */
export function requirePositive(value: bigint): bigint {
  if (value <= 0n) throw new BitcoinRpcError(CODES.type, 'Invalid amount for send');
  return value;
}

/** Decodes a lock time. */
export function lockTimeOf(value: unknown): number {
  if (value === undefined) return 0;
  const isValid = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= FINAL_SEQUENCE;
  if (!isValid) throw invalid('locktime out of range');
  return Number(value);
}

/** Returns the default sequence of inputs. */
export function defaultSequence(lockTime: number, isReplaceable: boolean): number {
  if (isReplaceable) return REPLACEABLE_SEQUENCE;
  return lockTime === 0 ? FINAL_SEQUENCE : LOCK_TIME_SEQUENCE;
}
