import { describe, expect, it } from 'vitest';
import { closeOnSignal, endingWithInput } from '../../src/cli/exit.ts';
import { SaveError } from '../../src/config/errors.ts';
import { fakeHost } from './support/fake-host.ts';

/** A node with the given close function, without unsaved data. */
function node(close: () => Promise<number>) {
  return { close, unsaved: () => null };
}

describe('closeOnSignal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'closes at %s, and exits with code 0 after the close',
    async (signal) => {
      const host = fakeHost();
      let finish = (): void => undefined;
      const closed = new Promise<number>((resolve) => {
        finish = () => resolve(0);
      });
      closeOnSignal(host, () => node(() => closed));
      host.sendSignal(signal);
      expect(host.exitCodes).toEqual([]);
      finish();
      expect(await host.exited()).toBe(0);
    },
  );

  it('calls onClosed after closing, unless closing fails', async () => {
    for (const isClosed of [true, false]) {
      const host = fakeHost();
      const close = () => (isClosed ? Promise.resolve(0) : Promise.reject(new SaveError('full')));
      const codesAtEnd: unknown[] = [];
      closeOnSignal(
        host,
        () => node(close),
        () => codesAtEnd.push([...host.exitCodes]),
      );
      host.sendSignal('SIGINT');
      await host.exited();
      expect(codesAtEnd).toEqual(isClosed ? [[]] : []);
    }
  });

  it('closes at the end of the input on request', async () => {
    const host = fakeHost();
    closeOnSignal(endingWithInput(host), () => node(() => Promise.resolve(0)));
    host.endInput();
    expect(await host.exited()).toBe(0);
  });

  it('exits immediately if nothing is running', () => {
    const host = fakeHost();
    closeOnSignal(host, () => null);
    host.sendSignal('SIGINT');
    expect(host.exitCodes).toEqual([130]);
  });

  it('exits immediately at a second signal', () => {
    let now = 0;
    const host = { ...fakeHost(), clock: { now: () => now } };
    closeOnSignal(host, () => node(() => new Promise(() => undefined)));
    host.sendSignal('SIGINT');
    now += 501;
    host.sendSignal('SIGTERM');
    expect(host.exitCodes).toEqual([130]);
  });

  it('reports unsaved data at a second signal', () => {
    let now = 0;
    const host = { ...fakeHost(), clock: { now: () => now } };
    closeOnSignal(host, () => ({
      close: () => new Promise(() => undefined),
      unsaved: () => 'the chain was not saved to x',
    }));
    host.sendSignal('SIGINT');
    expect(host.written.errors).toBe('');
    now += 501;
    host.sendSignal('SIGINT');
    expect(host.exitCodes).toEqual([130]);
    expect(host.written.errors).toBe('node-cli: the chain was not saved to x\n');
  });

  it('treats signals within 500 ms as one, because npx forwards the signal of the terminal', () => {
    let now = 0;
    const host = { ...fakeHost(), clock: { now: () => now } };
    closeOnSignal(host, () => node(() => new Promise(() => undefined)));
    host.sendSignal('SIGINT');
    now += 500;
    host.sendSignal('SIGINT');
    expect(host.exitCodes).toEqual([]);
  });

  it('reports a failed close and exits with code 1', async () => {
    const host = fakeHost();
    closeOnSignal(host, () => node(() => Promise.reject(new Error('stuck'))));
    host.sendSignal('SIGINT');
    expect(await host.exited()).toBe(1);
    expect(host.written.errors).toContain('node-cli: could not close: Error: stuck');
  });

  it('reports a failed save in one line', async () => {
    const host = fakeHost();
    const error = new SaveError('cannot save the chain to x: full');
    closeOnSignal(host, () => node(() => Promise.reject(error)));
    host.sendSignal('SIGHUP');
    expect(await host.exited()).toBe(1);
    expect(host.written.errors).toBe('node-cli: cannot save the chain to x: full\n');
  });
});
