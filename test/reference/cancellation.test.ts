import { describe, expect, it } from 'vitest';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { type AccountView, Overlay } from '../../src/state/overlay.ts';
import { MissingStateError } from '../../src/state/state-source.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { createReferenceEngine } from '../support/evm/engines.ts';
import { code, environmentOf, messageOf } from './scene.ts';

/** An overlay whose accounts never load. */
class UnreachableOverlay extends Overlay {
  override account(): AccountView | undefined {
    throw new MissingStateError(() => new Promise(() => {}));
  }
}

const environment = environmentOf('prague');
const message = messageOf({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });

function engine() {
  return createReferenceEngine(ruleSetNamed('prague'), { chainId: 33, codeSizeLimit: 24_576 });
}

/** A check that cancels every wait immediately. */
const TOO_LATE = Object.assign(() => {}, {
  during: (): Promise<never> => Promise.reject(new Error('too late')),
});

describe('cancellation of the reference engine', () => {
  it('cancels a message that waits for its state', async () => {
    const state = new UnreachableOverlay(WorldState.empty());
    const call = (await engine()).call(environment, state, message, undefined, TOO_LATE);
    await expect(call).rejects.toThrow('too late');
  });

  it('cancels a message that waits behind another message', async () => {
    const reference = await engine();
    const first = reference.call(environment, new UnreachableOverlay(WorldState.empty()), message);
    const state = new Overlay(WorldState.empty());
    await expect(
      Promise.race([reference.call(environment, state, message, undefined, TOO_LATE), first]),
    ).rejects.toThrow('too late');
  });

  it('yields between precompile calls by elapsed time', async () => {
    const state = new Overlay(WorldState.empty());
    // 40 times ECRECOVER, with no jump between them.
    state.setCode(messageOf({}).to ?? new Uint8Array(20), code(`${'5f5f5f5f60015afa50'.repeat(40)} 00`));
    let calls = 0;
    let turns = 0;
    const check = Object.assign(() => {}, {
      yielder: {
        blockedFor: () => ++calls % 5,
        wait: async () => void turns++,
      },
    });
    await (await engine()).call(environment, state, message, undefined, check);
    expect(turns).toBe(8);
  });
});
