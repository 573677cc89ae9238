import { describe, expect, it } from 'vitest';
import type { Engine, ExecutionResult } from '../../../src/evm/engine.ts';
import type { ExecutionObserver } from '../../../src/evm/observer.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { type CancelCheck, neverCancelled } from '../../../src/scheduling/cancel-check.ts';
import { SLICE_MILLISECONDS } from '../../../src/scheduling/slice-length.ts';
import { Overlay } from '../../../src/state/overlay.ts';
import { WorldState } from '../../../src/state/world-state.ts';
import { CONTRACT, code, environmentOf, messageOf } from '../../reference/scene.ts';
import { createReferenceEngine, createWasmEngine } from '../../support/evm/engines.ts';

const options = { chainId: 33, codeSizeLimit: null };
const environment = environmentOf('shanghai', { gasLimit: 2n ** 40n });
const MEGABYTE = 2 ** 20;
const SEGMENT = 4096;

/** Code of `length` bytes: `start`, then repeated `byte`, then `end`. */
function filled(length: number, start: string, byte: number, end = ''): Uint8Array {
  const bytes = new Uint8Array(length).fill(byte);
  bytes.set(code(start));
  bytes.set(code(end), length - code(end).length);
  return bytes;
}

/** A cancel check whose time slice is always over. `slices` returns the number of yields. */
function countingSlices(): { readonly check: CancelCheck; readonly slices: () => number } {
  let slices = 0;
  const turns = { blockedFor: () => SLICE_MILLISECONDS, wait: async () => void slices++ };
  return { check: Object.assign(() => {}, { yielder: turns }), slices: () => slices };
}

function call(
  engine: Engine,
  runtime: Uint8Array,
  gasLimit: bigint,
  observer?: ExecutionObserver,
  check: CancelCheck = neverCancelled,
): Promise<ExecutionResult> {
  const state = new Overlay(WorldState.empty());
  state.setCode(CONTRACT, runtime);
  const message = messageOf({ to: CONTRACT, gasLimit });
  return Promise.resolve(engine.call(environment, state, message, observer, check));
}

const place = (pc: number): string => pc.toString(16).padStart(8, '0');

describe('code of several megabytes', () => {
  const engine = createWasmEngine(ruleSetNamed('shanghai'), options);

  it('runs its first instruction without a yield', async () => {
    const { check, slices } = countingSlices();
    const result = await call(engine, filled(5 * MEGABYTE, '00', 0x5b), 100_000n, undefined, check);
    expect(result.gasUsed).toBe(21_000n);
    expect(slices()).toBe(0);
  });

  it('yields during a far jump', async () => {
    const { check, slices } = countingSlices();
    const length = 5 * MEGABYTE;
    const far = filled(length, `63 ${place(length - 2)} 56`, 0x5b, '5b00');
    expect(await call(engine, far, 100_000n, undefined, check)).toMatchObject({
      outcome: 'success',
      gasUsed: 21_000n + 3n + 8n + 1n,
    });
    expect(slices()).toBeGreaterThanOrEqual(10);
  });

  it('yields while it runs to its end', async () => {
    const { check, slices } = countingSlices();
    const length = 2 * MEGABYTE;
    const result = await call(engine, filled(length, '', 0x5b), 10_000_000n, undefined, check);
    expect(result.gasUsed).toBe(21_000n + BigInt(length));
    expect(slices()).toBeGreaterThanOrEqual(10);
  });

  it('runs far inside with an observer, and halts there without enough gas', async () => {
    const length = 2 * MEGABYTE;
    const far = filled(length, `63 ${place(length - 4)} 56`, 0x5b, '5b 5f 5f f3');
    const steps: number[] = [];
    const observer = { step: ({ pc }: { pc: number }) => void steps.push(pc) };
    expect((await call(engine, far, 100_000n, observer)).outcome).toBe('success');
    expect(steps).toEqual([0, 5, length - 4, length - 3, length - 2, length - 1]);
    // The gas does not pay for the second PUSH0.
    expect(await call(engine, far, 21_000n + 15n)).toMatchObject({
      outcome: 'halt',
      haltReason: 'out of gas',
    });
  });

  it('runs as initcode with at most one yield if it ends early', async () => {
    const { check, slices } = countingSlices();
    const state = new Overlay(WorldState.empty());
    const data = filled(MEGABYTE, '5f5ff3', 0x5b);
    const message = messageOf({ to: null, data, gasLimit: 100_000_000n });
    const result = await engine.call(environment, state, message, undefined, check);
    expect(result.outcome).toBe('success');
    expect(slices()).toBeLessThanOrEqual(1);
  });
});

/** Deterministic random numbers from 0 to below 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Five segments of random bytes with jumps between them. Execution crosses the ends of segments.
 * Some jump targets are push data.
 */
function hoppingCode(seed: number): Uint8Array {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const bytes = Uint8Array.from({ length: 5 * SEGMENT }, () => (below(8) === 0 ? 0x60 + below(32) : 0x5b));
  // Jumps are close to the ends of segments, so that opcodes, push data and blocks cross the ends.
  const places = Array.from({ length: 6 }, () => (1 + below(4)) * SEGMENT - 40 + below(60)).sort(
    () => random() - 0.5,
  );
  bytes.set(code(`63 ${place(places[0] ?? 0)} 56`));
  places.forEach((from, index) => {
    const to = places[index + 1] ?? 3;
    const isDynamic = below(2) === 0;
    const hop = isDynamic ? `63 ${place(to)} 5f 01 56` : `6001 63 ${place(to)} 57`;
    bytes.set(code(`5b 58 ${hop}`), from);
  });
  return bytes;
}

describe('code of several segments', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))('matches the reference (seed %i)', async (seed) => {
    const reference = await createReferenceEngine(ruleSetNamed('shanghai'), options);
    const engine = createWasmEngine(ruleSetNamed('shanghai'), options);
    const runtime = hoppingCode(seed);
    for (const gasLimit of [60_000n, 21_200n, 21_060n]) {
      const expected = await call(reference, runtime, gasLimit);
      expect(await call(engine, runtime, gasLimit)).toEqual(expected);
      const steps: number[] = [];
      const observed = await call(engine, runtime, gasLimit, { step: ({ pc }) => void steps.push(pc) });
      expect(observed).toEqual(expected);
      const referenceSteps: number[] = [];
      await call(reference, runtime, gasLimit, { step: ({ pc }) => void referenceSteps.push(pc) });
      expect(steps).toEqual(referenceSteps);
    }
  });
});
