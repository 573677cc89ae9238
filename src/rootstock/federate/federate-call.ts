// The calls of the federation to the Bridge.

import { concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { type AbiType, type AbiValues, abiSelector, encodeAbi } from '../abi.ts';
import { merkleRootOfIds } from '../bitcoin/merkle-root.ts';
import { buildPartialMerkleTree, serializePartialMerkleTree } from '../bitcoin/partial-merkle-tree.ts';
import { headerBytes, type ParentBlock } from '../parent-chain/parent-block.ts';
import { createTransaction, type ParentTransaction } from '../parent-chain/parent-transaction.ts';
import type { KnownMember } from './federate-members.ts';

/** A transaction of a member to the Bridge. */
export interface FederateCall {
  readonly member: KnownMember;
  readonly data: Uint8Array;
  /** The purpose of the call. A call with the same purpose is not sent twice. */
  readonly purpose: string;
}

function callData<const Types extends readonly AbiType[]>(
  name: string,
  types: Types,
  values: AbiValues<Types>,
): Uint8Array {
  return concatBytes(abiSelector(name, types), encodeAbi(types, values));
}

/** `blocks` are in ascending order, each on the one before. */
export function receiveHeaders(member: KnownMember, blocks: readonly ParentBlock[]): FederateCall {
  const data = callData('receiveHeaders', ['bytes[]'], [blocks.map(({ header }) => headerBytes(header))]);
  return { member, data, purpose: `headers up to ${blocks.at(-1)?.hash}` };
}

export function updateCollections(member: KnownMember, purpose: string): FederateCall {
  return { member, data: callData('updateCollections', [], []), purpose };
}

/** `signatures` are in DER, one for each input. `creationHash` is the key of the waiting pegout. */
export function addSignature(
  member: KnownMember,
  signatures: readonly Uint8Array[],
  creationHash: Uint8Array,
  purpose: string,
): FederateCall {
  const types = ['bytes', 'bytes[]', 'bytes'] as const;
  return {
    member,
    data: callData('addSignature', types, [member.publicKey, signatures, creationHash]),
    purpose,
  };
}

const ID_SIZE = 32;

/** Returns a hash in text order as bytes in text order. */
export function idBytes(text: string): Uint8Array {
  return fromHex(`0x${text}`);
}

function hasWitness({ inputs }: ParentTransaction): boolean {
  return inputs.some(({ witness }) => witness.length > 0);
}

/** Returns the ids with witness of a block. The coinbase transaction counts as zeros (BIP-141). */
function witnessIds({ transactions }: ParentBlock): Uint8Array[] {
  return transactions.map(({ wtxid }, index) => (index === 0 ? new Uint8Array(ID_SIZE) : idBytes(wtxid)));
}

/** Returns the serialized proof that the transaction at a position is in a block. */
function proofAt(ids: readonly Uint8Array[], position: number): Uint8Array {
  const included = ids[position];
  return serializePartialMerkleTree(buildPartialMerkleTree(ids, (id) => id === included));
}

/** A transaction in a block of the parent chain. */
export interface LocatedTransaction {
  readonly transaction: ParentTransaction;
  readonly block: ParentBlock;
  /** The index of the transaction in the block. */
  readonly position: number;
}

/** Returns true if the proof of a transaction uses the ids with witness, which the Bridge must know first. */
export function needsWitnessRoot({ transaction }: LocatedTransaction): boolean {
  return hasWitness(transaction);
}

export function registrationPurpose({ txid }: Pick<ParentTransaction, 'txid'>): string {
  return `register ${txid}`;
}

export function registerTransaction(member: KnownMember, located: LocatedTransaction): FederateCall {
  const { transaction, block, position } = located;
  const ids = hasWitness(transaction)
    ? witnessIds(block)
    : block.transactions.map(({ txid }) => idBytes(txid));
  const data = callData(
    'registerBtcTransaction',
    ['bytes', 'int256', 'bytes'],
    [transaction.bytes, BigInt(block.height), proofAt(ids, position)],
  );
  return { member, data, purpose: registrationPurpose(transaction) };
}

/** Registers the root of the ids with witness of a block. */
export function registerCoinbase(member: KnownMember, block: ParentBlock): FederateCall {
  const [coinbase] = block.transactions;
  if (coinbase === undefined) throw new RangeError(`block ${block.hash} has no transactions`);
  const [input] = coinbase.inputs;
  const inputs = coinbase.inputs.map((each) => ({ ...each, witness: [] }));
  const stripped = createTransaction({ ...coinbase, inputs });
  const ids = block.transactions.map(({ txid }) => idBytes(txid));
  const data = callData(
    'registerBtcCoinbaseTransaction',
    ['bytes', 'bytes32', 'bytes', 'bytes32', 'bytes32'],
    [
      stripped.bytes,
      idBytes(block.hash),
      proofAt(ids, 0),
      merkleRootOfIds(witnessIds(block)),
      input?.witness[0] ?? EMPTY_BYTES,
    ],
  );
  return { member, data, purpose: `coinbase of ${block.hash}` };
}
