import { describe, expect, it } from 'vitest';
import { ConsoleRecorder } from '../../../src/evm/console.ts';

const CALLER = new Uint8Array(20).fill(1);

describe('ConsoleRecorder', () => {
  it('has no record before the first call', () => {
    expect(new ConsoleRecorder().record).toBeUndefined();
  });

  it('stores copies of the calls in their order', () => {
    const recorder = new ConsoleRecorder();
    const input = Uint8Array.of(1, 2);
    recorder.add(CALLER, input);
    input.fill(9);
    recorder.add(CALLER, input);
    expect(recorder.record).toEqual({
      calls: [
        { caller: CALLER, input: Uint8Array.of(1, 2) },
        { caller: CALLER, input: Uint8Array.of(9, 9) },
      ],
      omitted: 0,
    });
  });

  it('stores 1 MiB of calls and counts all later calls as omitted', () => {
    const recorder = new ConsoleRecorder();
    const input = new Uint8Array(1_000);
    for (let count = 0; count < 2_000; count++) recorder.add(CALLER, input);
    recorder.add(CALLER, new Uint8Array(0));
    const kept = recorder.record?.calls.length ?? 0;
    expect(kept).toBe(Math.floor(2 ** 20 / 1_064));
    expect(recorder.record?.omitted).toBe(2_001 - kept);
  });

  it('limits the number of calls without data', () => {
    const recorder = new ConsoleRecorder();
    for (let count = 0; count < 20_000; count++) recorder.add(CALLER, new Uint8Array(0));
    expect(recorder.record?.calls).toHaveLength(2 ** 20 / 64);
  });

  it('creates a record if the first call is too large', () => {
    const recorder = new ConsoleRecorder();
    recorder.add(CALLER, new Uint8Array(2 ** 20));
    expect(recorder.record).toEqual({ calls: [], omitted: 1 });
  });
});
