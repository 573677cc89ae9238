import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/primitives/steps.ts';
import { coverageTable } from '../../src/reports/coverage/coverage-reports.ts';
import { type LcovFile, lcovText, mergeLcov, parseLcov } from '../../src/reports/coverage/lcov.ts';

const line = fc.integer({ min: 1, max: 5 });
const times = fc.integer({ min: 0, max: 3 });

const file: fc.Arbitrary<LcovFile> = fc.record({
  name: fc.constantFrom('contracts/A.sol', 'contracts/B.sol', 'C.sol'),
  lines: fc.array(fc.tuple(line, times)).map((entries) => new Map(entries)),
  functions: fc.uniqueArray(fc.record({ line, name: fc.constantFrom('A.a', 'A.b', 'c'), times }), {
    selector: ({ name }) => name,
  }),
  branches: fc.uniqueArray(
    fc.record({
      line,
      block: fc.constantFrom('0', '1', '10'),
      branch: fc.constantFrom('0', '1'),
      times: fc.option(times),
    }),
    { selector: (each) => `${each.line} ${each.block} ${each.branch}` },
  ),
});
const files = fc.array(file, { maxLength: 4 });

describe('lcov files', () => {
  it('lcov files merge to the same result in any order and grouping', () => {
    fc.assert(
      fc.property(files, files, files, (one, two, three) => {
        const all = finish(mergeLcov([...one, ...two, ...three]));
        expect(finish(mergeLcov([...finish(mergeLcov([...one, ...two])), ...three]))).toEqual(all);
        expect(finish(mergeLcov([...one, ...finish(mergeLcov([...two, ...three]))]))).toEqual(all);
        expect(finish(mergeLcov([...three, ...two, ...one]))).toEqual(all);
      }),
    );
  });

  it('lcov files are parsed as written', () => {
    fc.assert(
      fc.property(files, (some) => {
        const merged = finish(mergeLcov(some));
        expect(parseLcov(finish(lcovText(merged, ['a comment'])))).toEqual(merged);
      }),
    );
  });

  it('lcov files merge to the sum of all counts', () => {
    const sum = (some: readonly LcovFile[]): number =>
      some.flatMap(({ lines }) => [...lines.values()]).reduce((total, each) => total + each, 0);
    fc.assert(
      fc.property(files, (some) => {
        expect(sum(finish(mergeLcov(some)))).toBe(sum(some));
      }),
    );
  });

  it('lcov files of other tools are parsed', () => {
    const text = [
      'TN:unit',
      'SF:src/A.sol',
      'FN:3,9,A.a(uint256,bool)',
      'FNDA:2,A.a(uint256,bool)',
      'BRDA:4,e0,1,-',
      'DA:4,2,checksum',
      'LF:1',
      'end_of_record',
      '',
    ].join('\r\n');
    expect(parseLcov(text)).toEqual([
      {
        name: 'src/A.sol',
        lines: new Map([[4, 2]]),
        functions: [{ line: 3, name: 'A.a(uint256,bool)', times: 2 }],
        branches: [{ line: 4, block: 'e0', branch: '1', times: null }],
      },
    ]);
  });

  it.each([
    ['hello', 'line 1 is not an lcov record: hello'],
    ['SF:a\nDA:x,1\nend_of_record', 'line 2 is not an lcov record: DA:x,1'],
    ['SF:a\nFNDA:1,f\nend_of_record', 'line 2 is not an lcov record: FNDA:1,f'],
    ['SF:a\nSF:b', 'line 2 is not an lcov record: SF:b'],
    ['SF:a\nDA:1,1', 'the lcov record of a has no line end_of_record'],
  ])('lcov files with an invalid record are rejected with the line: %j', (text, message) => {
    expect(() => parseLcov(text)).toThrow(message);
  });
});

describe('coverage table', () => {
  it('prints 100 % only for complete coverage', () => {
    const lines = new Map(Array.from({ length: 3_000 }, (_, index) => [index + 1, index === 0 ? 0 : 1]));
    const [, row] = coverageTable([{ name: 'A.sol', lines, functions: [], branches: [] }]);
    expect(row).toBe('A.sol      99.9 % (2999/3000)          -         -');
  });
});
