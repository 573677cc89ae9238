import type { Chain } from '../node/chain.ts';
import type { Timers } from '../primitives/clock.ts';
import type { RpcService } from '../rpc/connection.ts';
import { BlockFeed } from './block-feed.ts';
import { type Call, CallsInHand } from './calls-in-hand.ts';
import { codeAfter, describeBlock } from './describe-block.ts';
import type { RequestEntry } from './log-entries.ts';
import type { LogWriter } from './log-writer.ts';

const LOG_SWITCH = /_setLoggingEnabled$/;

/** A log that follows a chain. */
export interface ChainWatch {
  /** The service with its calls known to the watch, which is how it tells who made a block. */
  follow(service: RpcService): RpcService;
  /** Writes an answered call, and below it the blocks that it made. */
  onRequest(entry: RequestEntry): void;
  /** Stops following; settles when all that happened is written. */
  close(): Promise<void>;
}

/** Writes what happens to the chain into the log. */
export function watchChain(chain: Chain, log: LogWriter, timers: Timers): ChainWatch {
  const calls = new CallsInHand();
  /** The call whose line is the last one but for its own blocks. */
  let told: Call | null = null;
  const feed = new BlockFeed<Call | null>({
    timers,
    write(entry, maker) {
      const isBelowItsRequest = maker !== null && maker === told;
      if (!isBelowItsRequest) told = null;
      log.block(entry, isBelowItsRequest);
    },
    onError: (error) => log.internalError(error),
  });
  const stopBlocks = chain.events.on('block', (block, results) => {
    // With a block time a block may have come by itself, whatever was asked at the same time.
    const maker = chain.miner.blockTime === null ? calls.only() : null;
    if (maker !== null) maker.hasMined = true;
    if (!chain.isLogged) return;
    feed.add(
      codeAfter(chain, block).then((hasCode) => describeBlock(block, results, hasCode)),
      maker,
    );
  });
  const stopRemoved = chain.events.on('removed', (blocks) => {
    if (!chain.isLogged) return;
    const numbers = blocks.map(({ header }) => header.number);
    feed.release().then(() => {
      told = null;
      log.removed({ first: Math.min(...numbers), last: Math.max(...numbers) });
    });
  });
  return {
    follow: (service) => calls.follow(service),
    onRequest(entry) {
      // Who switches the log off and on does not want to see that in it.
      if (chain.isLogged && !LOG_SWITCH.test(entry.method)) log.request(entry);
      told = calls.takeAnswered(entry.method);
      // While other calls are in hand, the blocks that wait may be theirs.
      if (calls.isEmpty || told?.hasMined === true) feed.release();
    },
    async close() {
      stopBlocks();
      stopRemoved();
      await feed.release();
      log.flush();
    },
  };
}
