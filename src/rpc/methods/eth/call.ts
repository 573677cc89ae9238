import type { BlockSelector } from '../../../chain/block-selector.ts';
import { LATEST, PENDING } from '../../../chain/block-selector.ts';
import type { CallResult } from '../../../chain/call-environment.ts';
import type { CallToken } from '../../../chain/changes.ts';
import { CallRejectedError, EstimateFailedError } from '../../../chain/errors.ts';
import type { CallMessage } from '../../../chain/execution/calls.ts';
import type { CallBundle } from '../../../chain/execution/chain-simulation.ts';
import type { CallOverrides } from '../../../chain/execution/state-overrides.ts';
import { HALT_REASONS } from '../../../evm/halt-reasons.ts';
import { type Awaitable, whenReady } from '../../../primitives/awaitable.ts';
import { type Hex, toQuantity } from '../../../primitives/hex.ts';
import { hexInSteps, mapInSteps, type Steps } from '../../../primitives/steps.ts';
import { intrinsicGas } from '../../../protocol/intrinsic-gas.ts';
import { accessListView } from '../../../wire/transaction.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import { callObject } from '../../codecs/call-object.ts';
import { blockOverrides, stateOverrides } from '../../codecs/call-overrides.ts';
import { arrayOf, type Decoded, historic, leaf, objectOf, refined } from '../../codecs/codec.ts';
import { data, QUANTITY_JSON_SCHEMA, readQuantity } from '../../codecs/hex-values.ts';
import type { Compat } from '../../compat.ts';
import { ExecutionError } from '../../errors.ts';
import { executionErrorOf, failureMessage, withGasCutText, withStack } from '../../execution-answers.ts';
import { defineMethod, type Method, optional, param, peerOptional } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { callMessage } from '../../transaction-request.ts';

const bundle = refined(
  objectOf(
    { transactions: arrayOf(callObject, 'an array of call objects'), blockOverride: blockOverrides },
    'an object with transactions and blockOverride',
  ),
  ({ transactions, blockOverride }) => ({
    value: { calls: transactions ?? [], block: blockOverride ?? {} },
  }),
);

/** The bundles of `eth_callMany`. The calls of a bundle run in one block. */
export const callBundles = arrayOf(bundle, 'an array of bundles of calls');

/** The index for the end of a block, as clients send it. */
const END = -1;

const transactionIndex = leaf(
  'the index of a transaction, or -1 for the end of the block',
  { oneOf: [QUANTITY_JSON_SCHEMA, { type: 'integer', minimum: END }] },
  (value) => {
    if (value === END) return END;
    const index = readQuantity(value);
    return index === undefined ? undefined : Number(index);
  },
);

/** The state before the bundles of `eth_callMany`: a block, and the transaction in it that comes next. */
export const callContext = historic(
  refined(
    objectOf(
      { blockNumber: blockSelector, transactionIndex },
      'an object with blockNumber and transactionIndex',
    ),
    ({ blockNumber, transactionIndex: index }) => ({
      value: { selector: blockNumber ?? LATEST, transactionIndex: index === END ? null : index },
    }),
  ),
);

type BundleOutcome = CallResult | CallRejectedError;

function* outcomeView(compat: Compat, outcome: BundleOutcome): Steps<unknown> {
  if (outcome instanceof CallRejectedError) return { error: outcome.message };
  if (outcome.outcome === 'success') return { value: yield* hexInSteps(outcome.returnData) };
  return { error: failureMessage(compat, outcome) };
}

/** Work units per bundle, per call, and per result of either. */
const CALL_WORK = 128;

/** Returns the messages of bundles. Throws `InvalidParamsError` for fields that the hardfork lacks. */
export function* bundleRequests(
  context: RpcContext,
  bundles: Decoded<typeof callBundles>,
): Steps<CallBundle[]> {
  const requests: CallBundle[] = [];
  for (const [position, { calls, block }] of bundles.entries()) {
    let index = 0;
    const messages = yield* mapInSteps(
      calls,
      () => CALL_WORK,
      (call) => callMessage(context, call, `bundles[${position}].transactions[${index++}]`),
    );
    requests.push({ messages, block });
    yield CALL_WORK;
  }
  return requests;
}

function* bundleViews(compat: Compat, results: readonly (readonly BundleOutcome[])[]): Steps<unknown[][]> {
  const views: unknown[][] = [];
  for (const ofBundle of results) {
    const view: unknown[] = [];
    for (const outcome of ofBundle) {
      view.push(yield* outcomeView(compat, outcome));
      yield CALL_WORK;
    }
    views.push(view);
    yield CALL_WORK;
  }
  return views;
}

/** Resolves to the gas that a message needs. Rejects if the message fails with any gas. */
async function estimate(
  { node: { chain }, settings, deadline }: RpcContext,
  caller: CallToken | null,
  message: CallMessage,
  block: BlockSelector,
  overrides: CallOverrides,
): Promise<Hex> {
  try {
    return toQuantity(await chain.calls.estimateGas(message, block, overrides, deadline, caller));
  } catch (error) {
    if (error instanceof EstimateFailedError) {
      const { haltReason, gasBeforeRefund: gas } = error.result;
      if (settings.hosted) return toQuantity(gas);
      const { compat } = settings;
      if (haltReason === HALT_REASONS.outOfGas && compat.outOfGasMessage !== null) {
        const message = withGasCutText(compat.outOfGasMessage(gas), error.result);
        throw new ExecutionError(compat.haltErrorCode, message, compat.haltData);
      }
      throw await deadline.run(executionErrorOf(compat, error.result));
    }
    if (error instanceof CallRejectedError && settings.hosted) {
      const least = intrinsicGas(chain.ruleSet, message);
      const most = chain.fees.nextLimits().transactionGasLimit;
      return toQuantity(most > least ? most : least);
    }
    throw error;
  }
}

