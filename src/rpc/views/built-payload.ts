// The answer of testing_buildBlockV1. Loaded with the first call.

import type { CandidateBlock } from '../../chain/mining/block-builder.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { hexInSteps, type Steps } from '../../primitives/steps.ts';
import { type BlobSidecar, splitNetworkForm } from '../../protocol/blobs.ts';
import { type BlockAccessList, encodeAccessList } from '../../protocol/block-access-list.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { InvalidParamsError } from '../errors.ts';
import type { RpcContext } from '../rpc-context.ts';

/** Resolves to the blobs of the transactions, with commitments and proofs. */
export async function sidecarsOf(
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

/**
 * Returns the block in the form of the Engine API: BlobsBundleV2, and ExecutionPayloadV4 with a block access list or
 * ExecutionPayloadV3 without one.
 */
export function* payloadView(
  built: CandidateBlock,
  sidecars: readonly BlobSidecar[],
  accessList: BlockAccessList | null,
): Steps<object> {
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
      ...(accessList !== null && { blockAccessList: yield* hexInSteps(encodeAccessList(accessList)) }),
      ...(ethereum.slotNumber !== null && { slotNumber: toQuantity(ethereum.slotNumber) }),
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
