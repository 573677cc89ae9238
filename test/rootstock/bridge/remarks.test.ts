import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/evm/engine.ts';
import type { ExecutionObserver } from '../../../src/evm/observer.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { ETHER, environmentOf } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { addressOfSeed, callData, signedMessage } from './bridge-scene.ts';

const ROOTSTOCK = ruleSetNamed('rootstock');
const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };
const ENGINES: readonly [string, () => Promise<Engine>][] = [
  ['wasm', async () => createWasmEngine(ROOTSTOCK, OPTIONS)],
  ['reference', () => createReferenceEngine(ROOTSTOCK, OPTIONS)],
];
/** A call that the Bridge answers with an error code, without a log. */
const REJECTED = signedMessage('cow', { data: callData('receiveHeader', new Uint8Array(79)) });

function stateWithSender(): Overlay {
  const state = new Overlay(WorldState.empty());
  state.setAccount(addressOfSeed('cow'), { nonce: 0n, balance: ETHER });
  return state;
}

describe.each(ENGINES)('remarks of the Bridge on the %s engine', (_name, create) => {
  it('reports a remark within the frame of the Bridge', async () => {
    const seen: string[] = [];
    const observer: ExecutionObserver = {
      frameStart: () => void seen.push('start'),
      remark: (text) => void seen.push(text),
      frameEnd: ({ outcome }) => void seen.push(outcome),
    };
    const engine = await create();

    await engine.transact(environmentOf('rootstock'), stateWithSender(), REJECTED, observer);

    expect(seen).toEqual(['start', 'header rejected: expected 80 bytes, got 79', 'success']);
  });

  it('a remark has no effect on the result', async () => {
    const engine = await create();

    const observed = await engine.transact(environmentOf('rootstock'), stateWithSender(), REJECTED, {
      remark: () => undefined,
    });
    const plain = await engine.transact(environmentOf('rootstock'), stateWithSender(), REJECTED);

    expect(observed).toEqual(plain);
  });
});
