import { describe, expect, it } from 'vitest';
import { ConsoleRecorder } from '../../../src/evm/console.ts';

const CALLER = new Uint8Array(20).fill(1);

describe('the recorder of console calls', () => {
  it('has no record before the first call', () => {
    expect(new ConsoleRecorder().record).toBeUndefined();
  });

  it('keeps copies, in order', () => {
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

  it('keeps a megabyte and only counts the calls after it', () => {
    const recorder = new ConsoleRecorder();
    const input = new Uint8Array(1_000);
    for (let count = 0; count < 2_000; count++) recorder.add(CALLER, input);
    recorder.add(CALLER, new Uint8Array(0));
    const kept = recorder.record?.calls.length ?? 0;
    expect(kept).toBe(Math.floor(2 ** 20 / 1_064));
    expect(recorder.record?.omitted).toBe(2_001 - kept);
  });

  it('bounds calls without data too', () => {
    const recorder = new ConsoleRecorder();
    for (let count = 0; count < 20_000; count++) recorder.add(CALLER, new Uint8Array(0));
    expect(recorder.record?.calls).toHaveLength(2 ** 20 / 64);
  });

  it('has a record when the first call is too large already', () => {
    const recorder = new ConsoleRecorder();
    recorder.add(CALLER, new Uint8Array(2 ** 20));
    expect(recorder.record).toEqual({ calls: [], omitted: 1 });
  });
});
