import { Bloom } from '@ethereumjs/vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/primitives/steps.ts';
import { BloomMaker, bloomOf, bloomProbe } from '../../src/protocol/receipt.ts';
import { bytes, log } from './arbitraries.ts';

const logs = fc.array(log, { maxLength: 6 });

describe('logs bloom', () => {
  it('a bloom equals the bloom of @ethereumjs/vm over addresses and topics', () => {
    const isSame = fc.property(logs, (list) => {
      const expected = new Bloom();
      for (const { address, topics } of list) for (const item of [address, ...topics]) expected.add(item);
      expect(bloomOf(list)).toEqual(expected.bitvector);
    });
    fc.assert(isSame);
  });

  it('a bloom depends only on its own logs, even if earlier logs are similar', () => {
    const [emitters, topics] = [fc.constantFrom(1, 2), fc.constantFrom(3, 4)];
    const similar = fc.record({
      address: emitters.map((byte) => new Uint8Array(20).fill(byte)),
      topics: fc.array(
        topics.map((byte) => new Uint8Array(32).fill(byte)),
        { maxLength: 4 },
      ),
      data: fc.constant(new Uint8Array(0)),
    });
    const isOwn = fc.property(fc.array(fc.array(similar, { maxLength: 4 }), { maxLength: 4 }), (lists) => {
      const maker = new BloomMaker();
      for (const list of lists) {
        expect(finish(maker.add(list))).toEqual(bloomOf(list));
      }
      expect(maker.joined).toEqual(bloomOf(lists.flat()));
      for (const { address, topics } of lists.flat())
        for (const item of [address, ...topics]) expect(bloomProbe(item)(maker.joined)).toBe(true);
    });
    fc.assert(isOwn);
  });

  it('a bloom yields while it adds 40,000 logs', () => {
    const many = Array.from({ length: 40_000 }, (_, index) => ({
      address: new Uint8Array(20).fill(index),
      topics: [],
      data: new Uint8Array(0),
    }));
    const task = new BloomMaker().add(many);
    let turns = 0;
    let step = task.next();
    for (; step.done !== true; step = task.next()) turns++;
    expect(turns).toBeGreaterThanOrEqual(19);
    expect(step.value).toEqual(bloomOf(many));
  });

  it('a bloom matches the same items as @ethereumjs/vm', () => {
    // With this number of logs, some absent items are false positives.
    const many = fc.array(log, { minLength: 150, maxLength: 250, size: 'max' });
    const others = fc.array(bytes(32), { minLength: 20, maxLength: 20 });
    let falsePositives = 0;
    const isSame = fc.property(many, others, (list, items) => {
      const bloom = bloomOf(list);
      const expected = new Bloom(bloom);
      for (const item of items) {
        const mayContain = bloomProbe(item)(bloom);
        expect(mayContain).toBe(expected.check(item));
        if (mayContain) falsePositives++;
      }
    });
    fc.assert(isSame, { numRuns: 10 });
    expect(falsePositives).toBeGreaterThan(0);
  });

  it('a bloom matches every address and topic of its logs', () => {
    const holdsAll = fc.property(logs, (list) => {
      const bloom = bloomOf(list);
      for (const { address, topics } of list) {
        for (const item of [address, ...topics]) expect(bloomProbe(item)(bloom)).toBe(true);
      }
    });
    fc.assert(holdsAll);
  });

  it('a bloom is empty and matches nothing without logs', () => {
    expect(bloomOf([])).toEqual(new Uint8Array(256));
    expect(bloomProbe(new Uint8Array(32))(bloomOf([]))).toBe(false);
  });
});
