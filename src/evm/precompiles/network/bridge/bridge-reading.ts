// Reading the Bridge's state outside of executions.

import { padLeft } from '../../../../primitives/bytes.ts';
import { Overlay } from '../../../../state/overlay.ts';
import type { WorldState } from '../../../../state/world-state.ts';
import type { NativeAccount } from '../../precompiled-contract.ts';
import { ownStorageAt } from '../native-contract.ts';
import { BRIDGE_ADDRESS } from './bridge-method.ts';
import { BridgeState } from './bridge-state.ts';

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

/** Returns the height of the parent chain's best block that the Bridge knows in a state. */
export function parentChainHeight(state: WorldState): number {
  return new BridgeState(readOnlyAccount(new Overlay(state))).parentChain.head.height;
}
