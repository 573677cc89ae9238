import { describe, expect, it } from 'vitest';
import type { Engine, ExecutionResult } from '../../src/engine/engine.ts';
import { UnexecutableError } from '../../src/engine/engine.ts';
import { HALT_REASONS } from '../../src/engine/halt-reason.ts';
import { EngineDifferenceError, shadowEngine } from '../../src/engine/shadow-engine.ts';
import { createWasmEngine } from '../../src/engine/wasm/wasm-engine.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../src/rules/rule-set.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { CONTRACT, code, messageOf, SENDER, setScene, word } from './reference/scene.ts';

/** Writes 1 to slot 7. */
const STORES = code('6001 6007 55');

/** The engine, with its results changed. */
function falsified(
  engine: Engine,
  change: (result: ExecutionResult, state: Overlay) => ExecutionResult,
): Engine {
  return {
    name: 'falsified',
    transact: async (environment, state, message) =>
      change(await engine.transact(environment, state, message), state),
    call: async (environment, state, message) =>
      change(await engine.call(environment, state, message), state),
  };
}

async function shadowScene(falsify: Parameters<typeof falsified>[1]) {
  const scene = await setScene('rootstock');
  scene.state.setCode(CONTRACT, STORES);
  scene.state.setStorage(CONTRACT, word(7), Uint8Array.of(9));
  const told: EngineDifferenceError[] = [];
  const engine = shadowEngine(falsified(scene.engine, falsify), scene.engine, (error) => told.push(error));
  return { ...scene, engine, told };
}

describe('an engine with a shadow', () => {
  it('answers as the first one does while both agree, and changes the state once', async () => {
    const { engine, environment, state, told } = await shadowScene((result) => ({ ...result }));
    const result = await engine.transact(environment, state, messageOf({}));
    expect(result.outcome).toBe('success');
    expect(state.account(SENDER)?.nonce).toBe(1n);
    expect(state.storageAt(CONTRACT, word(7))).toEqual(Uint8Array.of(1));
    await expect(engine.transact(environment, state, messageOf({ nonce: 7n }))).rejects.toThrow(
      UnexecutableError,
    );
    expect(told).toEqual([]);
  });

  it.each<[string, Parameters<typeof falsified>[1]]>([
    ['gasUsed', (result) => ({ ...result, gasUsed: result.gasUsed + 1n })],
    ['console', (result) => ({ ...result, console: { calls: [], omitted: 1 } })],
    ['outcome', (result) => ({ ...result, outcome: 'revert' })],
    ['logs', (result) => ({ ...result, logs: [{ address: SENDER, topics: [], data: SENDER }] })],
    ['returnData', (result) => ({ ...result, returnData: Uint8Array.of(1) })],
    [
      'the state afterwards',
      (result, state) => {
        state.setStorage(CONTRACT, word(8), Uint8Array.of(1));
        return result;
      },
    ],
    [
      'whether the message can be executed',
      () => {
        throw new UnexecutableError('nonce too low');
      },
    ],
  ])(
    'stops when they differ in %s, with all that is needed to run the message again',
    async (what, falsify) => {
      const { engine, environment, state, told } = await shadowScene(falsify);
      const message = messageOf({ data: Uint8Array.of(0xab) });
      await expect(engine.call(environment, state, message)).rejects.toThrow(EngineDifferenceError);
      expect(told).toHaveLength(1);
      const dump = JSON.parse(JSON.stringify(told[0]?.dump));
      expect(dump).toMatchObject({
        difference: what,
        purpose: 'call',
        environment: { number: 1000, gasLimit: '30000000' },
        message: { sender: toHex(SENDER), data: '0xab', gasLimit: '1000000' },
        accounts: {
          [toHex(CONTRACT)]: { code: toHex(STORES), storage: { [toHex(word(7))]: toHex(word(9)) } },
        },
        outcomes: { reference: { result: { outcome: 'success' } }, falsified: {} },
      });
    },
  );

  it.each([
    ['the first one has no room', '637fffffff', HALT_REASONS.outOfMemory],
    ['the second one has no room', '641000000000', HALT_REASONS.outOfGas],
  ])('answers as the first one does where %s, which breaks no rule', async (_, offset, haltReason) => {
    const { engine: reference, state, environment } = await setScene('cancun');
    const told: EngineDifferenceError[] = [];
    const first = createWasmEngine(ruleSetNamed('cancun'), { chainId: 33, codeSizeLimit: null });
    const engine = shadowEngine(first, reference, (error) => told.push(error));
    // MSTORE8
    state.setCode(CONTRACT, code(`6001 ${offset} 53`));
    const fields = { gasLimit: 2n ** 62n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    const call = engine.call(environment, state, messageOf(fields));
    await expect(call).resolves.toMatchObject({ outcome: 'halt', haltReason });
    expect(told).toEqual([]);
  });

  it('lets the second one be interrupted too', async () => {
    const { engine: reference, state, environment } = await setScene('rootstock');
    const refusing: Engine = {
      name: 'refusing',
      transact: () => Promise.reject(new UnexecutableError('never')),
      call: () => Promise.reject(new UnexecutableError('never')),
    };
    const engine = shadowEngine(refusing, reference, () => {});
    state.setCode(CONTRACT, code('5b 6000 56'));
    const hungUp = new Error('the client hung up');
    const call = engine.call(environment, state, messageOf({ gasLimit: 10n ** 13n }), undefined, () => {
      throw hungUp;
    });
    await expect(call).rejects.toBe(hungUp);
  });

  it('hands the observer to the first one alone', async () => {
    const { engine: reference, state, environment } = await setScene('rootstock');
    const engine = shadowEngine(reference, { ...falsified(reference, (result) => result) }, () => {});
    state.setCode(CONTRACT, STORES);
    const opcodes: number[] = [];
    await engine.call(environment, new Overlay(state.toWorldState()), messageOf({}), {
      step: ({ opcode }) => opcodes.push(opcode),
    });
    expect(opcodes).toEqual([0x60, 0x60, 0x55]);
  });
});
