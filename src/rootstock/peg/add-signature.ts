// The signatures of the federation's members.

import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { concatBytes, equalBytes, joinBytes } from '../../primitives/bytes.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../../primitives/secp256k1/secp256k1.ts';
import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';
import { redeemScriptOf } from '../bitcoin/redeem-script.ts';
import { push } from '../bitcoin/script.ts';
import { bytesOfSignature, decodeDer, type EcdsaSignature, encodeDer } from '../bitcoin/signature.ts';
import { type BitcoinTransaction, parseTransaction, transactionId } from '../bitcoin/transaction.ts';
import type { BridgeCall } from '../bridge/bridge-method.ts';
import { decodeOutpointValues, logAddSignature, logReleaseBtc } from './pegout-events.ts';
import { hasWitness, pushedItems, signatureHash } from './unsigned-transaction.ts';

const HASH_SIZE = 32;
/** The last byte of a signature: it covers all inputs and outputs. */
const ALL = Uint8Array.of(1);
const RECOVERY_IDS = [0, 1] as const;

/** The arguments of `addSignature`. */
export interface AddedSignatures {
  /** The public key of the member. */
  readonly publicKey: Uint8Array;
  /** One per input, in DER. */
  readonly signatures: readonly Uint8Array[];
  /** 32 bytes: the hash of the Rootstock transaction that created the pegout. */
  readonly creationHash: Uint8Array;
}

/** Decodes the arguments. Throws `PrecompileError` if they are malformed. */
function decodedSignatures({ publicKey, signatures, creationHash }: AddedSignatures): EcdsaSignature[] {
  try {
    curve.pointOf(publicKey);
  } catch {
    throw new PrecompileError('the public key is malformed');
  }
  if (signatures.length === 0) throw new PrecompileError('the list of signatures is empty');
  const decoded = signatures.map((signature) => {
    try {
      return decodeDer(signature);
    } catch (error) {
      if (error instanceof BitcoinFormatError) throw new PrecompileError('a signature is malformed');
      throw error;
    }
  });
  if (creationHash.length !== HASH_SIZE) throw new PrecompileError('the hash must be 32 bytes long');
  return decoded;
}

/** Returns true if the key made the signature of the hash. The signature may have a high `s`. */
export function isSignedBy(publicKey: Uint8Array, hash: Uint8Array, signature: EcdsaSignature): boolean {
  const { r, s } = signature;
  const compact = bytesOfSignature(signature);
  if (compact === null || r === 0n || s === 0n || r >= CURVE_ORDER || s >= CURVE_ORDER) return false;
  const point = curve.pointOf(publicKey);
  return RECOVERY_IDS.some((recovery) => {
    try {
      return equalBytes(curve.recover(hash, { compact, recovery }), point);
    } catch {
      // No key has a signature with this recovery id.
      return false;
    }
  });
}

/** The items of an input: the signatures of the members so far, and the number of missing ones. */
interface InputSignatures {
  readonly found: readonly Uint8Array[];
  readonly missing: number;
  readonly keys: readonly Uint8Array[];
  /** The items after the signatures. */
  readonly end: readonly Uint8Array[];
}

function signaturesOf(transaction: BitcoinTransaction, index: number): InputSignatures {
  const items = pushedItems(transaction, index);
  const script = items.at(-1);
  const redeemScript = script === undefined ? null : redeemScriptOf(script);
  if (redeemScript === null) throw new PrecompileError('an input does not spend coins of the federation');
  const { required, keys } = redeemScript;
  const found = items.slice(1, 1 + required).filter(({ length }) => length > 0);
  return { found, missing: required - found.length, keys, end: items.slice(1 + required) };
}

/** Returns the position of a member's signature in the order of the keys. */
function positionOf(publicKey: Uint8Array, hash: Uint8Array, { found, keys }: InputSignatures): number {
  const keyIndex = keys.findIndex((key) => equalBytes(key, publicKey));
  const position = found.findIndex((signature) => {
    const decoded = decodeDer(signature);
    return keyIndex < keys.findIndex((key) => isSignedBy(key, hash, decoded));
  });
  return position === -1 ? found.length : position;
}

