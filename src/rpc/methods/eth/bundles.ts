import { LATEST } from '../../../chain/block-selector.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import { type Hex, toHex } from '../../../primitives/hex.ts';
import { objectSchema } from '../../../wire/values.ts';
import { blockNumber, blockSelector } from '../../codecs/block-selector.ts';
import { privatePreferences, replacementId, sentBundle, signedTransactions } from '../../codecs/bundles.ts';
import { type Decoded, historic, objectOf, refined } from '../../codecs/codec.ts';
import { address, data, quantity, seconds, word32 } from '../../codecs/hex-values.ts';
import { BundleExecutionError, InvalidParamsError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';

const HASH = word32.jsonSchema;
const DECIMAL = { type: 'string', pattern: '^-?[0-9]+$' };

/** The bundle of eth_callBundle. Absent fields of the block follow the block of the state. */
const calledBundle = historic(
  refined(
    objectOf(
      {
        txs: signedTransactions,
        blockNumber,
        stateBlockNumber: blockSelector,
        timestamp: seconds,
        coinbase: address,
        gasLimit: quantity,
        difficulty: quantity,
        baseFee: quantity,
      },
      'an object with txs, blockNumber and stateBlockNumber, and optionally timestamp, coinbase, gasLimit, difficulty and baseFee',
    ),
    ({ txs, blockNumber: number, stateBlockNumber, timestamp, coinbase, gasLimit, difficulty, baseFee }) => {
      const block = {
        ...(number !== null && { number: Number(number) }),
        ...(timestamp !== null && { timestamp }),
        ...(coinbase !== null && { coinbase }),
        ...(gasLimit !== null && { gasLimit }),
        ...(difficulty !== null && { difficulty }),
        ...(baseFee !== null && { baseFeePerGas: baseFee }),
      };
      return { value: { txs, number, selector: stateBlockNumber ?? LATEST, block } };
    },
  ),
);

/** Cancels the bundles with this replacement id. Resolves to their hashes. */
function cancelBundles({ node: { chain }, call }: RpcContext, id: string): Promise<Hex[]> {
  return chain.change(({ pool }) => pool.bundles.cancel(id).map(({ hash }) => toHex(hash)), call);
}

const SIMULATION_SCHEMA = objectSchema({
  bundleHash: HASH,
  bundleGasPrice: DECIMAL,
  coinbaseDiff: DECIMAL,
  ethSentToCoinbase: DECIMAL,
  gasFees: DECIMAL,
  results: { type: 'array', items: { type: 'object' } },
  stateBlockNumber: { type: 'integer' },
  totalGasUsed: { type: 'integer' },
});

export const ETH_BUNDLES: readonly Method[] = [
  /**
   * Executes signed transactions in a block on top of the given state, without changing the chain. Amounts are
   * decimal strings in wei, as on Flashbots' relay. A failed transaction has `error` and `revert` in its result.
   * Rejects if a transaction cannot be executed, for example because of its nonce.
   */
  defineMethod({
    name: 'eth_callBundle',
    summary: 'Simulates a bundle of signed transactions',
    priority: 'low',
    params: [param('bundle', calledBundle)],
    fork: { kind: 'state', at: 0, answer: 'anything', executes: true },
    result: { description: 'Gas, fees and result of each transaction', schema: SIMULATION_SCHEMA },
    handler: async (context, { txs, number, selector, block }) => {
      const { chain } = context.node;
      const { deadline } = context;
      const { decodedTransactions } = await import('../../signed-bundles.ts');
      const transactions = await decodedTransactions(context, txs, 'bundle.txs');
      if (number === null || number === 0n)
        throw new InvalidParamsError(
          'bundle.blockNumber',
          'a block number from 1 (bundle missing blockNumber)',
          number === null ? 'nothing' : '0',
        );
      const simulation = await chain.simulation.signedBundle({ transactions, selector, block }, deadline);
      const { fault } = simulation;
      const { simulationView } = await import('../../views/bundles.ts');
      if (fault !== null) throw new BundleExecutionError(fault.text, fault.transaction.hash);
      return deadline.run(simulationView(simulation));
    },
  }),
  /**
   * Sends a bundle: its transactions are mined together or not at all. With automine, a bundle for the next block
   * is mined immediately and alone in its block; if it fails, the call rejects. In other cases, the bundle waits,
   * and its transactions come first in its block. A failed bundle changes neither pool nor nonces. If failed bundles
   * of a block use eight times its gas limit, later ones wait for the next block. `hardhat_mine` and `anvil_mine` try
   * a failing bundle in at most 128 empty blocks. Without transactions, it cancels the bundles with its replacement id.
   * Refunds are not paid.
   */
  defineMethod({
    name: 'eth_sendBundle',
    summary: 'Sends a bundle of signed transactions, mined together or not at all',
    params: [param('bundle', sentBundle)],
    result: { description: 'The hash of the bundle', schema: objectSchema({ bundleHash: HASH }) },
    handler: async (context, given) => {
      const { bundleHash, readSentBundle, sendBundle } = await import('../../signed-bundles.ts');
      const id = given.replacementUuid ?? given.uuid;
      if (id !== null && given.txs?.length === 0) {
        await cancelBundles(context, id);
        return { bundleHash: toHex(bundleHash([])) };
      }
      return sendBundle(context, await readSentBundle(context, given));
    },
  }),
  /** Removes the waiting bundles that were sent with this id. */
  defineMethod({
    name: 'eth_cancelBundle',
    summary: 'Cancels waiting bundles by their replacement id',
    params: [
      param('cancellation', objectOf({ replacementUuid: replacementId }, 'an object with replacementUuid')),
    ],
    result: { description: 'The hashes of the cancelled bundles', schema: { type: 'array', items: HASH } },
    handler: (context, { replacementUuid: id }) => {
      if (id === null) throw new InvalidParamsError('cancellation.replacementUuid', 'a string', 'nothing');
      return cancelBundles(context, id);
    },
  }),
  /**
   * Sends a transaction that is not in the public pool. With automine, it is mined immediately. Otherwise, it is
   * tried in each block up to `maxBlockNumber`, by default in 25 blocks. The event stream gets the hints of
   * `preferences.privacy`.
   */
  defineMethod({
    name: 'eth_sendPrivateTransaction',
    summary: 'Sends a signed transaction without the public pool',
    params: [
      param(
        'transaction',
        objectOf(
          {
            tx: data,
            maxBlockNumber: blockNumber,
            preferences: privatePreferences,
          },
          'an object with tx, and optionally maxBlockNumber and preferences',
        ),
      ),
    ],
    result: { description: 'The transaction hash', schema: HASH },
    handler: async (context, given) => {
      const { sendPrivately } = await import('../../signed-bundles.ts');
      return sendPrivately(context, given, 'transaction.tx');
    },
  }),
  /** Sends a transaction as `eth_sendPrivateTransaction` does, in 25 blocks. */
  defineMethod({
    name: 'eth_sendPrivateRawTransaction',
    summary: 'Sends a signed transaction without the public pool',
    params: [
      param('transaction', data),
      optional<Decoded<typeof privatePreferences> | null>('preferences', privatePreferences, null),
    ],
    result: { description: 'The transaction hash', schema: HASH },
    handler: async (context, tx, preferences) => {
      const { sendPrivately } = await import('../../signed-bundles.ts');
      return sendPrivately(context, { tx, maxBlockNumber: null, preferences }, 'transaction');
    },
  }),
  /** Removes a private transaction that waits for a block. */
  defineMethod({
    name: 'eth_cancelPrivateTransaction',
    summary: 'Cancels a waiting private transaction',
    params: [param('cancellation', objectOf({ txHash: word32 }, 'an object with txHash'))],
    result: { description: 'true if the transaction waited', schema: { type: 'boolean' } },
    handler: ({ node: { chain }, call }, { txHash }) => {
      if (txHash === null)
        throw new InvalidParamsError('cancellation.txHash', 'a transaction hash', 'nothing');
      return chain.change(({ pool }) => {
        const removed = pool.bundles.removeWhere(({ transactions: [first, ...others] }) => {
          const isAlone = first !== undefined && others.length === 0;
          return isAlone && equalBytes(first.admitted.transaction.hash, txHash);
        });
        return removed.length > 0;
      }, call);
    },
  }),
];
