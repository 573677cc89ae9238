import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/primitives/steps.ts';
import type { Block } from '../../src/protocol/block.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import { LogIndex } from '../../src/storage/log-index.ts';
import { blockOf } from './samples.ts';

const addressOf = (number: number) => new Uint8Array(20).fill(number);

/** A block with `count` logs of two addresses in one receipt. */
function blockWith(number: number, count: number): Block {
  const logs = Array.from(
    { length: count },
    (_, index): Log => ({
      address: addressOf(1 + (index & 1)),
      topics: [new Uint8Array(32).fill(index % 7)],
      data: new Uint8Array(),
    }),
  );
  return blockOf(number, { logs: [logs] });
}

/** The entries of the first address, by block. */
function found(index: LogIndex, blocks: number): unknown {
  if (blocks === 0) return [];
  const criteria = { addresses: [addressOf(1)], topics: [] };
  return [...index.find(criteria, 0, blocks - 1, (number) => number)];
}

describe('LogIndex', () => {
  it('the index adds a large block over several time slices, and finds its logs only afterwards', () => {
    const index = new LogIndex();
    const first = blockWith(1, 10);
    index.append(first);
    const before = found(index, 1);
    const large = blockWith(2, 20_000);
    let turns = 0;
    const task = index.addAhead(large);
    for (let step = task.next(); step.done !== true; step = task.next()) {
      turns++;
      expect(found(index, 1)).toEqual(before);
    }
    expect(turns).toBeGreaterThanOrEqual(8);
    index.append(large);
    const atOnce = new LogIndex();
    atOnce.append(first);
    atOnce.append(large);
    expect(found(index, 2)).toEqual(found(atOnce, 2));
  });

  it('a block that was added ahead but not appended does not change the index', () => {
    const counts = fc.array(
      fc.record({ count: fc.constantFrom(0, 3, 300, 600), steps: fc.nat(4), isAppended: fc.boolean() }),
      { maxLength: 6 },
    );
    const isSame = fc.property(counts, (blocks) => {
      const [index, atOnce] = [new LogIndex(), new LogIndex()];
      let length = 0;
      for (const [number, { count, steps, isAppended }] of blocks.entries()) {
        const block = blockWith(number, count);
        // Two hundred logs of it in each step.
        const task = index.addAhead(block);
        for (let step = 0; step < steps && task.next().done !== true; step++);
        if (!isAppended) continue;
        index.append(block);
        atOnce.append(block);
        length++;
      }
      expect(found(index, length)).toEqual(found(atOnce, length));
      finish(index.addAhead(blockWith(9, 500)));
      const marks = { addresses: new Set<string>(), firstTopics: new Set<string>() };
      index.remove(0, marks);
      index.appendLogs(blockWith(10, 4).receipts[0]?.logs ?? []);
      atOnce.appendLogs(blockWith(10, 4).receipts[0]?.logs ?? []);
      expect(found(index, length + 1)).toEqual(found(atOnce, length + 1));
    });
    fc.assert(isSame);
  });
});
