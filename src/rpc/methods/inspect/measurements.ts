import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import type { CoverageFilter } from '../../../reports/coverage/coverage-reports.ts';
import { text } from '../../codecs/basic.ts';
import { exactObjectOf, leaf } from '../../codecs/codec.ts';
import { countUpTo, hash32, index } from '../../codecs/hex-values.ts';
import { NoCoverageError, SharedCoverageError } from '../../errors.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';

const FORMATS = ['summary', 'lcov', 'lines'] as const;
const MAX_FILES = 100;
const FILES = 10;

const coverageFormat = leaf("'summary', 'lcov' or 'lines'", { enum: FORMATS }, (value) =>
  FORMATS.find((format) => format === value),
);

const fileCount = countUpTo(MAX_FILES, 'files');

const coverageFilter = exactObjectOf(
  { file: text, contract: text, first: index, count: fileCount },
  'an object with file, contract, first and count',
);

export const INSPECT_MEASUREMENTS: readonly Method[] = [
  /**
   * Returns the gas report of `--gas-report` as JSON, by contract and function. It includes all transactions
   * on the chain and its lanes, also of reverted blocks. On a lane, it is the report of this lane only.
   * Rejects without `--gas-report`.
   */
  defineMethod({
    name: 'inspect_gasReport',
    summary: 'The gas report by contract and function: calls, minimum, average, median, maximum, code sizes',
    result: {
      description:
        'The `contracts` with their `functions` and `deployments`. `lanes` contains the same data for each lane. `transactions` contains gas values from receipts. `internal` contains gas values of calls by other contracts. Gas values are JSON numbers',
      schema: { type: 'object' },
    },
    handler: async ({ node: { measurements, inspector, lane } }) => {
      const meter = measurements.requireGas();
      const { gasReport } = await import('../../../reports/gas/gas-report.ts');
      return gasReport(meter, inspector, lane);
    },
  }),
  /**
   * Returns the gas by call path and source line as speedscope JSON, as the option `--profile` writes it.
   * With a hash, it profiles that transaction by executing it again. Otherwise it covers all transactions,
   * and requires `--profile`. On a lane, it covers this lane only. Rejects for an unknown hash.
   */
  defineMethod({
    name: 'inspect_profile',
    summary:
      'The gas profile of one transaction or of all transactions, by call path and source line (speedscope file)',
    params: [optional('transactionHash', hash32, EMPTY_BYTES)],
    fork: { kind: 'transaction', at: 0, answer: 'anything', executes: true },
    result: {
      description:
        'A speedscope file with two profiles: by call, and by call and source line. In each profile, the weights add up to the gas used',
      schema: { type: 'object' },
    },
    handler: async ({ node: { chain, measurements, inspector, lane }, deadline }, hash) => {
      const { speedscope } = await import('../../../reports/profile/profile-forms.ts');
      if (hash.length === 0) {
        const { profileName } = await import('../../../reports/profile/profile-forms.ts');
        const meter = measurements.requireProfile();
        const { transactions, samples } = await meter.profiled(lane, deadline);
        return deadline.run(speedscope(samples, profileName(transactions)));
      }
      const { block, index } = requireTransaction(chain, hash);
      await inspector.ready();
      const { ProfileRuns } = await import('../../../reports/profile/profile-run.ts');
      const samples = await new ProfileRuns((await inspector.load()).contracts).samples(
        (createTracer) => chain.tracing.transaction(block, index, createTracer, deadline),
        deadline,
      );
      return deadline.run(speedscope(samples, `Gas of ${toHex(hash)}`));
    },
  }),
  /**
   * Returns the coverage of lines, functions and branches on this chain and all lanes: totals by file, an
   * lcov tracefile, or data by line. `filter` selects a file (`Token.sol` in any folder) or a contract. For
   * `lines`, it accepts `first` and `count`, by default the first 10 files. Requires `--coverage`.
   */
  defineMethod({
    name: 'inspect_coverage',
    summary: 'The coverage of source lines, functions and branches',
    params: [optional('format', coverageFormat, 'summary'), optional('filter', coverageFilter, null)],
    result: {
      description:
        'The `found` and `hit` counts of lines, functions and branches, in `total` and for each of the `files`. `notes` contains messages about inexact counts. With `lines`, each entry of `files` contains `contracts`, `lineTimes`, `functionTimes` and `branchTimes`, and `fileCount` is the number of all files. With `lcov`, the result is the text of an lcov file',
      schema: { oneOf: [{ type: 'object' }, { type: 'string' }] },
    },
    handler: async ({ node: { coverage }, settings, deadline }, format, filter) => {
      if (coverage === null) throw new NoCoverageError();
      if (settings.separatesKeys) throw new SharedCoverageError();
      const { lcovText, lcovTotals } = await import('../../../reports/coverage/lcov.ts');
      const { totalsOf } = await import('../../../reports/coverage/coverage-reports.ts');
      const { coveredFile, filteredFiles } = await import('../../../reports/coverage/coverage-reports.ts');
      const { files: all, contracts, notes } = await coverage.report();
      const wanted: CoverageFilter = { file: filter?.file ?? '', contract: filter?.contract ?? '' };
      const files = filteredFiles(all, contracts, wanted);
      if (format === 'lcov') return deadline.run(lcovText(files, notes));
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
