import { boolean, flag } from '../../codecs/basic.ts';
import { type Codec, exactObjectOf, leaf } from '../../codecs/codec.ts';
import { executionTarget } from '../../codecs/execution-target.ts';
import { countUpTo, index, QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/hex-values.ts';
import { executionOf } from '../../executions.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { EXACT, EXACT_TEXT } from './transactions.ts';

const MAX_STEPS = 2_000;
const STEPS = 200;

const stepCount = countUpTo(MAX_STEPS, 'steps', 0);

const stepPage = exactObjectOf(
  {
    first: index,
    count: stepCount,
    memory: flag,
    sources: flag,
    variables: flag,
    depths: flag,
    events: flag,
    changes: flag,
    outline: boolean,
  },
  'an object with first, count, memory, sources, variables, depths, events, changes and outline',
);

const FAILED = 'failed';

/** The number of a step, or the failed step. */
const stepOrFailed: Codec<number | typeof FAILED> = leaf(
  `the number of a step, from 0, or "${FAILED}"`,
  { oneOf: [QUANTITY_JSON_SCHEMA, { type: 'string', enum: [FAILED] }] },
  (value) => {
    if (value === FAILED) return FAILED;
    const step = readQuantity(value);
    return step === undefined ? undefined : Number(step);
  },
);

const MAX_LINES = 20;
const MAX_FRAMES = 2_000;

const stackPage = exactObjectOf(
  { first: index, count: countUpTo(MAX_FRAMES, 'frames'), lines: countUpTo(MAX_LINES, 'lines', 0) },
  'an object with first, count and lines',
);

const NULL = { type: 'null' };
const TEXT_OR_NULL = { anyOf: [{ type: 'string' }, NULL] };
const INTEGER_OR_NULL = { anyOf: [{ type: 'integer' }, NULL] };

const STACK_FRAME = {
  type: 'object',
  properties: {
    kind: { enum: ['call', 'staticcall', 'delegatecall', 'library', 'creation', 'internal'] },
    contract: TEXT_OR_NULL,
    function: TEXT_OR_NULL,
    definedIn: TEXT_OR_NULL,
    source: TEXT_OR_NULL,
    line: INTEGER_OR_NULL,
    column: INTEGER_OR_NULL,
    endLine: INTEGER_OR_NULL,
    endColumn: INTEGER_OR_NULL,
    address: { type: 'string' },
    frame: { type: 'integer' },
    depth: { type: 'integer' },
    firstStep: INTEGER_OR_NULL,
    gas: INTEGER_OR_NULL,
    excerpt: {
      anyOf: [
        {
          type: 'object',
          properties: {
            first: { type: 'integer' },
            lines: { type: 'array', items: { type: 'string' } },
          },
          required: ['first', 'lines'],
        },
        NULL,
      ],
    },
  },
  required: ['kind', 'contract', 'function', 'source', 'line', 'column', 'address', 'frame', 'depth'],
};

export const INSPECT_STEPS: readonly Method[] = [
  /**
   * Executes a mined transaction, a failure or a call, and lists its steps for a debugger. A pool transaction
   * runs in the pending block. `statements` covers the whole execution: first step, frame, file and line of
   * each (file -1 if there is no source). `steps` contains the opcodes of a page, each before its execution. `failedAt`
   * is the failing step. With `sources`, `files` includes the contents. With `depths`, `depths` has the number of
   * internal functions around each statement in its frame, to step over calls and out of functions.
   * `definitions` has the indexes of statements at the head of a function or at a whole block: entries and exits. With
   * `changes`, `changes` lists the storage variables that changed before the first step of the page. With
   * `outline: false`, statements, frames and files are omitted, for later pages.
   *
   * With `events`, `events` lists the emitted events, the console output and the failures of frames, each with
   * its step, frame, `kind`, `text` and contract. A failure has the name of its `error`, if any. `isPassedOn`
   * means that the frame passes on the failure of its last call. `isCause` marks the cause of the failure of
   * the execution.
   */
  defineMethod({
    name: 'inspect_steps',
    summary:
      'The steps of a transaction, failure or call: source statements, and opcodes with stack, memory and storage',
    priority: 'low',
    params: [param('target', executionTarget), optional('page', stepPage, null)],
    fork: { kind: 'execution', at: 0, answer: 'anything', executes: true },
    result: {
      description:
        'The step count, statements, frames, files, the steps of the page, and the failed step. A frame executes the code at `address` and uses the storage of `storageAddress` (they differ in delegate calls). A step that reads or writes storage contains `slot`, an array of slot and value. For a write, `slotBefore` is the earlier value. The list `undone` of a step contains the account, slot and earlier value of writes in failed frames. The field `storage` contains the slots of each account at the first step of the page, at most `storageLimit` per account. The optional field `changes` contains the changes of storage before the first step of the page. Its lists `storage` and `transientStorage` have the form of inspect_transaction. ' +
        EXACT_TEXT,
      schema: {
        type: 'object',
        properties: {
          count: { type: 'integer' },
          statements: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
          depths: { type: 'array', items: { type: 'integer' } },
          definitions: { type: 'array', items: { type: 'integer' } },
          events: { type: 'array', items: { type: 'object' } },
          omittedEvents: { type: 'integer' },
          frames: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                type: { type: 'string' },
                depth: { type: 'integer' },
                address: { type: 'string' },
                storageAddress: { type: 'string' },
                contract: { anyOf: [{ type: 'string' }, { type: 'null' }] },
              },
              required: ['type', 'depth', 'address', 'storageAddress', 'contract'],
            },
          },
          files: { type: 'array', items: { type: 'object' } },
          steps: { type: 'array', items: { type: 'object' } },
          storage: { type: 'object' },
          storageLimit: { type: 'integer' },
          changes: { type: 'object' },
          failedAt: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
          ...EXACT,
        },
        required: ['count', 'steps', 'storage', 'storageLimit', 'failedAt'],
      },
    },
    handler: async (context, target, page) => {
      const { execution, inspector } = await executionOf(context, target);
      const wanted = {
        first: page?.first ?? 0,
        count: page?.count ?? STEPS,
        memory: page?.memory === true,
        variables: page?.variables === true,
        depths: page?.depths === true,
        events: page?.events === true,
      };
      const found = await inspector.debugger.steps(execution, wanted, context.deadline);
      const { count, statements, depths, definitions, frames, files, events, omittedEvents } = found;
      const { steps, storage, storageLimit, failedAt } = found;
      const outline = {
        statements: statements.map(({ first, frame, file, line }) => [first, frame, file, line]),
        ...(wanted.depths ? { depths, definitions } : {}),
        ...(wanted.events ? { events, omittedEvents } : {}),
        frames,
        files: page?.sources === true ? files : files.map(({ name }) => ({ name })),
      };
      const { changesAtView } = await import('../../views/inspection.ts');
      const changes =
        page?.changes === true
          ? await inspector.debugger.changesAt(execution, wanted.first, context.deadline)
          : null;
      return {
        count,
        ...(page?.outline === false ? {} : outline),
        steps,
        storage,
        storageLimit,
        ...(changes === null ? {} : { changes: changesAtView(changes) }),
        failedAt,
      };
    },
  }),
  /**
   * Executes a transaction, a failure or a call up to a step, and lists the functions that have not ended.
   * These are external calls and internal functions, innermost first. The first frame has the position of the
   * step, the others the position of their call. `firstStep` and `gas` of modifiers and of inlined functions
   * are `null`.
   *
   * The step `"failed"` is the failed step, with the positions of the stack trace. `firstStep` is then `null`.
   * With `page`, the result has only some functions. With `lines`, each function has an `excerpt`: the lines of
   * the source around its position. The result then has at most 2,000 functions.
   */
  defineMethod({
    name: 'inspect_frames',
    summary: 'The Solidity call stack at a step of a transaction, failure or call, with internal functions',
    priority: 'low',
    params: [
      param('target', executionTarget),
      param('step', stepOrFailed),
      optional('page', stackPage, null),
    ],
    fork: { kind: 'execution', at: 0, answer: 'anything', executes: true },
    result: {
      description:
        'The functions that have not ended, innermost first. `kind` is `call`, `staticcall`, `delegatecall`, `library` (a delegate call of a library), `creation` or `internal`. `definedIn` is the contract that declares the function. `frame` is the index in the `frames` of `inspect_steps`, and `depth` is the depth of this frame. Lines and columns count from 1; the end is exclusive. `firstStep` and `gas` are the step and the remaining gas at the entry of the function. `count` is the number of all functions. An `excerpt` contains the number of its first line and the lines. `step` is null if no step failed, for example because a precompile failed. ' +
        EXACT_TEXT,
      schema: {
        type: 'object',
        properties: {
          step: INTEGER_OR_NULL,
          count: { type: 'integer' },
          frames: { type: 'array', items: STACK_FRAME },
          ...EXACT,
        },
        required: ['step', 'count', 'frames'],
      },
    },
    handler: async (context, target, step, page) => {
      const { execution, inspector } = await executionOf(context, target);
      const { first, count, lines } = page ?? { first: null, count: null, lines: null };
      const most = lines === null ? Number.POSITIVE_INFINITY : MAX_FRAMES;
      const wanted = { first: first ?? 0, count: count ?? most, lines };
      if (step === FAILED) return inspector.debugger.failedCallStack(execution, wanted, context.deadline);
      return { step, ...(await inspector.debugger.callStack(execution, step, wanted, context.deadline)) };
    },
  }),
];
