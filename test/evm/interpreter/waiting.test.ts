import { describe, expect, it } from 'vitest';
import type { ExecutionResult } from '../../../src/evm/engine.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { MissingStateError } from '../../../src/state/state-source.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import {
  addressOf,
  CONTRACT,
  code,
  ETHER,
  environmentOf,
  messageOf,
  returning,
  SENDER,
} from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, calling, creating } from '../tracers/trace-scene.ts';
import { RemoteOverlay } from './remote-overlay.ts';

const environment = environmentOf('prague');
const OPTIONS = { chainId: 33, codeSizeLimit: 24_576 };

function stateWith(runtime: string): WorldState {
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  state.setAccount(CONTRACT, { nonce: 1n, balance: 50n });
  state.setCode(CONTRACT, code(runtime));
  state.setStorage(CONTRACT, wordBytes(1), code('05'));
  state.setCode(ALICE, code('6001 54 6002 01 5f 52 60205f f3'));
  state.setStorage(ALICE, wordBytes(1), code('07'));
  return state.toWorldState();
}

async function runOn(state: Overlay): Promise<ExecutionResult> {
  return createWasmEngine(ruleSetNamed('prague'), OPTIONS).transact(environment, state, messageOf({}));
}

const PROGRAMS: Readonly<Record<string, string>> = {
  'slots that are read and written': '6001 54 6002 54 01 6003 55 6009 6001 55 00',
  'balances and code of other accounts': `73${hexKey(ALICE)} 31 73${hexKey(ALICE)} 3b 01 73${hexKey(ALICE)} 3f 01 5f 52 60205f f3`,
  'copied code': `6020 5f 5f 73${hexKey(ALICE)} 3c 60205f f3`,
  'called contracts': `${calling('CALL', ALICE, { value: '6003' })} 3d 5f 5f 3e 3d 5f f3`,
  'created contracts': `${creating(code('00'))} ${creating(code('00'), { salt: '6007' })} 01 5f 52 60205f f3`,
  'beneficiaries of self-destructed contracts': `73${hexKey(addressOf(0xbe))} ff`,
};

describe('an execution on remote state', () => {
  it.each(Object.entries(PROGRAMS))('waits for %s and returns the same result', async (_, program) => {
    const world = stateWith(program);
    const [near, far] = [new Overlay(world), new RemoteOverlay(world)];
    const expected = await runOn(near);
    expect(expected.outcome).toBe('success');
    expect(await runOn(far)).toEqual(expected);
    expect(far.toWorldState().root).toEqual(near.toWorldState().root);
    expect(far.fetched.length).toBeGreaterThan(2);
    expect(new Set(far.fetched).size).toBe(far.fetched.length);
  });

  it('reports each step to the observer once', async () => {
    const program = PROGRAMS['called contracts'] ?? '';
    const transcript = async (state: Overlay): Promise<string[]> => {
      const events: string[] = [];
      const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
      await engine.transact(environment, state, messageOf({}), {
        frameStart: ({ kind, gas }) => void events.push(`start ${kind} ${gas}`),
        frameEnd: ({ outcome, gasUsed }) => void events.push(`end ${outcome} ${gasUsed}`),
        step: ({ pc, opcode, gas, gasCost }) => void events.push(`${pc} ${opcode} ${gas} ${gasCost}`),
      });
      return events;
    };
    const world = stateWith(program);
    expect(await transcript(new RemoteOverlay(world))).toEqual(await transcript(new Overlay(world)));
  });

  it('runs other executions of the engine while it waits', async () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    const world = stateWith(PROGRAMS['called contracts'] ?? '');
    const waiting = [1, 2, 3].map(() => engine.call(environment, new RemoteOverlay(world), messageOf({})));
    const immediate = engine.call(environment, new Overlay(world), messageOf({}));
    for (const result of await Promise.all(waiting)) expect(result).toEqual(immediate);
  });

  it('fails if the remote state cannot be fetched', async () => {
    class LostOverlay extends Overlay {
      override storageAt(): Uint8Array {
        throw new MissingStateError(() => Promise.reject(new Error('nobody answers')));
      }
    }
    const state = new LostOverlay(stateWith('6001 54 00'));
    await expect(runOn(state)).rejects.toThrow('nobody answers');
  });

  it('ends on cancellation while the remote state is pending', async () => {
    class SilentOverlay extends Overlay {
      override storageAt(): Uint8Array {
        throw new MissingStateError(() => new Promise(() => {}));
      }
    }
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    const state = new SilentOverlay(stateWith('6001 54 00'));
    const during = (): Promise<never> => Promise.reject(new Error('too late'));
    const call = engine.call(
      environment,
      state,
      messageOf({}),
      undefined,
      Object.assign(() => {}, { during }),
    );
    await expect(call).rejects.toThrow('too late');
  });

  it('returns without a promise if the whole state is local', () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    const result = engine.call(environment, new Overlay(stateWith('6001 54 00')), messageOf({}));
    expect(result).toMatchObject({ outcome: 'success' });
  });
});

