import { equalBytes } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import type { Federation, FederationMember } from '../bridge/federation.ts';

/** A member of the federation whose key is known. */
export interface KnownMember extends FederationMember {
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
}

/** The private keys are the Keccak hashes of these names, as on a local Rootstock network. */
const NAMES = ['federator1', 'federator2', 'federator3'];

/** Returns the members with known keys, in the order of the federation. */
export function knownMembers({ members }: Federation): KnownMember[] {
  const keys = NAMES.map((name) => keccak256(new TextEncoder().encode(name)));
  return members.flatMap((member) => {
    const privateKey = keys.find((key) => equalBytes(curve.compressedPublicKey(key), member.publicKey));
    return privateKey === undefined ? [] : [{ ...member, privateKey }];
  });
}
