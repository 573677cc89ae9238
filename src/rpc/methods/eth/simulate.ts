import { versionedHashes } from '../../../chain/blobs.ts';
import { LATEST } from '../../../chain/block-selector.ts';
import type { CallResult } from '../../../chain/call-environment.ts';
import type { SimulatedBlock, SimulatedBlockRequest } from '../../../chain/execution/simulation.ts';
import { revertReason } from '../../../evm/revert-reason.ts';
import { toQuantity } from '../../../primitives/hex.ts';
import { hexInSteps, mapInSteps, type Steps } from '../../../primitives/steps.ts';
import type { BlockViewOptions } from '../../../wire/block.ts';
import { logViewsInSteps } from '../../../wire/log.ts';
import type { Json } from '../../../wire/values.ts';
import { blockViewInSteps } from '../../block-answers.ts';
import { boolean } from '../../codecs/basic.ts';
import { blockSelector } from '../../codecs/block-selector.ts';
import {
  authorizationProblem,
  blobProblem,
  messageFields,
  points,
  settledMessage,
  transactionType,
  typeProblem,
} from '../../codecs/call-object.ts';
import { blockOverrides, stateOverrides } from '../../codecs/call-overrides.ts';
import { arrayOf, type Decoded, objectOf, refined } from '../../codecs/codec.ts';
import { quantity } from '../../codecs/hex-values.ts';
import { executionRevertedMessage } from '../../compat.ts';
import { withGasCutText } from '../../execution-answers.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { callMessage, typeOf } from '../../transaction-request.ts';

/** The blob fields of a message. */
interface BlobMessage {
  readonly authorizationList: readonly unknown[] | null;
  readonly blobVersionedHashes: Uint8Array[] | null;
  readonly blobs: Uint8Array[] | null;
  readonly commitments: Uint8Array[] | null;
}

/** Returns a message with the hashes of its sidecar. A message with authorizations has no blobs. */
function withBlobHashes<Fields extends BlobMessage>(fields: Fields): Fields {
  const { authorizationList, blobVersionedHashes, blobs, commitments } = fields;
  if (blobs === null && blobVersionedHashes === null) return fields;
  if ((authorizationList?.length ?? 0) > 0) return { ...fields, blobVersionedHashes: null, blobs: null };
  if ((blobVersionedHashes?.length ?? 0) > 0 || commitments === null) return fields;
  return { ...fields, blobVersionedHashes: versionedHashes(commitments) };
}

/** A call of a simulated block: a call object with a nonce and a type. */
const simulatedCall = refined(
  refined(
    objectOf(
      { ...messageFields, commitments: points, nonce: quantity, chainId: quantity, type: transactionType },
      'a call object with from, to, gas, gasPrice, value, data or input, nonce',
    ),
    (fields) => settledMessage(withBlobHashes(fields)),
  ),
  (fields) =>
    blobProblem(fields, fields.type) ??
    authorizationProblem(fields) ??
    typeProblem(fields) ?? { value: fields },
);

const simulatedBlock = objectOf(
  { blockOverrides, stateOverrides, calls: arrayOf(simulatedCall, 'an array of call objects') },
  'an object with blockOverrides, stateOverrides and calls',
);

const EXPECTED = 'an object with blockStateCalls, traceTransfers, validation and returnFullTransactions';

/** The blocks of eth_simulateV1: at least one. */
const simulation = refined(
  objectOf(
    {
      blockStateCalls: arrayOf(simulatedBlock, 'an array of blocks'),
      traceTransfers: boolean,
      validation: boolean,
      returnFullTransactions: boolean,
    },
    EXPECTED,
  ),
  ({ blockStateCalls, traceTransfers, validation, returnFullTransactions }) => {
    if (blockStateCalls === null || blockStateCalls.length === 0) {
      return { path: ['blockStateCalls'], expected: 'at least one block (empty input)' };
    }
    return {
      value: {
        blocks: blockStateCalls,
        tracesTransfers: traceTransfers === true,
        validates: validation === true,
        full: returnFullTransactions === true,
      },
    };
  },
);

export type SimulatedBlockObject = Decoded<typeof simulatedBlock>;

/** The error codes and messages of failed calls follow execution-apis in all compat modes. */
const REVERTED = 3;
const HALTED = -32015;

function* errorView(execution: CallResult): Steps<Json> {
  if (execution.outcome === 'success') return {};
  const { returnData, haltReason } = execution;
  const messageOf = (message: string): string => withGasCutText(message, execution);
  const error =
    execution.outcome === 'revert'
      ? {
          code: REVERTED,
          message: messageOf(executionRevertedMessage(revertReason(returnData))),
          data: yield* hexInSteps(returnData),
        }
      : { code: HALTED, message: messageOf(`vm execution error: ${haltReason ?? 'execution failed'}`) };
  return { error };
}

