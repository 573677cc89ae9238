// Checks signatures and lock times of an input.

import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../../../primitives/bytes.ts';
import { curve } from '../../../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../../../primitives/secp256k1/secp256k1.ts';
import type { EcdsaSignature } from '../../bitcoin/signature.ts';
import { FINAL_SEQUENCE, type ParentTransaction } from '../parent-transaction.ts';
import { ScriptError } from './script-error.ts';
import type { SignatureHashes } from './signature-hashes.ts';

/** Which rules apply: all rules of a valid block, or also the rules of the mempool. */
export type ScriptRules = 'consensus' | 'policy';
/** Scripts of outputs and redeem scripts, or scripts of a witness program (BIP-143). */
export type ScriptVersion = 'base' | 'witness';

const LOCK_TIME_THRESHOLD = 500_000_000;
const SEQUENCE_DISABLED = 2 ** 31;
const SEQUENCE_IS_TIME = 0x400000;
const SEQUENCE_MASK = 0xffff;

const SCALAR_SIZE = 32;
/** Maximum number of bytes that the signatures of an input without witness hash. It limits the time of a check. */
const MAX_HASHED_BYTES = 20_000_000;
const DER = { sequence: 0x30, integer: 0x02 } as const;

/** Decodes strict DER (BIP-66) without the hash type; `undefined` if invalid. */
function decodeDer(der: Uint8Array): EcdsaSignature | undefined {
  if (der.length < 8 || der.length > 72) return undefined;
  if (der[0] !== DER.sequence || der[1] !== der.length - 2) return undefined;
  const first = readDerInteger(der, 2);
  if (first === undefined) return undefined;
  const second = readDerInteger(der, first.end);
  return second?.end === der.length ? { r: first.value, s: second.value } : undefined;
}

function readDerInteger(der: Uint8Array, start: number): { value: bigint; end: number } | undefined {
  const length = der[start + 1] ?? 0;
  const end = start + 2 + length;
  if (der[start] !== DER.integer || length === 0 || end > der.length) return undefined;
  const bytes = der.subarray(start + 2, end);
  const [first = 0, second = 0] = bytes;
  const isNegative = (first & 0x80) !== 0;
  const isPadded = length > 1 && first === 0 && (second & 0x80) === 0;
  return isNegative || isPadded ? undefined : { value: bytesToBigInt(bytes), end };
}

/** Returns true if the signature is valid for the public key (33 or 65 bytes). */
function verifySignature(hash: Uint8Array, { r, s }: EcdsaSignature, publicKey: Uint8Array): boolean {
  if (r === 0n || s === 0n || r >= CURVE_ORDER || s >= CURVE_ORDER) return false;
  const lowS = s > CURVE_ORDER / 2n ? CURVE_ORDER - s : s;
  const compact = concatBytes(bigIntToFixedBytes(r, SCALAR_SIZE), bigIntToFixedBytes(lowS, SCALAR_SIZE));
  const point = attempt(() => curve.pointOf(withoutHybridPrefix(publicKey)));
  if (point === undefined) return false;
  return [0, 1].some((recovery) => {
    const recovered = attempt(() => curve.recover(hash, { compact, recovery }));
    return recovered !== undefined && equalBytes(recovered, point);
  });
}

/** Returns a hybrid key (prefix 6 or 7) as an uncompressed key. Blocks may contain hybrid keys. */
function withoutHybridPrefix(key: Uint8Array): Uint8Array {
  const [prefix = 0] = key;
  const isHybrid = key.length === 65 && prefix === 6 + ((key[64] ?? 0) & 1);
  return isHybrid ? Uint8Array.of(4, ...key.subarray(1)) : key;
}

/** Returns `undefined` for a key or signature that is no point of the curve. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

function isCompressed(key: Uint8Array): boolean {
  return key.length === 33 && (key[0] === 2 || key[0] === 3);
}

function isUncompressed(key: Uint8Array): boolean {
  return key.length === 65 && key[0] === 4;
}

/** Checks signatures and lock times of one input. */
export class InputChecker {
  readonly #transaction: ParentTransaction;
  readonly #input: number;
  readonly #value: bigint;
  readonly #hashes: SignatureHashes;
  #hashedBytes = 0;

  /** `value` is the value of the spent output. The checkers of all inputs share `hashes`. */
  constructor(transaction: ParentTransaction, hashes: SignatureHashes, input: number, value: bigint) {
    this.#transaction = transaction;
    this.#hashes = hashes;
    this.#input = input;
    this.#value = value;
  }

  /** Returns the hash that a signature of this type signs. Throws {@link ScriptError}. */
  signatureHash(script: Uint8Array, type: number, version: ScriptVersion): Uint8Array {
    if (version === 'witness') return this.#hashes.witness(this.#input, script, this.#value, type);
    this.#hashedBytes += this.#transaction.bytes.length;
    if (this.#hashedBytes > MAX_HASHED_BYTES) throw new ScriptError('OP_COUNT');
    return this.#hashes.legacy(this.#input, script, type);
  }

  /** Returns true if the signature (DER, then the hash type) is valid. Throws for a forbidden form of the signature or key. */
  isValid(
    signature: Uint8Array,
    publicKey: Uint8Array,
    script: Uint8Array,
    version: ScriptVersion,
    rules: ScriptRules,
  ): boolean {
    const values = signature.length === 0 ? undefined : decodeDer(signature.subarray(0, -1));
    if (signature.length > 0 && values === undefined) throw new ScriptError('SIG_DER');
    const type = signature.at(-1) ?? 0;
    if (rules === 'policy') checkForm(values, type, publicKey, version);
    if (values === undefined) return false;
    return verifySignature(this.signatureHash(script, type, version), values, publicKey);
  }

  /** Returns true if the transaction is locked until `time` or later (BIP-65). */
  isLockedUntil(time: number): boolean {
    const { lockTime, inputs } = this.#transaction;
    const isSameKind = lockTime < LOCK_TIME_THRESHOLD === time < LOCK_TIME_THRESHOLD;
    return isSameKind && time <= lockTime && inputs[this.#input]?.sequence !== FINAL_SEQUENCE;
  }

  /** Returns true if the input waits for at least this relative lock time (BIP-112). */
  isLockedFor(required: number): boolean {
    const sequence = this.#transaction.inputs[this.#input]?.sequence ?? FINAL_SEQUENCE;
    if (this.#transaction.version < 2 || sequence >= SEQUENCE_DISABLED) return false;
    const mask = SEQUENCE_IS_TIME | SEQUENCE_MASK;
    const [actual, wanted] = [sequence & mask, required & mask];
    const isSameKind = actual < SEQUENCE_IS_TIME === wanted < SEQUENCE_IS_TIME;
    return isSameKind && wanted <= actual;
  }
}

const HASH_TYPE_MASK = 0x7f;

function checkForm(
  values: EcdsaSignature | undefined,
  type: number,
  publicKey: Uint8Array,
  version: ScriptVersion,
): void {
  if (values !== undefined) {
    if (values.s > CURVE_ORDER / 2n) throw new ScriptError('SIG_HIGH_S');
    const base = type & HASH_TYPE_MASK;
    if (base < 1 || base > 3) throw new ScriptError('SIG_HASHTYPE');
  }
  if (!isCompressed(publicKey) && !isUncompressed(publicKey)) throw new ScriptError('PUBKEYTYPE');
  if (version === 'witness' && !isCompressed(publicKey)) throw new ScriptError('WITNESS_PUBKEYTYPE');
}
