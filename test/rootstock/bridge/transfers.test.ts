import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/evm/engine.ts';
import { FrameRecorder } from '../../../src/evm/frame-recorder.ts';
import type { FrameEnd, FrameStart } from '../../../src/evm/observer.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { ETHER, environmentOf } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { addressOfSeed, BRIDGE, callData, signedMessage } from './bridge-scene.ts';

const ROOTSTOCK = ruleSetNamed('rootstock');
const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };
const ENGINES: readonly [string, () => Promise<Engine>][] = [
  ['wasm', async () => createWasmEngine(ROOTSTOCK, OPTIONS)],
  ['reference', () => createReferenceEngine(ROOTSTOCK, OPTIONS)],
];
const SENDER = addressOfSeed('cow');
/** The Bridge sends these coins back, because the sender is not the union bridge. */
const RETURNED = signedMessage('cow', { value: 5n, data: callData('releaseUnionBridgeRbtc') });
/** The Bridge sends these coins back, because they are too few. */
const REFUNDED = signedMessage('cow', { value: 5n });

function stateWithSender(): Overlay {
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  return state;
}

async function framesOf(engine: Engine, message: typeof RETURNED): Promise<string[]> {
  const seen: string[] = [];
  await engine.transact(environmentOf('rootstock'), stateWithSender(), message, {
    frameStart: ({ kind, depth, from, to, value, gas }: FrameStart) =>
      void seen.push(
        `${depth} ${kind} ${toHex(from)} ${toHex(to)} ${value} ${depth === 0 ? '' : gas}`.trim(),
      ),
    frameEnd: ({ outcome }: FrameEnd) => void seen.push(outcome),
  });
  return seen;
}

describe.each(ENGINES)('transfers of the Bridge on the %s engine', (_name, create) => {
  it('reports a transfer as a call without gas', async () => {
    const [sender, bridge] = [toHex(SENDER), toHex(BRIDGE)];

    expect(await framesOf(await create(), RETURNED)).toEqual([
      `0 CALL ${sender} ${bridge} 5`,
      `1 CALL ${bridge} ${sender} 5 0`,
      'success',
      'success',
    ]);
  });

  it('reports no refund of a rejected peg-out, as on Rootstock', async () => {
    expect(await framesOf(await create(), REFUNDED)).toEqual([
      `0 CALL ${toHex(SENDER)} ${toHex(BRIDGE)} 5`,
      'success',
    ]);
  });

  it('leaves transfers out of gas reports', async () => {
    const recorder = new FrameRecorder();
    const engine = await create();
    await engine.transact(environmentOf('rootstock'), stateWithSender(), RETURNED, recorder);
    expect(
      recorder.record(
        () => null,
        () => null,
      ).frames,
    ).toHaveLength(1);
  });
});
