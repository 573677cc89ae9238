import { describe, expect, it } from 'vitest';
import { FlatCallTracer, type FlatCallTracerOptions } from '../../../src/evm/tracers/flat-call-tracer.ts';
import { TransactionTracer } from '../../../src/evm/tracers/parity-tracers.ts';
import type { TracerFactory } from '../../../src/evm/tracers/tracer.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { CONTRACT, code, contractAddress, deploying, SENDER } from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import {
  ALICE,
  BOB,
  calling,
  creating,
  digits,
  reverting,
  setTraceScene,
  type TraceScene,
} from './trace-scene.ts';

function flatTracer(options: Partial<FlatCallTracerOptions> = {}): TracerFactory {
  const all = { convertParityErrors: false, includePrecompiles: false, ...options };
  return (subject) => new FlatCallTracer(subject, all);
}

const transactionTracer: TracerFactory<readonly Record<string, unknown>[]> = (subject) =>
  new TransactionTracer(subject);

const [sender, contract, alice, bob] = [SENDER, CONTRACT, ALICE, BOB].map(toHex);
const IDENTITY = new Uint8Array(20).fill(4, 19);
const position = {
  blockHash: wordBytes(1),
  transactionHash: wordBytes(2),
  transactionIndex: 3,
  firstLogIndex: 0,
};
const place = {
  blockHash: toHex(wordBytes(1)),
  blockNumber: 1000,
  transactionHash: toHex(wordBytes(2)),
  transactionPosition: 3,
};

/** The contract calls a precompile and Alice, creates a contract, and self-destructs. Alice calls Bob. */
async function setNestedScene(): Promise<TraceScene> {
  const scene = await setTraceScene();
  const steps = [calling('STATICCALL', IDENTITY), calling('CALL', ALICE), creating(deploying(code('fe')))];
  scene.state.setCode(CONTRACT, code(`${steps.join(' ')} 73${digits(BOB)} ff`));
  scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 7n });
  scene.state.setCode(ALICE, code(`${calling('DELEGATECALL', BOB)} 00`));
  scene.state.setCode(BOB, code('6007 5f 52 60205f f3'));
  return scene;
}

describe('TransactionTracer', () => {
  it('lists every frame after its outer frame, with its trace address', async () => {
    const scene = await setNestedScene();
    const { trace } = await scene.trace(transactionTracer, { value: 1n, data: code('beef') }, position);
    const gas = expect.stringMatching(/^0x[1-9a-f]/);
    expect(trace).toEqual([
      {
        action: { callType: 'call', from: sender, gas, input: '0xbeef', to: contract, value: '0x1' },
        ...place,
        type: 'call',
        subtraces: 3,
        traceAddress: [],
        result: { gasUsed: gas, output: '0x' },
      },
      {
        action: { callType: 'call', from: contract, gas, input: '0x', to: alice, value: '0x0' },
        ...place,
        type: 'call',
        subtraces: 1,
        traceAddress: [0],
        result: { gasUsed: gas, output: '0x' },
      },
      {
        action: { callType: 'delegatecall', from: alice, gas, input: '0x', to: bob, value: '0x0' },
        ...place,
        type: 'call',
        subtraces: 0,
        traceAddress: [0, 0],
        result: { gasUsed: '0x10', output: toHex(wordBytes(7)) },
      },
      {
        action: {
          creationMethod: 'create',
          from: contract,
          gas,
          init: toHex(deploying(code('fe'))),
          value: '0x0',
        },
        ...place,
        type: 'create',
        subtraces: 0,
        traceAddress: [1],
        result: { address: toHex(contractAddress(CONTRACT, 1n)), code: '0xfe', gasUsed: gas },
      },
      {
        action: { address: contract, balance: '0x8', refundAddress: bob },
        ...place,
        type: 'suicide',
        subtraces: 0,
        traceAddress: [2],
        result: null,
      },
    ]);
  });

  it('reports gas without the intrinsic cost', async () => {
    const scene = await setTraceScene();
    const { trace } = await scene.trace(transactionTracer, { to: ALICE, gasLimit: 21_005n });
    expect(trace).toMatchObject([{ action: { gas: '0x5' }, result: { gasUsed: '0x0', output: '0x' } }]);
  });

  it.each([
    ['a revert', reverting(code('c0de')), 'Reverted'],
    ['an invalid opcode', 'fe', 'Bad instruction'],
    ['a lack of gas', '6001 6001 55', 'Out of gas'],
    ['a jump to an invalid destination', '5f 56', 'Bad jump destination'],
    ['an empty stack', '01', 'Stack underflow'],
  ])('reports %s as an error without a result', async (_what, runtime, error) => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`${calling('CALL', ALICE, { gas: '61 2710' })} 00`));
    scene.state.setCode(ALICE, code(runtime));
    const { trace } = await scene.trace(transactionTracer);
    expect(trace[0]).not.toHaveProperty('error');
    expect(trace[1]).toMatchObject({ type: 'call', traceAddress: [0], result: null, error });
    const direct = await scene.trace(transactionTracer, { to: ALICE, gasLimit: 30_000n });
    expect(direct.trace).toMatchObject([{ result: null, error, traceAddress: [] }]);
  });

  it('lists a failed creation', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`${creating(code('fe'), { salt: '6001' })} 00`));
    const { trace } = await scene.trace(transactionTracer);
    expect(trace[1]).toMatchObject({
      type: 'create',
      action: { creationMethod: 'create2', init: '0xfe' },
      result: null,
      error: 'Bad instruction',
    });
    const direct = await scene.trace(transactionTracer, { to: null, data: code('fe') });
    expect(direct.trace[0]).toMatchObject({ type: 'create', result: null });
    expect(direct.trace[0]).not.toHaveProperty('action.creationMethod');
  });
});

