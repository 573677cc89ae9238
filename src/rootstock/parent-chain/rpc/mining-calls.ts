// Calls that mine blocks.

import type { Steps } from '../../../primitives/steps.ts';
import { scriptOfAddress } from '../../bitcoin/address.ts';
import { BitcoinFormatError } from '../../bitcoin/byte-reader.ts';
import { mineBlock } from '../create-block.ts';
import { submitBlock } from '../submit-block.ts';
import { requireBlock } from './blockchain-calls.ts';
import {
  type BitcoinCall,
  type CallContext,
  digitsToBytes,
  type JsonObject,
  optional,
  required,
} from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { DIFFICULTY } from './views.ts';

/** Limits the memory and the time of a call. */
const MAX_BLOCKS = 10_000;
/** Work units to mine a block, without its transactions. */
const BLOCK_WORK_UNITS = 2 ** 12;

function* generateToAddress({ chain, arguments: given }: CallContext): Steps<string[]> {
  const count = given.integer('nblocks');
  const script = scriptOfAddress(given.text('address'));
  if (script === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Error: Invalid address');
  if (count > MAX_BLOCKS) {
    throw new BitcoinRpcError(CODES.parameter, `nblocks: expected at most ${MAX_BLOCKS}, got ${count}`);
  }
  const hashes: string[] = [];
  for (let mined = 0; mined < count; mined++) {
    const block = mineBlock(chain, { script });
    hashes.push(block.hash);
    yield BLOCK_WORK_UNITS + block.transactions.length * 2 ** 8;
  }
  return hashes;
}

function* submit({ chain, arguments: given }: CallContext): Steps<string | null> {
  const bytes = digitsToBytes(given.text('hexdata'));
  if (bytes === undefined) throw new BitcoinRpcError(CODES.deserialization, 'Block decode failed');
  try {
    return yield* submitBlock(chain, bytes);
  } catch (error) {
    if (error instanceof BitcoinFormatError)
      throw new BitcoinRpcError(CODES.deserialization, 'Block decode failed');
    throw error;
  }
}

function invalidate({ chain, arguments: given }: CallContext): null {
  const block = requireBlock(chain, given.hash('blockhash'));
  if (block.parent === null) throw new BitcoinRpcError(CODES.misc, 'The genesis block cannot be invalidated');
  chain.disconnect(block.parent);
  return null;
}

function miningInfo({ chain }: CallContext): JsonObject {
  return {
    blocks: chain.tip.height,
    difficulty: DIFFICULTY,
    networkhashps: 0,
    pooledtx: chain.mempool.size,
    chain: 'regtest',
    warnings: [],
  };
}

export const MINING_CALLS: readonly BitcoinCall[] = [
  {
    name: 'generatetoaddress',
    group: 'Mining',
    parameters: [
      required('nblocks', 'number'),
      required('address', 'string'),
      optional('maxtries', 'number'),
    ],
    steps: generateToAddress,
  },
  {
    name: 'invalidateblock',
    group: 'Blockchain',
    parameters: [required('blockhash', 'string')],
    run: invalidate,
  },
  { name: 'getmininginfo', group: 'Mining', parameters: [], run: miningInfo },
  {
    name: 'submitblock',
    group: 'Mining',
    parameters: [required('hexdata', 'string'), optional('dummy', 'string')],
    steps: submit,
  },
];
