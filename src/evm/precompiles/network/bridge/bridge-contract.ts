// The dispatch of calls to the Bridge.

import { padLeft } from '../../../../primitives/bytes.ts';
import { hexKey } from '../../../../primitives/hex.ts';
import type { NetworkUpgrade } from '../../../../protocol/hardforks/rootstock.ts';
import { Overlay } from '../../../../state/overlay.ts';
import type { WorldState } from '../../../../state/world-state.ts';
import {
  type NativeAccount,
  type NativeCall,
  type PrecompileContext,
  PrecompileError,
} from '../../precompiled-contract.ts';
import { ownStorageAt } from '../native-contract.ts';
import { BRIDGE_ADDRESS, type BridgeAccess, type BridgeMethod } from './bridge-method.ts';
import { BridgeState } from './bridge-state.ts';
import { FEDERATION_METHODS } from './methods/federation-methods.ts';
import { GOVERNANCE_METHODS } from './methods/governance-methods.ts';
import { PARENT_CHAIN_METHODS } from './methods/parent-chain-methods.ts';
import { PEGIN_METHODS, WHITELIST_METHODS } from './methods/pegin-methods.ts';
import { PEGOUT_METHODS } from './methods/pegout-methods.ts';
import { UNION_METHODS } from './methods/union-methods.ts';

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
  BRIDGE_METHODS.map((method) => [hexKey(method.selector), method]),
);
const WITHOUT_SELECTOR = BRIDGE_METHODS.find(({ name }) => name === 'releaseBtc');

/**
 * Returns the method with the input's selector, on a chain with these upgrades; an empty input selects `releaseBtc`.
 */
function methodOf(input: Uint8Array, upgrades: ReadonlySet<NetworkUpgrade>): BridgeMethod | undefined {
  if (input.length === 0) return WITHOUT_SELECTOR;
  const method = BY_SELECTOR.get(hexKey(input.subarray(0, SELECTOR_SIZE)));
  return method?.upgrade === undefined || upgrades.has(method.upgrade) ? method : undefined;
}

/** Returns the bytes after the selector. */
function argumentsOf(input: Uint8Array): Uint8Array {
  return input.subarray(SELECTOR_SIZE);
}

/** The price of a call that no method can decode, in gas: that of releasing coins. */
const UNREADABLE_GAS = 23_000n;
/** Gas of each byte of the input, including the selector. */
const BYTE_GAS = 2n;

/** An empty account, for prices that are computed without a state. */
const EMPTY_ACCOUNT: NativeAccount = {
  slot: () => new Uint8Array(32),
  setSlot: () => {},
  send: () => {},
  log: () => {},
};

/** Returns the price of a call of the Bridge with this input, in gas, on a chain with these upgrades. */
export function bridgeGas(
  input: Uint8Array,
  context: PrecompileContext | undefined,
  upgrades: ReadonlySet<NetworkUpgrade>,
): bigint {
  const method = methodOf(input, upgrades);
  if (method === undefined) return UNREADABLE_GAS;
  const state = new BridgeState(context?.call().account ?? EMPTY_ACCOUNT);
  try {
    return method.gas(argumentsOf(input), state) + BYTE_GAS * BigInt(input.length);
  } catch (error) {
    if (error instanceof PrecompileError) return UNREADABLE_GAS;
    throw error;
  }
}

/** Returns the reason why a method refuses the call. */
function refusalOf(
  access: BridgeAccess,
  { isBorrowed, isStatic, isReadOnlyCall }: NativeCall,
): string | null {
  if (isBorrowed) return 'The Bridge works on its own account only';
  if (isStatic && access === 'write') return 'The method changes something';
  if (!isReadOnlyCall && access === 'call only') return 'The method does not answer transactions';
  return null;
}

/**
 * Returns the result of the Bridge on a chain with these upgrades. Throws a `PrecompileError` where the network's
 * fails.
 */
export function runBridge(
  input: Uint8Array,
  context: PrecompileContext,
  upgrades: ReadonlySet<NetworkUpgrade>,
): Uint8Array {
  const method = methodOf(input, upgrades);
  if (method === undefined) throw new PrecompileError('The Bridge has no such method');
  const call = context.call();
  const refusal = refusalOf(method.access, call);
  if (refusal !== null) throw new PrecompileError(refusal);
  const { caller, value, isStatic, isBorrowed, isReadOnlyCall, transaction, account } = call;
  return method.run(
    {
      caller,
      value,
      isStatic,
      isBorrowed,
      isReadOnlyCall,
      transaction,
      account,
      isFromContract: context.depth > 0,
      environment: context.environment,
      state: new BridgeState(account),
    },
    argumentsOf(input),
  );
}

// Reading the Bridge's state outside of executions.

/** Returns read-only access to the account of the Bridge in a state. */
function readOnlyAccount(state: Overlay): NativeAccount {
  const refuse = (): never => {
    throw new Error('the account is read only');
  };
  return {
    slot: (key) => padLeft(ownStorageAt(state, BRIDGE_ADDRESS, key), 32),
    setSlot: refuse,
    send: refuse,
    log: refuse,
  };
}

function bridgeStateIn(state: WorldState): BridgeState {
  return new BridgeState(readOnlyAccount(new Overlay(state)));
}

/** Returns the height of the parent chain's best block that the Bridge knows in a state. */
export function parentChainHeight(state: WorldState): number {
  return bridgeStateIn(state).parentChain.head.height;
}

/** Returns the event that the second bridge left for the header of the block with that state (RSKIP-535); empty for none. */
export function baseEventIn(state: WorldState): Uint8Array {
  return bridgeStateIn(state).union.event('Base');
}
