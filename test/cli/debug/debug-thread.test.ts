// The searches of a thread, in made-up executions.

import { describe, expect, it, vi } from 'vitest';
import { type Breakpoint, PlacedBreakpoints } from '../../../src/cli/debug/breakpoints.ts';
import { DebugThread } from '../../../src/cli/debug/debug-thread.ts';
import { Execution } from '../../../src/cli/debug/execution.ts';
import type { HitCondition } from '../../../src/cli/debug/hit-condition.ts';
import type { OutlineEvent } from '../../../src/cli/debug/outline.ts';

const FILE = 'a.sol';

/** An execution of one step per line, alternately on lines 1 and 2. */
async function threadOf(
  count: number,
  events: readonly OutlineEvent[] = [],
  failedAt: number | null = null,
): Promise<DebugThread> {
  const outline = {
    count,
    statements: Array.from({ length: count }, (_, step) => [step, 0, 0, (step % 2) + 1]),
    depths: new Array(count).fill(0),
    definitions: [],
    frames: [{ type: 'CALL', depth: 0, address: '0x', storageAddress: '0x', contract: null }],
    files: [{ name: FILE, content: '\n' }],
    events,
    failedAt,
  };
  const node = {
    name: 'http://test',
    ask: async () => outline,
    connect: () => {
      throw new Error('this node has no WebSocket');
    },
  };
  const execution = await Execution.open(node, {});
  const output = { event: async () => {}, message: () => {}, problem: () => {} };
  return new DebugThread({ id: 1, name: 'test', execution, output });
}

function breakpointAt(line: number, hitCondition: HitCondition | null): Breakpoint {
  return { id: 1, place: { kind: 'line', file: FILE, line }, condition: null, hitCondition, message: null };
}

function failure(step: number, text: string): OutlineEvent {
  return { step, frame: 0, kind: 'failure', text, contract: null };
}

describe('hit conditions', () => {
  it('read each statement a constant number of times', async () => {
    const thread = await threadOf(2_000);
    thread.setBreakpoints([breakpointAt(1, (hit) => hit === 900)]);
    const reads = vi.spyOn(PlacedBreakpoints.prototype, 'at');

    expect(await thread.forward(null)).toMatchObject({ reason: 'breakpoint', step: 1_798 });
    expect(await thread.forward(null)).toBeNull();
    expect(await thread.backward()).toMatchObject({ reason: 'breakpoint', step: 1_798 });
    expect(reads.mock.calls.length).toBeLessThan(20_000);
  });

  it.each(['forward', 'backward'] as const)('let a pause end a search %s', async (direction) => {
    const thread = await threadOf(100_000);
    if (direction === 'backward') await thread.forward(null);
    thread.setBreakpoints([breakpointAt(1, () => false)]);
    setImmediate(() => thread.pause());

    const stop = await (direction === 'forward' ? thread.forward(null) : thread.backward());

    expect(stop).toMatchObject({ reason: 'pause' });
  });

  it('count the hits of the whole execution after a pause', async () => {
    const thread = await threadOf(10_000);
    thread.setBreakpoints([breakpointAt(1, () => false)]);
    thread.pause();

    expect(await thread.hitCounts()).toEqual(new Map([[1, 5_000]]));
  });
});

describe('exceptions', () => {
  it('at the same step stop one after another', async () => {
    const events = [failure(4, 'inner'), failure(4, 'outer')];
    const thread = await threadOf(10, events);
    thread.setFilters(new Set(['revert']));

    const texts: (string | undefined)[] = [];
    for (let stop = await thread.forward(null); stop !== null; stop = await thread.forward(null))
      texts.push(stop.stopping?.event.text);

    expect(texts).toEqual(['inner', 'outer']);
    expect((await thread.backward()).stopping?.event.text).toBe('outer');
    expect((await thread.backward()).stopping?.event.text).toBe('inner');
    expect(await thread.backward()).toMatchObject({ reason: 'entry' });
  });

  it('stop at the later ones after their filter changes', async () => {
    const log: OutlineEvent = { ...failure(2, 'log'), kind: 'console' };
    const thread = await threadOf(10, [log, failure(4, 'failed')]);
    thread.setFilters(new Set(['log', 'revert']));
    await thread.forward(null);

    thread.setFilters(new Set(['revert']));

    expect(await thread.forward(null)).toMatchObject({ step: 4 });
    expect(await thread.forward(null)).toBeNull();
  });

  it('stop after a breakpoint at their step', async () => {
    const cause: OutlineEvent = { ...failure(4, 'cause'), isCause: true };
    const thread = await threadOf(10, [cause], 4);
    thread.setFilters(new Set(['uncaught', 'revert']));
    thread.setBreakpoints([breakpointAt(1, (hit) => hit === 3)]);

    expect(await thread.forward(null)).toMatchObject({ reason: 'breakpoint', step: 4 });
    expect(await thread.forward(null)).toMatchObject({
      reason: 'exception',
      step: 4,
      stopping: { isUncaught: true },
    });
    expect(await thread.forward(null)).toBeNull();
  });
});
