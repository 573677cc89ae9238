import { toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { DumpValue } from '../dump/dump-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** A field that Anvil passes over: our own dump of the same chain, which says all that Anvil's form has no place for. */
const FIELD = 'node_cli';

function digestOf(state: Json): string {
  return toHex(keccak256(Buffer.from(JSON.stringify(state))));
}

/** The state of Anvil with our own dump (compressed) in it, and a digest of the rest. */
export function withCarriedDump(state: Json, dump: Uint8Array): Json {
  return { ...state, [FIELD]: { digest: digestOf(state), dump: Buffer.from(dump).toString('base64') } };
}

/**
 * Our own dump that a state of Anvil carries, compressed; `null` when it carries none, or was changed since: who edits
 * such a file means what stands in it.
 */
export function carriedDump(value: DumpValue): Uint8Array | null {
  const carried = value.field(FIELD);
  if (carried.isNothing) return null;
  const { [FIELD]: _, ...state } = value.json as Json;
  const isUnchanged = carried.field('digest').json === digestOf(state);
  return isUnchanged ? new Uint8Array(Buffer.from(carried.field('dump').text(), 'base64')) : null;
}
