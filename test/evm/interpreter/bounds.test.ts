import { describe, expect, it } from 'vitest';
import { CONSOLE_ADDRESS } from '../../../src/evm/console.ts';
import type { ExecutionResult } from '../../../src/evm/engine.ts';
import { HALT_REASONS } from '../../../src/evm/halt-reasons.ts';
import type { ExecutionObserver as Observer } from '../../../src/evm/observer.ts';
import { bigIntToFixedBytes } from '../../../src/primitives/bytes.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { addressOf, CONTRACT, code, environmentOf, messageOf, SENDER } from '../../reference/scene.ts';
import { createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, calling, creating } from '../tracers/trace-scene.ts';
import { enginePair } from './engine-pair.ts';

const RICH = 10n ** 40n;
const environment = environmentOf('cancun', { gasLimit: 2n ** 50n });

function engineWith(memoryBound?: number) {
  const bound = memoryBound === undefined ? {} : { memoryBound };
  return createWasmEngine(ruleSetNamed('cancun'), { chainId: 33, codeSizeLimit: 24_576, ...bound });
}

function stateWith(runtime: Uint8Array): Overlay {
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: RICH });
  state.setCode(CONTRACT, runtime);
  return state;
}

function numberIn(result: ExecutionResult): bigint {
  return BigInt(`0x${hexKey(result.returnData)}`);
}

