import { describe, expect, it } from 'vitest';
import { CallTracer, type CallTracerOptions } from '../../../src/evm/tracers/call-tracer.ts';
import type { TracerFactory } from '../../../src/evm/tracers/tracer.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { addressOf, CONTRACT, code, contractAddress, deploying, SENDER } from '../../reference/scene.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, BOB, calling, creating, digits, reverting, setTraceScene } from './trace-scene.ts';

function tracer(options: Partial<CallTracerOptions> = {}): TracerFactory {
  const all = { onlyTopCall: false, withLog: false, describeRevert: () => null, ...options };
  return (subject) => new CallTracer(subject, all);
}

const [sender, contract, alice, bob] = [SENDER, CONTRACT, ALICE, BOB].map(toHex);

describe('CallTracer', () => {
  it('reports the outermost frame with the gas limit and all gas charged', async () => {
    const scene = await setTraceScene();
    const { trace } = await scene.trace(tracer(), {
      to: ALICE,
      value: 5n,
      data: code('00ff'),
      gasLimit: 50_000n,
    });
    expect(trace).toEqual({
      from: sender,
      gas: '0xc350',
      gasUsed: '0x521c',
      to: alice,
      input: '0x00ff',
      value: '0x5',
      type: 'CALL',
    });
  });

  it('reports nested calls of each kind in their order', async () => {
    const scene = await setTraceScene();
    const three = [calling('DELEGATECALL', BOB), calling('STATICCALL', BOB), calling('CALLCODE', BOB)];
    scene.state.setCode(CONTRACT, code(`${calling('CALL', ALICE, { value: '6002' })} 00`));
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 2n });
    scene.state.setCode(ALICE, code(`${three.join(' ')} 00`));
    scene.state.setCode(BOB, code('6007 5f 52 60205f f3'));
    const { trace } = await scene.trace(tracer());
    const frame = {
      from: alice,
      gas: expect.stringMatching(/^0x[1-9a-f]/),
      gasUsed: '0x10',
      to: bob,
      input: '0x',
      output: toHex(wordBytes(7)),
    };
    expect(trace).toMatchObject({ type: 'CALL', from: sender, to: contract });
    expect(trace).toHaveProperty('calls', [
      {
        from: contract,
        gas: expect.stringMatching(/^0x/),
        gasUsed: expect.stringMatching(/^0x/),
        to: alice,
        input: '0x',
        calls: [
          { ...frame, value: '0x2', type: 'DELEGATECALL' },
          { ...frame, type: 'STATICCALL' },
          { ...frame, value: '0x0', type: 'CALLCODE' },
        ],
        value: '0x2',
        type: 'CALL',
      },
    ]);
  });

  it('reports the data and the reason of a reverted inner call without an error of the caller', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`${calling('CALL', ALICE)} 00`));
    scene.state.setCode(ALICE, code(reverting(code('08c379a0'))));
    const describeRevert = (data: Uint8Array): string => `because of ${toHex(data)}`;
    const { trace } = await scene.trace(tracer({ describeRevert }));
    expect(trace).not.toHaveProperty('error');
    expect(trace).toHaveProperty('calls', [
      expect.objectContaining({
        output: '0x08c379a0',
        error: 'execution reverted',
        revertReason: 'because of 0x08c379a0',
        to: alice,
      }),
    ]);
  });

  it('reports a call that ran out of its gas', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`${calling('CALL', ALICE, { gas: '61 2710' })} 00`));
    scene.state.setCode(ALICE, code('6001 6001 55'));
    const { trace } = await scene.trace(tracer());
    expect(trace).toHaveProperty('calls', [
      {
        from: contract,
        gas: '0x2710',
        gasUsed: '0x2710',
        to: alice,
        input: '0x',
        error: 'out of gas',
        value: '0x0',
        type: 'CALL',
      },
    ]);
  });

  it('reports creations with address and code, and failed creations without an address', async () => {
    const scene = await setTraceScene();
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
    const initcode = deploying(code('00'));
    scene.state.setCode(
      CONTRACT,
      code(`${creating(initcode)} ${creating(initcode, { salt: '6001' })} ${creating(code('fe'))} 00`),
    );
    const { trace } = await scene.trace(tracer());
    const { calls } = trace as { calls: Record<string, unknown>[] };
    expect(calls).toMatchObject([
      {
        type: 'CREATE',
        to: toHex(contractAddress(CONTRACT, 1n)),
        input: toHex(initcode),
        output: '0x00',
        value: '0x0',
      },
      { type: 'CREATE2', output: '0x00' },
      { type: 'CREATE', error: 'invalid opcode: INVALID', from: contract },
    ]);
    expect(calls[2]).not.toHaveProperty('to');
    const creation = await scene.trace(tracer(), { to: null, data: initcode });
    expect(creation.trace).toMatchObject({
      type: 'CREATE',
      to: toHex(contractAddress(SENDER, 0n)),
      output: '0x00',
    });
  });

  it('reports SELFDESTRUCT as a frame', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`73${digits(BOB)} ff`));
    scene.state.setAccount(CONTRACT, { nonce: 1n, balance: 255n });
    const { trace } = await scene.trace(tracer());
    expect(trace).toHaveProperty('calls', [
      {
        from: contract,
        gas: '0x0',
        gasUsed: '0x0',
        to: bob,
        input: '0x',
        value: '0xff',
        type: 'SELFDESTRUCT',
      },
    ]);
  });

  it('reports calls of precompiles', async () => {
    const scene = await setTraceScene();
    const identity = new Uint8Array(20).fill(4, 19);
    scene.state.setCode(CONTRACT, code(`${calling('STATICCALL', identity)} 00`));
    const { trace } = await scene.trace(tracer());
    expect(trace).toHaveProperty('calls', [expect.objectContaining({ to: toHex(identity), gasUsed: '0xf' })]);
  });

  it('omits inner calls and their logs with onlyTopCall', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code(`${calling('CALL', ALICE)} 5f5f a0 00`));
    scene.state.setCode(ALICE, code('6001 5f5f a1 00'));
    const { trace } = await scene.trace(tracer({ onlyTopCall: true, withLog: true }));
    expect(trace).not.toHaveProperty('calls');
    expect(trace).toHaveProperty('logs', [expect.objectContaining({ address: contract, topics: [] })]);
  });

  it('reports logs in their frames with their index in the block, without reverted logs', async () => {
    const scene = await setTraceScene();
    const logging = (topic: string): string => `60${topic} 5f5f a1`;
    scene.state.setCode(
      CONTRACT,
      code(`${logging('01')} ${calling('CALL', ALICE)} ${calling('CALL', BOB)} ${logging('04')} 00`),
    );
    scene.state.setCode(ALICE, code(`${logging('02')} ${calling('CALL', addressOf(0xc0))} 5f5ffd`));
    scene.state.setCode(addressOf(0xc0), code(`${logging('02')} 00`));
    scene.state.setCode(BOB, code(`602a 5f 52 6003 60205f a1 00`));
    const position = {
      blockHash: wordBytes(1),
      transactionHash: wordBytes(2),
      transactionIndex: 3,
      firstLogIndex: 16,
    };
    const { trace } = await scene.trace(tracer({ withLog: true }), {}, position);
    const { logs, calls } = trace as Record<'logs' | 'calls', Record<string, unknown>[]>;
    expect(logs).toEqual([
      { address: contract, topics: [toHex(wordBytes(1))], data: '0x', index: '0x10', position: '0x0' },
      { address: contract, topics: [toHex(wordBytes(4))], data: '0x', index: '0x12', position: '0x2' },
    ]);
    expect(calls[0]).not.toHaveProperty('logs');
    expect(calls[0]).not.toHaveProperty('calls.0.logs');
    expect(calls[1]).toHaveProperty('logs', [
      {
        address: bob,
        topics: [toHex(wordBytes(3))],
        data: toHex(wordBytes(42)),
        index: '0x11',
        position: '0x0',
      },
    ]);
  });

  it('omits logs without withLog', async () => {
    const scene = await setTraceScene();
    scene.state.setCode(CONTRACT, code('5f5f a0 00'));
    expect((await scene.trace(tracer())).trace).not.toHaveProperty('logs');
  });

  it('keeps the input of a call if the caller overwrites the memory later', async () => {
    const scene = await setTraceScene();
    const call = `5f 5f 6020 5f 5f 73${digits(ALICE)} 5a f1`;
    scene.state.setCode(CONTRACT, code(`6001 5f 52 ${call} 6002 5f 52 00`));
    const { trace } = await scene.trace(tracer());
    expect(trace).toHaveProperty('calls', [expect.objectContaining({ input: toHex(wordBytes(1)) })]);
  });
});
