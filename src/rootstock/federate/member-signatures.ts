// Signatures of members for waiting pegouts.

import { hexKey } from '../../primitives/hex.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { decodeDer, encodeDer, signatureOfBytes } from '../bitcoin/signature.ts';
import { type BitcoinTransaction, parseTransaction, transactionId } from '../bitcoin/transaction.ts';
import type { BridgeState } from '../bridge/bridge-state.ts';
import type { FederationMember } from '../bridge/federation.ts';
import { isSignedBy } from '../peg/add-signature.ts';
import { decodeOutpointValues } from '../peg/pegout-events.ts';
import type { UnsignedPegout } from '../peg/pegouts-waiting.ts';
import { pushedItems, signatureHash } from '../peg/unsigned-transaction.ts';
import type { KnownMember } from './federate-members.ts';

/** Returns the hash to sign for each input. */
function hashesOf(transaction: BitcoinTransaction, { pegouts }: BridgeState): Uint8Array[] {
  const values = decodeOutpointValues(pegouts.outpointValues(transactionId(transaction)));
  return transaction.ins.map((_, index) => signatureHash(transaction, index, values[index] ?? 0n));
}

/** Returns the signatures of a member, one for each input, in DER. */
export function signaturesOf(
  { raw }: UnsignedPegout,
  { privateKey }: KnownMember,
  state: BridgeState,
): Uint8Array[] {
  return hashesOf(parseTransaction(raw), state).map((hash) =>
    encodeDer(signatureOfBytes(curve.sign(hash, privateKey).compact)),
  );
}

/** Returns the members that have signed the first input. */
export function signersOf<Member extends FederationMember>(
  { raw }: UnsignedPegout,
  members: readonly Member[],
  state: BridgeState,
): Member[] {
  const transaction = parseTransaction(raw);
  const [hash] = hashesOf(transaction, state);
  if (hash === undefined) return [];
  // The first item is empty, and the last one is the script.
  const signatures = pushedItems(transaction, 0)
    .slice(1, -1)
    .filter(({ length }) => length > 1);
  return members.filter(({ publicKey }) =>
    signatures.some((signature) => isSignedBy(publicKey, hash, decodeDer(signature))),
  );
}

/** Identifies a waiting pegout. */
export function pegoutKey({ creationHash }: UnsignedPegout): string {
  return hexKey(creationHash);
}
