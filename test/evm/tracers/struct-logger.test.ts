import { describe, expect, it } from 'vitest';
import {
  StructLogger,
  type StructLoggerOptions,
  type StructTrace,
} from '../../../src/evm/tracers/struct-logger.ts';
import type { TracerFactory } from '../../../src/evm/tracers/tracer.ts';
import { CONTRACT, code } from '../../reference/scene.ts';
import { hexWord } from '../../support/words.ts';
import { ALICE, calling, reverting, setTraceScene } from './trace-scene.ts';

const ALL: StructLoggerOptions = { memory: true, stack: true, storage: true, returnData: false, limit: 0 };

function logger(options: Partial<StructLoggerOptions> = {}): TracerFactory<StructTrace> {
  return ({ budget }) => new StructLogger({ ...ALL, ...options }, budget);
}

const zeros = '0'.repeat(64);

describe('StructLogger', () => {
  it('reports each step with stack, memory and the storage touched so far', async () => {
    const scene = await setTraceScene();
    // PUSH1 0x2a, PUSH1 0x20, MSTORE, PUSH1 7, PUSH1 1, SSTORE, PUSH1 1, SLOAD, STOP
    scene.state.setCode(CONTRACT, code('602a 6020 52 6007 6001 55 6001 54 00'));
    const { trace } = await scene.trace(logger(), { gasLimit: 100_000n });
    const depth = 1;
    const memory = [zeros, hexWord(0x2a)];
    const storage = { [hexWord(1)]: hexWord(7) };
    expect(trace).toEqual({
      gas: 21_000 + 3 + 3 + 9 + 3 + 3 + 20_000 + 3 + 200,
      failed: false,
      returnValue: '0x',
      structLogs: [
        { pc: 0, op: 'PUSH1', gas: 79_000, gasCost: 3, depth, stack: [], memory: [] },
        { pc: 2, op: 'PUSH1', gas: 78_997, gasCost: 3, depth, stack: ['0x2a'], memory: [] },
        { pc: 4, op: 'MSTORE', gas: 78_994, gasCost: 9, depth, stack: ['0x2a', '0x20'], memory: [] },
        { pc: 5, op: 'PUSH1', gas: 78_985, gasCost: 3, depth, stack: [], memory },
        { pc: 7, op: 'PUSH1', gas: 78_982, gasCost: 3, depth, stack: ['0x7'], memory },
        { pc: 9, op: 'SSTORE', gas: 78_979, gasCost: 20_000, depth, stack: ['0x7', '0x1'], memory, storage },
        { pc: 10, op: 'PUSH1', gas: 58_979, gasCost: 3, depth, stack: [], memory },
        { pc: 12, op: 'SLOAD', gas: 58_976, gasCost: 200, depth, stack: ['0x1'], memory, storage },
        { pc: 13, op: 'STOP', gas: 58_776, gasCost: 0, depth, stack: ['0x7'], memory },
      ],
    });
  });

  it('separates the storage of contracts and the memory of frames', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`6001 5f 52 6001 6001 55 ${calling('CALL', ALICE)} 6002 54 00`));
    scene.state.setCode(ALICE, code('6009 6003 55 00'));
    const { trace } = await scene.trace(logger());
    const { structLogs } = trace;
    const touching = structLogs.filter(({ storage }) => storage !== undefined);
    expect(touching.map(({ op, depth, storage }) => [op, depth, storage])).toEqual([
      ['SSTORE', 1, { [hexWord(1)]: hexWord(1) }],
      ['SSTORE', 2, { [hexWord(3)]: hexWord(9) }],
      ['SLOAD', 1, { [hexWord(1)]: hexWord(1), [hexWord(2)]: zeros }],
    ]);
    expect(structLogs.filter(({ depth }) => depth === 2).every(({ memory }) => String(memory) === '')).toBe(
      true,
    );
    expect(structLogs.at(-1)).toMatchObject({ op: 'STOP', depth: 1, memory: [hexWord(1)] });
  });

  it('reports the memory that a call overwrote with its output', async () => {
    const scene = await setTraceScene();
    // STATICCALL with 32 bytes of output at 0, over a non-zero word.
    const call = `6020 5f 5f 5f 73${Buffer.from(ALICE).toString('hex')} 5a fa`;
    scene.state.setCode(CONTRACT, code(`60ff 5f 52 ${call} 00`));
    scene.state.setCode(ALICE, code('6005 5f 52 60205f f3'));
    const { trace } = await scene.trace(logger());
    const { structLogs } = trace;
    expect(structLogs.find(({ op }) => op === 'STATICCALL')).toMatchObject({ memory: [hexWord(0xff)] });
    expect(structLogs.at(-1)).toMatchObject({ op: 'STOP', memory: [hexWord(5)] });
  });

  it('omits disabled parts and reports return data with returnData', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`6001 6001 55 ${calling('CALL', ALICE)} 00`));
    scene.state.setCode(ALICE, code(reverting(code('c0de'))));
    const { trace } = await scene.trace(
      logger({ memory: false, stack: false, storage: false, returnData: true }),
    );
    const { structLogs } = trace;
    for (const log of structLogs) {
      expect(Object.keys(log)).toEqual(['pc', 'op', 'gas', 'gasCost', 'depth', 'returnData']);
    }
    expect(structLogs[0]).toMatchObject({ returnData: '0x' });
    expect(structLogs.at(-1)).toMatchObject({ returnData: '0xc0de' });
  });

  it('stops after the limit of steps', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('6001 6002 6003 fe'));
    const { trace } = await scene.trace(logger({ limit: 2 }));
    const { structLogs } = trace;
    expect(structLogs.map(({ pc, error }) => [pc, error])).toEqual([
      [0, undefined],
      [2, undefined],
    ]);
    expect(trace).toMatchObject({ failed: true, gas: 1_000_000 });
  });

  it('reports the current refund including the refund of the step, as in geth', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('6000 6001 55 00'));
    scene.state.setStorage(CONTRACT, new Uint8Array(32).fill(1, 31), code('05'));
    const { trace } = await scene.trace(logger({ stack: false, memory: false }));
    const { structLogs } = trace;
    expect(structLogs.map(({ refund }) => refund)).toEqual([undefined, undefined, 15_000, 15_000]);
  });

  it.each([
    ['reverts', reverting(code('beef')), '0xbeef', undefined],
    ['runs into an invalid opcode', 'fe', '0x', 'invalid opcode: INVALID'],
    ['underflows the stack', '01', '0x', 'stack underflow'],
    ['jumps to an invalid destination', '5f 56', '0x', 'invalid jump destination'],
    ['runs out of gas', '6001 6001 55', '0x', 'out of gas'],
  ])('reports at the last step that code %s', async (_how, runtime, returnValue, error) => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(runtime));
    const { trace } = await scene.trace(logger(), { gasLimit: 30_000n });
    const { structLogs } = trace;
    expect(trace).toMatchObject({ failed: true, returnValue });
    expect(structLogs.at(-1)?.error).toBe(error);
    expect(structLogs.slice(0, -1).every((log) => log.error === undefined)).toBe(true);
  });

  it('reports the steps of a failed inner call and the next step of the caller', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`${calling('CALL', ALICE, { gas: '61 2710' })} 00`));
    scene.state.setCode(ALICE, code('6001 6001 55'));
    const { trace } = await scene.trace(logger({ memory: false }));
    const { structLogs } = trace;
    expect(trace).toMatchObject({ failed: false });
    expect(structLogs.slice(-2)).toMatchObject([
      { op: 'SSTORE', depth: 2, gas: 9_994, gasCost: 20_000, error: 'out of gas' },
      { op: 'STOP', depth: 1, stack: ['0x0'] },
    ]);
  });

  it('returns the code of a created contract as returnValue', async () => {
    const scene = await setTraceScene();
    const { trace } = await scene.trace(logger(), { to: null, data: code('60fe 5f 53 6001 5f f3') });
    expect(trace).toMatchObject({ failed: false, returnValue: '0xfe' });
  });

  it('has no steps if no code runs', async () => {
    const scene = await setTraceScene();
    const { trace } = await scene.trace(logger(), { to: ALICE });
    expect(trace).toEqual({ gas: 21_000, failed: false, returnValue: '0x', structLogs: [] });
  });
});
