/** Parses a merged-mining proof: header, coinbase transaction and Merkle branch of a Bitcoin block. */

import { sha256 } from 'viem/utils';

/** The fields of the Bitcoin header, in the format of Bitcoin explorers. */
export interface ParentHeader {
  readonly hash: string;
  readonly version: number;
  readonly previousHash: string;
  readonly merkleRoot: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly bits: string;
  readonly nonce: number;
}

const HEADER_DIGITS = 160;
/** `RSKBLOCK:` */
const TAG = '52534b424c4f434b3a';
const HASH_DIGITS = 64;
/** The minimum difficulty for the target. */
const MIN_DIFFICULTY = 3n;

function reversed(digits: string): string {
  return (digits.match(/../g) ?? []).reverse().join('');
}

/** Returns the fields of an 80-byte header; `null` for other lengths. */
export function parentHeaderOf(hex: string): ParentHeader | null {
  const digits = hex.slice(2);
  if (digits.length !== HEADER_DIGITS) return null;
  const number = (start: number): number => Number(`0x${reversed(digits.slice(start, start + 8))}`);
  return {
    hash: reversed(sha256(sha256(`0x${digits}`)).slice(2)),
    version: number(0),
    previousHash: reversed(digits.slice(8, 8 + HASH_DIGITS)),
    merkleRoot: reversed(digits.slice(72, 72 + HASH_DIGITS)),
    time: number(136),
    bits: reversed(digits.slice(144, 152)),
    nonce: number(152),
  };
}

/** Returns the hash that a coinbase transaction commits to, after the last tag; `null` for none. */
export function commitmentOf(coinbase: string): string | null {
  const start = coinbase.lastIndexOf(TAG);
  const hash = coinbase.slice(start + TAG.length, start + TAG.length + HASH_DIGITS);
  return start < 0 || hash.length < HASH_DIGITS ? null : `0x${hash}`;
}

/** Returns the proof-of-work target as 64 digits: 2^256 / max(difficulty, 3). */
export function targetOf(difficulty: bigint): string {
  const divisor = difficulty > MIN_DIFFICULTY ? difficulty : MIN_DIFFICULTY;
  return (2n ** 256n / divisor).toString(16).padStart(HASH_DIGITS, '0');
}

/** Returns the number of sibling hashes in a Merkle branch. */
export function branchLength(proof: string): number {
  return (proof.length - 2) / HASH_DIGITS;
}

/** A share of fees paid by REMASC. */
export interface FeePayment {
  readonly receiver: string;
  /** The block whose fees are paid. */
  readonly block: string;
  readonly wei: bigint;
}

/** REMASC's address, and the topic of its payments: their name, right-aligned. */
export const REMASC = '0x0000000000000000000000000000000001000008';
const PAYMENT_TOPIC = '0x000000000000000000000000000000006d696e696e675f6665655f746f706963';

/** Decodes a payment from a REMASC log (an RLP list of block hash and amount); `null` for other logs. */
export function paymentOf(log: {
  readonly topics: readonly string[];
  readonly data: string;
}): FeePayment | null {
  const [topic, receiver] = log.topics;
  const { hash, amount } =
    /^0x[c-f].a0(?<hash>[0-9a-f]{64})(?<amount>(?:[0-7].|[89a].+))$/.exec(log.data)?.groups ?? {};
  if (topic !== PAYMENT_TOPIC || receiver === undefined || hash === undefined || amount === undefined)
    return null;
  // RLP: a byte below 0x80 is the number itself; otherwise the first byte is the length.
  const digits = amount.length === 2 ? amount.replace('80', '00') : amount.slice(2);
  return { receiver: `0x${receiver.slice(-40)}`, block: `0x${hash}`, wei: BigInt(`0x${digits}`) };
}