describe('a long execution', () => {
  // Counts down from 4,194,303. The 110 million gas take several slices.
  const loop = code('623fffff 5b 6001 90 03 80 6004 57 00');
  const state = new Overlay(WorldState.empty());
  state.setCode(CONTRACT, loop);
  state.setCode(ALICE, code(`${calling('CALL', CONTRACT)} 5a 5f 52 60205f f3`));
  const world = state.toWorldState();
  const message = messageOf({ gasLimit: 500_000_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });

  it('yields to other tasks', async () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    const heard: string[] = [];
    setImmediate(() => heard.push('another'));
    const running = engine.call(environment, new Overlay(world), message);
    expect(running).toBeInstanceOf(Promise);
    await Promise.resolve(running).then(() => heard.push('the long one'));
    expect(heard).toEqual(['another', 'the long one']);
  });

  it('uses the exact gas, directly and inside a call', async () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    const direct = await engine.call(environment, new Overlay(world), message);
    // 21000 for the message, 3 for the first push, 26 for each round (1 + 3 + 3 + 3 + 3 + 3 + 10), 0 for STOP.
    expect(direct.gasUsed).toBe(21_000n + 3n + 26n * 0x3fffffn);
    const nested = await engine.call(environment, new Overlay(world), { ...message, to: ALICE });
    const left = BigInt(`0x${hexKey(nested.returnData)}`);
    // After GAS: PUSH0, MSTORE with one word of memory, PUSH1, PUSH0, RETURN.
    expect(message.gasLimit - nested.gasUsed).toBe(left - 2n - 6n - 3n - 2n);
  });

  it('rejects with the error of the cancel check', async () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    const checkCancelled = (): void => {
      throw new Error('the client hung up');
    };
    const running = engine.call(environment, new Overlay(world), message, undefined, checkCancelled);
    await expect(running).rejects.toThrow('the client hung up');
    expect(engine.call(environment, new Overlay(world), { ...message, to: addressOf(70) })).toMatchObject({
      outcome: 'success',
    });
  });

  it('reports the exact steps until it runs out of gas', async () => {
    const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
    let steps = 0;
    const short = { ...message, gasLimit: 3_000_000n };
    const result = await engine.call(environment, new Overlay(world), short, { step: () => void steps++ });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
    // 2,979,000 gas: 3 for the push, then rounds of 7 opcodes and 26 gas, and a part of the last round.
    const rounds = Math.floor((2_979_000 - 3) / 26);
    expect(steps).toBeGreaterThanOrEqual(1 + 7 * rounds);
    expect(steps).toBeLessThanOrEqual(1 + 7 * (rounds + 1));
  });
});

it('returned data does not change in a later call', async () => {
  const state = new Overlay(WorldState.empty());
  state.setCode(CONTRACT, returning('602a'));
  const engine = createWasmEngine(ruleSetNamed('prague'), OPTIONS);
  const first = await engine.call(environment, state, messageOf({}));
  await engine.call(environment, state, messageOf({ to: addressOf(70) }));
  expect(first.returnData).toEqual(wordBytes(42));
});