describe('engine memory', () => {
  it('memory of an inner frame grows without changes to the memory of outer frames', async () => {
    const pair = await enginePair('cancun');
    // Each frame copies its data, calls itself with the data plus one, and adds the result to its own word.
    // The innermost frame (the 64th) grows by a megabyte.
    const deeper =
      '36 5f 5f 37 5f 51 6001 01 6080 52 6020 60a0 6020 6080 5f 30 5a f1 50 60a0 51 5f 51 01 60c0 52 6020 60c0 f3';
    const innermost = '6007 62100000 52 6020 62100000 f3';
    const end = (8 + code(deeper).length).toString(16).padStart(2, '0');
    pair.state.setCode(CONTRACT, code(`603f 5f 35 11 60${end} 57 ${deeper} 5b ${innermost}`));
    const result = await pair.call({ gasLimit: 30_000_000n, data: wordBytes(0) });
    // The sum of 0 to 63, plus 7.
    expect(numberIn(result)).toBe(2_016n + 7n);
  });

  it('memory for stacks grows in deep calls with many items', async () => {
    const pair = await enginePair('cancun');
    // Pushes about 990 items, calls itself, and returns the result of the call plus 1.
    const pushes = `5f ${'80'.repeat(986)}`;
    pair.state.setCode(
      CONTRACT,
      code(`${pushes} 50 6020 5f 5f 5f 5f 30 5a f1 50 5f 51 6001 01 5f 52 6020 5f f3`),
    );
    const result = await pair.call({ gasLimit: 25_000_000n });
    expect(numberIn(result)).toBeGreaterThan(100n);
  });

  it('a message halts at the memory bound and pays its whole gas limit', async () => {
    const engine = engineWith(32 << 20);
    const state = stateWith(code('6001 6340000000 52 00'));
    const result = await engine.transact(
      environment,
      state,
      messageOf({ gasLimit: 2n ** 42n, data: wordBytes(7) }),
    );
    expect(result).toMatchObject({
      outcome: 'halt',
      haltReason: HALT_REASONS.outOfMemory,
      gasUsed: 2n ** 42n,
      logs: [],
    });
    expect(state.account(SENDER)).toMatchObject({ nonce: 1n, balance: RICH - 2n ** 42n * 9n });
    const small = stateWith(code('6001 5f 52 6020 5f f3'));
    expect(numberIn(await engine.call(environment, small, messageOf({})))).toBe(1n);
  });

  const grownTo = (bytes: number) => `5f 63${(bytes - 32).toString(16).padStart(8, '0')} 52`;
  const MIB = 2 ** 20;

  it.each([
    ['of a frame at the bound', `${grownTo(24 * MIB)} 59 5f 52 6020 5f f3`, true],
    ['of a frame above the bound', `${grownTo(24 * MIB + 32)} 59 5f 52 6020 5f f3`, false],
    // Each of the first nineteen frames calls itself with its data plus one.
    ['of all frames', `${grownTo(15 * MIB)} 5f 35 6001 01 5f 52 6014 5f 51 10 63DEST 57 00`, false],
  ])('both engines have the same bound for the memory %s', async (_, runtime, isWithin) => {
    const calls = '5f 5f 6020 5f 5f 30 5a f1 00';
    const start = runtime.includes('DEST') ? code(runtime.replace('DEST', '00000000')).length : 0;
    const program = runtime.includes('DEST')
      ? `${runtime.replace('DEST', start.toString(16).padStart(8, '0'))} 5b ${calls}`
      : runtime;
    const pair = await enginePair('cancun');
    pair.state.setCode(CONTRACT, code(program));
    const result = await pair.call({ gasLimit: 2n ** 42n, data: wordBytes(0) });
    expect(result.haltReason).toBe(isWithin ? null : HALT_REASONS.outOfMemory);
    if (!isWithin) expect(result.gasUsed).toBe(2n ** 42n);
  });

  it('all outer frames halt at the memory bound in both engines', async () => {
    const pair = await enginePair('cancun', { gasLimit: 2n ** 50n });
    pair.state.setCode(CONTRACT, code(`${calling('CALL', ALICE)}`));
    pair.state.setCode(ALICE, code(`${grownTo(25 * MIB)} 00`));
    const result = await pair.call({ gasLimit: 2n ** 42n });
    expect(result).toMatchObject({ outcome: 'halt', haltReason: HALT_REASONS.outOfMemory });
    const transacted = await pair.transact({ gasLimit: 2n ** 42n });
    expect(transacted).toMatchObject({ outcome: 'halt', haltReason: HALT_REASONS.outOfMemory });
  });

  it.each([
    // Each round adds a slot, an account or a change record. GAS differs in each round.
    ['slots', '5b 5a 54 50 5f 56'],
    ['accounts', '5b 5a 31 50 5f 56'],
    ['changes', '5b 5a 5f 5d 5f 56'],
  ])('a message halts at the memory bound for %s', async (_what, runtime) => {
    const message = messageOf({ gasLimit: 2n ** 42n });
    const result = await engineWith(32 << 20).call(environment, stateWith(code(runtime)), message);
    expect(result).toMatchObject({
      outcome: 'halt',
      haltReason: HALT_REASONS.outOfMemory,
      gasUsed: 2n ** 42n,
    });
  });

  it('memory does not grow for transient slots that are only read', async () => {
    // Reads 200,000 transient slots.
    const runtime = code('62030d40 5b 80 5c 50 6001 90 03 80 6004 57 00');
    const message = messageOf({ gasLimit: 40_000_000n });
    const result = await engineWith(16 << 20).call(environment, stateWith(runtime), message);
    expect(result).toMatchObject({ outcome: 'success', haltReason: null });
  });

  it('memory of earlier messages is available again', async () => {
    // Reads 90,000 slots, starting from the slot in the data. They take more than half of the memory.
    const world = stateWith(code('62015f90 5b 80 5f 35 01 54 50 6001 90 03 80 6004 57 00')).toWorldState();
    const engine = engineWith(24 << 20);
    for (const first of [0, 2 ** 20, 2 ** 30]) {
      const message = messageOf({ gasLimit: 2n ** 42n, data: wordBytes(first) });
      const result = await engine.call(environment, new Overlay(world), message);
      expect(result.haltReason).toBeNull();
    }
  });

  it('memory of code that was called long ago is reused within one message', async () => {
    const [count, first] = [600, 0x10_00_00];
    const state = stateWith(
      code(
        `62${first.toString(16)} 5b 5f5f5f5f 84 5a fa 50 6001 01 80 62${(first + count).toString(16)} 11 6004 57 00`,
      ),
    );
    for (let index = 0; index < count; index++) {
      const runtime = new Uint8Array(24_576).fill(0x5b);
      new DataView(runtime.buffer).setUint32(0, index);
      state.setCode(bigIntToFixedBytes(BigInt(first + index), 20), runtime);
    }
    const result = await engineWith(40 << 20).call(environment, state, messageOf({ gasLimit: 2n ** 42n }));
    expect(result.haltReason).toBeNull();
  });

  it('an observer gets the end of all frames at the memory bound', async () => {
    const far = code('6001 6340000000 52 00');
    const state = stateWith(code(`${calling('CALL', ALICE)} 00`));
    state.setCode(ALICE, far);
    const events: string[] = [];
    const message = messageOf({ gasLimit: 2n ** 42n });
    const result = await engineWith(32 << 20).call(environment, state, message, {
      frameStart: ({ kind }) => void events.push(kind),
      fault: (reason) => void events.push(reason),
      frameEnd: ({ outcome, haltReason }) => void events.push(`${outcome}: ${haltReason}`),
    });
    expect(result.haltReason).toBe(HALT_REASONS.outOfMemory);
    const halt = `halt: ${HALT_REASONS.outOfMemory}`;
    expect(events).toEqual(['CALL', 'CALL', HALT_REASONS.outOfMemory, halt, halt]);
  });

  it('a lower memory bound is equal for observed messages and after earlier messages', async () => {
    // Writes a word at the offset in the data.
    const state = stateWith(code('6001 5f 35 52 00'));
    const engine = engineWith(MIB);
    const run = async (bytes: number, observer?: Observer): Promise<string> => {
      const message = messageOf({ gasLimit: 2n ** 42n, data: wordBytes(bytes - 32) });
      return (await engine.call(environment, state, message, observer)).outcome;
    };
    const limitOf = async (observer?: () => Observer): Promise<number> => {
      let [low, high] = [0, MIB];
      while (high - low > 32) {
        const middle = ((low + high) >> 6) << 5;
        if ((await run(middle, observer?.())) === 'success') low = middle;
        else high = middle;
      }
      return low;
    };
    const limit = await limitOf();
    expect(limit).toBeGreaterThan(MIB / 2);
    expect(await limitOf(() => ({ frameEnd: () => undefined }))).toBe(limit);
  });

  it('console calls are kept if the message halts at the memory bound', async () => {
    const state = stateWith(code(`${calling('CALL', CONSOLE_ADDRESS)} 50 6001 6340000000 52 00`));
    const message = messageOf({ gasLimit: 2n ** 42n });
    const result = await engineWith(32 << 20).call(environment, state, message);
    expect(result.haltReason).toBe(HALT_REASONS.outOfMemory);
    expect(result.console?.calls).toMatchObject([{ caller: CONTRACT }]);
  });

  it('a message runs out of gas, not out of memory, if no gas pays for the memory', async () => {
    const engine = engineWith(32 << 20);
    const result = await engine.call(environment, stateWith(code('6001 5f 19 52 00')), messageOf({}));
    expect(result).toMatchObject({ outcome: 'halt', haltReason: 'out of gas' });
  });
});