describe('FlatCallTracer', () => {
  it('reports the outermost frame with gas limit and all gas charged, and no hashes', async () => {
    const scene = await setNestedScene();
    const { trace, result } = await scene.trace(flatTracer());
    const frames = trace as Record<string, unknown>[];
    expect(frames.map(({ traceAddress, subtraces }) => [traceAddress, subtraces])).toEqual([
      [[], 3],
      [[0], 1],
      [[0, 0], 0],
      [[1], 0],
      [[2], 0],
    ]);
    expect(frames[0]).toEqual({
      action: { callType: 'call', from: sender, gas: '0xf4240', input: '0x', to: contract, value: '0x0' },
      blockHash: null,
      blockNumber: 1000,
      transactionHash: null,
      transactionPosition: 0,
      result: { gasUsed: `0x${result.gasUsed.toString(16)}`, output: '0x' },
      subtraces: 3,
      traceAddress: [],
      type: 'call',
    });
    expect(frames[4]).not.toHaveProperty('result');
  });

  it('reports calls of precompiles with includePrecompiles', async () => {
    const scene = await setNestedScene();
    const { trace } = await scene.trace(flatTracer({ includePrecompiles: true }));
    expect(trace).toHaveLength(6);
    expect(trace).toHaveProperty('1.action.to', toHex(IDENTITY));
    expect(trace).toHaveProperty('0.subtraces', 4);
  });

  it('keeps the result of a revert only, and converts errors with convertParityErrors', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(
      CONTRACT,
      code(`${calling('CALL', ALICE)} ${calling('CALL', BOB, { gas: '6009' })} 00`),
    );
    scene.state.setCode(ALICE, code(reverting(code('c0de'))));
    scene.state.setCode(BOB, code('0c'));
    const plain = (await scene.trace(flatTracer())).trace as Record<string, unknown>[];
    expect(plain[1]).toMatchObject({ error: 'execution reverted', result: { output: '0xc0de' } });
    expect(plain[2]).toMatchObject({ error: 'invalid opcode: opcode 0xc not defined' });
    expect(plain[2]).not.toHaveProperty('result');
    const converted = (await scene.trace(flatTracer({ convertParityErrors: true }))).trace;
    expect(converted).toMatchObject([{}, { error: 'Reverted' }, { error: 'Bad instruction' }]);
  });
});