/** Work units per call, and per result of a call. */
const CALL_WORK = 128;

/** Returns a simulated block as JSON, with the results of its calls. */
function* simulatedBlockView(
  { block, results }: SimulatedBlock,
  options: Pick<BlockViewOptions, 'full' | 'fieldNames' | 'rules'>,
): Steps<Json> {
  let logIndex = 0;
  const calls: unknown[] = [];
  for (const [transactionIndex, { execution, logs, numbering }] of results.entries()) {
    const first = logIndex;
    const located = logs.map((log, index) => ({
      log,
      blockNumber: block.header.number,
      blockHash: block.hash,
      blockTimestamp: block.header.timestamp,
      transactionHash: block.transactions[transactionIndex]?.hash ?? null,
      transactionIndex,
      logIndex: first + (numbering?.indexes[index] ?? index),
      removed: false,
    }));
    logIndex += numbering?.count ?? logs.length;
    calls.push({
      returnData: execution.outcome === 'revert' ? '0x' : yield* hexInSteps(execution.returnData),
      logs: yield* logViewsInSteps(located),
      gasUsed: toQuantity(execution.gasUsed),
      maxUsedGas: toQuantity(execution.gasBeforeRefund),
      status: execution.outcome === 'success' ? '0x1' : '0x0',
      ...(yield* errorView(execution)),
    });
    yield CALL_WORK;
  }
  const view = yield* blockViewInSteps(block, { ...options, isPending: false });
  return { ...view, calls };
}

function* requestsOf(
  context: RpcContext,
  blocks: readonly SimulatedBlockObject[],
): Steps<SimulatedBlockRequest[]> {
  const requests: SimulatedBlockRequest[] = [];
  for (const [position, block] of blocks.entries()) {
    const path = `simulation.blockStateCalls[${position}].calls`;
    let index = 0;
    const calls = yield* mapInSteps(
      block.calls ?? [],
      () => CALL_WORK,
      (call) => ({
        message: callMessage(context, call, `${path}[${index++}]`),
        type: typeOf(call, context.node.chain),
        nonce: call.nonce,
      }),
    );
    const overrides = { accounts: block.stateOverrides ?? [], block: block.blockOverrides ?? {} };
    requests.push({ overrides, calls });
    yield CALL_WORK;
  }
  return requests;
}

export const ETH_SIMULATE: readonly Method[] = [
  /**
   * Simulates blocks of calls on top of a block, each on the state of the previous one, with overrides of
   * accounts and blocks. Blocks are 12 seconds apart by default, and gaps in their numbers are filled with
   * empty blocks: at most 256 in all. With `validation`, nonces and fees must be valid. Without it, the base
   * fee is 0 and a balance must only cover the value. A failed call has `error` and status 0. An invalid call
   * rejects the whole request, with the codes of execution-apis. All calls share the gas of
   * `--call-gas-limit`. A moved precompiled contract is cold at its new address. If several move to one
   * account, the one with the highest address is used; with compat `anvil`, this is an error. With compat
   * `anvil`, code that replaces a precompiled contract runs only in its own block, and BASEFEE and BLOBBASEFEE
   * return the fees of the block. Reverted logs count in `logIndex`.
   */
  defineMethod({
    name: 'eth_simulateV1',
    summary: 'Simulates blocks of calls, with state and block overrides',
    priority: 'low',
    params: [param('simulation', simulation), optional('block', blockSelector, LATEST)],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: {
      description: 'The blocks, each with the results of its calls in `calls`',
      schema: { type: 'array', items: { type: 'object' } },
    },
    handler: async (context, { blocks, full, ...given }, selector) => {
      const { chain } = context.node;
      const { settings, deadline } = context;
      const requests = await deadline.run(requestsOf(context, blocks));
      const options = { ...given, followsAnvil: settings.compat.simulatesAsAnvil };
      const simulated = await chain.simulation
        .blocks(requests, selector, options, deadline)
        .catch((error: unknown) => {
          throw settings.compat.simulationBaseError(error) ?? error;
        });
      const shown = { full, fieldNames: settings.fieldNames, rules: chain.ruleSet };
      return deadline.run(
        (function* () {
          const views: Json[] = [];
          for (const block of simulated) {
            views.push(yield* simulatedBlockView(block, shown));
            yield CALL_WORK;
          }
          return views;
        })(),
      );
    },
  }),
];
