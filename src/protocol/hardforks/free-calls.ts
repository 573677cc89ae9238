// Free transactions to Rootstock's Bridge. Networks charge them after the activation of areBridgeTxsPaid.

import { equalBytes } from '../../primitives/bytes.ts';
import { fromHex, hexKey } from '../../primitives/hex.ts';
import { precompileAddress } from './precompiles.ts';
import type { FreeCalls, RuleSet } from './rule-set.ts';

/**
 * The members of regtest's federation (20 bytes each), in the order of REMASC's payments. Private keys: the Keccak
 * hashes of `federator3`, `federator1` and `federator2`.
 */
export const LOCAL_FEDERATORS: readonly Uint8Array[] = [
  fromHex('0x6b045752f4d650a510a353bbf7e52988331e7f5b'),
  fromHex('0x85845342b0d5260d516d6da5280a7df9a96d1925'),
  fromHex('0x138161cda86b55c0de1bc3a0adef974633c85fbe'),
];

/** The accounts of regtest that vote on changes of the Bridge. Private keys: the Keccak hashes of the texts. */
export const LOCAL_BRIDGE_VOTERS = {
  /** Keys `auth-a` to `auth-e`; three of the five must agree. */
  federation: [
    fromHex('0x5252403bca6ac3c104abdd320a736fa38282045d'),
    fromHex('0x0d8c44bd578a4e7148d1758b3332b529e93e48c1'),
    fromHex('0x566bca18df14ed75efcc1a8a4f3947e81132dbbc'),
    fromHex('0x2e7c9159614ddc0185e335d3343e92700c3e5a2d'),
    fromHex('0xf0652637df184eca87e6bde29893825721dfb79f'),
  ],
  /** Key `auth-fee-per-kb`. */
  feePerKilobyte: [fromHex('0x53f8f6dabd612b6137215ddd7758bb5cdd638922')],
  /** Key `auth-lock-whitelist`. */
  whitelist: [fromHex('0x87d2a0f33744929da08b65fd62b627ea52b25f8e')],
} as const;

/** The free calls of regtest: the members of the federation, and the voters. */
export function localFreeCalls(): FreeCalls {
  const senders = [...LOCAL_FEDERATORS, ...Object.values(LOCAL_BRIDGE_VOTERS).flat()];
  return { to: precompileAddress('BRIDGE'), senders: new Set(senders.map(hexKey)) };
}

/** Returns true if a message of this sender to this account costs no gas. */
export function isFreeCall(
  { precompiles: { freeCalls } }: Pick<RuleSet, 'precompiles'>,
  { sender, to }: { readonly sender: Uint8Array; readonly to: Uint8Array | null },
): boolean {
  if (freeCalls === null || to === null) return false;
  return equalBytes(to, freeCalls.to) && freeCalls.senders.has(hexKey(sender));
}

/** The chain ids of networks where all calls of the Bridge are paid: mainnet and testnet. */
const PAID_CHAINS: ReadonlySet<number> = new Set([30, 31]);

/** Returns the rule set without free calls on mainnet and testnet; otherwise unchanged. */
export function withPaidBridge(ruleSet: RuleSet, chainId: number): RuleSet {
  const { precompiles } = ruleSet;
  return precompiles.freeCalls === null || !PAID_CHAINS.has(chainId)
    ? ruleSet
    : { ...ruleSet, precompiles: { ...precompiles, freeCalls: null } };
}
