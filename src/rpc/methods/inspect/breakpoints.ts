import { textUpTo } from '../../codecs/basic.ts';
import { arrayOf, type Codec, chosenBy, historic, leaf, refined } from '../../codecs/codec.ts';
import { type ExecutionTarget, executionTarget } from '../../codecs/execution-target.ts';
import { address, readFixedData, readQuantity } from '../../codecs/hex-values.ts';
import { executionOf } from '../../executions.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

const MAX_PATH_LENGTH = 4_096;
const MAX_LINES = 1_000;
const ADDRESS_SIZE = 20;
/** More lines than any file has. */
const MAX_LINE = 2 ** 31 - 1;

export const sourcePath = textUpTo(MAX_PATH_LENGTH, 'the name or path of a source file', 1);

const line = leaf('a line number, from 1', { type: 'integer', minimum: 1, maximum: MAX_LINE }, (value) => {
  const number = readQuantity(value);
  return number === undefined || number === 0n || number > MAX_LINE ? undefined : Number(number);
});

export const sourceLines = arrayOf(line, `an array of at most ${MAX_LINES} line numbers`, MAX_LINES);

interface ContractTarget {
  readonly address: Uint8Array;
}

const contractTarget: Codec<ContractTarget> = refined(address, (of) => ({ value: { address: of } }));

/** The contract at an address, or the contracts of an execution. */
const scope = historic(
  chosenBy<ExecutionTarget | ContractTarget>(
    (value) => (readFixedData(value, ADDRESS_SIZE) === undefined ? executionTarget : contractTarget),
    [contractTarget, executionTarget],
  ),
);

export const INSPECT_BREAKPOINTS: readonly Method[] = [
  /**
   * Maps lines of a source file to program counters, for breakpoints. `source` is the file's name in the build
   * output, a path that ends with it, or the end of it. `target` is the address of a contract, or an execution
   * as for inspect_steps; without it, all known contracts are mapped. A line without code moves to the next
   * line with code in its function. An unmapped line has a `reason`.
   */
  defineMethod({
    name: 'inspect_breakpoints',
    summary: 'Maps source lines to program counters of contracts, for breakpoints',
    priority: 'low',
    params: [
      param('source', sourcePath),
      param('lines', sourceLines),
      optional<ExecutionTarget | ContractTarget | null>('target', scope, null),
    ],
    fork: { kind: 'execution', at: 2, answer: 'anything', executes: true },
    result: {
      description:
        '`source` is the name of the file in the build output, or null. `breakpoints` lists the lines. `actualLine` is the line or the next line with code; it is null if the line is unmapped. `reason` is null if the line is verified. A location contains `contract`, `sourceName`, `side` (`creation` or `deployed`) and `pcs`, the program counters where the line starts. `omitted` counts the contracts beyond the first 256',
      schema: {
        type: 'object',
        properties: {
          source: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          breakpoints: { type: 'array', items: { type: 'object' } },
          omitted: { type: 'integer' },
        },
        required: ['source', 'breakpoints', 'omitted'],
      },
    },
    handler: async (context, source, wanted, target) => {
      const asked = { source, lines: wanted };
      if (target !== null && !('address' in target)) {
        const { execution, inspector } = await executionOf(context, target);
        return inspector.debugger.breakpoints(asked, execution, context.deadline);
      }
      const inspector = await context.node.inspector.ready();
      return inspector.debugger.breakpoints(asked, target?.address ?? null, context.deadline);
    },
  }),
];
