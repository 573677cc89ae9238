import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/evm/engine.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { delegationTo } from '../../../src/state/account.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { TranscribingObserver } from '../../fuzz/engines/transcribing-observer.ts';
import { addressOf, ETHER, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';

const RECIPIENT = addressOf(10);
const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };

/** Resolves to what both engines tell of a transaction to a recipient that delegates to an account. */
async function toldBy(delegate: Uint8Array, fields: Partial<Message>): Promise<string[][]> {
  const ruleSet = ruleSetNamed('amsterdam');
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setAccount(RECIPIENT, { nonce: 1n, balance: 1n });
  state.setCode(RECIPIENT, delegationTo(delegate));
  const before = state.toWorldState();
  const told: string[][] = [];
  for (const create of [createWasmEngine, createReferenceEngine]) {
    const engine = await create(ruleSet, OPTIONS);
    const observer = new TranscribingObserver();
    const message = messageOf({ to: RECIPIENT, ...fields });
    await engine.transact(environmentOf('amsterdam', {}), new Overlay(before), message, observer);
    told.push([...observer.lines]);
  }
  return told;
}

describe('a message to an account that delegates, under amsterdam', () => {
  it('moves no value where it cannot pay for the account that is delegated to', async () => {
    const [ours, theirs] = await toldBy(addressOf(11), { value: 1n, gasLimit: 21_000n + 2_999n });
    expect(ours).toEqual(theirs);
    expect(ours?.map((line) => line.split(' ')[0])).toEqual(['start', 'end']);
  });

  it('pays for a known account where it delegates to itself', async () => {
    const [ours, theirs] = await toldBy(RECIPIENT, { value: 0n, gasLimit: 100_000n });
    expect(ours).toEqual(theirs);
    expect(ours?.some((line) => line.startsWith('step 0 0xef'))).toBe(true);
  });
});
