import { ConsoleDecoder } from '../engine/console/console-decoder.ts';
import type { ExecutionResult } from '../engine/engine.ts';
import type { Chain } from '../node/chain.ts';
import type { Timers } from '../primitives/clock.ts';
import type { RpcService } from '../rpc/connection.ts';
import { BlockFeed } from './block-feed.ts';
import { type Call, CallsInHand } from './calls-in-hand.ts';
import { codeAfter, describeBlock } from './describe-block.ts';
import { describeConsole } from './describe-console.ts';
import type { ConsoleEntry, RequestEntry } from './log-entries.ts';
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

/** The one method whose calls are heard by the console. */
const CALL_METHOD = 'eth_call';

/** Writes what happens to the chain into the log; with `showsConsole` also what contracts tell the console. */
export function watchChain(chain: Chain, log: LogWriter, timers: Timers, showsConsole = true): ChainWatch {
  const calls = new CallsInHand();
  const decoder = new ConsoleDecoder();
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
  const consoleOf = (result: ExecutionResult): ConsoleEntry | null =>
    showsConsole ? describeConsole(result.console, decoder) : null;
  const stopBlocks = chain.events.on('block', (block, results) => {
    // A block that was loaded is no news of what the chain does.
    if (results === null) return;
    // With a block time a block may have come by itself, whatever was asked at the same time.
    const maker = chain.miner.blockTime === null ? calls.only() : null;
    if (maker !== null) maker.hasMined = true;
    if (!chain.isLogged) return;
    feed.add(
      codeAfter(chain, block).then((hasCode) => describeBlock(block, results, { hasCode, consoleOf })),
      maker,
    );
  });
  const stopConsole = chain.events.on('console', (record) => {
    const entry = showsConsole && chain.isLogged ? describeConsole(record, decoder) : null;
    if (entry === null) return;
    const call = calls.onlyOf(CALL_METHOD);
    if (call !== null) call.console = entry;
    else {
      told = null;
      log.console(entry, false);
    }
  });
  const stopRemoved = chain.events.on('removed', (blocks) => {
    if (!chain.isLogged) return;
    const numbers = blocks.map(({ header }) => header.number);
    feed.release().then(() => {
      told = null;
      // There can be too many to be spread as arguments.
      const first = numbers.reduce((lowest, number) => Math.min(lowest, number));
      const last = numbers.reduce((highest, number) => Math.max(highest, number));
      log.removed({ first, last });
    });
  });
  return {
    follow: (service) => calls.follow(service),
    onRequest(entry) {
      // Who switches the log off and on does not want to see that in it.
      if (chain.isLogged && !LOG_SWITCH.test(entry.method)) log.request(entry);
      told = calls.takeAnswered(entry.method);
      if (told !== null && told.console !== null) log.console(told.console, true);
      // While other calls are in hand, the blocks that wait may be theirs.
      if (calls.isEmpty || told?.hasMined === true) feed.release();
    },
    async close() {
      stopBlocks();
      stopConsole();
      stopRemoved();
      await feed.release();
      log.flush();
    },
  };
}