describe('engine storage', () => {
  it('stores as many slots as the gas pays for', async () => {
    // Writes its counter to 20,000 slots in descending order and adds two of them.
    const state = stateWith(
      code('614e20 5b 80 80 55 6001 90 03 80 6003 57 6001 54 614e20 54 01 5f 52 6020 5f f3'),
    );
    const result = await engineWith().transact(
      environment,
      state,
      messageOf({ gasLimit: 2n ** 32n, maxPriorityFeePerGas: 0n }),
    );
    expect(numberIn(result)).toBe(20_001n);
    expect(state.storageAt(CONTRACT, wordBytes(12_345))).toEqual(code('3039'));
  });
});

describe('engine code memory', () => {
  it('runs contracts again after other code replaced their code', async () => {
    // Calls 160 contracts twice. Each one has 24,000 JUMPDESTs and returns its number.
    const state = stateWith(code('5f 35 80 5f 52 73 5a'));
    const contracts = Array.from({ length: 160 }, (_, index) => addressOf(1_000 + index));
    for (const [index, address] of contracts.entries()) {
      const runtime = new Uint8Array(24_009).fill(0x5b);
      runtime.set(code(`60${index.toString(16).padStart(2, '0')} 5f 52 6020 5f f3`), 24_000);
      state.setCode(address, runtime);
    }
    const world = state.toWorldState();
    const engine = engineWith();
    for (const round of [1, 2]) {
      for (const [index, to] of contracts.entries()) {
        const result = await engine.call(environment, new Overlay(world), messageOf({ to }));
        expect([round, numberIn(result)]).toEqual([round, BigInt(index)]);
      }
    }
  });

  it('keeps code that a message created, also if the code was known before', async () => {
    const runtime = code('602a 5f 52 6020 5f f3');
    const big = Array.from({ length: 100 }, (_, index) => addressOf(3_000 + index));
    const made = creating(code(`67${hexKey(runtime)} 5f 52 6008 6018 f3`));
    const calls = big.map((to) => `${calling('STATICCALL', to)} 50`).join(' ');
    const state = stateWith(code(`${made} ${calls} 6020 5f 5f 5f 84 5a fa 50 6020 5f f3`));
    state.setCode(ALICE, runtime);
    for (const [index, address] of big.entries()) {
      const jumps = new Uint8Array(24_000).fill(0x5b);
      jumps.set(code(`6000 60${index.toString(16).padStart(2, '0')}`), 23_990);
      state.setCode(address, jumps);
    }
    const world = state.toWorldState();
    const engine = engineWith();
    expect(numberIn(await engine.call(environment, new Overlay(world), messageOf({ to: ALICE })))).toBe(42n);
    const message = messageOf({ gasLimit: 30_000_000n });
    expect(numberIn(await engine.call(environment, new Overlay(world), message))).toBe(42n);
  });

  it('keeps the code of an outer frame while inner calls load other code', async () => {
    const contracts = Array.from({ length: 120 }, (_, index) => addressOf(2_000 + index));
    const state = stateWith(
      code(`${contracts.map((to) => `${calling('STATICCALL', to)} 50`).join(' ')} 602a 5f 52 6020 5f f3`),
    );
    for (const [index, address] of contracts.entries()) {
      const runtime = new Uint8Array(24_000).fill(0x5b);
      runtime.set(code(`6000 60${index.toString(16).padStart(2, '0')}`), 23_990);
      state.setCode(address, runtime);
    }
    const result = await engineWith().call(environment, state, messageOf({ gasLimit: 30_000_000n }));
    expect(numberIn(result)).toBe(42n);
  });
});
