import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { runTask } from '../../../primitives/task.ts';
import { WorkPieces } from '../../../primitives/work-pieces.ts';
import { leaf } from '../../codecs/codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/quantity.ts';
import { defineMethod, type Method, optional } from '../../method.ts';
import { inspectionView } from '../../views/inspection.ts';

/** Failures of one answer, each of which is run again. */
const MOST = 16;

const howMany = leaf(`a number of failures from 0 to ${MOST}`, QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count > MOST ? undefined : Number(count);
});

const failureNumber = leaf('the number of a failure, 0 for all', QUANTITY_JSON_SCHEMA, (value) => {
  const number = readQuantity(value);
  return number === undefined || number > Number.MAX_SAFE_INTEGER ? undefined : Number(number);
});

export const INSPECT_FAILURES: readonly Method[] = [
  /**
   * Lists the last failures on the chain, the newest first: calls, estimates, and transactions in blocks, also those that a
   * snapshot took off again, each as `inspect_transaction` tells it. The chain remembers its last 16 failures. `count` is how many
   * it had in all: a test runner asks for it before a test (`[0]`), and for the failures after it when the test failed.
   */
  defineMethod({
    name: 'inspect_failures',
    summary: 'The last failures: calls, estimates and transactions, decoded, with stack traces',
    params: [optional('most', howMany, 1), optional('after', failureNumber, 0)],
    isLogged: false,
    fork: { kind: 'own', because: 'it tells what callers ran here' },
    result: {
      description:
        'How many failures there were, and the newest: `number`, `transactionHash` (null for a call), and what `inspect_transaction` tells',
      schema: {
        type: 'object',
        properties: { count: QUANTITY_JSON_SCHEMA, failures: { type: 'array', items: { type: 'object' } } },
        required: ['count', 'failures'],
      },
    },
    handler: async ({ failures, inspector, checkInterrupt }, most, after) => {
      const count = toQuantity(failures.count);
      const listed = failures.list(after).slice(0, most);
      if (listed.length > 0) await inspector.ready();
      const told: object[] = [];
      for (const failure of listed) {
        const { number, execution } = failure;
        const inspection = await failures.explain(failure, checkInterrupt);
        told.push({
          number: toQuantity(number),
          transactionHash: 'hash' in execution ? toHex(execution.hash) : null,
          ...(inspection && (await runTask(inspectionView(inspection, new WorkPieces(checkInterrupt))))),
        });
      }
      return { count, failures: told };
    },
  }),
];