/** Adds a signature to an input. */
function sign(transaction: BitcoinTransaction, index: number, position: number, signature: Uint8Array): void {
  const { found, missing, end } = signaturesOf(transaction, index);
  const filled = [...found.slice(0, position), signature, ...found.slice(position)];
  const placeholders = Array.from({ length: missing - 1 }, () => new Uint8Array(0));
  const items = [new Uint8Array(0), ...filled, ...placeholders, ...end];
  const input = transaction.ins[index];
  if (input === undefined) return;
  if (hasWitness(transaction, index)) input.witness = items;
  else input.script = joinBytes(items.map(push));
}

/**
 * Adds the signatures of a member to all inputs, until an input already has one. Returns true if it added one.
 * Invalid signatures change nothing.
 */
function signAll(
  transaction: BitcoinTransaction,
  publicKey: Uint8Array,
  signatures: readonly EcdsaSignature[],
  hashes: readonly Uint8Array[],
): boolean {
  const areValid = signatures.every((signature, index) => {
    const hash = hashes[index];
    const isCanonical = signature.s <= CURVE_ORDER / 2n;
    return hash !== undefined && isCanonical && isSignedBy(publicKey, hash, signature);
  });
  if (!areValid) return false;
  let hasSigned = false;
  for (const [index, signature] of signatures.entries()) {
    const hash = hashes[index] ?? new Uint8Array(HASH_SIZE);
    const input = signaturesOf(transaction, index);
    const isSigned = input.found.some((one) => isSignedBy(publicKey, hash, decodeDer(one)));
    if (isSigned) break;
    if (!input.keys.some((key) => equalBytes(key, publicKey))) return false;
    sign(transaction, index, positionOf(publicKey, hash, input), concatBytes(encodeDer(signature), ALL));
    hasSigned = true;
  }
  return hasSigned;
}

/** Returns the hashes to sign. Throws `PrecompileError` if an input requires an unknown amount. */
function hashesOf({ state }: Pick<BridgeCall, 'state'>, transaction: BitcoinTransaction): Uint8Array[] {
  const values = decodeOutpointValues(state.pegouts.outpointValues(transactionId(transaction)));
  return transaction.ins.map((_, index) => {
    const value = values[index];
    if (value === undefined && hasWitness(transaction, index))
      throw new PrecompileError('the amount of a spent output is unknown');
    return signatureHash(transaction, index, value ?? 0n);
  });
}

/**
 * Adds the signatures of a member to a transaction that waits for them. Logs the transaction when all inputs
 * have enough signatures. Throws `PrecompileError` for malformed arguments.
 */
export function addSignature(
  call: Pick<BridgeCall, 'account' | 'state' | 'constants'>,
  added: AddedSignatures,
): void {
  const { account, state, constants } = call;
  const { publicKey, creationHash } = added;
  const signatures = decodedSignatures(added);
  const waiting = state.pegouts.unsigned();
  const pegout = waiting.find((one) => equalBytes(one.creationHash, creationHash));
  const ignore = (reason: string): void => account.remark(`signatures ignored: ${reason}`);
  if (pegout === undefined) {
    ignore('no peg-out with this creation hash waits for signatures');
    return;
  }
  const transaction = parseTransaction(pegout.raw);
  const member = constants.federation.members.find((one) => equalBytes(one.publicKey, publicKey));
  if (transaction.ins.length !== signatures.length || member === undefined) {
    ignore(
      member === undefined
        ? 'the public key belongs to no member of the federation'
        : `expected ${transaction.ins.length}, got ${signatures.length}`,
    );
    return;
  }
  const hashes = hashesOf(call, transaction);
  if (signAll(transaction, publicKey, signatures, hashes)) logAddSignature(account, creationHash, member);
  else ignore('a signature is invalid, or the member has already signed');
  const raw = transaction.toBuffer();
  const missing = Math.max(0, ...transaction.ins.map((_, index) => signaturesOf(transaction, index).missing));
  const isComplete = missing === 0;
  if (!isComplete) account.remark(`the peg-out needs more signatures: ${missing}`);
  const others = waiting.filter((one) => one !== pegout);
  if (isComplete) logReleaseBtc(account, creationHash, raw);
  state.pegouts.setUnsigned(isComplete ? others : [...others, { creationHash, raw }]);
}
