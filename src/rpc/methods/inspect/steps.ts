import { boolean, flag } from '../../codecs/basic.ts';
import { exactObjectOf, leaf } from '../../codecs/codec.ts';
import { hash32 } from '../../codecs/data.ts';
import { index, QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/quantity.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { requireTransaction } from '../../traces.ts';

const MOST_STEPS = 2_000;
const STEPS = 200;

const stepCount = leaf(`a number of steps from 0 to ${MOST_STEPS}`, QUANTITY_JSON_SCHEMA, (value) => {
  const count = readQuantity(value);
  return count === undefined || count > MOST_STEPS ? undefined : Number(count);
});

const stepPage = exactObjectOf(
  { first: index, count: stepCount, memory: flag, sources: flag, variables: flag, outline: boolean },
  'an object with first, count, memory, sources, variables and outline',
);

export const INSPECT_STEPS: readonly Method[] = [
  /**
   * Runs a mined transaction again and lists its steps, to go through it in a debugger: `statements` of the whole transaction, each a list of
   * the first step, the frame, the file and the line (the file is -1 where the code comes from none), and `steps`, the opcodes of a
   * page, each before it is executed. `failedAt` is the step at which it failed. With `sources` the files have their content;
   * with `outline: false` statements, frames and files, which are those of the whole transaction, are left out, for pages after the first question.
   *
   * `storage` has, by account, the slots that were touched before the page with their values at its first step, the latest of each account; `storageLimit`
   * says how many at most. The account is the `storageAddress` of the frame, which differs from `address`, whose code runs, in delegate calls. A step that
   * touches a slot has it as `slot` with the value that is read or written, and as `slotBefore` the value before a write. Where frames that
   * wrote slots failed before a step, it has as `undone` the account, the slot and the earlier value of each.
   *
   * With `variables` a step has the parameters, results and locals of the function that runs, each with `name`, `type` and `value`, unless they
   * are the same as at the step before it in the page. They are `null` where nothing says where they lie: they are known of code that solc
   * compiled without optimizer and without the IR pipeline, if the build output has the syntax tree. An unknown hash is an error.
   */
  defineMethod({
    name: 'inspect_steps',
    summary:
      'The steps of a mined transaction: statements of the source, and opcodes with stack, memory and storage',
    params: [param('transactionHash', hash32), optional('page', stepPage, null)],
    fork: { kind: 'transaction', at: 0, answer: 'anything' },
    result: {
      description:
        'The number of all steps, statements, frames (`address` whose code runs, `storageAddress` whose slots it uses), files, the steps of the page, each with the `slot` that it touches, its value before a write (`slotBefore`) and the slots that failed frames gave back (`undone`), `storage` by account at the first of them with at most `storageLimit` slots of each, and where it failed',
      schema: {
        type: 'object',
        properties: {
          count: { type: 'integer' },
          statements: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
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
          failedAt: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        },
        required: ['count', 'steps', 'storage', 'storageLimit', 'failedAt'],
      },
    },
    handler: async ({ chain, inspector, checkInterrupt }, hash, page) => {
      const { block, index } = requireTransaction(chain, hash);
      await inspector.ready();
      const wanted = {
        first: page?.first ?? 0,
        count: page?.count ?? STEPS,
        memory: page?.memory === true,
        variables: page?.variables === true,
      };
      const found = await (await inspector.load()).steps(block, index, wanted, checkInterrupt);
      const { count, statements, frames, files, steps, storage, storageLimit, failedAt } = found;
      const outline = {
        statements: statements.map(({ first, frame, file, line }) => [first, frame, file, line]),
        frames,
        files: page?.sources === true ? files : files.map(({ name }) => ({ name })),
      };
      return { count, ...(page?.outline === false ? {} : outline), steps, storage, storageLimit, failedAt };
    },
  }),
];
