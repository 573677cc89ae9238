import type { WantedPlaces } from '../../../inspect/breakpoint-set.ts';
import type { WantedLines } from '../../../inspect/breakpoints.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { flag, textUpTo } from '../../codecs/basic.ts';
import { arrayOf, exactObjectOf, leaf, type Reading, refined } from '../../codecs/codec.ts';
import { QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { requireNotify } from '../eth/subscriptions.ts';
import { sourceLines, sourcePath } from './breakpoints.ts';

const MAX_SOURCES = 256;
/** Maximum lines of all sources. */
const MAX_ALL_LINES = 10_000;
const MAX_RELEASED = 64;

const MAX_NAME_LENGTH = 1_000;
const MAX_FUNCTIONS = 256;

const EXPECTED_PLACE = 'an object with source and lines, or with function';

type WantedPlace = WantedLines | { readonly function: string };

const place = refined(
  exactObjectOf(
    {
      source: sourcePath,
      lines: sourceLines,
      function: textUpTo(MAX_NAME_LENGTH, 'the name of a function', 1),
    },
    EXPECTED_PLACE,
  ),
  ({ source, lines, function: name }): Reading<WantedPlace> => {
    if (name !== null && source === null && lines === null) return { value: { function: name } };
    if (name !== null || source === null || lines === null) return { path: [], expected: EXPECTED_PLACE };
    return { value: { source, lines } };
  },
);

const places = refined(
  arrayOf<WantedPlace>(
    place,
    `an array of at most ${MAX_SOURCES} objects with source and lines, or with function`,
    MAX_SOURCES,
  ),
  (given): Reading<WantedPlace[]> => {
    const count = given.reduce((sum, each) => sum + ('function' in each ? 0 : each.lines.length), 0);
    return count > MAX_ALL_LINES
      ? { path: [], expected: `at most ${MAX_ALL_LINES} lines in all sources` }
      : { value: given };
  },
);

function wantedPlaces(given: readonly WantedPlace[]): WantedPlaces {
  return {
    sources: given.flatMap((each) => ('function' in each ? [] : [each])),
    functions: given.flatMap((each) => ('function' in each ? [each.function] : [])),
  };
}

const attachOptions = exactObjectOf({ failures: flag }, 'an object with failures');

const hitNumbers = arrayOf(
  leaf('the number of a hit, from 1', QUANTITY_JSON_SCHEMA, (value) => {
    const number = readQuantity(value);
    return number === undefined || number === 0n || number > Number.MAX_SAFE_INTEGER
      ? undefined
      : Number(number);
  }),
  `an array of at most ${MAX_RELEASED} numbers of hits`,
  MAX_RELEASED,
);

export const INSPECT_ATTACH: readonly Method[] = [
  /**
   * Attaches a debugger to the node. While it is attached, the node records the sends, calls and estimates of
   * all clients. Each execution that reaches a breakpoint is a hit, and the debugger gets it as an
   * eth_subscription notification. The chain does not stop: a hit is a target of inspect_steps and the other
   * methods for debuggers (`{ "recording": "0x1" }`). The debugger is attached until its connection closes, or
   * until eth_unsubscribe. A second call replaces the breakpoints.
   *
   * `breakpoints` lists source files and lines, as for inspect_breakpoints, and names of functions
   * (`{ "function": "transfer" }`) in any contract. All sources together have at most 10,000 lines. With
   * `failures`, each failed execution is a hit too.
   *
   * On the URL of a lane, only this lane is recorded; otherwise, the base chain and all lanes. With API keys, only the requests of this key are recorded. At most 32 debuggers are attached to the node; with API
   * keys or on a lane, to the key or the lane.
   *
   * A hit stays until inspect_release. At most 51 hits are kept: one that is open, and 50 that wait. `omitted` is
   * the number of executions since the last hit that were not checked, because too many hits or executions waited.
   */
  defineMethod({
    name: 'inspect_attach',
    summary: 'Attaches a debugger: notifies of requests that reach breakpoints (WebSocket)',
    priority: 'low',
    params: [param('breakpoints', places), optional('options', attachOptions, null)],
    fork: { kind: 'own', because: 'it records only requests to this node' },
    result: {
      description:
        'The id of the subscription, the result of inspect_breakpoints for each file, and at most 256 functions with a requested name. A notification contains the `number` of the hit, the `method`, the `lane` and the `blockNumber`. The `test` is the label of the lane. The `source` and `line` are the first breakpoint, or null for a failure without a breakpoint. The method is null for work of the chain itself, the lane for the base chain, and the `transactionHash` for a call',
      schema: {
        type: 'object',
        properties: {
          subscription: { type: 'string' },
          sources: { type: 'array', items: { type: 'object' } },
          functions: { type: 'array', items: { type: 'object' } },
        },
        required: ['subscription', 'sources', 'functions'],
      },
    },
    handler: async (context, wanted, options) => {
      const { connection, node, deadline } = context;
      const notify = requireNotify(connection, 'inspect_attach');
      const { contracts } = await node.inspector.ready();
      const [{ attachDebugger }, { BreakpointSet }] = await Promise.all([
        import('../../attach-debugger.ts'),
        import('../../../inspect/breakpoint-set.ts'),
      ]);
      const breakpoints = new BreakpointSet(wantedPlaces(wanted));
      const { sources, functions } = await breakpoints.mapped(contracts, deadline);
      const failures = options?.failures === true;
      const subscription = attachDebugger(context, notify, { breakpoints, failures });
      return { subscription, sources, functions: functions.slice(0, MAX_FUNCTIONS) };
    },
  }),
  defineMethod({
    name: 'inspect_release',
    summary: 'Releases hits of the attached debugger, so that the node can keep other hits (WebSocket)',
    params: [param('numbers', hitNumbers)],
    result: { description: 'The number of released hits', schema: QUANTITY_JSON_SCHEMA },
    handler: ({ connection, node: { recordings } }, numbers) => {
      requireNotify(connection, 'inspect_release');
      const attachment = recordings.clients.get(connection)?.attachment;
      return toQuantity(numbers.filter((number) => attachment?.release(number) === true).length);
    },
  }),
];
