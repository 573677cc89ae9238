import { describe, expect, it } from 'vitest';
import { TraceTooLargeError } from '../../src/evm/errors.ts';
import type { ExecutionStep } from '../../src/evm/observer.ts';
import { TraceBudget, type TraceSubject } from '../../src/evm/tracers/tracer.ts';
import { ExecutionRecorder } from '../../src/inspect/execution-recorder.ts';
import { guidesOf } from '../../src/inspect/source-index.ts';
import { StepPositions, StepRecorder } from '../../src/inspect/steps.ts';
import { StateRecorder } from '../../src/inspect/storage/state-recorder.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { countTurns } from '../support/turns.ts';
import { AFTER, contractOf, NOTHING, RESULT, recordingOf, START, subject } from './made-up-execution.ts';

const MILLION = 1_000_000;
const SOURCE = 'contract A { function f() public { g(); } function g() internal { g(); } }';
const FUNCTION_F = `${SOURCE.indexOf('function f')}:28:0:-`;
const CALL_OF_G = `${SOURCE.indexOf('g();')}:3:0:i`;
const FUNCTION_G = `${SOURCE.indexOf('function g')}:32:0:-`;
const RETURN_OF_G = `${SOURCE.lastIndexOf('g();')}:3:0:o`;
/** `f` enters `g`, and `g` leaves. */
const PLACES = { f: 0, enter: 1, g: 2, leave: 3, sload: 4 } as const;
const CODE = Uint8Array.of(0x5b, 0x56, 0x5b, 0x56, 0x54);
const CONTRACT = contractOf({
  bytes: CODE,
  sourceMap: [FUNCTION_F, CALL_OF_G, FUNCTION_G, RETURN_OF_G, FUNCTION_F].join(';'),
  source: SOURCE,
  isOptimized: false,
});

/** The number of objects and items reachable from the value, except through the given names. */
function countKept(root: unknown, leftOut: ReadonlySet<string> = new Set()): number {
  const seen = new Set<unknown>();
  const left: unknown[] = [root];
  let items = 0;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
      items += value.byteLength;
      continue;
    }
    const members =
      value instanceof Map
        ? [...value].flat()
        : value instanceof Set
          ? [...value]
          : Object.entries(value).flatMap(([name, member]) => (leftOut.has(name) ? [] : [member]));
    items += members.length;
    left.push(...members);
  }
  return seen.size + items;
}

/** A recording does not store the data of the contract. */
const KNOWN_BEFORE: ReadonlySet<string> = new Set(['guides', 'subject']);

async function executionRecorder(budget = new TraceBudget(), frames = 1): Promise<ExecutionRecorder> {
  const contracts = Array.from({ length: frames }, () => CONTRACT);
  return new ExecutionRecorder(subject(budget), await guidesOf(contracts, new WeakMap()));
}

function stepAt(pc: number, slot: bigint): ExecutionStep {
  return {
    pc,
    opcode: CODE[pc] ?? 0,
    gas: 0n,
    gasCost: 0n,
    depth: 0,
    refund: 0n,
    address: START.to,
    stackHeight: 2,
    stack: () => [slot, slot],
    stackItem: () => slot,
    copyStack: () => undefined,
    memory: () => new Uint8Array(),
    storageAt: () => new Uint8Array(),
    returnData: () => new Uint8Array(),
  };
}

describe('ExecutionRecorder', () => {
  it('stores as much for a million steps as for a thousand', async () => {
    const keptOf = async (steps: number): Promise<number> => {
      const recorder = await executionRecorder();
      recorder.frameStart(START);
      const round = Uint32Array.of(PLACES.f, PLACES.enter, PLACES.g, PLACES.leave);
      for (let count = 0; count < steps; count += round.length) recorder.trail?.(round);
      recorder.frameEnd({ ...NOTHING, outcome: 'revert' });
      return countKept(recordingOf(recorder), KNOWN_BEFORE);
    };
    expect(await keptOf(MILLION)).toBe(await keptOf(1_000));
  });

  it('stores only the functions around the last call, regardless of earlier recursions', async () => {
    const keptOf = async (calls: number): Promise<number> => {
      const recorder = await executionRecorder();
      recorder.frameStart(START);
      for (let call = 0; call < calls; call++) {
        for (let depth = 0; depth < 500; depth++) recorder.trail?.(Uint32Array.of(PLACES.enter, PLACES.g));
        recorder.frameStart({ ...START, input: new Uint8Array() });
        recorder.frameEnd(NOTHING);
        recorder.trail?.(new Uint32Array(500).fill(PLACES.leave));
      }
      recorder.frameEnd({ ...NOTHING, outcome: 'revert' });
      return countKept(recordingOf(recorder), KNOWN_BEFORE);
    };
    const [few, many] = [await keptOf(10), await keptOf(660)];
    // 660 rounds are a million steps.
    expect((many - few) / 650).toBeLessThan(100);
  });

  it('stores no frames, logs or data beyond the trace budget', async () => {
    const recorder = await executionRecorder(new TraceBudget(1_000_000));
    const record = (): void => {
      recorder.frameStart(START);
      for (let count = 0; count < MILLION; count++) {
        recorder.frameStart({ ...START, input: new Uint8Array(32) });
        recorder.log({ address: START.to, topics: [], data: new Uint8Array(32) });
        recorder.frameEnd({ ...NOTHING, output: new Uint8Array(32) });
      }
    };
    expect(record).toThrow(TraceTooLargeError);
    expect(recordingOf(recorder).frames.length).toBeLessThan(1_000);
  });
});

