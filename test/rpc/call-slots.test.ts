import { describe, expect, it } from 'vitest';
import { TooManyCallsError } from '../../src/rpc/errors.ts';
import { CallSlots } from '../../src/rpc/request-check.ts';

const LIMITS = { perLane: 2, inAll: 3, waitingPerLane: 2 };

/** A waiter that logs its name when it starts. */
function waiter(name: string, log: string[]) {
  return { begin: () => void log.push(name) };
}

describe('call slots', () => {
  it('slots are limited per lane, and a released slot goes to the oldest waiter', () => {
    const slots = new CallSlots(LIMITS);
    const lane = {};
    const log: string[] = [];
    expect([slots.take(lane, waiter('a', log)), slots.take(lane, waiter('b', log))]).toEqual([true, true]);
    expect([slots.take(lane, waiter('c', log)), slots.take(lane, waiter('d', log))]).toEqual([false, false]);
    slots.release(lane);
    expect(log).toEqual(['c']);
    slots.release(lane);
    expect(log).toEqual(['c', 'd']);
  });

  it('slots are limited in total, except for the first slot of a lane', () => {
    const slots = new CallSlots(LIMITS);
    const [one, two, three] = [{}, {}, {}];
    const log: string[] = [];
    const taken = [one, one, two, two, three, three].map((lane) => slots.take(lane, waiter('', log)));
    expect(taken).toEqual([true, true, true, false, true, false]);
  });

  it('released slots go to the lanes in turn', () => {
    const slots = new CallSlots({ perLane: 1, inAll: 2, waitingPerLane: 9 });
    const [one, two] = [{}, {}];
    const log: string[] = [];
    slots.take(one, waiter('', log));
    slots.take(two, waiter('', log));
    for (const name of ['1a', '1b', '1c']) slots.take(one, waiter(name, log));
    for (const name of ['2a', '2b', '2c']) slots.take(two, waiter(name, log));
    for (let round = 0; round < 3; round++) for (const lane of [one, two]) slots.release(lane);
    expect(log).toEqual(['1a', '2a', '1b', '2b', '1c', '2c']);
  });

  it('a call beyond the maximum number of waiting calls is rejected with the counts', () => {
    const slots = new CallSlots(LIMITS);
    const lane = {};
    const log: string[] = [];
    for (let call = 0; call < 4; call++) slots.take(lane, waiter('', log));
    expect(() => slots.take(lane, waiter('', log))).toThrow(TooManyCallsError);
    expect(() => slots.take(lane, waiter('', log))).toThrow(
      'too many calls on this chain: 2 running, 2 waiting; try again later',
    );
    expect(slots.take({}, waiter('', log))).toBe(true);
  });

  it('a cancelled waiter gets no slot', () => {
    const slots = new CallSlots(LIMITS);
    const lane = {};
    const log: string[] = [];
    const [first, second] = [waiter('first', log), waiter('second', log)];
    for (let call = 0; call < 2; call++) slots.take(lane, waiter('', log));
    slots.take(lane, first);
    slots.take(lane, second);
    slots.cancel(lane, first);
    slots.release(lane);
    expect(log).toEqual(['second']);
    slots.cancel(lane, second);
    slots.release(lane);
    slots.release(lane);
    expect(slots.take(lane, waiter('', log))).toBe(true);
  });
});
