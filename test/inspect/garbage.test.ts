import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HALT_REASONS } from '../../src/evm/halt-reasons.ts';
import { TraceBudget } from '../../src/evm/tracers/tracer.ts';
import { ExecutionRecorder, type RecordedExecution } from '../../src/inspect/execution-recorder.ts';
import { failingPath } from '../../src/inspect/failing-path.ts';
import { failureOf } from '../../src/inspect/failure.ts';
import type { ContractsOfFrames } from '../../src/inspect/known-contracts.ts';
import { guidesOf } from '../../src/inspect/source-index.ts';
import { stackTraceOf } from '../../src/inspect/stack-trace.ts';
import { stackText } from '../../src/inspect/tree-text.ts';
import { contractOf, NOTHING, recordingOf, START, subject, takeStep } from './made-up-execution.ts';

const STRUCTURED_MAP = fc
  .array(
    fc.record({
      start: fc.integer({ min: -1, max: 120 }),
      length: fc.integer({ min: -1, max: 120 }),
      file: fc.integer({ min: -1, max: 2 }),
      jump: fc.constantFrom('i', 'o', '-', ''),
    }),
    { maxLength: 64 },
  )
  .map((entries) =>
    entries.map(({ start, length, file, jump }) => `${start}:${length}:${file}:${jump}`).join(';'),
  );
const SOURCE = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constant(
    'contract A { function f() public { g(); revert E(1); } function g() internal {} modifier m { _; } }',
  ),
);
const EVENT = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.tuple(
      fc.constant('step' as const),
      fc.integer({ min: 0, max: 70 }),
      fc.integer({ min: 0, max: 255 }),
    ),
  },
  { weight: 2, arbitrary: fc.constant(['start'] as const) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('end' as const),
      fc.constantFrom('revert', 'halt', 'success'),
      fc.uint8Array({ maxLength: 80 }),
    ),
  },
);

describe('stack trace of random input', () => {
  it('a stack trace exists for any source map, code, source and execution', async () => {
    const parts = fc.record({
      bytes: fc.uint8Array({ maxLength: 64 }),
      sourceMap: fc.oneof(fc.string(), STRUCTURED_MAP),
      source: SOURCE,
      isOptimized: fc.boolean(),
    });
    const property = fc.asyncProperty(parts, fc.array(EVENT, { maxLength: 80 }), async (made, events) => {
      const contract = contractOf(made);
      const contracts: ContractsOfFrames = events.map(() => contract).concat(contract);
      const recorder = new ExecutionRecorder(
        subject(new TraceBudget()),
        await guidesOf(contracts, new WeakMap()),
      );
      let depth = 1;
      recorder.frameStart(START);
      for (const event of events) {
        if (event[0] === 'step') takeStep(recorder, event[1], event[2]);
        else if (event[0] === 'start') {
          depth++;
          recorder.frameStart(START);
        } else if (depth > 1) {
          depth--;
          recorder.frameEnd({
            ...NOTHING,
            outcome: event[1],
            output: event[2],
            haltReason: event[1] === 'halt' ? HALT_REASONS.outOfGas : null,
          });
        }
      }
      while (depth-- > 0) recorder.frameEnd({ ...NOTHING, outcome: 'revert' });
      const recorded = recordingOf(recorder);
      const path = failingPath(recorded.root, contracts);
      expect(
        failureOf(
          path,
          path.map(({ index }) => contracts[index] ?? null),
        ).message,
      ).not.toBe('');
      const trace = await stackTraceOf(recorded, contracts);
      expect(trace.length).toBeGreaterThanOrEqual(path.length);
      expect(stackText(trace).split('\n')).toHaveLength(trace.length);
    });
    await fc.assert(property, { numRuns: 1000 });
  });
});

describe('bounded recording', () => {
  const STEPS = 1_000_000;
  const source = 'contract A { function f() public { g(); } function g() internal { f(); } }';

  async function recordLoop(jump: 'i' | 'o'): Promise<RecordedExecution> {
    const entry = (name: string): string => {
      const start = source.indexOf(`function ${name}`);
      return `${start}:${source.indexOf('}', start) + 1 - start}:0:-`;
    };
    const sourceMap = `${entry('g')};${source.indexOf('g();')}:3:0:${jump}`;
    const contract = contractOf({ bytes: Uint8Array.of(0x5b, 0x56), sourceMap, source, isOptimized: false });
    const recorder = new ExecutionRecorder(
      subject(new TraceBudget()),
      await guidesOf([contract], new WeakMap()),
    );
    recorder.frameStart(START);
    for (let count = 0; count < STEPS; count += 2) {
      takeStep(recorder, 0, 0x5b);
      takeStep(recorder, 1, 0x56);
    }
    recorder.frameEnd({ ...NOTHING, outcome: 'revert' });
    return recordingOf(recorder);
  }

  it.each(['i', 'o'] as const)(
    'a million steps with jumps %s record a bounded number of functions',
    async (jump) => {
      const recorded = await recordLoop(jump);
      let count = 0;
      for (let call = recorded.root.endedIn; call !== null; call = call.outer) count++;
      expect(recorded.frames).toHaveLength(1);
      expect(recorded.root.items).toEqual([]);
      expect(count).toBe(jump === 'i' ? 1025 : 1);
    },
  );

  it('recording ends with an error if it has too many frames', async () => {
    const recorder = new ExecutionRecorder(subject(new TraceBudget(1_000_000)), []);
    const record = (): void => {
      for (let count = 0; count < STEPS; count++) {
        recorder.frameStart(START);
        recorder.frameEnd(NOTHING);
      }
    };
    expect(record).toThrow('trace too large');
  });
});
