import { describe, expect, it } from 'vitest';
import { type Engine, type ExecutionResult, UnexecutableError } from '../../src/evm/engine.ts';
import { HALT_REASONS } from '../../src/evm/halt-reasons.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { EngineDifferenceError, shadowEngine } from '../../src/reference/shadow-engine.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { createWasmEngine } from '../support/evm/engines.ts';
import { wordBytes } from '../support/words.ts';
import { CONTRACT, code, messageOf, SENDER, setScene } from './scene.ts';

/** Writes 1 to slot 7. Reads the hashes of blocks 990, 991 (twice) and of blocks without a hash. */
const STORES = code('6001 6007 55 6103de 40 6103df 40 6103df 40 6103e8 40 6001 40 6000 19 40');

function rulesOf(name: RuleSetName) {
  return { ruleSet: ruleSetNamed(name), chainId: 33, codeSizeLimit: 24_576 };
}

/** The maximum gas of a message, at a gas price of zero. */
const BOUNDLESS = { gasLimit: 2n ** 62n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };

/** Wraps an engine and changes its results. */
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
  scene.state.setStorage(CONTRACT, wordBytes(7), Uint8Array.of(9));
  const told: EngineDifferenceError[] = [];
  const engine = shadowEngine(falsified(scene.engine, falsify), scene.engine, rulesOf('rootstock'), (error) =>
    told.push(error),
  );
  return { ...scene, engine, told };
}

describe('shadowEngine', () => {
  it('returns the result and changes the state once if both engines agree', async () => {
    const { engine, environment, state, told } = await shadowScene((result) => ({ ...result }));
    const result = await engine.transact(environment, state, messageOf({}));
    expect(result.outcome).toBe('success');
    expect(state.account(SENDER)?.nonce).toBe(1n);
    expect(state.storageAt(CONTRACT, wordBytes(7))).toEqual(Uint8Array.of(1));
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
        state.setStorage(CONTRACT, wordBytes(8), Uint8Array.of(1));
        return result;
      },
    ],
    [
      'whether the message can be executed',
      () => {
        throw new UnexecutableError('nonce too low');
      },
    ],
  ])('fails with a reproducible dump if the engines differ in %s', async (what, falsify) => {
    const { engine, environment, state, told } = await shadowScene(falsify);
    const message = messageOf({ data: Uint8Array.of(0xab) });
    await expect(engine.call(environment, state, message)).rejects.toThrow(EngineDifferenceError);
    expect(told).toHaveLength(1);
    const dump = JSON.parse(JSON.stringify(told[0]?.dump));
    expect(Object.keys(dump.blockHashes)).toEqual(['990', '991']);
    expect(dump).toMatchObject({
      difference: what,
      ruleSet: 'rootstock',
      chainId: 33,
      codeSizeLimit: 24_576,
      purpose: 'call',
      environment: { number: 1000, gasLimit: '30000000' },
      message: { sender: toHex(SENDER), data: '0xab', gasLimit: '1000000' },
      accounts: {
        [toHex(CONTRACT)]: { code: toHex(STORES), storage: { [toHex(wordBytes(7))]: toHex(wordBytes(9)) } },
      },
      blockHashes: {
        990: toHex(environment.blockHash(990)),
        991: toHex(environment.blockHash(991)),
      },
      outcomes: { reference: { result: { outcome: 'success' } }, falsified: {} },
    });
  });

  it.each([
    ['the first engine runs out of memory', '637fffffff', HALT_REASONS.outOfMemory],
    ['the second engine runs out of memory', '641000000000', HALT_REASONS.outOfGas],
  ])('returns the result of the first engine if %s', async (_, offset, haltReason) => {
    const { engine: reference, state, environment } = await setScene('cancun');
    const told: EngineDifferenceError[] = [];
    const first = createWasmEngine(ruleSetNamed('cancun'), rulesOf('cancun'));
    const engine = shadowEngine(first, reference, rulesOf('cancun'), (error) => told.push(error));
    // MSTORE8
    state.setCode(CONTRACT, code(`6001 ${offset} 53`));
    const call = engine.call(environment, state, messageOf(BOUNDLESS));
    await expect(call).resolves.toMatchObject({ outcome: 'halt', haltReason });
    expect(told).toEqual([]);
  });

  it('returns the result of the reference engine if the second engine runs out of memory', async () => {
    const { engine: reference, state, environment } = await setScene('cancun');
    const bounded = { ...rulesOf('cancun'), memoryBound: 2 ** 22 };
    const second = createWasmEngine(ruleSetNamed('cancun'), bounded);
    const engine = shadowEngine(reference, second, rulesOf('cancun'), () => {});
    state.setCode(CONTRACT, code('6001 6300800000 53'));
    const call = engine.call(environment, state, messageOf(BOUNDLESS));
    await expect(call).resolves.toMatchObject({ outcome: 'success' });
  });

  it('cancels the second engine too', async () => {
    const { engine: reference, state, environment } = await setScene('rootstock');
    const refusing: Engine = {
      name: 'refusing',
      transact: () => Promise.reject(new UnexecutableError('never')),
      call: () => Promise.reject(new UnexecutableError('never')),
    };
    const engine = shadowEngine(refusing, reference, rulesOf('rootstock'), () => {});
    state.setCode(CONTRACT, code('5b 6000 56'));
    const hungUp = new Error('the client hung up');
    const call = engine.call(environment, state, messageOf({ gasLimit: 10n ** 13n }), undefined, () => {
      throw hungUp;
    });
    await expect(call).rejects.toBe(hungUp);
  });

  it('passes the observer only to the first engine', async () => {
    const { engine: reference, state, environment } = await setScene('rootstock');
    const engine = shadowEngine(
      reference,
      { ...falsified(reference, (result) => result) },
      rulesOf('rootstock'),
      () => {},
    );
    state.setCode(CONTRACT, STORES);
    const opcodes: number[] = [];
    await engine.call(environment, new Overlay(state.toWorldState()), messageOf({}), {
      step: ({ opcode }) => opcodes.push(opcode),
    });
    expect(opcodes.slice(0, 3)).toEqual([0x60, 0x60, 0x55]);
  });
});