describe('codes of recorded frames', () => {
  it('the code is read once per account, and the search yields', async () => {
    const lookedUp: string[] = [];
    const before: unknown = { account: (address: Uint8Array) => void lookedUp.push(toHex(address)) };
    const read = { ...subject(new TraceBudget()), before: before as TraceSubject['before'] };
    const recorder = new ExecutionRecorder(read);
    const other = new Uint8Array(20).fill(8);
    recorder.frameStart(START);
    for (let call = 0; call < 50_000; call++) {
      recorder.frameStart({ ...START, to: call % 2 === 0 ? START.to : other });
      recorder.frameEnd({ ...NOTHING, outcome: 'revert' });
    }
    recorder.frameEnd(NOTHING);
    const { result, turns } = await countTurns(async () =>
      runTask(recorder.result(RESULT, AFTER), new TimeSlice()),
    );
    expect(result.frames).toHaveLength(50_001);
    expect(lookedUp).toEqual([toHex(START.to), toHex(other)]);
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});

describe('StateRecorder', () => {
  it('stores no slots or writes beyond the trace budget', () => {
    const writes = (slotOf: (index: number) => bigint): (() => void) => {
      const recorder = new StateRecorder(subject(new TraceBudget(1_000_000)));
      return () => {
        for (let index = 0; index < MILLION; index++) {
          recorder.frameStart();
          recorder.step({ ...stepAt(0, slotOf(index)), opcode: 0x55 });
          recorder.frameEnd(NOTHING);
        }
      };
    };
    expect(writes(BigInt)).toThrow(TraceTooLargeError);
    expect(writes((index) => BigInt(index % 1_000))).toThrow(TraceTooLargeError);
    expect(writes(() => 1n)).not.toThrow();
  });
});

describe('StepRecorder', () => {
  const page = { first: 0, count: 100, memory: false, variables: false, depths: false, events: false };

  it('stores only its page of steps and a bounded number of statements', async () => {
    const keptOf = async (steps: number): Promise<number> => {
      const places = await StepPositions.of([CONTRACT], null);
      const recorder = new StepRecorder(subject(new TraceBudget()), [CONTRACT], places, page);
      recorder.frameStart(START);
      for (let index = 0; index < steps; index++) recorder.step(stepAt(index % CODE.length, BigInt(index)));
      recorder.frameEnd(NOTHING);
      const told = await runTask(recorder.result());
      expect(told.count).toBe(steps);
      expect(told.steps).toHaveLength(page.count);
      return countKept(told);
    };
    const few = await keptOf(1_000);
    // A statement has an array entry, itself and four members.
    expect((await keptOf(MILLION)) - few).toBeLessThan(6 * 200_000);
    expect(await keptOf(2 * MILLION)).toBe(await keptOf(MILLION));
  });

  it('stores a bounded number of earlier slots', async () => {
    const places = await StepPositions.of([CONTRACT], null);
    const later = { ...page, first: MILLION };
    const recorder = new StepRecorder(subject(new TraceBudget()), [CONTRACT], places, later);
    recorder.frameStart(START);
    for (let index = 0; index < MILLION; index++) recorder.step(stepAt(PLACES.sload, BigInt(index)));
    const slots = Object.values((await runTask(recorder.result())).storage);
    expect(slots.map(({ length }) => length)).toEqual([1_000]);
  });

  it('stores no frames beyond the trace budget', async () => {
    const places = await StepPositions.of([], null);
    const recorder = new StepRecorder(subject(new TraceBudget(1_000_000)), [], places, page);
    const record = (): void => {
      for (let count = 0; count < MILLION; count++) {
        recorder.frameStart(START);
        recorder.frameEnd(NOTHING);
      }
    };
    expect(record).toThrow(TraceTooLargeError);
    expect((await runTask(recorder.result())).frames.length).toBeLessThan(10_000);
  });
});

describe('a transaction of a million steps', () => {
  /** Initcode that loops over three opcodes until it runs out of gas: 12 gas per round. */
  const CIRCLE = '0x5b600056';

  it('inspection responses have the same size as for a thousand steps', async () => {
    const { call } = await createRpcHarness({}, { gasLimit: 20_000_000n });
    const [from] = (await call('eth_accounts', [])) as string[];
    const sizes = async (gas: number): Promise<number[]> => {
      const transaction = { from, gas: `0x${gas.toString(16)}`, data: CIRCLE };
      const hash = await call('eth_sendTransaction', [transaction]);
      const steps = await call('inspect_steps', [hash, { first: '0x0', count: '0x0' }]);
      expect(Number((steps as { count: string }).count)).toBeGreaterThan((gas - 60_000) / 4);
      const told = [
        await call('inspect_transaction', [hash]),
        await call('debug_traceTransaction', [hash, { tracer: 'callTracer', decode: true }]),
        steps,
      ];
      return told.map((value) => JSON.stringify(value).length);
    };
    const short = await sizes(70_000);
    const long = await sizes(4 * MILLION + 60_000);
    for (const [index, size] of long.entries()) expect(size - (short[index] ?? 0)).toBeLessThan(100);
  });
});
