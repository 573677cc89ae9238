// Block ids of the Beacon API: a tag, a slot or a root. A slot is a second since genesis.

import type { BlockSelector } from '../../chain/block-selector.ts';
import type { Chain } from '../../chain/chain.ts';
import type { Block } from '../../protocol/block.ts';
import { type CancelCheck, yieldToOthers } from '../../scheduling/cancel-check.ts';
import { readFixedData } from '../codecs/hex-values.ts';
import { BeaconError } from './beacon-error.ts';

const TAGS: Readonly<Record<string, 'latest' | 'earliest' | 'safe' | 'finalized'>> = {
  head: 'latest',
  genesis: 'earliest',
  justified: 'safe',
  finalized: 'finalized',
};

const ROOT_SIZE = 32;

/** Slots are 64-bit numbers. Later slots than this have no block. */
const SLOT = /^\d{1,20}$/;

const EXPECTED = 'head, genesis, justified, finalized, a slot (seconds since genesis) or a block hash';

/** Resolves to the number of the first block at or after a time; one above the head if there is none. */
async function firstNumberAt(chain: Chain, timestamp: number): Promise<number> {
  let low = chain.blocks.first;
  let high = chain.head().header.number + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const block = await chain.block({ number: BigInt(middle) });
    if (block !== undefined && block.header.timestamp >= timestamp) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Resolves to the blocks of one second, oldest first. Yields, because one second can have any number of blocks. */
async function blocksAt(chain: Chain, timestamp: number, checkCancelled: CancelCheck): Promise<Block[]> {
  const blocks: Block[] = [];
  for (let number = await firstNumberAt(chain, timestamp); ; number++) {
    await yieldToOthers(checkCancelled);
    const block = await chain.block({ number: BigInt(number) });
    if (block === undefined || block.header.timestamp !== timestamp) return blocks;
    blocks.push(block);
  }
}

async function blockBy(chain: Chain, selector: BlockSelector): Promise<Block[]> {
  const block = await chain.block(selector);
  return block === undefined ? [] : [block];
}

async function found(chain: Chain, id: string, checkCancelled: CancelCheck): Promise<Block[]> {
  const tag = Object.hasOwn(TAGS, id) ? TAGS[id] : undefined;
  if (tag !== undefined) return blockBy(chain, { tag });
  const root = readFixedData(id, ROOT_SIZE);
  if (root !== undefined) return blockBy(chain, { hash: root });
  if (SLOT.test(id)) return blocksAt(chain, chain.blocks.firstTimestamp + Number(id), checkCancelled);
  throw new BeaconError(400, `invalid block id ${JSON.stringify(id.slice(0, 100))}; expected ${EXPECTED}`);
}

/**
 * Resolves to the blocks of an id, oldest first. A slot has all blocks of its second. Rejects with a
 * {@link BeaconError} for an invalid id, and for a slot or hash without a block.
 */
export async function blocksOfId(
  chain: Chain,
  id: string,
  checkCancelled: CancelCheck,
): Promise<readonly Block[]> {
  const blocks = await found(chain, id, checkCancelled);
  if (blocks.length === 0) throw new BeaconError(404, `block not found: ${id}`);
  return blocks;
}
