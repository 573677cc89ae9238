import { describe, expect, it } from 'vitest';
import { CallOutputs } from '../../src/fork/call-outputs.ts';

const FROM = new Uint8Array(20).fill(1);

function input(length: number, last: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes[length - 1] = last;
  return bytes;
}

describe('the outputs of calls', () => {
  it('are told apart by data, sender and value', () => {
    const outputs = new CallOutputs(10_000);
    const calls = [4, 5, 5000, 5001].flatMap((length) => [
      { data: input(length, 1) },
      { data: input(length, 2) },
      { data: input(length, 1), sent: { from: FROM, value: 0n } },
      { data: input(length, 1), sent: { from: FROM, value: 1n } },
      { data: input(length, 1), sent: { from: new Uint8Array(20), value: 1n } },
    ]);

    calls.forEach((call, index) => {
      outputs.set(CallOutputs.keyOf(call), Uint8Array.of(index));
    });

    expect(new Set(calls.map(CallOutputs.keyOf)).size).toBe(20);
    expect(calls.map((call) => outputs.get(CallOutputs.keyOf(call))?.[0])).toEqual(calls.map((_, i) => i));
  });

  it('have keys of bounded length', () => {
    expect(CallOutputs.keyOf({ data: input(2_000_000, 1) }).length).toBeLessThan(200);
  });

  it('drop the oldest above the limit, and count the bytes that they hold', () => {
    const outputs = new CallOutputs(10_000);

    for (let index = 0; index < 1000; index++) {
      outputs.set(`${index}`, new Uint8Array(100));
      expect(outputs.heldBytes).toBeLessThanOrEqual(10_000);
    }

    expect(outputs.get('999')).toHaveLength(100);
    expect(outputs.get('980')).toHaveLength(100);
    expect(outputs.get('0')).toBeUndefined();
  });

  it('count an output that replaces another one once', () => {
    const outputs = new CallOutputs(10_000);
    outputs.set('a', new Uint8Array(100));
    const { heldBytes } = outputs;

    outputs.set('a', new Uint8Array(100));

    expect(outputs.heldBytes).toBe(heldBytes);
  });

  it('keep the newest one even if it is larger than the limit', () => {
    const outputs = new CallOutputs(10_000);
    outputs.set('a', new Uint8Array(10));

    outputs.set('b', new Uint8Array(20_000));

    expect(outputs.get('a')).toBeUndefined();
    expect(outputs.get('b')).toHaveLength(20_000);
  });
});
