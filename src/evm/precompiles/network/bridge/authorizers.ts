import { equalBytes } from '../../../../primitives/bytes.ts';
import { fromHex } from '../../../../primitives/hex.ts';
import type { BridgeCall } from './bridge-call.ts';

/** The Bridge itself. */
export const BRIDGE_ADDRESS: Uint8Array = fromHex('0x0000000000000000000000000000000001000006');

/**
 * Who may change what on a local network: the addresses (20 bytes each) of keys that everybody knows, since each is the
 * Keccak hash of a text.
 */
export const AUTHORIZERS = {
  /** Keys of `auth-a` to `auth-e`; three of the five must agree. */
  federation: [
    fromHex('0x5252403bca6ac3c104abdd320a736fa38282045d'),
    fromHex('0x0d8c44bd578a4e7148d1758b3332b529e93e48c1'),
    fromHex('0x566bca18df14ed75efcc1a8a4f3947e81132dbbc'),
    fromHex('0x2e7c9159614ddc0185e335d3343e92700c3e5a2d'),
    fromHex('0xf0652637df184eca87e6bde29893825721dfb79f'),
  ],
  /** Key of `auth-fee-per-kb`. */
  feePerKilobyte: [fromHex('0x53f8f6dabd612b6137215ddd7758bb5cdd638922')],
  /** Key of `auth-lock-whitelist`. */
  whitelist: [fromHex('0x87d2a0f33744929da08b65fd62b627ea52b25f8e')],
  /** Key of `auth-increase_locking_cap`. */
  lockingCap: [fromHex('0x6913bd4715eff3b25501f3212f15df38296d1f21')],
  /** Key of `changeUnionBridgeContractAddressAuthorizer`: where the second bridge is. */
  unionBridgeAddress: [fromHex('0x6c9dfd950bf748bb26f893f7e5f693c7f60a8f85')],
  /** The first contract of the key of `UnionBridgeAuthorizerDeployer`: what the second bridge may do. */
  unionBridge: [fromHex('0xff6f4ff09c54561e1476203e56fcfc834911aa64')],
} as const;

/** True when the caller is one of them. */
export function isAuthorized({ caller }: BridgeCall, authorizers: readonly Uint8Array[]): boolean {
  return authorizers.some((address) => equalBytes(address, caller));
}
