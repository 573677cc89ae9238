// The federation of regtest.

import { compareBytes } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { parentChainAddress } from '../bitcoin/address.ts';
import { hash160, multisigScript } from '../bitcoin/script.ts';

/** A member of the federation. The federation holds the coins locked on the parent chain (Bitcoin). */
export interface FederationMember {
  /** 33 bytes: the key for both chains. */
  readonly publicKey: Uint8Array;
  /** 20 bytes: the address of the key on Rootstock. */
  readonly address: Uint8Array;
}

/** The genesis federation of regtest. */
export interface Federation {
  /** Sorted by public key. */
  readonly members: readonly FederationMember[];
  /** The number of required signatures: more than half of the members. */
  readonly threshold: number;
  /** The script to spend coins of the federation. */
  readonly redeemScript: Uint8Array;
  /** The address on the parent chain, as text. */
  readonly address: string;
  /** Seconds since 1970. */
  readonly creationTime: number;
  readonly creationBlockNumber: number;
}

const MEMBERS: readonly FederationMember[] = [
  {
    publicKey: fromHex('0x02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1'),
    address: fromHex('0x6b045752f4d650a510a353bbf7e52988331e7f5b'),
  },
  {
    publicKey: fromHex('0x0362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a124'),
    address: fromHex('0x85845342b0d5260d516d6da5280a7df9a96d1925'),
  },
  {
    publicKey: fromHex('0x03c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db'),
    address: fromHex('0x138161cda86b55c0de1bc3a0adef974633c85fbe'),
  },
];

function federationOf(members: readonly FederationMember[]): Federation {
  const sorted = [...members].sort((left, right) => compareBytes(left.publicKey, right.publicKey));
  const threshold = Math.floor(sorted.length / 2) + 1;
  const redeemScript = multisigScript(
    threshold,
    sorted.map(({ publicKey }) => publicKey),
  );
  return {
    members: sorted,
    threshold,
    redeemScript,
    address: parentChainAddress('script', hash160(redeemScript)),
    creationTime: Date.UTC(2016, 0, 1) / 1000,
    creationBlockNumber: 1,
  };
}

/** The only federation of regtest. */
export const FEDERATION: Federation = federationOf(MEMBERS);
