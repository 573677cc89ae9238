// The logs of pegouts.

import type { PrecompileAccount } from '../../evm/precompiles/precompiled-contract.ts';
import { joinBytes, padLeft } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { type AbiType, encodeAbi } from '../abi.ts';
import { ByteReader, encodeLength } from '../bitcoin/byte-reader.ts';

/** Returns the first topic of an event. */
export function topicOf(name: string, types: readonly AbiType[]): Uint8Array {
  return keccak256(new TextEncoder().encode(`${name}(${types.join(',')})`));
}

const TOPICS = {
  updateCollections: topicOf('update_collections', ['address']),
  releaseRequested: topicOf('release_requested', ['bytes32', 'bytes32', 'uint256']),
  transactionCreated: topicOf('pegout_transaction_created', ['bytes32', 'bytes']),
  batchCreated: topicOf('batch_pegout_created', ['bytes32', 'bytes']),
  confirmed: topicOf('pegout_confirmed', ['bytes32', 'uint256']),
  addSignature: topicOf('add_signature', ['bytes32', 'address', 'bytes']),
  releaseBtc: topicOf('release_btc', ['bytes32', 'bytes']),
};

/** Encodes amounts of outputs (satoshi), one after the other in variable length (RSKIP-428). */
export function encodeOutpointValues(values: readonly bigint[]): Uint8Array {
  return joinBytes(values.map(encodeLength));
}

/** Inverse of {@link encodeOutpointValues}. Throws `BitcoinFormatError`. */
export function decodeOutpointValues(encoded: Uint8Array): bigint[] {
  const reader = new ByteReader(encoded);
  const values: bigint[] = [];
  while (!reader.isAtEnd) {
    const first = reader.number(1);
    values.push(first < 0xfd ? BigInt(first) : reader.unsigned(2 ** (first - 0xfc)));
  }
  return values;
}

/** Logs that a member of the federation triggered the processing of the queue. */
export function logUpdateCollections(account: PrecompileAccount, sender: Uint8Array): void {
  account.log([TOPICS.updateCollections], encodeAbi(['address'], [sender]));
}

/** Logs a created transaction (id) of the parent chain, with the requested amount in satoshi. */
export function logReleaseRequested(
  account: PrecompileAccount,
  {
    creationHash,
    transactionId,
    amount,
  }: { creationHash: Uint8Array; transactionId: Uint8Array; amount: bigint },
): void {
  const topics = [TOPICS.releaseRequested, creationHash, transactionId];
  account.log(topics, encodeAbi(['uint256'], [amount]));
}

/** Logs the encoded amounts of the outputs that a transaction (id) spends. */
export function logTransactionCreated(
  account: PrecompileAccount,
  transactionId: Uint8Array,
  encodedValues: Uint8Array,
): void {
  account.log([TOPICS.transactionCreated, transactionId], encodeAbi(['bytes'], [encodedValues]));
}

/** Logs the hashes of the Rootstock transactions whose requests a transaction (id) pays. */
export function logBatchCreated(
  account: PrecompileAccount,
  transactionId: Uint8Array,
  requests: readonly Uint8Array[],
): void {
  account.log([TOPICS.batchCreated, transactionId], encodeAbi(['bytes'], [joinBytes(requests)]));
}

/** Logs that a transaction (id) can be signed. `blockNumber` is the number of the block that created it. */
export function logConfirmed(
  account: PrecompileAccount,
  transactionId: Uint8Array,
  blockNumber: bigint,
): void {
  account.log([TOPICS.confirmed, transactionId], encodeAbi(['uint256'], [blockNumber]));
}

/** Logs the signatures of a member (public key of 33 bytes, address of 20 bytes). */
export function logAddSignature(
  account: PrecompileAccount,
  creationHash: Uint8Array,
  { publicKey, address }: { publicKey: Uint8Array; address: Uint8Array },
): void {
  const topics = [TOPICS.addSignature, creationHash, padLeft(address, 32)];
  account.log(topics, encodeAbi(['bytes'], [publicKey]));
}

/** Logs a transaction with all signatures, serialized. */
export function logReleaseBtc(account: PrecompileAccount, creationHash: Uint8Array, raw: Uint8Array): void {
  account.log([TOPICS.releaseBtc, creationHash], encodeAbi(['bytes'], [raw]));
}
