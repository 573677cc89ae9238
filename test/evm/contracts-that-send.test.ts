import { describe, expect, it } from 'vitest';
import { type Engine, UnexecutableError } from '../../src/evm/engine.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { delegationTo } from '../../src/state/account.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { ETHER, environmentOf, messageOf, RECIPIENT, SENDER } from '../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../support/evm/engines.ts';

const ENGINES = [
  ['wasm', createWasmEngine],
  ['reference', createReferenceEngine],
] as const;
const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };

async function sendFrom(engine: Engine, code: Uint8Array): Promise<string> {
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setCode(SENDER, code);
  const message = messageOf({ to: RECIPIENT, data: new Uint8Array(0) });
  return (await engine.transact(environmentOf('prague'), state, message)).outcome;
}

describe.each(ENGINES)('senders with code (EIP-3607, EIP-7702) on the %s engine', (_, create) => {
  it('executes a transaction of a sender with code by default', async () => {
    const engine = await create(ruleSetNamed('prague'), OPTIONS);
    expect(await sendFrom(engine, Uint8Array.of(0))).toBe('success');
  });

  it('rejects a sender with code, unless it delegates, if contractsMaySend is false', async () => {
    const engine = await create(ruleSetNamed('prague'), { ...OPTIONS, contractsMaySend: false });
    await expect(sendFrom(engine, Uint8Array.of(0))).rejects.toThrow(UnexecutableError);
    expect(await sendFrom(engine, new Uint8Array(0))).toBe('success');
    expect(await sendFrom(engine, delegationTo(RECIPIENT))).toBe('success');
  });
});
