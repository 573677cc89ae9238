import { expect } from 'vitest';
import type { BlockEnvironment, Engine, ExecutionResult, Message } from '../../../src/evm/engine.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import type { FederationFormat } from '../../../src/protocol/hardforks/rootstock.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { ETHER, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';

/** Both engines on the same state. Each execution checks that their results and state roots are equal. */
export interface EnginePair {
  readonly wasm: Engine;
  /** The state before the next message. Tests may change it. */
  readonly state: Overlay;
  transact(fields: Partial<Message>): Promise<ExecutionResult>;
  call(fields: Partial<Message>): Promise<ExecutionResult>;
}

/** Creates both engines and a state with one ether for `SENDER`. `block` may return other fields later. */
export async function enginePair(
  name: RuleSetName,
  block: Partial<BlockEnvironment> | (() => Partial<BlockEnvironment>) = {},
  chainId = 33,
  federation: FederationFormat = 'legacy',
): Promise<EnginePair> {
  const options = { chainId, codeSizeLimit: 24_576, federation };
  const reference = await createReferenceEngine(ruleSetNamed(name), options);
  const wasm = createWasmEngine(ruleSetNamed(name), options);
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  const compare = async (
    purpose: 'call' | 'transact',
    fields: Partial<Message>,
  ): Promise<ExecutionResult> => {
    const environment = environmentOf(name, typeof block === 'function' ? block() : block);
    const before = state.toWorldState();
    const [ours, theirs] = [purpose === 'call' ? new Overlay(before) : state, new Overlay(before)];
    const result = await wasm[purpose](environment, ours, messageOf(fields));
    expect(result).toEqual(await reference[purpose](environment, theirs, messageOf(fields)));
    expect(toHex(ours.toWorldState().root)).toBe(toHex(theirs.toWorldState().root));
    return result;
  };
  return {
    wasm,
    state,
    transact: (fields) => compare('transact', fields),
    call: (fields) => compare('call', fields),
  };
}
