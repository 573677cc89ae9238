// Calls that read blocks.

import { hexKey } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { blockBytes, medianTimePast, type ParentBlock } from '../parent-block.ts';
import type { ParentChain } from '../parent-chain.ts';
import {
  type BitcoinCall,
  type CallContext,
  type JsonObject,
  optional,
  required,
  toBoolean,
  toInteger,
} from './call.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { blockSizes, chainWork, DIFFICULTY, headerHex, headerView, transactionViewWithFee } from './views.ts';

/** Returns the block of the best chain with this hash. */
export function requireBlock(chain: ParentChain, hash: string): ParentBlock {
  const block = chain.index.block(hash);
  if (block === undefined) throw new BitcoinRpcError(CODES.addressOrKey, 'Block not found');
  return block;
}

/** Returns a verbosity: a number, or a boolean in older clients. */
export function verbosityOf({ arguments: given }: CallContext, name: string, fallback: number): number {
  const value = given.value(name);
  if (value === undefined) return fallback;
  return typeof value === 'boolean' ? Number(toBoolean(value)) : toInteger(value);
}

function chainInfo({ chain }: CallContext): JsonObject {
  const { tip } = chain;
  return {
    chain: 'regtest',
    blocks: tip.height,
    headers: tip.height,
    bestblockhash: tip.hash,
    difficulty: DIFFICULTY,
    time: tip.header.time,
    mediantime: medianTimePast(tip),
    verificationprogress: 1,
    initialblockdownload: false,
    chainwork: chainWork(tip.height),
    size_on_disk: 0,
    pruned: false,
    warnings: [],
  };
}

function blockHash({ chain, arguments: given }: CallContext): string {
  const block = chain.index.blockAt(given.integer('height'));
  if (block === undefined) throw new BitcoinRpcError(CODES.parameter, 'Block height out of range');
  return block.hash;
}

function blockHeader({ chain, arguments: given }: CallContext): JsonObject | string {
  const block = requireBlock(chain, given.hash('blockhash'));
  return given.boolean('verbose', true) ? headerView(chain, block) : headerHex(block);
}

function* block(context: CallContext): Steps<JsonObject | string> {
  const { chain, arguments: given } = context;
  const found = requireBlock(chain, given.hash('blockhash'));
  const verbosity = verbosityOf(context, 'verbosity', 1);
  if (verbosity <= 0) return hexKey(blockBytes(found));
  const transactions: unknown[] = [];
  for (const transaction of found.transactions) {
    if (verbosity === 1) transactions.push(transaction.txid);
    else {
      const view = yield* transactionViewWithFee(chain, transaction, verbosity > 2);
      transactions.push({ ...view, hex: hexKey(transaction.bytes) });
      yield transaction.bytes.length;
    }
  }
  return { ...headerView(chain, found), ...blockSizes(found), tx: transactions };
}

function chainTips({ chain }: CallContext): JsonObject[] {
  return [{ height: chain.tip.height, hash: chain.tip.hash, branchlen: 0, status: 'active' }];
}

export const BLOCKCHAIN_CALLS: readonly BitcoinCall[] = [
  { name: 'getblockchaininfo', group: 'Blockchain', parameters: [], run: chainInfo },
  { name: 'getblockcount', group: 'Blockchain', parameters: [], run: ({ chain }) => chain.tip.height },
  { name: 'getbestblockhash', group: 'Blockchain', parameters: [], run: ({ chain }) => chain.tip.hash },
  { name: 'getblockhash', group: 'Blockchain', parameters: [required('height', 'number')], run: blockHash },
  {
    name: 'getblock',
    group: 'Blockchain',
    parameters: [required('blockhash', 'string'), optional('verbosity', 'any')],
    steps: block,
  },
  {
    name: 'getblockheader',
    group: 'Blockchain',
    parameters: [required('blockhash', 'string'), optional('verbose', 'bool')],
    run: blockHeader,
  },
  { name: 'getdifficulty', group: 'Blockchain', parameters: [], run: () => DIFFICULTY },
  { name: 'getchaintips', group: 'Blockchain', parameters: [], run: chainTips },
];
