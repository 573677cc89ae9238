import type { Block } from '../../protocol/block.ts';
import type { Blockchain } from '../../storage/blockchain.ts';

/** The time that is looked back over, in seconds. */
const WINDOW = 3_600;

/** The last block made at `timestamp` or before; the first block when all came later. Timestamps only rise. */
function lastBlockUntil(blockchain: Blockchain, timestamp: number): Block | undefined {
  let low = 0;
  let high = blockchain.head.header.number;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const block = blockchain.block(middle);
    if (block !== undefined && block.header.timestamp <= timestamp) low = middle;
    else high = middle - 1;
  }
  return blockchain.block(low);
}

/**
 * The work of all miners in hashes per second, as the network counts it: the difficulties of the blocks of the last
 * hour over an hour, rounded down. `now` is in seconds since 1970.
 */
export function networkHashrate(blockchain: Blockchain, now: number): bigint {
  const { head } = blockchain;
  const base = lastBlockUntil(blockchain, Math.max(now, head.header.timestamp) - WINDOW);
  return (head.totalDifficulty - (base?.totalDifficulty ?? 0n)) / BigInt(WINDOW);
}
