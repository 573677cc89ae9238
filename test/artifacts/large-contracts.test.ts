// Contracts with a valid but large description. The reader yields to other requests.

import { describe, expect, it } from 'vitest';
import { AbiTable } from '../../src/artifacts/decoding.ts';
import { abiOf } from '../../src/artifacts/formats/contract-json.ts';
import { LineTable, SourceMap } from '../../src/artifacts/source-map.ts';
import { SourceOutline } from '../../src/artifacts/source-outline.ts';
import { finish } from '../../src/primitives/steps.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { runTask, type Task } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { countTurns } from '../support/turns.ts';

async function turnsOf<Result>(work: () => Task<Result>) {
  return countTurns(async () => runTask(work(), new TimeSlice(neverCancelled)));
}

describe('a large contract', () => {
  it('with an ABI of 60,000 functions is read in time slices', async () => {
    const entries = Array.from({ length: 60_000 }, (_, at) => ({
      type: 'function',
      name: `f${at}`,
      inputs: [],
      outputs: [],
    }));
    const { result: abi, turns: turnsOfCheck } = await turnsOf(() => abiOf(entries));
    expect(abi).toEqual(entries);
    expect(turnsOfCheck).toBeGreaterThan(10);
    const { result, turns } = await turnsOf(() => AbiTable.read(abi, []));
    expect(result.functions.size).toBe(60_000);
    expect(turns).toBeGreaterThan(60);
  });

  it('keeps at most 64 events with the same topic', () => {
    const event = (indexed: boolean) => ({
      type: 'event',
      name: 'E',
      inputs: [{ name: 'a', type: 'uint8', indexed }],
    });
    const events = Array.from({ length: 1_000 }, (_, at) => event(at % 2 === 0));
    const abi = finish(abiOf(events));
    const table = finish(AbiTable.read(abi, []));
    expect([...table.events.values()].map((alike) => alike.length)).toEqual([64]);
  });

  it('with a source of a million line breaks is read in time slices', async () => {
    const text = '\n'.repeat(1_000_000);
    const { result, turns } = await turnsOf(() => SourceOutline.read(text, null));
    expect(result.lineCount).toBe(1_000_001);
    expect(result.positionOf(1_000)).toEqual({ line: 1_001, column: 1 });
    expect(turns).toBeGreaterThan(15);
    const lines = await turnsOf(() => LineTable.read(text));
    expect(lines.result.rangeOf([1_000_000, 0, 1_000_001, 0])).toEqual({ start: 999_999, length: 1 });
    expect(lines.turns).toBeGreaterThan(30);
  });

  it('keeps at most 20,000 definitions of a source', () => {
    const text = 'function f();'.repeat(30_000);
    expect(finish(SourceOutline.read(text, null)).definitions).toHaveLength(20_000);
    const vyper = 'def f():\n    pass\n'.repeat(30_000);
    expect(finish(SourceOutline.read(vyper, 'V')).definitions.length).toBeLessThanOrEqual(20_000);
  });

  it('with a source map of a million entries is read in time slices', async () => {
    const bytes = new Uint8Array(1_000_000);
    const template = { bytes, holes: [], sourceMap: `1:2:3:i${';'.repeat(1_000_000)}`, variables: null };
    const { result, turns } = await turnsOf(() => SourceMap.read(template));
    expect(result?.rangeAt(999_999)).toEqual({ file: 3, start: 1, length: 2 });
    expect(result?.jumpAt(999_999)).toBe('into');
    expect(turns).toBeGreaterThan(60);
  });
});
