import { type BlockEnvironment, type Message, UnexecutableError } from '../../../src/evm/engine.ts';
import { bigIntToBytes, bigIntToFixedBytes, EMPTY_BYTES } from '../../../src/primitives/bytes.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import type { Cheat, RandomScene } from './random-scene.ts';

/** One message of a scene, with its initial state. */
export interface Turn {
  readonly purpose: 'transact' | 'call';
  readonly environment: BlockEnvironment;
  readonly state: Overlay;
  readonly message: Message;
}

/** Executes the messages of the scene in order. Calls `onRejection` for each message that an engine rejects. */
export async function playScene(
  scene: RandomScene,
  execute: (turn: Turn) => Promise<void>,
  onRejection: () => void = () => {},
): Promise<void> {
  let { environment } = scene;
  let state = new Overlay(stateOf(scene));
  const states = [state.toWorldState()];
  for (const { purpose, statesBack, cheats, message } of scene.messages) {
    const isInPast = statesBack > 0 && statesBack < states.length;
    const start = isInPast ? states.at(-1 - statesBack) : undefined;
    const subject = start ?? (purpose === 'call' ? state.toWorldState() : undefined);
    const overlay = subject === undefined ? state : new Overlay(subject);
    for (const each of cheats) apply(each, overlay);
    const nonce = (overlay.account(message.sender)?.nonce ?? 0n) + message.nonce;
    // Facts cached for a block environment are not valid for a new block in its place.
    const block = isInPast ? { ...environment } : environment;
    try {
      await execute({ purpose, environment: block, state: overlay, message: { ...message, nonce } });
    } catch (error) {
      if (!(error instanceof UnexecutableError)) throw error;
      onRejection();
    }
    if (purpose === 'call') continue;
    environment = block;
    state = overlay;
    // Only sometimes, so that transactions also share an overlay.
    if (cheats.length === 0) states.push(state.toWorldState());
  }
}

/** The state at the start of a scene. */
export function stateOf({ accounts }: Pick<RandomScene, 'accounts'>): WorldState {
  const overlay = new Overlay(WorldState.empty());
  for (const { address, nonce, balance, code, slots } of accounts) {
    overlay.setAccount(address, { nonce, balance });
    if (code.length > 0) overlay.setCode(address, code);
    for (const [slot, value] of slots.entries()) setSlot(overlay, address, BigInt(slot), value);
  }
  return overlay.toWorldState();
}

function setSlot(state: Overlay, address: Uint8Array, slot: bigint, value: bigint): void {
  const bytes = value === 0n ? EMPTY_BYTES : bigIntToBytes(value);
  state.setStorage(address, bigIntToFixedBytes(slot, 32), bytes);
}

function apply(cheat: Cheat, state: Overlay): void {
  const { address } = cheat;
  const { nonce, balance } = state.account(address) ?? { nonce: 0n, balance: 0n };
  if (cheat.kind === 'balance') state.setAccount(address, { nonce, balance: cheat.value });
  else if (cheat.kind === 'nonce') state.setAccount(address, { nonce: cheat.value, balance });
  else if (cheat.kind === 'slot') setSlot(state, address, cheat.slot, cheat.value);
  else if (cheat.kind === 'code') state.setCode(address, cheat.code);
  else if (cheat.kind === 'delete') state.deleteAccount(address);
  else state.clearStorage(address);
}
