// The federations of Rootstock's networks.

import { compareBytes, concatBytes } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import type { FederationFormat } from '../../protocol/hardforks/rootstock.ts';
import { type BitcoinNetwork, parentChainAddress } from '../bitcoin/address.ts';
import { hash160, multisigScript, OP, p2shScript, push, sha256, witnessScript } from '../bitcoin/script.ts';

/** A member of the federation. The federation holds the coins locked on the parent chain (Bitcoin). */
export interface FederationMember {
  /** 33 bytes: the key for both chains. */
  readonly publicKey: Uint8Array;
  /** 20 bytes: the address of the key on Rootstock. */
  readonly address: Uint8Array;
}

/** The numbers that Rootstock uses for the script formats of federations. */
export const FORMAT_VERSIONS = { legacy: 1000, p2wsh: 4000 } as const;

export interface Federation {
  /** Sorted by public key. */
  readonly members: readonly FederationMember[];
  /** The number of required signatures: more than half of the members. */
  readonly threshold: number;
  /** The script to spend coins of the federation. */
  readonly redeemScript: Uint8Array;
  /** The script of outputs to the federation: P2SH, with a witness script in the format `p2wsh`. */
  readonly outputScript: Uint8Array;
  readonly formatVersion: (typeof FORMAT_VERSIONS)[FederationFormat];
  /** The address on the parent chain, as text. */
  readonly address: string;
  /** Seconds since 1970. */
  readonly creationTime: number;
  readonly creationBlockNumber: number;
}

/** The keys that can spend the coins after a delay, if the members cannot sign (RSKIP-201). */
interface EmergencyKeys {
  /** 33 bytes each. */
  readonly publicKeys: readonly Uint8Array[];
  /** Blocks of the parent chain. */
  readonly delay: number;
}

export interface FederationFacts {
  /** 33 bytes each, in hexadecimal. */
  readonly publicKeys: readonly string[];
  /** Seconds since 1970. */
  readonly creationTime: number;
  /** The format `p2wsh` requires them; the format `legacy` does not use them. */
  readonly emergency: EmergencyKeys | null;
  readonly network: BitcoinNetwork;
}

function majorityOf(keys: readonly Uint8Array[]): number {
  return Math.floor(keys.length / 2) + 1;
}

function majorityScript(keys: readonly Uint8Array[]): Uint8Array {
  return multisigScript(majorityOf(keys), [...keys].sort(compareBytes));
}

/** Pushes a delay from 17 to 65,535 blocks as a signed number. */
function pushDelay(delay: number): Uint8Array {
  const bytes = delay <= 0xff ? [delay] : [delay & 0xff, delay >> 8];
  const isNegative = (bytes.at(-1) ?? 0) >= 0x80;
  return push(Uint8Array.from(isNegative ? [...bytes, 0] : bytes));
}

/** Returns the script of a federation with emergency keys (RSKIP-353). */
export function emergencyScript(
  keys: readonly Uint8Array[],
  { publicKeys, delay }: EmergencyKeys,
): Uint8Array {
  return concatBytes(
    Uint8Array.of(OP.NOTIF),
    majorityScript(keys),
    Uint8Array.of(OP.ELSE),
    pushDelay(delay),
    Uint8Array.of(OP.CHECKSEQUENCEVERIFY, OP.DROP),
    majorityScript(publicKeys),
    Uint8Array.of(OP.ENDIF),
  );
}

/** Returns the hash (20 bytes) in the output script and the address of a redeem script. */
export function scriptHashOf(redeemScript: Uint8Array, format: FederationFormat): Uint8Array {
  return hash160(format === 'p2wsh' ? witnessScript(0, sha256(redeemScript)) : redeemScript);
}

function memberOf(publicKey: Uint8Array): FederationMember {
  return { publicKey, address: keccak256(curve.pointOf(publicKey)).subarray(12) };
}

/** Creates the genesis federation of a network. */
export function genesisFederation(
  { publicKeys, creationTime, emergency, network }: FederationFacts,
  format: FederationFormat,
): Federation {
  const keys = publicKeys.map(fromHex).sort(compareBytes);
  if (format === 'p2wsh' && emergency === null) throw new Error('the federation has no emergency keys');
  const redeemScript =
    format === 'p2wsh' && emergency !== null ? emergencyScript(keys, emergency) : majorityScript(keys);
  const hash = scriptHashOf(redeemScript, format);
  return {
    members: keys.map(memberOf),
    threshold: majorityOf(keys),
    redeemScript,
    outputScript: p2shScript(hash),
    formatVersion: FORMAT_VERSIONS[format],
    address: parentChainAddress('script', hash, network),
    creationTime,
    creationBlockNumber: 1,
  };
}
