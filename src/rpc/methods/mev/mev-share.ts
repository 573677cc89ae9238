import { type BlockSelector, LATEST } from '../../../chain/block-selector.ts';
import { objectSchema } from '../../../wire/values.ts';
import { blockNumber, blockSelector } from '../../codecs/block-selector.ts';
import { mevBundle } from '../../codecs/bundles.ts';
import { historic, objectOf, refined } from '../../codecs/codec.ts';
import { address, QUANTITY_JSON_SCHEMA, quantity, seconds, word32 } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';

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
   * The block must be in the ranges of all bundles. If it waits, the event stream gets the
   * hints of `privacy`. Refunds are not paid.
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
      const { readMevBundle, sendBundle } = await import('../../signed-bundles.ts');
      return sendBundle(context, await readMevBundle(context, given));
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
      const { readMevBundle } = await import('../../signed-bundles.ts');
      const read = await readMevBundle(context, given);
      const transactions = read.bundle.transactions.map(({ admitted }) => admitted.transaction);
      const simulation = await node.chain.simulation.signedBundle(
        { transactions, selector, block },
        deadline,
      );
      const refunds = new Set((given.validity?.refund ?? []).map(({ bodyIdx }) => bodyIdx ?? -1));
      const { mevSimulationView } = await import('../../views/bundles.ts');
      return deadline.run(mevSimulationView(read, simulation, refunds));
    },
  }),
];
