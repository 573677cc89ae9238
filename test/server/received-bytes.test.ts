import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReceivedBytes } from '../../src/server/received-bytes.ts';

const CHUNK = 2 ** 16;

function chunk(number: number): Buffer {
  return Buffer.alloc(CHUNK, number % 251);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('ReceivedBytes', () => {
  it('returns the parts in order', () => {
    const received = new ReceivedBytes();
    received.add(Buffer.from('one'), 0);
    received.add(Buffer.from('two'), 9);
    expect(received.length).toBe(6);
    expect(received.take().toString()).toBe('onetwo');
    expect(received.length).toBe(0);
    received.add(Buffer.from('three'), 0);
    expect(received.take().toString()).toBe('three');
  });

  it('does not join the parts of a long request of known length at the end', () => {
    const concat = vi.spyOn(Buffer, 'concat');
    const parts = Array.from({ length: 64 }, (_, at) => chunk(at));
    const received = new ReceivedBytes();
    for (const part of parts) received.add(part, 64 * CHUNK);
    const bytes = received.take();
    expect(concat).not.toHaveBeenCalled();
    expect(bytes.equals(Buffer.concat(parts))).toBe(true);
  });

  it('includes the start of the next request after a long one', () => {
    const received = new ReceivedBytes();
    const parts = Array.from({ length: 40 }, (_, at) => chunk(at));
    for (const part of parts) received.add(part, 39 * CHUNK + 100);
    received.add(Buffer.from('next'), 39 * CHUNK + 100);
    expect(received.length).toBe(40 * CHUNK + 4);
    expect(received.take().equals(Buffer.concat([...parts, Buffer.from('next')]))).toBe(true);
  });

  it('allocates no memory for parts of a long request that have not arrived', () => {
    const alloc = vi.spyOn(Buffer, 'allocUnsafeSlow');
    const received = new ReceivedBytes();
    for (let at = 0; at < 15; at++) received.add(chunk(at), 10_000_000);
    expect(alloc).not.toHaveBeenCalled();
  });
});
