import { keyOf } from '../../../../primitives/hex.ts';
import type { NetworkUpgrade } from '../../../../protocol/hardforks/network-upgrades.ts';
import type { BridgeMethod } from './bridge-method.ts';
import { FEDERATION_METHODS } from './methods/federation-methods.ts';
import { GOVERNANCE_METHODS } from './methods/governance-methods.ts';
import { PARENT_CHAIN_METHODS } from './methods/parent-chain-methods.ts';
import { PEGIN_METHODS } from './methods/pegin-methods.ts';
import { PEGOUT_METHODS } from './methods/pegout-methods.ts';
import { UNION_METHODS } from './methods/union-methods.ts';
import { WHITELIST_METHODS } from './methods/whitelist-methods.ts';

/** All methods of the Bridge that the network has after all its forks. */
export const BRIDGE_METHODS: readonly BridgeMethod[] = [
  ...FEDERATION_METHODS,
  ...PARENT_CHAIN_METHODS,
  ...PEGIN_METHODS,
  ...PEGOUT_METHODS,
  ...WHITELIST_METHODS,
  ...GOVERNANCE_METHODS,
  ...UNION_METHODS,
];

const SELECTOR_SIZE = 4;

const BY_SELECTOR: ReadonlyMap<string, BridgeMethod> = new Map(
  BRIDGE_METHODS.map((method) => [keyOf(method.selector), method]),
);
const WITHOUT_SELECTOR = BRIDGE_METHODS.find(({ name }) => name === 'releaseBtc');

/**
 * The method that the input names by its selector, on a chain with these upgrades; no input at all names `releaseBtc`.
 */
export function methodOf(input: Uint8Array, upgrades: ReadonlySet<NetworkUpgrade>): BridgeMethod | undefined {
  if (input.length === 0) return WITHOUT_SELECTOR;
  const method = BY_SELECTOR.get(keyOf(input.subarray(0, SELECTOR_SIZE)));
  return method?.upgrade === undefined || upgrades.has(method.upgrade) ? method : undefined;
}

/** The bytes after the selector. */
export function argumentsOf(input: Uint8Array): Uint8Array {
  return input.subarray(SELECTOR_SIZE);
}
