import { createHash } from 'node:crypto';
import type { ExecutionResult } from '../../../src/evm/engine.ts';
import type { PrecompileAccount } from '../../../src/evm/precompiles/precompiled-contract.ts';
import { padLeft } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import type { FederationFormat } from '../../../src/protocol/hardforks/rootstock.ts';
import { type BridgeConstants, bridgeConstants } from '../../../src/rootstock/bridge/bridge-constants.ts';
import { BridgeState } from '../../../src/rootstock/bridge/bridge-state.ts';
import type { Utxo } from '../../../src/rootstock/peg/utxo-store.ts';
import type { Overlay } from '../../../src/state/overlay.ts';
import { ABI, BRIDGE, type BridgeScene, callData, setBridgeScene } from '../bridge/bridge-scene.ts';

/** Access to the Bridge's account in a state, as its methods have. */
export function bridgeAccount(state: Overlay): PrecompileAccount {
  const refuse = (): never => {
    throw new Error('only the storage can be used');
  };
  return {
    slot: (key) => padLeft(state.storageAt(BRIDGE, key), 32),
    setSlot(key, value) {
      const first = value.findIndex((byte) => byte !== 0);
      state.setStorage(BRIDGE, key, first === -1 ? new Uint8Array(0) : value.slice(first));
    },
    balance: () => state.account(BRIDGE)?.balance ?? 0n,
    send: refuse,
    refund: refuse,
    log: refuse,
    remark: () => {},
    upstream: () => null,
  };
}

/** 32 bytes that are equal for equal numbers. */
export function hashOf(number: number): Uint8Array {
  return new Uint8Array(createHash('sha256').update(String(number)).digest());
}

/** A scene with the Bridge's state. */
export interface PegScene extends BridgeScene {
  readonly constants: BridgeConstants;
  /** The Bridge's storage in the present state. */
  bridge(): BridgeState;
  /** Calls `updateCollections` in the block with this number. */
  update(blockNumber: number): Promise<ExecutionResult>;
  /** Adds outputs of the federation with these values (satoshi), of transactions `hashOf(first)` and later. */
  fund(values: readonly bigint[], first?: number): void;
}

export async function setPegScene(
  federation: FederationFormat = 'legacy',
  firstBlock = 50,
  ruleSet: RuleSetName = 'rootstock',
): Promise<PegScene> {
  let number = firstBlock;
  const scene = await setBridgeScene(() => ({ number }), 33, federation, ruleSet);
  const constants = bridgeConstants(33, federation);
  const bridge = (): BridgeState => new BridgeState(bridgeAccount(scene.pair.state), constants);
  return {
    ...scene,
    constants,
    bridge,
    async update(blockNumber) {
      number = blockNumber;
      return scene.transact('federator1', { data: callData('updateCollections') });
    },
    fund(values, first = 0) {
      const { outputScript: script } = constants.federation;
      const utxos = values.map(
        (value, index): Utxo => ({
          transactionId: hashOf(first + index),
          index: 0,
          value,
          script,
          isCoinbase: false,
        }),
      );
      bridge().utxos.add(utxos);
    },
  };
}

/** The names and arguments of a result's logs. */
export function eventsOf({ logs }: ExecutionResult): unknown[][] {
  return logs.map(({ topics, data }) => {
    const log = { topics: topics.map(toHex), data: toHex(data) };
    const parsed = ABI.parseLog(log);
    if (parsed === null) throw new Error('unknown event');
    return [parsed.name, ...parsed.args.toArray()];
  });
}
