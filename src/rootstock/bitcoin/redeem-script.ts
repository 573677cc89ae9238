// Redeem scripts of multisig addresses, as rskj recognises them.

import { chunksIfValid, joinChunks, OP, type ScriptChunk } from './script.ts';

/** A recognised redeem script. */
export interface RedeemScript {
  /** The number of required signatures of the members. */
  readonly required: number;
  /** The public keys of the members, in the order of the script. */
  readonly keys: readonly Uint8Array[];
  /** The plain multisig script of the members, without emergency keys and the prefix of Flyover. */
  readonly standard: Uint8Array;
  /** True if emergency keys can spend the coins after a time (ERP). */
  readonly hasEmergencyKeys: boolean;
}

const LEAST_CHUNKS = 4;
const FLYOVER_HASH_SIZE = 32;
const LONGEST_NUMBER = 4;

/** Recognises the redeem script of a multisig address; `null` for all other scripts. */
export function redeemScriptOf(script: Uint8Array): RedeemScript | null {
  const chunks = chunksIfValid(script);
  return chunks === null ? null : redeemScriptIn(chunks);
}

function redeemScriptIn(all: readonly ScriptChunk[]): RedeemScript | null {
  const chunks = withoutFlyoverPrefixes(all);
  if (chunks.length < LEAST_CHUNKS) return null;
  if (isMultisig(chunks)) return describe(chunks, false);
  const members = membersBesideEmergencyKeys(chunks);
  return members === null ? null : describe(members, true);
}

function describe(chunks: readonly ScriptChunk[], hasEmergencyKeys: boolean): RedeemScript {
  return {
    required: positiveNumber(chunks[0]) ?? 0,
    keys: chunks.slice(1, -2).flatMap(({ data }) => (data === null ? [] : [data])),
    standard: joinChunks(chunks),
    hasEmergencyKeys,
  };
}

/** Removes the prefixes of Flyover (RSKIP-176): hashes that are dropped. */
function withoutFlyoverPrefixes(chunks: readonly ScriptChunk[]): readonly ScriptChunk[] {
  let start = 0;
  const isPrefix = () => chunks[start]?.opcode === FLYOVER_HASH_SIZE && chunks[start + 1]?.opcode === OP.DROP;
  while (isPrefix() && isRedeemLike(chunks, start + 2)) start += 2;
  return chunks.slice(start);
}

/** Returns true if the chunks from `start` on end like a redeem script. */
function isRedeemLike(chunks: readonly ScriptChunk[], start: number): boolean {
  if (chunks.length - start < LEAST_CHUNKS) return false;
  return isCheck(chunks.at(-1)) || (chunks.at(-1)?.opcode === OP.ENDIF && isCheck(chunks.at(-2)));
}

function isCheck(chunk: ScriptChunk | undefined): boolean {
  return chunk?.opcode === OP.CHECKMULTISIG || chunk?.opcode === OP.CHECKMULTISIGVERIFY;
}

function isMultisig(chunks: readonly ScriptChunk[]): boolean {
  if (chunks.length < LEAST_CHUNKS || !isCheck(chunks.at(-1)) || positiveNumber(chunks[0]) === null)
    return false;
  const keys = positiveNumber(chunks.at(-2));
  return (
    keys !== null && chunks.length === keys + 3 && chunks.slice(1, -2).every(({ data }) => data !== null)
  );
}

/**
 * Returns the multisig part of the members in a script with emergency keys: `NOTIF members ELSE delay
 * CHECKSEQUENCEVERIFY DROP emergency ENDIF` (RSKIP-353). `null` for all other scripts.
 */
function membersBesideEmergencyKeys(chunks: readonly ScriptChunk[]): readonly ScriptChunk[] | null {
  const otherwise = chunks.findIndex(({ opcode }, index) => index > 0 && opcode === OP.ELSE);
  if (chunks[0]?.opcode !== OP.NOTIF || chunks.at(-1)?.opcode !== OP.ENDIF || otherwise < 0) return null;
  const [delay, check, drop] = chunks.slice(otherwise + 1, otherwise + 4);
  const isDelayed =
    delay !== undefined &&
    delay.opcode <= OP.SIXTEEN &&
    check?.opcode === OP.CHECKSEQUENCEVERIFY &&
    drop?.opcode === OP.DROP;
  const members = chunks.slice(1, otherwise);
  return isDelayed && isMultisig(members) && isMultisig(chunks.slice(otherwise + 4, -1)) ? members : null;
}

/** Returns the positive number that a chunk pushes, at most four bytes; `null` for all other chunks. */
function positiveNumber(chunk: ScriptChunk | undefined): number | null {
  if (chunk === undefined) return null;
  const { opcode, data } = chunk;
  if (opcode >= OP.ONE && opcode <= OP.SIXTEEN) return opcode - OP.ONE + 1;
  if (data === null || data.length === 0 || data.length > LONGEST_NUMBER) return null;
  const last = data.at(-1) ?? 0;
  const isPadded = last === 0 && (data.at(-2) ?? 0) < 0x80;
  if (last >= 0x80 || isPadded) return null;
  return data.reduceRight((value, byte) => value * 256 + byte, 0);
}
