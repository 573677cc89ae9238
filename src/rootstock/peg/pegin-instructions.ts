// The instructions in the data output of a pegin (RSKIP-170).

import { equalBytes } from '../../primitives/bytes.ts';
import type { HashAddress } from '../bitcoin/address.ts';
import { chunksIfValid, OP } from '../bitcoin/script.ts';
import type { BitcoinTransaction } from '../bitcoin/transaction.ts';

export interface PeginInstructions {
  /** The account that receives the coins, 20 bytes. */
  readonly receiver: Uint8Array;
  /** The address for refunds; `null` if not set. */
  readonly refundAddress: HashAddress | null;
}

/** `RSKT` in ASCII. */
const PREFIX = Uint8Array.of(0x52, 0x53, 0x4b, 0x54);
const VERSION = 1;
const RECEIVER_START = 5;
const RECEIVER_END = 25;
const LONG_SIZE = 46;
const ADDRESS_KINDS = new Map<number | undefined, HashAddress['kind']>([
  [1, 'key'],
  [2, 'script'],
]);

/** Returns the instructions of a transaction: `null` if it has none, `'invalid'` if they cannot be read. */
export function peginInstructionsOf({ outs }: BitcoinTransaction): PeginInstructions | null | 'invalid' {
  const scripts = outs.map(({ script }) => chunksIfValid(script));
  const payloads = scripts.flatMap((chunks) => {
    const data = chunks?.[0]?.opcode === OP.RETURN ? (chunks[1]?.data ?? null) : null;
    return data !== null && isPayload(data) ? [data] : [];
  });
  if (scripts.includes(null) || payloads.length > 1) return 'invalid';
  const [payload] = payloads;
  return payload === undefined ? null : readInstructions(payload);
}

/** Returns true for data that start with the prefix of instructions. */
export function isPayload(data: Uint8Array): boolean {
  return equalBytes(data.subarray(0, PREFIX.length), PREFIX);
}

/** Reads data that {@link isPayload} recognizes. */
export function readInstructions(payload: Uint8Array): PeginInstructions | 'invalid' {
  if (payload[PREFIX.length] !== VERSION) return 'invalid';
  const receiver = payload.slice(RECEIVER_START, RECEIVER_END);
  if (payload.length === RECEIVER_END) return { receiver, refundAddress: null };
  const kind = ADDRESS_KINDS.get(payload[RECEIVER_END]);
  if (payload.length !== LONG_SIZE || kind === undefined) return 'invalid';
  return { receiver, refundAddress: { kind, hash: payload.slice(RECEIVER_END + 1) } };
}
