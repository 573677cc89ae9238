import { describe, expect, it } from 'vitest';
import { InFlightCalls } from '../../src/log/in-flight-calls.ts';
import type { Connection } from '../../src/rpc/connection.ts';

const connection: Connection = {
  transport: 'http',
  remoteAddress: '127.0.0.1',
  notify: null,
  isClosed: false,
  onClose: () => () => undefined,
};

/** Calls to a service that answers when it is told to. */
function makeCalls() {
  const calls = new InFlightCalls();
  const service = calls.follow({
    call: (_method, params) => Promise.resolve(params),
  });
  function ask(method: string) {
    let settle = { resolve: (_: string): void => undefined, reject: (_: Error): void => undefined };
    const promise = new Promise<string>((resolve, reject) => {
      settle = { resolve, reject };
    });
    return { answer: service.call(method, promise, connection), ...settle };
  }
  return { calls, ask };
}

describe('CallsInHand', () => {
  it('gives the call in hand while there is one only', async () => {
    const { calls, ask } = makeCalls();
    expect(calls.only()).toBeNull();
    const first = ask('evm_mine');
    expect(calls.only()?.method).toBe('evm_mine');
    const second = ask('eth_chainId');
    expect(calls.only()).toBeNull();
    second.resolve('0x21');
    expect(await second.answer).toBe('0x21');
    expect(calls.only()?.method).toBe('evm_mine');
    first.resolve('0x0');
    await first.answer;
    expect(calls.only()).toBeNull();
    expect(calls.isEmpty).toBe(true);
  });

  it('hands on errors and counts such a call as answered', async () => {
    const { calls, ask } = makeCalls();
    const lost = new Error('lost');
    const first = ask('evm_mine');
    first.reject(lost);
    await expect(first.answer).rejects.toBe(lost);
    expect(calls.isEmpty).toBe(true);
  });

  it('gives the answered call of a method once, and none that is in hand', async () => {
    const { calls, ask } = makeCalls();
    const first = ask('evm_mine');
    const made = calls.only();
    const second = ask('evm_mine');
    expect(calls.takeAnswered('evm_mine')).toBeNull();
    first.resolve('0x0');
    await first.answer;
    expect(calls.takeAnswered('eth_chainId')).toBeNull();
    expect(calls.takeAnswered('evm_mine')).toBe(made);
    expect(calls.takeAnswered('evm_mine')).toBeNull();
    second.resolve('0x0');
    await second.answer;
  });
});
