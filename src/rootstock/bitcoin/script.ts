// Scripts of Bitcoin: their parts, and the usual output scripts.

import { createHash } from 'node:crypto';
import { concatBytes, equalBytes, joinBytes } from '../../primitives/bytes.ts';
import { BitcoinFormatError, ByteReader, littleEndian } from './byte-reader.ts';

export const OP = {
  ZERO: 0x00,
  PUSHDATA1: 0x4c,
  PUSHDATA2: 0x4d,
  PUSHDATA4: 0x4e,
  /** The opcode that pushes 1. The opcodes for higher numbers follow. */
  ONE: 0x51,
  SIXTEEN: 0x60,
  NOTIF: 0x64,
  ELSE: 0x67,
  ENDIF: 0x68,
  RETURN: 0x6a,
  DROP: 0x75,
  DUP: 0x76,
  EQUAL: 0x87,
  EQUALVERIFY: 0x88,
  HASH160: 0xa9,
  CODESEPARATOR: 0xab,
  CHECKSIG: 0xac,
  CHECKMULTISIG: 0xae,
  CHECKMULTISIGVERIFY: 0xaf,
  CHECKSEQUENCEVERIFY: 0xb2,
} as const;

/** An opcode, and the bytes that it pushes; `null` for opcodes above `OP_PUSHDATA4`. */
export interface ScriptChunk {
  readonly opcode: number;
  readonly data: Uint8Array | null;
}

/** Splits a script. Throws `BitcoinFormatError` if a push exceeds the script. */
export function scriptChunks(script: Uint8Array): ScriptChunk[] {
  const reader = new ByteReader(script);
  const chunks: ScriptChunk[] = [];
  while (!reader.isAtEnd) {
    const opcode = reader.number(1);
    const length = pushedLength(opcode, reader);
    chunks.push({ opcode, data: length === null ? null : reader.bytes(length) });
  }
  return chunks;
}

/** Like {@link scriptChunks}; `null` if a push exceeds the script. */
export function chunksIfValid(script: Uint8Array): ScriptChunk[] | null {
  try {
    return scriptChunks(script);
  } catch (error) {
    if (error instanceof BitcoinFormatError) return null;
    throw error;
  }
}

function pushedLength(opcode: number, reader: ByteReader): number | null {
  if (opcode < OP.PUSHDATA1) return opcode;
  if (opcode === OP.PUSHDATA1) return reader.number(1);
  if (opcode === OP.PUSHDATA2) return reader.number(2);
  return opcode === OP.PUSHDATA4 ? reader.number(4) : null;
}

/** Returns the script of the chunks, with the same encoding of each push. */
export function joinChunks(chunks: readonly ScriptChunk[]): Uint8Array {
  return joinBytes(
    chunks.flatMap(({ opcode, data }) =>
      data === null ? [Uint8Array.of(opcode)] : [pushPrefix(opcode, data.length), data],
    ),
  );
}

function pushPrefix(opcode: number, length: number): Uint8Array {
  if (opcode < OP.PUSHDATA1) return Uint8Array.of(opcode);
  return concatBytes(Uint8Array.of(opcode), littleEndian(length, 2 ** (opcode - OP.PUSHDATA1)));
}

/** Returns the shortest push of the bytes that keeps them as data (at most 65,535 bytes). */
export function push(data: Uint8Array): Uint8Array {
  const { length } = data;
  if (length > 0xffff) throw new BitcoinFormatError(`cannot push ${length} bytes`);
  const opcode = length < OP.PUSHDATA1 ? length : length <= 0xff ? OP.PUSHDATA1 : OP.PUSHDATA2;
  return concatBytes(pushPrefix(opcode, length), data);
}

/** Returns the opcode that pushes a number from 0 to 16. */
export function smallNumber(value: number): number {
  return value === 0 ? OP.ZERO : OP.ONE - 1 + value;
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}

/** Returns RIPEMD-160 of SHA-256, the hash in Bitcoin's addresses (20 bytes). */
export function hash160(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('ripemd160').update(sha256(bytes)).digest());
}

/** Returns the multisig script (BIP-11) for the keys in order (33 bytes each, at most 16). */
export function multisigScript(required: number, keys: readonly Uint8Array[]): Uint8Array {
  return concatBytes(
    Uint8Array.of(smallNumber(required)),
    ...keys.map(push),
    Uint8Array.of(smallNumber(keys.length), OP.CHECKMULTISIG),
  );
}

/** Returns the output script for the hash of a public key (20 bytes). */
export function p2pkhScript(keyHash: Uint8Array): Uint8Array {
  return concatBytes(
    Uint8Array.of(OP.DUP, OP.HASH160),
    push(keyHash),
    Uint8Array.of(OP.EQUALVERIFY, OP.CHECKSIG),
  );
}

/** Returns the output script for the hash of a script (20 bytes, BIP-16). */
export function p2shScript(scriptHash: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(OP.HASH160), push(scriptHash), Uint8Array.of(OP.EQUAL));
}

/** Returns the output script of a witness program (BIP-141). */
export function witnessScript(version: number, program: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(smallNumber(version)), push(program));
}

/** Returns the P2SH-P2WSH script around a witness script; the P2SH script spends it with this script as data. */
export function p2shP2wshScript(script: Uint8Array): Uint8Array {
  return p2shScript(hash160(witnessScript(0, sha256(script))));
}

/** Returns an output script with data and without a receiver. */
export function opReturnScript(data: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(OP.RETURN), push(data));
}

/** The kind of an output script, with its hash or witness program. */
export type OutputScript =
  | { readonly kind: 'p2pkh' | 'p2sh'; readonly hash: Uint8Array }
  | { readonly kind: 'witness'; readonly version: number; readonly program: Uint8Array };

const HASH_SIZE = 20;
const LEAST_PROGRAM = 2;
const LARGEST_PROGRAM = 40;

/** Recognises an output script with an address; `null` for all others. */
export function outputScriptOf(script: Uint8Array): OutputScript | null {
  const key = script.subarray(3, 3 + HASH_SIZE);
  if (script.length === 25 && equalBytes(script, p2pkhScript(key))) return { kind: 'p2pkh', hash: key };
  const hash = script.subarray(2, 2 + HASH_SIZE);
  if (script.length === 23 && equalBytes(script, p2shScript(hash))) return { kind: 'p2sh', hash };
  const [first = 0, length = 0] = script;
  const isVersion = first === OP.ZERO || (first >= OP.ONE && first <= OP.SIXTEEN);
  if (!isVersion || length < LEAST_PROGRAM || length > LARGEST_PROGRAM || script.length !== length + 2)
    return null;
  return {
    kind: 'witness',
    version: first === OP.ZERO ? 0 : first - OP.ONE + 1,
    program: script.subarray(2),
  };
}
