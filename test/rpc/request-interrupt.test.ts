import { describe, expect, it } from 'vitest';
import { CallerGoneError, CallTimeoutError } from '../../src/rpc/errors.ts';
import { requestInterrupt } from '../../src/rpc/request-interrupt.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { testConnection } from './rpc-harness.ts';

describe('the check of a request', () => {
  it('lets work go on for as long as the limit says, counted from the request', () => {
    const clock = createManualClock();
    const check = requestInterrupt(testConnection(), clock, 2.5);
    expect(check).not.toThrow();
    clock.advance(2_500);
    expect(check).not.toThrow();
  });

  it('ends work that takes longer, and names the limit and the option', () => {
    const clock = createManualClock();
    const check = requestInterrupt(testConnection(), clock, 2.5);
    clock.advance(2_501);
    expect(check).toThrow(CallTimeoutError);
    expect(check).toThrow('longer than 2.5 s; raise the limit with --call-timeout');
  });

  it('knows no limit of 0', () => {
    const clock = createManualClock();
    const check = requestInterrupt(testConnection(), clock, 0);
    clock.advance(1e15);
    expect(check).not.toThrow();
  });

  it('ends work whose caller is gone', () => {
    const connection = testConnection();
    const check = requestInterrupt(connection, createManualClock(), 0);
    expect(check).not.toThrow();
    connection.close();
    expect(check).toThrow(CallerGoneError);
  });
});
