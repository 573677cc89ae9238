import { type BlockSelector, LATEST } from '../../../chain/block-selector.ts';
import type { BundleSimulation, SimulatedTransaction } from '../../../chain/execution/bundle-simulation.ts';
import { failureText } from '../../../chain/mining/bundle-inclusion.ts';
import { dueState } from '../../../chain/pool/bundles.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { logViewsInSteps } from '../../../wire/log.ts';
import { type Json, objectSchema } from '../../../wire/values.ts';
import { blockNumber, blockSelector } from '../../codecs/block-selector.ts';
import { historic, objectOf, refined } from '../../codecs/codec.ts';
import { address, QUANTITY_JSON_SCHEMA, quantity, seconds, word32 } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { mevBundle, type ReadMevBundle, readMevBundle } from '../../signed-bundles.ts';

/** The second parameter of mev_simBundle. `timeout` has no effect: `--call-timeout` limits the simulation. */
const simulationOptions = historic(
  refined(
    objectOf(
      {
        parentBlock: blockSelector,
        blockNumber,
        coinbase: address,
        timestamp: seconds,
        gasLimit: quantity,
        baseFee: quantity,
      },
      'an object with parentBlock, blockNumber, coinbase, timestamp, gasLimit and baseFee',
    ),
    ({ parentBlock, blockNumber: number, coinbase, timestamp, gasLimit, baseFee }) => ({
      value: {
        selector: parentBlock ?? LATEST,
        block: {
          ...(number !== null && { number: Number(number) }),
          ...(coinbase !== null && { coinbase }),
          ...(timestamp !== null && { timestamp }),
          ...(gasLimit !== null && { gasLimit }),
          ...(baseFee !== null && { baseFeePerGas: baseFee }),
        },
      },
    }),
  ),
);

const DEFAULT_OPTIONS: { readonly selector: BlockSelector; readonly block: object } = {
  selector: LATEST,
  block: {},
};

/** The simulated block has no hash. */
const NO_HASH = new Uint8Array(32);

function sumOf(
  results: readonly SimulatedTransaction[],
  amountOf: (one: SimulatedTransaction) => bigint,
): bigint {
  return results.reduce((total, one) => total + amountOf(one), 0n);
}

/** Returns the reason why the bundle is not mined, as text; `null` if it is mined. */
function faultOf({ bundle }: ReadMevBundle, { number, results, fault }: BundleSimulation): string | null {
  const { firstBlock, lastBlock } = bundle;
  if (dueState({ ...bundle, minTimestamp: null, maxTimestamp: null }, number, 0) !== 'due')
    return `block ${number} is not in the range from ${firstBlock} to ${lastBlock}`;
  for (const [index, { execution, transaction }] of results.entries()) {
    const failure = failureText(execution);
    if (failure !== null && bundle.transactions[index]?.ifFailed === 'fails')
      return `${failure}; txhash ${toHex(transaction.hash)}`;
  }
  return fault === null ? null : `${fault.text}; txhash ${toHex(fault.transaction.hash)}`;
}

/** Returns the logs of each item of the body. A nested bundle has one list of logs. */
function* logsOf({ parts }: ReadMevBundle, { results, number, timestamp }: BundleSimulation): Steps<Json[]> {
  const views: Json[] = [];
  let next = 0;
  let nextLog = 0;
  for (const { transactions, range } of parts) {
    const logs: Json[] = [];
    const own = results.slice(next, next + transactions.length);
    for (const [index, { transaction, execution }] of own.entries()) {
      const transactionIndex = next + index;
      const located = execution.logs.map((log) => ({
        log,
        blockNumber: number,
        blockHash: NO_HASH,
        blockTimestamp: timestamp,
        transactionHash: transaction.hash,
        transactionIndex,
        logIndex: nextLog++,
        removed: false,
      }));
      logs.push({ txLogs: yield* logViewsInSteps(located) });
    }
    next += transactions.length;
    if (range !== null) views.push({ bundleLogs: logs });
    else views.push(...logs);
  }
  return views;
}

