import { describe, expect, it } from 'vitest';
import { closeOnSignal, endingWithInput } from '../../src/cli/exit.ts';
import { SaveError } from '../../src/config/errors.ts';
import { fakeHost } from './support/fake-host.ts';

/** A node that is closed like this, and of which nothing is lost. */
function node(close: () => Promise<number>) {
  return { close, unsaved: () => null };
}

describe('closeOnSignal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'closes at %s and ends with 0 once all is closed',
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

  it('closes at the end of the input where that is asked for', async () => {
    const host = fakeHost();
    closeOnSignal(endingWithInput(host), () => node(() => Promise.resolve(0)));
    host.endInput();
    expect(await host.exited()).toBe(0);
  });

  it('ends at once while there is nothing to close yet', () => {
    const host = fakeHost();
    closeOnSignal(host, () => null);
    host.sendSignal('SIGINT');
    expect(host.exitCodes).toEqual([130]);
  });

  it('ends at once at a later signal', () => {
    let now = 0;
    const host = { ...fakeHost(), clock: { now: () => now } };
    closeOnSignal(host, () => node(() => new Promise(() => undefined)));
    host.sendSignal('SIGINT');
    now += 501;
    host.sendSignal('SIGTERM');
    expect(host.exitCodes).toEqual([130]);
  });

  it('says at a later signal what is lost', () => {
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

  it('takes signals that come together for one, as npx passes on what the terminal sent to both', () => {
    let now = 0;
    const host = { ...fakeHost(), clock: { now: () => now } };
    closeOnSignal(host, () => node(() => new Promise(() => undefined)));
    host.sendSignal('SIGINT');
    now += 500;
    host.sendSignal('SIGINT');
    expect(host.exitCodes).toEqual([]);
  });

  it('tells of a failure to close and ends with 1', async () => {
    const host = fakeHost();
    closeOnSignal(host, () => node(() => Promise.reject(new Error('stuck'))));
    host.sendSignal('SIGINT');
    expect(await host.exited()).toBe(1);
    expect(host.written.errors).toContain('node-cli: could not close: Error: stuck');
  });

  it('tells of a chain that could not be saved in one line', async () => {
    const host = fakeHost();
    const error = new SaveError('cannot save the chain to x: full');
    closeOnSignal(host, () => node(() => Promise.reject(error)));
    host.sendSignal('SIGHUP');
    expect(await host.exited()).toBe(1);
    expect(host.written.errors).toBe('node-cli: cannot save the chain to x: full\n');
  });
});
