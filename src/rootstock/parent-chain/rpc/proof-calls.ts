// Calls for Merkle proofs of transactions.

import { concatBytes } from '../../../primitives/bytes.ts';
import { fromHex, hexKey } from '../../../primitives/hex.ts';
import { BitcoinFormatError } from '../../bitcoin/byte-reader.ts';
import {
  buildPartialMerkleTree,
  parsePartialMerkleTree,
  provenIds,
  serializePartialMerkleTree,
} from '../../bitcoin/partial-merkle-tree.ts';
import { HEADER_SIZE, headerBytes, headerHash, type ParentBlock, readHeader } from '../parent-block.ts';
import { requireBlock } from './blockchain-calls.ts';
import { type BitcoinCall, type CallContext, digitsToBytes, optional, required, toHash } from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';

/** Returns the block of the proof: the given one, or the block of one of the transactions. */
function blockOfProof({ chain, arguments: given }: CallContext, ids: ReadonlySet<string>): ParentBlock {
  if (given.has('blockhash')) return requireBlock(chain, given.hash('blockhash'));
  for (const id of ids) {
    const mined = chain.index.transaction(id);
    if (mined !== undefined) return mined.block;
  }
  throw new BitcoinRpcError(CODES.addressOrKey, 'Transaction not yet in block');
}

function proof(context: CallContext): string {
  const { arguments: given } = context;
  const list = given.array('txids').map((id) => toHash(id, 'txid'));
  const ids = new Set(list);
  if (ids.size === 0) throw new BitcoinRpcError(CODES.parameter, "Parameter 'txids' cannot be empty");
  if (ids.size < list.length) {
    throw new BitcoinRpcError(CODES.parameter, 'Invalid parameter, duplicated txid');
  }
  const block = blockOfProof(context, ids);
  const included = block.transactions.filter(({ txid }) => ids.has(txid));
  if (included.length !== ids.size) {
    throw new BitcoinRpcError(
      CODES.addressOrKey,
      'Not all transactions found in specified or retrieved block',
    );
  }
  const tree = buildPartialMerkleTree(
    block.transactions.map(({ txid }) => fromHex(`0x${txid}`)),
    (id) => ids.has(hexKey(id)),
  );
  return hexKey(concatBytes(headerBytes(block.header), serializePartialMerkleTree(tree)));
}

function verifyProof({ chain, arguments: given }: CallContext): string[] {
  const bytes = digitsToBytes(given.text('proof'));
  if (bytes === undefined || bytes.length <= HEADER_SIZE) {
    throw new BitcoinRpcError(CODES.deserialization, 'Proof decode failed');
  }
  const header = readHeader(bytes.subarray(0, HEADER_SIZE));
  try {
    const tree = parsePartialMerkleTree(bytes.subarray(HEADER_SIZE));
    const { root, ids } = provenIds(tree);
    if (hexKey(root) !== header.merkleRoot) return [];
    const block = chain.index.block(headerHash(header));
    if (block === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Block not found in chain');
    return block.transactions.length === tree.transactionCount ? ids.map(hexKey) : [];
  } catch (error) {
    if (error instanceof BitcoinFormatError) return [];
    throw error;
  }
}

export const PROOF_CALLS: readonly BitcoinCall[] = [
  {
    name: 'gettxoutproof',
    group: 'Blockchain',
    parameters: [required('txids', 'array'), optional('blockhash', 'string')],
    run: proof,
  },
  {
    name: 'verifytxoutproof',
    group: 'Blockchain',
    parameters: [required('proof', 'string')],
    run: verifyProof,
  },
];
