import { toQuantity } from '../../../primitives/hex.ts';
import type { RuleSet } from '../../../protocol/hardforks/rule-set.ts';
import type { Transaction } from '../../../protocol/transaction.ts';
import { yieldToOthers } from '../../../scheduling/cancel-check.ts';
import { objectSchema } from '../../../wire/values.ts';
import { requireBlock } from '../../block-answers.ts';
import { noWithdrawals } from '../../codecs/call-overrides.ts';
import { arrayOf, type Decoded, objectOf, refined } from '../../codecs/codec.ts';
import {
  address,
  data,
  hash32,
  QUANTITY_JSON_SCHEMA,
  quantity,
  seconds,
  word32,
} from '../../codecs/hex-values.ts';
import { blockGasLimit, extraData } from '../../codecs/settings.ts';
import { InvalidParamsError, MethodNotFoundError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import type { RpcContext } from '../../rpc-context.ts';
import { decodeSent } from '../../sending.ts';

const MAX_SLOT = 2n ** 64n - 1n;

const ZERO_WORD = new Uint8Array(32);

const slotNumber = refined(quantity, (slot) =>
  slot <= MAX_SLOT ? { value: slot } : { path: [], expected: 'a slot number below 2^64' },
);

/** The fields of the block to build. */
const payloadAttributes = refined(
  objectOf(
    {
      timestamp: seconds,
      prevRandao: word32,
      suggestedFeeRecipient: address,
      withdrawals: noWithdrawals,
      parentBeaconBlockRoot: word32,
      slotNumber,
      targetGasLimit: blockGasLimit,
    },
    'an object with timestamp, prevRandao, suggestedFeeRecipient, withdrawals, parentBeaconBlockRoot, slotNumber and targetGasLimit',
  ),
  (given) => {
    const { timestamp, suggestedFeeRecipient: coinbase } = given;
    if (timestamp === null) return { path: ['timestamp'], expected: 'a time in seconds' };
    if (coinbase === null) return { path: ['suggestedFeeRecipient'], expected: 'an address' };
    return {
      value: {
        timestamp,
        coinbase,
        prevRandao: given.prevRandao ?? ZERO_WORD,
        parentBeaconBlockRoot: given.parentBeaconBlockRoot ?? ZERO_WORD,
        slotNumber: given.slotNumber,
        targetGasLimit: given.targetGasLimit,
      },
    };
  },
);

const rawTransactions = arrayOf(data, 'an array of signed transactions');

/** Resolves to the decoded transactions. Yields, because the signatures take time. */
async function decodedInOrder(context: RpcContext, raws: readonly Uint8Array[]): Promise<Transaction[]> {
  const transactions: Transaction[] = [];
  for (const raw of raws) {
    await yieldToOthers(context.deadline);
    transactions.push(decodeSent(context, raw));
  }
  return transactions;
}

/** Throws an {@link InvalidParamsError} for attributes of Amsterdam under older rules (PayloadAttributesV4). */
function requireInRules(
  { slotNumber: slot, targetGasLimit }: Decoded<typeof payloadAttributes>,
  { hasSlotNumbers, name }: RuleSet,
): void {
  if (hasSlotNumbers) return;
  for (const [field, value] of Object.entries({ slotNumber: slot, targetGasLimit }))
    if (value !== null) {
      const expected = `no value, because hardfork ${name} does not have it (use another --hardfork)`;
      throw new InvalidParamsError(`payloadAttributes.${field}`, expected, toQuantity(value));
    }
}

export const TESTING_BUILDING: readonly Method[] = [
  /**
   * Builds a block on a block of the chain. The chain and the pool stay unchanged. With `null`, the block has the
   * executable transactions of the pool. An array is included as a whole, in its order, or the call rejects.
   * Requires Cancun or later. Under Amsterdam, the payload has the block access list and the slot number
   * (ExecutionPayloadV4). Not available in hosted-node mode.
   */
  defineMethod({
    name: 'testing_buildBlockV1',
    summary: 'Builds a block from given transactions without adding it to the chain',
    priority: 'low',
    params: [
      param('parentBlockHash', hash32),
      param('payloadAttributes', payloadAttributes),
      optional<Uint8Array[] | null>('transactions', rawTransactions, null),
      optional<Uint8Array | null>('extraData', extraData, null),
    ],
    fork: { kind: 'own', because: 'the block is built on a block of the local chain' },
    result: {
      description: 'The block as an execution payload, its value in wei, its blobs and its requests',
      schema: objectSchema({
        executionPayload: { type: 'object' },
        blockValue: QUANTITY_JSON_SCHEMA,
        blobsBundle: { type: 'object' },
        executionRequests: { type: 'array', items: data.jsonSchema },
        shouldOverrideBuilder: { type: 'boolean' },
      }),
    },
    handler: async (context, hash, attributes, given, extra) => {
      const { chain } = context.node;
      const { settings, deadline } = context;
      if (settings.hosted)
        throw new MethodNotFoundError(
          'testing_buildBlockV1',
          'a hosted node does not build blocks for clients',
        );
      requireInRules(attributes, chain.ruleSet);
      const parent = await requireBlock(context, { hash });
      if (attributes.timestamp <= parent.header.timestamp) {
        const expected = `a time after the parent block (${parent.header.timestamp})`;
        throw new InvalidParamsError('payloadAttributes.timestamp', expected, String(attributes.timestamp));
      }
      const transactions = given === null ? null : await decodedInOrder(context, given);
      const request = { ...attributes, extraData: extra, transactions };
      const built = await chain.simulation.testBlock({ hash }, request, deadline);
      const { payloadView, sidecarsOf } = await import('../../views/built-payload.ts');
      const sidecars = await sidecarsOf(context, built.block.transactions, given ?? []);
      const { hasAccessLists } = chain.ruleSet;
      const accessList = hasAccessLists ? await chain.access.of(built.block, deadline) : null;
      return deadline.run(payloadView(built, sidecars, accessList));
    },
  }),
];
