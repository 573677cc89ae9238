import { leaf } from '../../codecs/codec.ts';
import { NoCoverageError } from '../../errors.ts';
import { defineMethod, type Method, optional } from '../../method.ts';

const FORMATS = ['summary', 'lcov'] as const;

const coverageFormat = leaf("'summary' or 'lcov'", { enum: FORMATS }, (value) =>
  FORMATS.find((format) => format === value),
);

export const INSPECT_COVERAGE: readonly Method[] = [
  /**
   * Tells which lines, functions and branches of the sources ran so far, on this chain and all lanes: in totals by file, or as
   * the text of an lcov tracefile. The node must have been started with `--coverage`.
   */
  defineMethod({
    name: 'inspect_coverage',
    summary: 'Which lines, functions and branches of the sources ran so far',
    params: [optional('format', coverageFormat, 'summary')],
    result: {
      description:
        '`found` and `hit` of lines, functions and branches, in `total` and by file, with `notes` on what is not exact; for `lcov` the text of a tracefile',
      schema: { oneOf: [{ type: 'object' }, { type: 'string' }] },
    },
    handler: async ({ coverage }, format) => {
      if (coverage === null) throw new NoCoverageError();
      const { lcovText, lcovTotals } = await import('../../../inspect/coverage/lcov.ts');
      const { totalsOf } = await import('../../../inspect/coverage/coverage-table.ts');
      const { files, notes } = await coverage.report();
      if (format === 'lcov') return lcovText(files, notes);
      const byFile = files.map((file) => ({ name: file.name, ...lcovTotals(file) }));
      return { total: totalsOf(files), files: byFile, notes };
    },
  }),
];
