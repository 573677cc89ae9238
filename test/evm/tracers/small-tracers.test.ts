import { describe, expect, it } from 'vitest';
import { CallTracer, FourByteTracer } from '../../../src/evm/tracers/call-tracer.ts';
import { MuxTracer } from '../../../src/evm/tracers/mux-tracer.ts';
import { PrestateTracer } from '../../../src/evm/tracers/prestate-tracer.ts';
import { RskTracer } from '../../../src/evm/tracers/rsk-tracer.ts';
import { StructLogger } from '../../../src/evm/tracers/struct-logger.ts';
import type { Tracer, TracerFactory, TraceSubject } from '../../../src/evm/tracers/tracer.ts';
import { NoopTracer } from '../../../src/evm/tracers/tracer.ts';
import { CONTRACT, code } from '../../reference/scene.ts';
import { ALICE, calling, creating, digits, reverting, setTraceScene } from './trace-scene.ts';

const IDENTITY = new Uint8Array(20).fill(4, 19);

/** Code that calls with `size` (hex) bytes of data. The data starts with the selector 0xaabbccdd. */
function callingWithSelector(opcode: 'f1' | 'fa', to: Uint8Array, size: string): string {
  const value = opcode === 'f1' ? '5f' : '';
  return `7faabbccdd${'00'.repeat(28)} 5f 52 5f 5f 60${size} 5f ${value} 73${digits(to)} 5a ${opcode}`;
}

describe('FourByteTracer', () => {
  it('counts selectors with the size of their arguments', async () => {
    const scene = await setTraceScene();
    const calls = [
      callingWithSelector('f1', ALICE, '04'),
      callingWithSelector('fa', ALICE, '04'),
      callingWithSelector('f1', ALICE, '14'),
      callingWithSelector('f1', ALICE, '03'),
      callingWithSelector('f1', IDENTITY, '04'),
      creating(code('6001600155')),
    ];
    scene.state.setCode(CONTRACT, code(`${calls.join(' ')} 00`));
    const { trace } = await scene.trace(() => new FourByteTracer(), { data: code('a9059cbb 0102') });
    expect(trace).toEqual({ '0xa9059cbb-2': 1, '0xaabbccdd-0': 2, '0xaabbccdd-16': 1 });
  });

  it('counts no selectors in a creation or a plain transfer', async () => {
    const scene = await setTraceScene();
    const create = await scene.trace(() => new FourByteTracer(), { to: null, data: code('6001600155') });
    expect(create.trace).toEqual({});
    expect((await scene.trace(() => new FourByteTracer(), { to: ALICE })).trace).toEqual({});
  });
});

describe('RskTracer', () => {
  const create: TracerFactory = ({ budget }) =>
    new RskTracer({ memory: true, stack: true, storage: true }, budget);
  const one = '1'.padStart(64, '0');

  it('reports each step in the format of Rootstock', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('6001 6001 55 60015ff3'));
    const { trace } = await scene.trace(create, { gasLimit: 100_000n });
    const storage = { [one]: one };
    const depth = 0;
    expect(trace).toEqual({
      contractAddress: digits(CONTRACT),
      initStorage: {},
      structLogs: [
        { op: 'PUSH1', depth, pc: 0, gas: 79_000, gasCost: 3, memory: [], stack: [], storage: {} },
        { op: 'PUSH1', depth, pc: 2, gas: 78_997, gasCost: 3, memory: [], stack: [one], storage: {} },
        { op: 'SSTORE', depth, pc: 4, gas: 78_994, gasCost: 20_000, memory: [], stack: [one, one], storage },
        { op: 'PUSH1', depth, pc: 5, gas: 58_994, gasCost: 3, memory: [], stack: [], storage },
        { op: 'PUSH0', depth, pc: 7, gas: 58_991, gasCost: 2, memory: [], stack: [one], storage },
        {
          op: 'RETURN',
          depth,
          pc: 8,
          gas: 58_989,
          gasCost: 3,
          memory: [],
          stack: [one, '0'.repeat(64)],
          storage,
        },
      ],
      result: '00',
      error: '',
      reverted: false,
      storageSize: 1,
      currentStorage: storage,
    });
  });

  it('distinguishes a revert from a halt', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(reverting(code('c0de'))));
    expect((await scene.trace(create)).trace).toMatchObject({ result: 'c0de', error: '', reverted: true });
    scene.state.setCode(CONTRACT, code('fe'));
    expect((await scene.trace(create)).trace).toMatchObject({
      result: '',
      error: 'invalid opcode 0xfe',
      reverted: false,
    });
  });

  it('omits memory, stack and storage if they are disabled', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('6001 6001 55'));
    const bare: TracerFactory = ({ budget }) =>
      new RskTracer({ memory: false, stack: false, storage: false }, budget);
    const { trace } = await scene.trace(bare);
    const { structLogs } = trace as { structLogs: object[] };
    expect(structLogs).toHaveLength(3);
    for (const step of structLogs) {
      expect(Object.keys(step)).toEqual(['op', 'depth', 'pc', 'gas', 'gasCost']);
    }
  });

  it('reports a plain transfer if no code runs', async () => {
    const scene = await setTraceScene();
    const { trace } = await scene.trace(create, {
      to: ALICE,
      value: 300n,
      data: code('beef'),
      gasLimit: 30_000n,
    });
    expect(trace).toMatchObject({
      programInvoke: null,
      transferInvoke: { ownerAddress: digits(ALICE), callValue: '300', gas: 8_968, msgData: 'vu8=' },
      subtraces: [],
      result: null,
      error: null,
      reverted: false,
    });
  });
});

describe('MuxTracer', () => {
  const inner: Readonly<Record<string, (subject: TraceSubject) => Tracer>> = {
    callTracer: (subject) =>
      new CallTracer(subject, { onlyTopCall: false, withLog: true, describeRevert: () => null }),
    '4byteTracer': () => new FourByteTracer(),
    prestateTracer: (subject) =>
      new PrestateTracer(subject, { diffMode: true, disableCode: false, disableStorage: false }),
    structLogger: ({ budget }) =>
      new StructLogger({ memory: true, stack: true, storage: true, returnData: true, limit: 0 }, budget),
    noopTracer: () => new NoopTracer(),
  };

  it.each([
    ['a successful execution', `${calling('CALL', ALICE)} 5f5f a0 6001 6001 55 00`],
    ['a failed execution', `${calling('CALL', ALICE)} 5f5f a0 6001 6001 55 fe`],
  ])('returns the results of its tracers for %s', async (_what, runtime) => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(runtime));
    scene.state.setCode(ALICE, code(reverting(code('01'))));
    const fields = { data: code('a9059cbb') };
    const names = Object.keys(inner);
    const alone = await Promise.all(
      Object.values(inner).map(async (create) => (await scene.trace(create, fields)).trace),
    );
    const mux: TracerFactory = (subject) =>
      new MuxTracer(new Map(Object.entries(inner).map(([name, create]) => [name, create(subject)])));
    const { trace } = await scene.trace(mux, fields);
    expect(trace).toEqual(Object.fromEntries(names.map((name, index) => [name, alone[index]])));
    expect(trace).toHaveProperty('noopTracer', {});
  });

  it('has a step handler only if one of its tracers has one', () => {
    expect(new MuxTracer(new Map([['4byteTracer', new FourByteTracer()]])).step).toBeUndefined();
  });
});
