import { describe, expect, it } from 'vitest';
import { type ComparedRun, comparisonOf, logText } from '../../src/inspect/comparison.ts';
import type { InspectedCall, InspectedEvent, Inspection } from '../../src/inspect/inspection.ts';

const party = (byte: string) => ({ address: `0x${byte.repeat(20)}`, name: null });
const WORD = { name: 'x', type: 'uint256', value: '1' };

function frame(fields: Partial<InspectedCall> = {}): InspectedCall {
  const call = { name: 'f', signature: 'f()', parameters: [] };
  const figures = { gasUsed: 10n, ownGas: 10n, value: 0n, outcome: 'success', input: '0x' };
  const made = { kind: 'call', type: 'CALL', to: party('11'), call, implementation: null, items: [] };
  return { ...made, ...figures, ...fields } as unknown as InspectedCall;
}

function log(data: string, fields: Partial<InspectedEvent> = {}): InspectedEvent {
  return { kind: 'event', emitter: party('22'), event: null, isGuess: false, topics: [], data, ...fields };
}

type Changes = NonNullable<Inspection['changes']>;

function run(call: InspectedCall | null, changes: Partial<Changes> = {}): ComparedRun {
  const inspection =
    call === null ? null : ({ call, gasUsed: 21_000n, failure: null, changes } as unknown as Inspection);
  return { ruleSet: 'prague', refusal: call === null ? 'refused' : null, inspection, withMoreGas: null };
}

const slot = (number: bigint, after: string | boolean, offset = 0): Changes['storage'][number] =>
  ({
    account: party('33'),
    slot: number,
    offset,
    variable: `v${number}`,
    after,
  }) as Changes['storage'][number];
const balance = (byte: string, after: bigint): Changes['balances'][number] =>
  ({ account: party(byte), after }) as Changes['balances'][number];

describe('comparisonOf', () => {
  it('equal runs, or runs all rejected for the same reason, have no differences', () => {
    const same = run(frame({ items: [log('0x1'), frame()] }), { storage: [slot(1n, '1')] });
    const nothing = { isSame: true, frames: [], logs: [], storage: [], balances: [] };
    expect(comparisonOf([same, same])).toMatchObject(nothing);
    expect(comparisonOf([run(null), run(null)])).toMatchObject(nothing);
    expect(comparisonOf([same])).toMatchObject(nothing);
  });

  it('a rejected run differs, but has no details to compare', () => {
    const begun = run(frame({ items: [log('0x1')] }), {
      storage: [slot(1n, '1')],
      balances: [balance('44', 1n)],
    });
    const nothing = { isSame: false, frames: [], logs: [], storage: [], balances: [] };
    expect(comparisonOf([begun, run(null)])).toMatchObject(nothing);
    expect(comparisonOf([begun, run(null), begun])).toMatchObject(nothing);
  });

  it('different frames are reported with their path', () => {
    const deep = (gasUsed: bigint): InspectedCall =>
      frame({ items: [log('0x'), frame(), frame({ items: [frame({ gasUsed })] })] });
    const { frames, isSame } = comparisonOf([run(deep(1n)), run(null), run(deep(2n))]);
    expect(isSame).toBe(false);
    expect(frames).toEqual([
      {
        path: [1, 0],
        call: `${party('11').address}.f()`,
        isSameCall: true,
        outcomes: ['success', null, 'success'],
        gasUsed: [1n, null, 2n],
        ownGas: [10n, null, 10n],
      },
    ]);
  });

  it.each<[Partial<InspectedCall>, boolean]>([
    [{ outcome: 'revert' }, true],
    [{ ownGas: 11n }, true],
    [{ gasUsed: 11n }, true],
    [{ input: '0x12' }, false],
    [{ to: party('12') }, false],
    [{ type: 'STATICCALL' }, false],
  ])('a frame differs with %o', (fields, isSameCall) => {
    expect(comparisonOf([run(frame()), run(frame(fields))]).frames).toMatchObject([{ path: [], isSameCall }]);
  });

  it('a frame missing in one run differs', () => {
    const { frames } = comparisonOf([run(frame()), run(frame({ items: [frame()] }))]);
    expect(frames).toMatchObject([{ path: [0], isSameCall: false, outcomes: [null, 'success'] }]);
  });

  it('committed logs are compared by index, without reverted ones', () => {
    const failed = frame({ outcome: 'revert', items: [log('0x9')] });
    const left = frame({ items: [log('0x1'), failed, frame({ items: [log('0x2')] }), log('0x3')] });
    const right = frame({ items: [log('0x1'), frame({ items: [log('0x4')] })] });
    const { logs } = comparisonOf([run(left), run(right)]);
    expect(logs).toMatchObject([
      { index: 1, logs: [{ data: '0x2' }, { data: '0x4' }] },
      { index: 2, logs: [{ data: '0x3' }, null] },
    ]);
    const topics = (topic: string) => run(frame({ items: [log('0x', { topics: [topic] })] }));
    expect(comparisonOf([topics('0x1'), topics('0x2')]).logs).toHaveLength(1);
    const emitted = (byte: string) => run(frame({ items: [log('0x', { emitter: party(byte) })] }));
    expect(comparisonOf([emitted('01'), emitted('02')]).logs).toHaveLength(1);
  });

  it('slots, parts of slots and balances are compared', () => {
    const { storage, balances } = comparisonOf([
      run(frame(), {
        storage: [slot(1n, '1'), slot(2n, '2'), slot(2n, false, 8)],
        balances: [balance('44', 1n)],
      }),
      run(null),
      run(frame(), {
        storage: [slot(1n, '1'), slot(2n, '2'), slot(2n, true, 8), slot(3n, '3')],
        balances: [balance('44', 2n), balance('55', 3n)],
      }),
    ]);
    expect(storage).toEqual([
      { account: party('33'), slot: 2n, variable: 'v2', after: ['false', null, 'true'] },
      { account: party('33'), slot: 3n, variable: 'v3', after: [null, null, '3'] },
    ]);
    expect(balances).toEqual([
      { account: party('44'), after: [1n, null, 2n] },
      { account: party('55'), after: [null, null, 3n] },
    ]);
  });

  it.each([1_000, 1_001])('at most 1,000 differences of each kind are listed: %i', (count) => {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const long = run(frame({ items: numbers.flatMap(() => [frame(), log('0x')]) }), {
      storage: numbers.map((number) => slot(BigInt(number), '1')),
      balances: numbers.map((number) => balance(number.toString(16).padStart(4, '0'), 1n)),
    });
    const { frames, logs, storage, balances } = comparisonOf([run(frame()), long]);
    expect([frames, logs, storage, balances].map(({ length }) => length)).toEqual([
      1_000, 1_000, 1_000, 1_000,
    ]);
  });
});

describe('logText', () => {
  it.each([
    [null, 'none'],
    [log('0x12'), 'event without topic, data 0x12'],
    [log('0x', { topics: ['0xa', '0xb'] }), 'event 0xa 0xb, data 0x'],
    [log('0x', { event: { name: 'Moved', signature: '', parameters: [WORD] } }), 'Moved(x: 1)'],
    [log('a'.repeat(2_000)), `event without topic, data ${'a'.repeat(2_000)}`],
    [log('a'.repeat(2_001)), `event without topic, data ${'a'.repeat(2_000)}…`],
  ])('formats a log as its event, or as its topics and data', (each, text) => {
    expect(logText(each)).toBe(text);
  });
});
