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

/** The events that both engines report for a transaction to a recipient that delegates to `delegate`. */
async function transcriptsOf(delegate: Uint8Array, fields: Partial<Message>): Promise<string[][]> {
  const ruleSet = ruleSetNamed('amsterdam');
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setAccount(RECIPIENT, { nonce: 1n, balance: 1n });
  state.setCode(RECIPIENT, delegationTo(delegate));
  const before = state.toWorldState();
  const transcripts: string[][] = [];
  for (const create of [createWasmEngine, createReferenceEngine]) {
    const engine = await create(ruleSet, OPTIONS);
    const observer = new TranscribingObserver();
    const message = messageOf({ to: RECIPIENT, ...fields });
    await engine.transact(environmentOf('amsterdam', {}), new Overlay(before), message, observer);
    transcripts.push([...observer.lines]);
  }
  return transcripts;
}

describe('a message to a delegating account under amsterdam', () => {
  it('moves no value if the gas does not pay for the delegation target', async () => {
    const [ours, theirs] = await transcriptsOf(addressOf(11), { value: 1n, gasLimit: 21_000n + 2_999n });
    expect(ours).toEqual(theirs);
    expect(ours?.map((line) => line.split(' ')[0])).toEqual(['start', 'end']);
  });

  it('matches the reference if the account delegates to itself', async () => {
    const [ours, theirs] = await transcriptsOf(RECIPIENT, { value: 0n, gasLimit: 100_000n });
    expect(ours).toEqual(theirs);
    expect(ours?.some((line) => line.startsWith('step 0 0xef'))).toBe(true);
  });
});
