import { defineMethod, type Method } from '../../method.ts';

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
];