/** The value of the items without a refund: MEV-Share shares it with the other items. */
function refundableValue(
  { parts }: ReadMevBundle,
  { results }: BundleSimulation,
  refunds: ReadonlySet<number>,
): bigint {
  let value = 0n;
  let next = 0;
  for (const [index, { transactions }] of parts.entries()) {
    const own = results.slice(next, next + transactions.length);
    next += transactions.length;
    if (!refunds.has(index)) value += sumOf(own, ({ coinbaseDiff }) => coinbaseDiff);
  }
  return value;
}

function positive(value: bigint): string {
  return toQuantity(value > 0n ? value : 0n);
}

function* simulationView(
  read: ReadMevBundle,
  simulation: BundleSimulation,
  refunds: ReadonlySet<number>,
): Steps<Json> {
  const { results, stateBlock } = simulation;
  const error = faultOf(read, simulation);
  const gasUsed = sumOf(results, ({ execution }) => execution.gasUsed);
  const profit = error === null ? sumOf(results, ({ coinbaseDiff }) => coinbaseDiff) : 0n;
  return {
    success: error === null,
    ...(error !== null && { error }),
    stateBlock: toQuantity(stateBlock.header.number),
    mevGasPrice: positive(gasUsed === 0n ? 0n : profit / gasUsed),
    profit: positive(profit),
    refundableValue: positive(error === null ? refundableValue(read, simulation, refunds) : 0n),
    gasUsed: toQuantity(gasUsed),
    logs: yield* logsOf(read, simulation),
  };
}

const SIMULATION_SCHEMA = objectSchema({
  success: { type: 'boolean' },
  stateBlock: QUANTITY_JSON_SCHEMA,
  mevGasPrice: QUANTITY_JSON_SCHEMA,
  profit: QUANTITY_JSON_SCHEMA,
  refundableValue: QUANTITY_JSON_SCHEMA,
  gasUsed: QUANTITY_JSON_SCHEMA,
  logs: { type: 'array', items: { type: 'object' } },
});

export const MEV_SHARE: readonly Method[] = [
  /**
   * Sends an MEV-Share bundle, as eth_sendBundle does. A `hash` in the body is a pending transaction or a waiting
   * bundle. A nested bundle becomes a part of the outer one: all transactions are mined together or not at all.
   * The block must be in the ranges of all bundles. Refunds are not paid, and privacy has no effect.
   */
  defineMethod({
    name: 'mev_sendBundle',
    summary: 'Sends an MEV-Share bundle, mined together or not at all',
    params: [param('bundle', mevBundle)],
    result: {
      description: 'The hash of the bundle',
      schema: objectSchema({ bundleHash: word32.jsonSchema }),
    },
    handler: async (context, given) => {
      const { bundle, blobs } = await readMevBundle(context, given);
      await context.node.chain.sendBundle(bundle, context.call, blobs);
      return { bundleHash: toHex(bundle.hash) };
    },
  }),
  /**
   * Simulates an MEV-Share bundle in a block on top of `parentBlock` (default: the latest block). `profit` is the
   * income of the coinbase in wei. If the bundle would not be mined, `success` is false, and `error` is the reason.
   */
  defineMethod({
    name: 'mev_simBundle',
    summary: 'Simulates an MEV-Share bundle',
    priority: 'low',
    params: [param('bundle', mevBundle), optional('options', simulationOptions, DEFAULT_OPTIONS)],
    fork: { kind: 'state', at: 1, answer: 'anything', executes: true },
    result: { description: 'Success, profit, gas and logs', schema: SIMULATION_SCHEMA },
    handler: async (context, given, { selector, block }) => {
      const { deadline, node } = context;
      const read = await readMevBundle(context, given);
      const transactions = read.bundle.transactions.map(({ admitted }) => admitted.transaction);
      const simulation = await node.chain.simulation.signedBundle(
        { transactions, selector, block },
        deadline,
      );
      const refunds = new Set((given.validity?.refund ?? []).map(({ bodyIdx }) => Number(bodyIdx ?? -1n)));
      return deadline.run(simulationView(read, simulation, refunds));
    },
  }),
];
