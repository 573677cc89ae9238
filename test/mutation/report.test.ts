import { describe, expect, it } from 'vitest';
import { describeMutant, summaryText, survivorText, wholeSuiteCommand } from './report.ts';

const CHANGE = 'src/fork/upstream/retry.ts:12: < -> <=';
const CHOICE = { seed: 7, path: 'src/fork', skip: 3 };
const COMMAND = 'npm run tool -- test:mutation --whole-suite --seed 7 --path src/fork --skip 3 --count 1';

describe('wholeSuiteCommand', () => {
  it('selects the same mutant with the same options', () => {
    expect(wholeSuiteCommand(CHOICE)).toBe(COMMAND);
  });

  it('has no --path if the run has none', () => {
    expect(wholeSuiteCommand({ ...CHOICE, path: '' })).toBe(
      'npm run tool -- test:mutation --whole-suite --seed 7 --skip 3 --count 1',
    );
  });
});

describe('survivorText', () => {
  it('reports that only the nearest test files ran, with the command for the whole suite', () => {
    const text = survivorText(CHANGE, { kind: 'nearest' }, { ran: 14, selected: 14 }, CHOICE);
    expect(text).toBe(`SURVIVED ${CHANGE} (only the nearest 14 test files ran)
  The whole suite may detect this change. To run it: ${COMMAND}`);
  });

  it('reports a survivor of the whole suite without a command', () => {
    const text = survivorText(CHANGE, { kind: 'whole-suite' }, { ran: 400, selected: 400 }, CHOICE);
    expect(text).toBe(`SURVIVED ${CHANGE} (all 400 test files ran)`);
  });

  it('reports that --seconds left out a part of the whole suite', () => {
    const text = survivorText(CHANGE, { kind: 'whole-suite' }, { ran: 20, selected: 400 }, CHOICE);
    expect(text).toContain('only the nearest 20 test files ran');
    expect(text).toContain(COMMAND);
  });

  it('reports how many of the recorded test files ran', () => {
    const text = survivorText(CHANGE, { kind: 'recorded' }, { ran: 9, selected: 12 }, CHOICE);
    expect(text).toBe(`SURVIVED ${CHANGE} (9 of 12 test files that run it)`);
  });
});

describe('summaryText', () => {
  it('repeats the limit of --nearest if a mutant survived', () => {
    expect(summaryText(7, { kind: 'nearest' }, 10, 2)).toBe(
      'seed 7: 8 of 10 detected (80.0 %). Only the nearest test files ran: the whole suite may detect more.',
    );
    expect(summaryText(7, { kind: 'nearest' }, 10, 0)).toBe('seed 7: 10 of 10 detected (100.0 %)');
    expect(summaryText(7, { kind: 'recorded' }, 10, 2)).toBe('seed 7: 8 of 10 detected (80.0 %)');
  });
});

it('describeMutant shortens long code and joins its lines', () => {
  const mutant = { line: 5, start: 0, end: 1, original: `f(\n  ${'a'.repeat(70)})`, replacement: ';' };
  expect(describeMutant('src/a.ts', mutant)).toBe(`src/a.ts:5: f( ${'a'.repeat(55)}… -> ;`);
});