export const ETH_CALL: readonly Method[] = [
  /**
   * Executes a call on the state after a block without changing it, and returns the call's return data. A
   * revert rejects with reason and data. Other failures reject without data; in hosted-node mode they return
   * `0x`. Without `to`, the data runs as creation code. Accounts and the block may be overridden.
   */
  defineMethod({
    name: 'eth_call',
    summary: 'Executes a call without changing the chain',
    priority: 'low',
    params: [
      param('call', callObject),
      peerOptional('block', blockSelector, LATEST),
      optional('stateOverrides', stateOverrides, []),
      optional('blockOverrides', blockOverrides, {}),
    ],
    fork: { kind: 'state', at: 1, answer: 'data', executes: true },
    result: { description: 'The data that the call returns', schema: data.jsonSchema },
    handler: (context, call, block, accounts, environment) => {
      const { chain } = context.node;
      const { settings, deadline } = context;
      const message = callMessage(context, call);
      const overrides = { accounts, block: environment };
      return withStack(context, (caller) =>
        whenReady(
          chain.calls.call(message, block, overrides, deadline, caller),
          (result): Awaitable<string> => {
            if (result.outcome === 'success') return deadline.run(hexInSteps(result.returnData));
            if (result.outcome === 'halt' && settings.hosted) return '0x';
            return whenReady(deadline.run(executionErrorOf(settings.compat, result)), (error) => {
              throw error;
            });
          },
        ),
      );
    },
  }),
  /**
   * Executes bundles of calls without changing the chain; each call runs on the state of the previous one.
   * They start at the end of a block, or before one of its transactions. Each bundle runs one block and one
   * second after the previous one, as in Erigon and Anvil. Block overrides also apply to later bundles. A
   * failed call has `error` instead of `value`, and the next call runs.
   */
  defineMethod({
    name: 'eth_callMany',
    summary: 'Executes several calls, each on the state after the previous calls',
    priority: 'low',
    params: [
      param('bundles', callBundles),
      optional('context', callContext, { selector: LATEST, transactionIndex: null }),
      optional('stateOverrides', stateOverrides, []),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: {
      description: 'The value or error of each call, by bundle',
      schema: { type: 'array', items: { type: 'array', items: { type: 'object' } } },
    },
    handler: async (context, bundles, start, accounts) => {
      const { chain } = context.node;
      const { settings, deadline } = context;
      const requests = await deadline.run(bundleRequests(context, bundles));
      const results = await chain.simulation.bundles(requests, { ...start, accounts }, deadline);
      return deadline.run(bundleViews(settings.compat, results));
    },
  }),
  /**
   * Returns the minimum gas for a message to succeed, by default in the next block after the pending
   * transactions. The sender's balance is not checked, except in compat mode `anvil`. The call's own gas is
   * ignored, as on Rootstock. In compat modes `anvil` and `hardhat` it is the maximum. A message that always
   * fails rejects as in eth_call. In hosted-node mode it still gets an estimate. Accounts and the block may
   * be overridden.
   */
  defineMethod({
    name: 'eth_estimateGas',
    summary: 'The gas that a transaction needs',
    priority: 'low',
    params: [
      param('call', callObject),
      optional('block', blockSelector, PENDING),
      optional('stateOverrides', stateOverrides, []),
      optional('blockOverrides', blockOverrides, {}),
    ],
    fork: { kind: 'state', at: 1, answer: 'quantity', executes: true },
    result: { description: 'The gas limit', schema: QUANTITY_JSON_SCHEMA },
    handler: (context, call, block, accounts, environment) => {
      const { settings } = context;
      const asked = callMessage(context, call);
      const message = settings.compat.estimateKeepsToGas ? asked : { ...asked, gasLimit: null };
      const overrides = { accounts, block: environment };
      return withStack(context, (caller) => estimate(context, caller, message, block, overrides));
    },
  }),
  /**
   * Returns the access list (EIP-2930) of a message, and its gas with this list. The list excludes accounts
   * that cost no extra gas (sender, recipient, precompiled contracts) and the console. Hardforks without
   * access lists return the plain gas. A failed message also has its list, and an `error`. By default, it
   * runs in the next block after the pending transactions.
   */
  defineMethod({
    name: 'eth_createAccessList',
    summary: 'The access list of a call: the accounts and storage slots that the call uses',
    priority: 'low',
    params: [
      param('call', callObject),
      optional('block', blockSelector, PENDING),
      optional('stateOverrides', stateOverrides, []),
    ],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: {
      description:
        'The access list, the gas that the call uses with this list, and the error if the call fails',
      schema: {
        type: 'object',
        properties: {
          accessList: { type: 'array', items: { type: 'object' } },
          gasUsed: QUANTITY_JSON_SCHEMA,
          error: { type: 'string' },
        },
        required: ['accessList', 'gasUsed'],
      },
    },
    handler: async (context, call, block, accounts) => {
      const { chain } = context.node;
      const { settings, deadline } = context;
      const overrides = { accounts, block: {} };
      const { accessList, result } = await chain.simulation.accessList(
        callMessage(context, call),
        block,
        overrides,
        deadline,
      );
      const failure = result.outcome === 'success' ? {} : { error: failureMessage(settings.compat, result) };
      const list = await deadline.run(accessListView(accessList));
      return { accessList: list, gasUsed: toQuantity(result.gasUsed), ...failure };
    },
  }),
];
