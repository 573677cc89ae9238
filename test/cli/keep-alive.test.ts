import { expect, it } from 'vitest';
import { KeepAlive } from '../../src/cli/keep-alive.ts';

it('keeps the process alive until all calls are settled', async () => {
  let isAlive = true;
  const handle = {
    ref: () => {
      isAlive = true;
      return handle as NodeJS.Timeout;
    },
    unref: () => {
      isAlive = false;
      return handle as NodeJS.Timeout;
    },
  };
  const keepAlive = new KeepAlive(handle);
  expect(isAlive).toBe(false);
  let answer = (_value: string): void => undefined;
  const slow = keepAlive.during(() => new Promise<string>((resolve) => (answer = resolve)));
  await expect(keepAlive.during(() => Promise.reject(new Error('reverted')))).rejects.toThrow('reverted');
  expect(isAlive).toBe(true);
  answer('0x1');
  expect(await slow).toBe('0x1');
  expect(isAlive).toBe(false);
});
