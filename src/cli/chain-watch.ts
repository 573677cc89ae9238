import type { Chain } from '../node/chain.ts';
import type { Timers } from '../primitives/clock.ts';
import { BlockFeed } from './block-feed.ts';
import { codeAfter, describeBlock } from './describe-block.ts';
import type { LogWriter } from './log-writer.ts';

/** Methods whose call may mine a block before it is answered. */
const MINING_METHODS: ReadonlySet<string> = new Set([
  'eth_sendTransaction',
  'eth_sendRawTransaction',
  'personal_sendTransaction',
  'evm_mine',
]);

/** A log that follows a chain. */
export interface ChainWatch {
  /** To be told of each call once its line is written. */
  onRequest(method: string): void;
  /** Stops following; settles when all that happened is written. */
  close(): Promise<void>;
}

/** Writes what happens to the chain into the log. */
export function watchChain(chain: Chain, log: LogWriter, timers: Timers): ChainWatch {
  const feed = new BlockFeed({
    timers,
    write: (entry) => log.block(entry),
    onError: (error) => log.internalError(error),
  });
  const stopBlocks = chain.events.on('block', (block, results) => {
    feed.add(codeAfter(chain, block).then((hasCode) => describeBlock(block, results, hasCode)));
  });
  const stopRemoved = chain.events.on('removed', (blocks) => {
    const numbers = blocks.map(({ header }) => header.number);
    feed.release().then(() => log.removed({ first: Math.min(...numbers), last: Math.max(...numbers) }));
  });
  return {
    onRequest(method) {
      if (MINING_METHODS.has(method)) feed.release();
    },
    async close() {
      stopBlocks();
      stopRemoved();
      await feed.release();
      log.flush();
    },
  };
}
