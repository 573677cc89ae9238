import { describe, expect, it } from 'vitest';
import { endingWith } from '../../src/primitives/awaitable.ts';

describe('endingWith', () => {
  const steps: string[] = [];
  const end = (): void => void steps.push('end');

  it('returns an available value after the end', () => {
    steps.length = 0;
    expect(endingWith(() => 1, end)).toBe(1);
    expect(steps).toEqual(['end']);
  });

  it('throws the error of the action after the end', () => {
    steps.length = 0;
    const failing = (): number => {
      throw new Error('reverted');
    };
    expect(() => endingWith(failing, end)).toThrow('reverted');
    expect(steps).toEqual(['end']);
  });

  it('ends when a promise settles', async () => {
    steps.length = 0;
    const resolved = endingWith(() => Promise.resolve(2), end);
    expect(steps).toEqual([]);
    expect(await resolved).toBe(2);
    await expect(endingWith(() => Promise.reject(new Error('reverted')), end)).rejects.toThrow('reverted');
    expect(steps).toEqual(['end', 'end']);
  });
});
