import { describe, expect, it } from 'vitest';
import type { Engine, ExecutionResult, Message } from '../../../src/evm/engine.ts';
import { HALT_REASONS } from '../../../src/evm/halt-reasons.ts';
import { hexKey, toHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { type CancelCheck, neverCancelled } from '../../../src/scheduling/cancel-check.ts';
import { SLICE_MILLISECONDS } from '../../../src/scheduling/slice-length.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { addressOf, CONTRACT, code, environmentOf, messageOf, RECIPIENT } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';

const INNER = addressOf(7);
const options = { chainId: 33, codeSizeLimit: null };
const environment = environmentOf('cancun', { gasLimit: 2n ** 50n });
const MEGABYTE = 2 ** 20;
const PLENTY = 2n ** 36n;

/** A cancel check whose time slice is always over. `slices` returns the number of yields. */
function countingSlices(): { readonly check: CancelCheck; readonly slices: () => number } {
  let slices = 0;
  const turns = { blockedFor: () => SLICE_MILLISECONDS, wait: async () => void slices++ };
  return { check: Object.assign(() => {}, { yielder: turns }), slices: () => slices };
}

/** Code that returns a kilobyte of memory with non-zero bytes at both ends. */
const ANSWERS_KILOBYTE = code('5f 19 5f 52 5f 19 6103e0 52 6104005ff3');

function call(
  engine: Engine,
  runtime: Uint8Array,
  check: CancelCheck = neverCancelled,
  fields: Partial<Message> = {},
): Promise<ExecutionResult> {
  const state = new Overlay(WorldState.empty());
  state.setCode(CONTRACT, runtime);
  state.setCode(RECIPIENT, ANSWERS_KILOBYTE);
  const message = messageOf({ to: CONTRACT, gasLimit: PLENTY, ...fields });
  return Promise.resolve(engine.call(environment, state, message, undefined, check));
}

/** Code that writes `count` transient slots. It starts at offset `place` and takes 16 bytes. */
const writing = (count: number, place: number): string =>
  `62${count.toString(16).padStart(6, '0')} 5b 80 80 5d 6001 90 03 80 60${(place + 4).toString(16).padStart(2, '0')} 57`;

const size = (bytes: number): string => `63${bytes.toString(16).padStart(8, '0')}`;
/** Code that returns the top of the stack. */
const ANSWER = '5f 52 6020 5f f3';

describe('yields of long instructions', () => {
  const engine = createWasmEngine(ruleSetNamed('cancun'), options);

  it('KECCAK256 of megabytes yields', async () => {
    const { check, slices } = countingSlices();
    const length = 15 * MEGABYTE + 77;
    const result = await call(engine, code(`602a 5f 53 ${size(length)} 5f 20 ${ANSWER}`), check);
    const bytes = new Uint8Array(length);
    bytes[0] = 0x2a;
    expect(result.returnData).toEqual(keccak256(bytes));
    expect(slices()).toBeGreaterThanOrEqual(52);
  });

  it.each([
    ['SHA256', '02'],
    ['RIPEMD160', '03'],
    ['ID', '04'],
  ])('a call of %s with megabytes yields', async (_name, precompile) => {
    const { check, slices } = countingSlices();
    const runtime = code(`5f 5f ${size(10 * MEGABYTE)} 5f 60${precompile} 5a fa 00`);
    expect((await call(engine, runtime, check)).outcome).toBe('success');
    expect(slices()).toBeGreaterThanOrEqual(40);
  });

  it('CREATE2 of long initcode and a deposit of long code yield', async () => {
    const { check, slices } = countingSlices();
    expect((await call(engine, code(`5f ${size(8 * MEGABYTE)} 5f 5f f5 00`), check)).outcome).toBe('success');
    expect(slices()).toBeGreaterThanOrEqual(25);
    const other = countingSlices();
    const data = code(`${size(8 * MEGABYTE)} 5f f3`);
    const result = await call(engine, new Uint8Array(0), other.check, { to: null, data });
    expect(result.outcome).toBe('success');
    expect(other.slices()).toBeGreaterThanOrEqual(25);
  });

  it('copies of megabytes yield within a basic block', async () => {
    const { check, slices } = countingSlices();
    const runtime = code(`${`${size(16 * MEGABYTE)} 5f 5f 37`.repeat(20)} 00`);
    expect((await call(engine, runtime, check)).outcome).toBe('success');
    expect(slices()).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['f3', 'success'],
    ['fd', 'revert'],
  ])(
    'a frame that ends with 0x%s yields while it returns megabytes of data unchanged',
    async (opcode, outcome) => {
      const length = 15 * MEGABYTE + 77;
      // Marks bytes of the data. The outer frame hashes the whole return data.
      const inner = code(
        `6001 ${size(8 * MEGABYTE)} 53 6002 ${size(12 * MEGABYTE - 1)} 53 6003 ${size(length - 1)} 53 ${size(length)} 5f ${opcode}`,
      );
      const answerOf = (address: Uint8Array) => `5f 5f 5f 5f 5f 73${hexKey(address)} 5a f1 50`;
      const outer = code(`${answerOf(INNER)} 3d 5f 5f 3e 3d 5f 20 ${ANSWER}`);
      const expected = new Uint8Array(length);
      for (const [place, value] of [
        [8 * MEGABYTE, 1],
        [12 * MEGABYTE - 1, 2],
        [length - 1, 3],
      ] as const)
        expected[place] = value;
      const run = async (runtime: Uint8Array) => {
        const { check, slices } = countingSlices();
        const state = new Overlay(WorldState.empty());
        state.setCode(CONTRACT, runtime);
        state.setCode(INNER, inner);
        state.setCode(RECIPIENT, ANSWERS_KILOBYTE);
        const message = messageOf({ to: CONTRACT, gasLimit: PLENTY });
        const result = await engine.call(environment, state, message, undefined, check);
        return { result, slices: slices() };
      };
      const around = await run(outer);
      expect(around.result.returnData).toEqual(keccak256(expected));
      const alone = await run(inner);
      expect(alone.result).toMatchObject({ outcome });
      expect(Buffer.compare(alone.result.returnData, expected)).toBe(0);
      expect(alone.slices).toBeGreaterThanOrEqual(3);
      const shorter = await run(code(`${answerOf(INNER)} ${answerOf(RECIPIENT)} 3d ${ANSWER}`));
      expect(BigInt(toHex(shorter.result.returnData))).toBe(1024n);
    },
  );

  it.each([
    ['logs', '5f 5f a0'],
    ['slots that changed', '80 80 55'],
    ['accounts that were touched', '5f 5f 5f 5f 5f 85 617000 01 5f f1 50'],
  ])('a message that ends with many %s yields', async (what, body) => {
    // Runs the body 20,000 times, then reverts or stops.
    const looping = `614e20 5b ${body} 6001 90 03 80 6003 57`;
    const [failed, succeeded] = [countingSlices(), countingSlices()];
    await call(engine, code(`${looping} 5f 5f fd`), failed.check);
    const result = await call(engine, code(`${looping} 00`), succeeded.check);
    expect(result.outcome).toBe('success');
    expect(result.logs).toHaveLength(what === 'logs' ? 20_000 : 0);
    expect(succeeded.slices() - failed.slices()).toBeGreaterThanOrEqual(10);
  });

  it('repeated calls of P256VERIFY yield', async () => {
    const { check, slices } = countingSlices();
    const osaka = createWasmEngine(ruleSetNamed('osaka'), options);
    const runtime = code('6028 5b 5f 5f 60a0 5f 610100 5a fa 50 6001 90 03 80 6002 57 00');
    const gasLimit = 2n ** 24n;
    expect((await call(osaka, runtime, check, { gasLimit })).outcome).toBe('success');
    expect(slices()).toBeGreaterThanOrEqual(15);
  });

  it('a revert of many changes yields', async () => {
    const many = 200_000;
    const reading = writing(many, 0).replace('80 80 5d', '80 5c 50');
    for (const failure of ['5f 5f fd', 'fe', '60ef 5f 53 6001 5f f3']) {
      const [reads, writes] = [countingSlices(), countingSlices()];
      const create = (data: string) => ({ to: null, data: code(data), gasLimit: 2n ** 25n });
      await call(engine, new Uint8Array(0), reads.check, create(`${reading} ${failure}`));
      await call(engine, new Uint8Array(0), writes.check, create(`${writing(many, 0)} ${failure}`));
      expect(writes.slices() - reads.slices()).toBeGreaterThanOrEqual(6);
    }
  });

  it.each([
    ['memory', `5f ${size(25 * MEGABYTE)} 52 00`],
    ['memory of many frames', `5f ${size(15 * MEGABYTE)} 52 5f 5f 5f 5f 30 5a fa 00`],
    ['logs', `5b ${size(15 * MEGABYTE)} 5f a0 5f 56`],
  ])('a message that takes too much %s halts with out of memory', async (_what, runtime) => {
    expect(await call(engine, code(runtime))).toMatchObject({
      outcome: 'halt',
      haltReason: HALT_REASONS.outOfMemory,
    });
  });
});

describe('logs that a caller does not read', () => {
  const runtime = code(`6103e8 5b 6020 5f a0 6001 90 03 80 6003 57 ${ANSWER}`);

  it('unread logs are omitted by both engines', async () => {
    const engine = createWasmEngine(ruleSetNamed('cancun'), options);
    const reference = await createReferenceEngine(ruleSetNamed('cancun'), options);
    const asked: number[] = [];
    const keepsLogs = (bytes: number) => {
      asked.push(bytes);
      return false;
    };
    const kept = await call(engine, runtime);
    expect(kept.logs).toHaveLength(1_000);
    for (const each of [engine, reference])
      expect(await call(each, runtime, neverCancelled, { keepsLogs })).toEqual({ ...kept, logs: [] });
    expect(asked).toHaveLength(2);
    for (const bytes of asked) expect(bytes).toBeGreaterThan(1_000 * 32);
  });

  it('unread logs end the execution if keepsLogs throws', async () => {
    const engine = createWasmEngine(ruleSetNamed('cancun'), options);
    const keepsLogs = () => {
      throw new RangeError('no room');
    };
    const refused = async () => call(engine, runtime, neverCancelled, { keepsLogs });
    await expect(refused()).rejects.toThrow('no room');
    expect((await call(engine, runtime)).logs).toHaveLength(1_000);
  });
});

describe('memory of many frames', () => {
  it('more than 300 nested frames of 90 kB run within 400 million gas', async () => {
    const engine = createWasmEngine(ruleSetNamed('cancun'), options);
    // Each frame takes 90 kB, calls itself, and returns the number of frames.
    const runtime = code(`60015f526201600051 50 6020 5f 5f 5f 30 5a fa 50 5f 51 6001 01 5f 52 6020 5f f3`);
    const result = await call(engine, runtime, neverCancelled, { gasLimit: 400_000_000n });
    expect(BigInt(toHex(result.returnData))).toBeGreaterThan(300n);
  });
});

describe('long instructions on both engines', () => {
  const inner = `5f 5f 5f 5f 73${Buffer.from(RECIPIENT).toString('hex')} 5a fa 50`;
  const reverting = `5b ${writing(30_000, 0x21)} 6020 5f fd`;
  it.each([
    [
      'a frame that reverts many changes',
      `36 6020 57 5f 5f 6001 5f 5f 30 5a f1 3d 01 6001 5c 01 617530 5c 01 5a 01 ${ANSWER} ${reverting}`,
    ],
    [
      'a creation that halts after many changes',
      `70 ${writing(30_000, 0)} fe 5f 52 6011 600f 5f f0 5a 01 ${ANSWER}`,
    ],
    [
      'a creation of code that starts with 0xef, after many changes',
      `77 ${writing(30_000, 0)} 60ef 5f 53 6001 5f f3 5f 52 6018 6008 5f f0 5a 01 ${ANSWER}`,
    ],
    [
      'a long hash between short hashes',
      `${size(300_000)} 5f 20 6020 5f 20 01 ${size(70_000)} 6007 20 01 ${ANSWER}`,
    ],
    ['CREATE2 of long initcode', `5f ${size(600_000)} 5f 5f f5 5a 01 ${ANSWER}`],
    [
      'CREATE2 of long initcode in a static call',
      `36 6010 57 6001 6001 5f 5f 30 5a fa ${ANSWER} 5b 5f ${size(600_000)} 5f 5f f5`,
    ],
    ['a creation of long code', `65 6207a120 5ff3 5f 52 6006 601a 5f f0 3b 5a 01 ${ANSWER}`],
    [
      'a creation of long code that starts with 0xef',
      `69 60ef5f53 6207a120 5ff3 5f 52 600a 6016 5f f0 5a 01 ${ANSWER}`,
    ],
    ['memory that another frame has used', `${inner} 6103e0 51 61041f 51 01 59 01 ${ANSWER}`],
    [
      'zeros after the end of the data',
      `5f 19 5f 52 5f 19 6040 52 ${inner} 6103ff 5f 600f 37 610400 5f 20 59 01 ${ANSWER}`,
    ],
    [
      'zeros after the end of the code',
      `5f 19 5f 52 5f 19 6040 52 ${inner} 6103ff 5f 600f 39 610400 5f 20 59 01 ${ANSWER}`,
    ],
    [
      'zeros after the end of the code of another account',
      `5f 19 5f 52 5f 19 6040 52 ${inner} 6103ff 5f 600f 30 3c 610400 5f 20 59 01 ${ANSWER}`,
    ],
    [
      'memory that moves',
      `6001 5f 52 ${inner} ${size(3 * MEGABYTE)} 51 5f 51 01 ${size(9 * MEGABYTE)} 51 01 ${ANSWER}`,
    ],
  ])('both engines agree on %s', async (_name, runtime) => {
    const reference = await createReferenceEngine(ruleSetNamed('cancun'), options);
    const engine = createWasmEngine(ruleSetNamed('cancun'), options);
    for (const gasLimit of [PLENTY, 200_000n, 30_000n]) {
      const expected = await call(reference, code(runtime), neverCancelled, { gasLimit });
      for (let again = 0; again < 2; again++) {
        const { check } = countingSlices();
        expect(await call(engine, code(runtime), check, { gasLimit })).toEqual(expected);
      }
    }
  });
});
