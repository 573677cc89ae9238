import type { CoverageFilter } from '../../../inspect/coverage/coverage-detail.ts';
import { runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { text } from '../../codecs/basic.ts';
import { exactObjectOf, leaf } from '../../codecs/codec.ts';
import { index, QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/quantity.ts';
import { NoCoverageError } from '../../errors.ts';
import { defineMethod, type Method, optional } from '../../method.ts';

const FORMATS = ['summary', 'lcov', 'lines'] as const;
const MOST_FILES = 100;
const FILES = 10;

const coverageFormat = leaf("'summary', 'lcov' or 'lines'", { enum: FORMATS }, (value) =>
  FORMATS.find((format) => format === value),
);

const fileCount = leaf(`a number of files from 1 to ${MOST_FILES}`, QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count < 1 || count > MOST_FILES ? undefined : Number(count);
});

const coverageFilter = exactObjectOf(
  { file: text, contract: text, first: index, count: fileCount },
  'an object with file, contract, first and count',
);

export const INSPECT_COVERAGE: readonly Method[] = [
  /**
   * Answers which lines, functions and branches of the sources ran so far, on this chain and all lanes: in totals by file, as the
   * text of an lcov tracefile, or line by line. `filter` names a file (`Token.sol` for each of that name in any folder) or a
   * contract, of which alone is told then; for `lines` it takes `first` and `count` of the files, by default the first 10. The
   * node must have been started with `--coverage`.
   */
  defineMethod({
    name: 'inspect_coverage',
    summary: 'Which lines, functions and branches of the sources ran so far',
    params: [optional('format', coverageFormat, 'summary'), optional('filter', coverageFilter, null)],
    result: {
      description:
        '`found` and `hit` of lines, functions and branches, in `total` and by file, with `notes` on what is not exact; for `lines` each of `files` with `contracts`, `lineTimes`, `functionTimes` and `branchTimes`, and the number of all in `fileCount`; for `lcov` the text of a tracefile',
      schema: { oneOf: [{ type: 'object' }, { type: 'string' }] },
    },
    handler: async ({ coverage, checkInterrupt }, format, filter) => {
      if (coverage === null) throw new NoCoverageError();
      const { lcovTextInPieces, lcovTotals } = await import('../../../inspect/coverage/lcov.ts');
      const { totalsOf } = await import('../../../inspect/coverage/coverage-table.ts');
      const { coveredFile, filteredFiles } = await import('../../../inspect/coverage/coverage-detail.ts');
      const { files: all, contracts, notes } = await coverage.report();
      const wanted: CoverageFilter = { file: filter?.file ?? '', contract: filter?.contract ?? '' };
      const files = filteredFiles(all, contracts, wanted);
      if (format === 'lcov') return runTask(lcovTextInPieces(files, notes, new WorkPieces(checkInterrupt)));
      const total = totalsOf(files);
      if (format === 'summary')
        return { total, files: files.map((file) => ({ name: file.name, ...lcovTotals(file) })), notes };
      const first = filter?.first ?? 0;
      const page = files.slice(first, first + (filter?.count ?? FILES));
      return {
        total,
        fileCount: files.length,
        files: page.map((file) => coveredFile(file, contracts)),
        notes,
      };
    },
  }),
];
