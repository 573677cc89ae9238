// The sender of a pegin, derived from the first input of its transaction.

import { PrecompileError } from '../../evm/precompiles/precompiled-contract.ts';
import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { HashAddress } from '../bitcoin/address.ts';
import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';
import { redeemScriptOf } from '../bitcoin/redeem-script.ts';
import { hash160, type ScriptChunk, scriptChunks, sha256, witnessScript } from '../bitcoin/script.ts';
import type { BitcoinTransaction } from '../bitcoin/transaction.ts';
import { compressedKey, pointOfKey } from '../hd-wallet-utils.ts';

export interface PeginSender {
  readonly kind: 'p2pkh' | 'p2sh-p2wpkh' | 'p2sh-multisig' | 'p2sh-p2wsh';
  /** The address on the parent chain. */
  readonly address: HashAddress;
  /** The account of the same key (20 bytes); `null` for multisig senders. */
  readonly account: Uint8Array | null;
}

const COMPRESSED_SIZE = 33;
/** The parts of a multisig input: an empty item, at least one signature, and the script. */
const MULTISIG_PARTS = 3;

/**
 * Returns the sender of a transaction; `null` if its kind is unknown. Throws `BitcoinFormatError` for malformed
 * scripts and keys, because Rootstock's Bridge then fails.
 */
export function senderOf(transaction: BitcoinTransaction): PeginSender | null {
  const [input] = transaction.ins;
  if (input === undefined) return null;
  const chunks = scriptChunks(input.script);
  return (
    keySender(chunks) ??
    witnessKeySender(input.witness, chunks, transaction) ??
    multisigSender(chunks) ??
    witnessMultisigSender(input.witness, chunks, transaction)
  );
}

function keySender(chunks: readonly ScriptChunk[]): PeginSender | null {
  const data = chunks[1]?.data ?? null;
  if (chunks.length !== 2 || data === null) return null;
  const key = publicKeyOf(data);
  if (key === null) return null;
  return { kind: 'p2pkh', address: { kind: 'key', hash: hash160(key.encoded) }, account: key.account };
}

function witnessKeySender(
  witness: readonly Uint8Array[],
  chunks: readonly ScriptChunk[],
  transaction: BitcoinTransaction,
): PeginSender | null {
  if (!transaction.hasWitnesses() || chunks.length !== 1 || witness.length !== 2) return null;
  const key = publicKeyOf(witness[1] ?? EMPTY_BYTES);
  if (key === null) throw new BitcoinFormatError('the witness of the first input has no valid public key');
  if (key.encoded.length !== COMPRESSED_SIZE) return null;
  return {
    kind: 'p2sh-p2wpkh',
    address: { kind: 'script', hash: hash160(witnessScript(0, hash160(key.encoded))) },
    account: key.account,
  };
}

function multisigSender(chunks: readonly ScriptChunk[]): PeginSender | null {
  if (chunks.length < MULTISIG_PARTS) return null;
  const script = chunks.at(-1)?.data ?? null;
  if (script === null) throw new BitcoinFormatError('the first input does not end with a script');
  if (!isMultisig(script)) return null;
  return { kind: 'p2sh-multisig', address: { kind: 'script', hash: hash160(script) }, account: null };
}

function witnessMultisigSender(
  witness: readonly Uint8Array[],
  chunks: readonly ScriptChunk[],
  transaction: BitcoinTransaction,
): PeginSender | null {
  if (!transaction.hasWitnesses() || chunks.length !== 1 || witness.length < MULTISIG_PARTS) return null;
  const script = witness.at(-1) ?? EMPTY_BYTES;
  if (!isMultisig(script)) return null;
  const hash = hash160(witnessScript(0, sha256(script)));
  return { kind: 'p2sh-p2wsh', address: { kind: 'script', hash }, account: null };
}

function isMultisig(script: Uint8Array): boolean {
  // Throws for a malformed script.
  scriptChunks(script);
  return redeemScriptOf(script) !== null;
}

/** Decodes a public key (33 or 65 bytes); `null` if it is invalid. */
function publicKeyOf(bytes: Uint8Array): { encoded: Uint8Array; account: Uint8Array } | null {
  try {
    const point = pointOfKey(bytes);
    const isCompressed = bytes.length === COMPRESSED_SIZE;
    return {
      encoded: isCompressed ? compressedKey(point) : concatBytes(Uint8Array.of(4), point),
      account: keccak256(point).slice(12),
    };
  } catch (error) {
    if (error instanceof PrecompileError) return null;
    throw error;
  }
}
