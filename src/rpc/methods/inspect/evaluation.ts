import { textUpTo } from '../../codecs/basic.ts';
import { executionTarget } from '../../codecs/execution-target.ts';
import { index } from '../../codecs/hex-values.ts';
import { executionOf } from '../../executions.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { EXACT, EXACT_TEXT } from './transactions.ts';

/** Maximum characters of an expression in a request. The parser reports its own maximum. */
const MAX_LENGTH = 10_000;

export const INSPECT_EVALUATION: readonly Method[] = [
  /**
   * Evaluates a Solidity-like expression before a step of a transaction, failure or call, with the step numbers
   * of inspect_steps. The expression can name local variables, state variables, constants and immutable
   * variables, `this`, `msg`, `block` and `tx`, and call view functions. Vyper's `self.x` reads a state
   * variable.
   *
   * View functions run as static calls on the state before the step. This is storage, balances, code and
   * transient storage, with the changes of frames that fail later. The caller is the running contract. A
   * function that is named without an object runs with the sender of the running function.
   *
   * Arithmetic is checked as in Solidity 0.8, and number literals are exact. The `data` of an error
   * contain the expression, the range of characters and the reason. A local variable that the optimizer moved has no value:
   * the reason is `<not available: optimized>`.
   */
  defineMethod({
    name: 'inspect_evaluate',
    summary: 'Evaluates a Solidity expression at a step of a transaction, failure or call',
    priority: 'low',
    params: [
      param('target', executionTarget),
      param('step', index),
      param('expression', textUpTo(MAX_LENGTH, 'an expression', 1)),
    ],
    fork: { kind: 'execution', at: 0, answer: 'anything', executes: true },
    result: {
      description:
        'The value and its type in the source. Numbers are decimal, bytes and addresses are hexadecimal. Structs, arrays, mappings and tuples are lists. Each entry contains `name`, `type` and `value`. `raw` is the 32-byte word of a single value, or the bytes of a text. `hasMore` is present if items or bytes beyond the limit (100 items, 2,000 values, 4,096 bytes) are omitted. `hasUnknownKeys` is present for a mapping, because only entries with known keys are listed',
      schema: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          value: {
            anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'object' } }],
          },
          raw: { type: 'string' },
          hasMore: { type: 'boolean' },
          hasUnknownKeys: { type: 'boolean' },
          exact: { type: 'boolean' },
        },
        required: ['type', 'value'],
      },
    },
    handler: async (context, target, step, expression) => {
      const { execution, inspector } = await executionOf(context, target);
      return inspector.debugger.evaluate(execution, step, expression, context.deadline);
    },
  }),
  /**
   * Lists the state variables of the running contract before a step of a transaction, failure or call, with the
   * step numbers of inspect_steps. In a delegate call, these are the variables of the running code in the
   * storage of the caller. `state` is `null` without a storage layout. Values have the form and the limits of
   * inspect_evaluate; to read more items of an array, evaluate them.
   */
  defineMethod({
    name: 'inspect_state',
    summary: 'State variables and transient storage at a step of a transaction, failure or call',
    priority: 'low',
    params: [param('target', executionTarget), param('step', index)],
    fork: { kind: 'execution', at: 0, answer: 'anything', executes: true },
    result: {
      description:
        'The contract and the account of the storage. Each variable of `state` and `transient` has `name`, `type`, `value` and the other members of a result of inspect_evaluate. `transientSlots` lists at most 1,000 slots of transient storage that the account wrote, with their values. `omittedTransientSlots` counts the others. ' +
        EXACT_TEXT,
      schema: {
        type: 'object',
        properties: {
          contract: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          address: { type: 'string' },
          state: { anyOf: [{ type: 'array', items: { type: 'object' } }, { type: 'null' }] },
          transient: { type: 'array', items: { type: 'object' } },
          transientSlots: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
          omittedTransientSlots: { type: 'integer' },
          ...EXACT,
        },
        required: ['contract', 'address', 'state', 'transient', 'transientSlots', 'omittedTransientSlots'],
      },
    },
    handler: async (context, target, step) => {
      const { execution, inspector } = await executionOf(context, target);
      return inspector.debugger.state(execution, step, context.deadline);
    },
  }),
];
