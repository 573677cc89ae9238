import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { hash32 } from '../../codecs/data.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';

export const INSPECT_MEASUREMENTS: readonly Method[] = [
  /**
   * The gas of each contract and function so far, in the form in which `--gas-report` writes it as JSON: of all transactions on
   * the chain and its lanes, whatever became of their blocks. On a lane it is the report of that lane alone. Without
   * `--gas-report` it is an error.
   */
  defineMethod({
    name: 'inspect_gasReport',
    summary: 'The gas of each contract and function so far: calls, minimum, average, median, maximum, sizes',
    params: [],
    result: {
      description:
        '`contracts` with their `functions` and `deployments`: figures of `transactions`, which are those of the receipts, and of `internal` calls by other contracts; and the same for each of `lanes`. Gas is in numbers',
      schema: { type: 'object' },
    },
    handler: async ({ measurements, inspector, lane }) => {
      const meter = measurements.requireGas();
      const { gasReport } = await import('../../../inspect/gas/gas-report.ts');
      return gasReport(meter, inspector, lane);
    },
  }),
  /**
   * The gas by call path and source line as speedscope's JSON, in the form in which `--profile` writes it: of one transaction,
   * which is run again, or of all so far, for which `--profile` must be given. On a lane it is the profile of that lane alone.
   * An unknown hash is an error.
   */
  defineMethod({
    name: 'inspect_profile',
    summary: 'The gas of a transaction, or of all so far, by call path and source line, for speedscope',
    params: [optional('transactionHash', hash32, EMPTY_BYTES)],
    fork: { kind: 'own', because: 'only what ran on this chain can be profiled' },
    result: {
      description:
        "A file of speedscope: two profiles, by calls and by calls with the source's lines, whose weights add up to the gas used",
      schema: { type: 'object' },
    },
    handler: async ({ chain, measurements, inspector, lane, checkInterrupt }, hash) => {
      const { speedscope } = await import('../../../inspect/profile/profile-forms.ts');
      if (hash.length === 0) {
        const { profileName } = await import('../../../inspect/profile/profile-file.ts');
        const meter = measurements.requireProfile();
        const { transactions, samples } = await meter.profiled(lane, checkInterrupt);
        return runTask(speedscope(samples, profileName(transactions), new WorkPieces(checkInterrupt)));
      }
      const { block, index } = requireTransaction(chain, hash);
      await inspector.ready();
      const { ProfileRuns } = await import('../../../inspect/profile/profile-run.ts');
      const samples = await new ProfileRuns((await inspector.load()).contracts).samples(
        (createTracer) => chain.tracing.transaction(block, index, createTracer, checkInterrupt),
        checkInterrupt,
      );
      return runTask(speedscope(samples, `Gas of ${toHex(hash)}`, new WorkPieces(checkInterrupt)));
    },
  }),
];
