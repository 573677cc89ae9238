import type { CandidateBlock } from '../../../chain/mining/block-builder.ts';
import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../../primitives/steps.ts';
import { type BlobSidecar, splitNetworkForm } from '../../../protocol/blobs.ts';
import type { Transaction } from '../../../protocol/transaction.ts';
import { yieldToOthers } from '../../../scheduling/cancel-check.ts';
import { TimeSlice } from '../../../scheduling/time-slice.ts';
import { objectSchema } from '../../../wire/values.ts';
import { requireBlock } from '../../block-answers.ts';
import { noWithdrawals } from '../../codecs/call-overrides.ts';
import { arrayOf, objectOf, refined } from '../../codecs/codec.ts';
import { address, data, hash32, QUANTITY_JSON_SCHEMA, seconds, word32 } from '../../codecs/hex-values.ts';
import { extraData } from '../../codecs/settings.ts';
import { InvalidParamsError, MethodNotFoundError } from '../../errors.ts';
import { defineMethod, type Method, optional, param } from '../../method.ts';
import { decodeSent } from '../../sending.ts';

const ZERO_WORD = new Uint8Array(32);

/** The fields of the block to build. */
const payloadAttributes = refined(
  objectOf(
    {
      timestamp: seconds,
      prevRandao: word32,
      suggestedFeeRecipient: address,
      withdrawals: noWithdrawals,
      parentBeaconBlockRoot: word32,
    },
    'an object with timestamp, prevRandao, suggestedFeeRecipient, withdrawals and parentBeaconBlockRoot',
  ),
  ({ timestamp, prevRandao, suggestedFeeRecipient: coinbase, parentBeaconBlockRoot }) => {
    if (timestamp === null) return { path: ['timestamp'], expected: 'a time in seconds' };
    if (coinbase === null) return { path: ['suggestedFeeRecipient'], expected: 'an address' };
    return {
      value: {
        timestamp,
        coinbase,
        prevRandao: prevRandao ?? ZERO_WORD,
        parentBeaconBlockRoot: parentBeaconBlockRoot ?? ZERO_WORD,
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

/** Resolves to the blobs of the transactions, with commitments and proofs. */
async function sidecarsOf(
  { node: { chain }, deadline }: RpcContext,
  transactions: readonly Transaction[],
  given: readonly Uint8Array[],
): Promise<BlobSidecar[]> {
  const sidecars: BlobSidecar[] = [];
  const slice = new TimeSlice(deadline);
  for (const [index, { blobVersionedHashes }] of transactions.entries()) {
    if (blobVersionedHashes.length === 0) continue;
    const sent = given[index];
    const sidecar = sent === undefined ? null : splitNetworkForm(sent).sidecar;
    const blobs = sidecar?.blobs ?? blobVersionedHashes.map((hash) => chain.blobs.blob(hash) ?? EMPTY_BYTES);
    const unknown = blobs.findIndex(({ length }) => length === 0);
    if (unknown !== -1) {
      const hash = toHex(blobVersionedHashes[unknown] ?? EMPTY_BYTES);
      throw new InvalidParamsError(
        `transactions[${index}]`,
        'a blob transaction in the network form, or with blobs that the node stores',
        `a transaction whose blob ${hash} is unknown`,
      );
    }
    const commitments = sidecar?.commitments ?? (await chain.blobProofs.commitments(blobs, slice));
    // The bundle has cell proofs (BlobsBundleV2). They take a second and a half per blob.
    sidecars.push(
      sidecar?.proofKind === 'cell proofs'
        ? sidecar
        : await chain.blobProofs.sidecar(blobs, commitments, 'cell proofs', slice),
    );
  }
  return sidecars;
}

/** Wei that the fee recipient receives from the transactions. */
function blockValue({ block, results }: CandidateBlock): bigint {
  const burned = block.header.ethereum.baseFeePerGas ?? 0n;
  return results.reduce(
    (sum, { gasPaid, effectiveGasPrice }) => sum + gasPaid * (effectiveGasPrice - burned),
    0n,
  );
}

function* hexList(items: readonly Uint8Array[]): Steps<string[]> {
  const texts: string[] = [];
  for (const item of items) texts.push(yield* hexInSteps(item));
  return texts;
}

/** Returns the block in the form of the Engine API (ExecutionPayloadV3 and BlobsBundleV2). */
function* payloadView(built: CandidateBlock, sidecars: readonly BlobSidecar[]): Steps<object> {
  const { block, requests } = built;
  const { header } = block;
  const { ethereum } = header;
  return {
    executionPayload: {
      parentHash: toHex(header.parentHash),
      feeRecipient: toHex(header.coinbase),
      stateRoot: toHex(header.stateRoot),
      receiptsRoot: toHex(header.receiptsRoot),
      logsBloom: toHex(header.logsBloom),
      prevRandao: toHex(ethereum.mixHash),
      blockNumber: toQuantity(header.number),
      gasLimit: toQuantity(header.gasLimit),
      gasUsed: toQuantity(header.gasUsed),
      timestamp: toQuantity(header.timestamp),
      extraData: toHex(header.extraData),
      baseFeePerGas: toQuantity(ethereum.baseFeePerGas ?? 0n),
      blockHash: toHex(block.hash),
      transactions: yield* hexList(block.transactions.map(({ raw }) => raw)),
      withdrawals: [],
      blobGasUsed: toQuantity(ethereum.blobGasUsed ?? 0n),
      excessBlobGas: toQuantity(ethereum.excessBlobGas ?? 0n),
    },
    blockValue: toQuantity(blockValue(built)),
    blobsBundle: {
      commitments: yield* hexList(sidecars.flatMap(({ commitments }) => commitments)),
      proofs: yield* hexList(sidecars.flatMap(({ proofs }) => proofs)),
      blobs: yield* hexList(sidecars.flatMap(({ blobs }) => blobs)),
    },
    executionRequests: requests.map(toHex),
    shouldOverrideBuilder: false,
  };
}

export const TESTING_BUILDING: readonly Method[] = [
  /**
   * Builds a block on a block of the chain. The chain and the pool stay unchanged. With `null`, the block has the
   * executable transactions of the pool. An array is included as a whole, in its order, or the call rejects.
   * Requires Cancun or later. Not available in hosted-node mode.
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
      const {
        node: { chain },
        settings,
        deadline,
      } = context;
      if (settings.hosted)
        throw new MethodNotFoundError(
          'testing_buildBlockV1',
          'a hosted node does not build blocks for clients',
        );
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
      return deadline.run(payloadView(built, sidecars));
    },
  }),
];
