import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/evm/engine.ts';
import { TraceTooLargeError } from '../../../src/evm/errors.ts';
import { revertText } from '../../../src/evm/revert-reason.ts';
import { noImpersonatedSigner } from '../../../src/evm/signers.ts';
import { Erc7562Tracer, type Erc7562TracerOptions } from '../../../src/evm/tracers/erc7562-tracer.ts';
import { TraceBudget } from '../../../src/evm/tracers/tracer.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { runTask } from '../../../src/scheduling/task.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { CONTRACT, code, contractAddress, deploying, messageOf, setScene } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';
import { wordBytes } from '../../support/words.ts';
import { ALICE, BOB, calling, creating, digits } from './trace-scene.ts';

interface Frame {
  readonly type: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly accessedSlots: Readonly<Record<string, object>>;
  readonly extCodeAccessInfo: readonly string[];
  readonly usedOpcodes: Readonly<Record<string, number>>;
  readonly contractSize: Readonly<Record<string, object>>;
  readonly outOfGas: boolean;
  readonly keccak?: readonly string[];
  readonly calls?: readonly Frame[];
}

const slot = (number: number): string => toHex(wordBytes(number));
const [contract, alice, bob] = [CONTRACT, ALICE, BOB].map((address) => String(toHex(address)));

/** The trace of a message. Checks that both engines return the same trace. */
async function traceOf(
  set: (state: Overlay) => void,
  fields: Partial<Message> = {},
  options: Partial<Erc7562TracerOptions> = {},
  budget = (): TraceBudget => new TraceBudget(),
): Promise<Frame> {
  const { state, environment } = await setScene('prague');
  set(state);
  const before = state.toWorldState();
  const traces: Frame[] = [];
  for (const create of [createWasmEngine, createReferenceEngine]) {
    const engine = await create(ruleSetNamed('prague'), { chainId: 33, codeSizeLimit: 24_576 });
    const after = new Overlay(before);
    const message = messageOf(fields);
    const tracer = new Erc7562Tracer(
      {
        message,
        environment,
        before,
        position: null,
        budget: budget(),
        impersonatedSigner: noImpersonatedSigner,
      },
      { ignoredOpcodes: null, withLog: false, describeRevert: revertText, ...options },
    );
    const result = await engine.transact(environment, after, message, tracer);
    traces.push((await runTask(tracer.result(result, after))) as Frame);
  }
  const [ours, theirs] = traces;
  if (ours === undefined) throw new Error('no engine ran');
  expect(ours).toEqual(theirs);
  return ours;
}

const running = (runtime: string, fields?: Partial<Message>, options?: Partial<Erc7562TracerOptions>) =>
  traceOf((state) => state.setCode(CONTRACT, code(runtime)), fields, options);

describe('Erc7562Tracer', () => {
  it('reports the frames of callTracer with the slots and contracts that each frame used', async () => {
    const trace = await traceOf((state) => {
      state.setCode(CONTRACT, code(`6001 54 50 ${calling('CALL', ALICE)} 00`));
      state.setCode(ALICE, code('6002 6003 55 00'));
    });
    expect(trace).toMatchObject({ type: 'CALL', from: expect.any(String), to: contract, input: '0x' });
    expect(trace.accessedSlots).toEqual({
      reads: { [slot(1)]: [slot(0)] },
      writes: {},
      transientReads: {},
      transientWrites: {},
    });
    expect(trace.calls).toMatchObject([
      { type: 'CALL', to: alice, accessedSlots: { reads: {}, writes: { [slot(3)]: 1 } }, outOfGas: false },
    ]);
    expect(trace.contractSize).toEqual({ [String(alice)]: { contractSize: 6, opcode: 0xf1 } });
  });

  it('reports the value at the first read of a slot, and counts writes and transient accesses', async () => {
    const reads = '6001 54 50 6001 54 50  6007 6002 55 6002 54 50 6008 6002 55';
    const transient = '6001 5c 50 6001 5c 50 6001 6004 5d';
    const trace = await traceOf((state) => {
      state.setCode(CONTRACT, code(`${reads} ${transient} 00`));
      state.setStorage(CONTRACT, wordBytes(1), code('05'));
    });
    expect(trace.accessedSlots).toEqual({
      reads: { [slot(1)]: [slot(5)] },
      writes: { [slot(2)]: 2 },
      transientReads: { [slot(1)]: 2 },
      transientWrites: { [slot(4)]: 1 },
    });
  });

  it('counts opcodes except the ignored ones, and GAS unless a call follows', async () => {
    const { usedOpcodes } = await running(`42 50 43 50 42 50 5a 50 ${calling('CALL', ALICE)} 50 00`);
    // TIMESTAMP, NUMBER, GAS, CALL and STOP.
    expect(usedOpcodes).toEqual({ '0x42': 2, '0x43': 1, '0x5a': 1, '0xf1': 1, '0x0': 1 });
    const other = await running('42 50 00', {}, { ignoredOpcodes: new Set([0x42]) });
    expect(other.usedOpcodes).toEqual({ '0x50': 1, '0x0': 1 });
  });

  it('lists accesses to code, except a check whether code exists', async () => {
    const looks = `73${digits(ALICE)} 3b 15 50  73${digits(BOB)} 3b 50  73${digits(ALICE)} 3f 50 00`;
    const trace = await traceOf((state) => {
      state.setCode(CONTRACT, code(looks));
      state.setCode(ALICE, code('6001 50 00'));
    });
    expect(trace.extCodeAccessInfo).toEqual([bob, alice]);
    expect(trace.contractSize).toEqual({
      [String(alice)]: { contractSize: 4, opcode: 0x3b },
      [String(bob)]: { contractSize: 0, opcode: 0x3b },
    });
  });

  it('reports the size of a contract that was created before its call', async () => {
    const created = contractAddress(CONTRACT, 1n);
    const trace = await traceOf((state) => {
      state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
      const create = creating(deploying(code('5b 00')));
      state.setCode(CONTRACT, code(`${create} 50 ${calling('CALL', created)} 00`));
    });
    expect(trace.contractSize[toHex(created)]).toEqual({ contractSize: 2, opcode: 0xf1 });
  });

  it('lists the hashed data in the outermost frame, sorted and without duplicates', async () => {
    const hashes = '6020 6001 20 50  6020 6001 20 50  5f 5f 20 50  6001 5f 53 6001 5f 20 50 00';
    const { keccak, calls } = await running(hashes);
    expect(keccak).toEqual(['0x', `0x${'00'.repeat(32)}`, '0x01']);
    expect(calls).toBeUndefined();
    const beyond = await running(
      '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff 5f 20 00',
    );
    expect(beyond.keccak).toEqual([]);
  });

  it('reports the frame that ran out of gas', async () => {
    const trace = await traceOf((state) => {
      state.setCode(CONTRACT, code(`${calling('CALL', ALICE, { gas: '6101f4' })} 00`));
      state.setCode(ALICE, code('5b 5f 56'));
    });
    expect([trace.outOfGas, trace.calls?.map(({ outOfGas }) => outOfGas)]).toEqual([false, [true]]);
  });

  it('throws TraceTooLargeError above its budget', async () => {
    // Writes a new slot in each round.
    const set = (state: Overlay) => state.setCode(CONTRACT, code('5b 5a 5a 5d 5f 56'));
    await expect(traceOf(set, {}, {}, () => new TraceBudget(10_000))).rejects.toThrow(TraceTooLargeError);
  });
});
