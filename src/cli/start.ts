import type { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import type { Chain } from '../chain/chain.ts';
import { printable, SaveError, StartError } from '../config/errors.ts';
import { serverOptionsOf } from '../config/node-settings.ts';
import type { Environment, NodeOptions } from '../config/options.ts';
import { JsonLog } from '../log/entry-log.ts';
import type { StartEntry } from '../log/log-entries.ts';
import { type LogWriter, PLAIN_STYLE, terminalStyle } from '../log/log-writer.ts';
import { PlainLog } from '../log/plain-log.ts';
import type { OpenedNode } from '../node/open-node.ts';
import type { ReportOutput } from '../node/reports.ts';
import { serveNode } from '../node/serve-node.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { systemWords } from '../primitives/file-system.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import { ListenError } from '../server/errors.ts';
import { EXIT_CODES } from './command.ts';
import type { Host } from './host.ts';
import { openChain } from './open-chain.ts';
import { StartRehearsal } from './rehearsal.ts';
import { configFileText, startEntry } from './start-entry.ts';

/**
 * Milliseconds after which a node that listens gets ready to sign, to recover and to execute. Not at once: its first
 * answers would wait for that, and not only when the first transaction comes, as then that would wait.
 */
const PREPARED_AFTER = 50;

/** Seconds without a call after which a lane is taken for done, when the node is to end. */
const IDLE_LANE = 10;

/** The options of a start. */
export type StartOptions = NodeOptions & {
  /** True to print summaries of reports at the end also with `quiet`; by default they follow `quiet`. */
  readonly printsReports?: boolean;
};

/** A node that runs. */
export interface RunningNode {
  readonly url: string;
  /** The number of JSON-RPC requests that were answered. */
  requestCount(): number;
  /** The user's contracts, as its chain and lanes know them. */
  readonly artifacts: LazyArtifacts;
  /** Writes the file of `--config-out`. Rejects with a {@link StartError} when it cannot be written; the node is closed then. */
  writeConfig(): Promise<void>;
  /** Does the same as {@link writeConfig}, and says that the node listens, unless it closes meanwhile. */
  announce(): Promise<void>;
  /**
   * Finishes pending requests, then stops serving and mining, and prints reports; `isHurried` ends pending requests and lanes
   * immediately. Resolves to the exit code; rejects with a `SaveError`.
   */
  close(isHurried?: boolean): Promise<number>;
  /** Returns in words which file the chain as it is now has not been saved to; `null` when it has, or is not saved at all. */
  unsaved(): string | null;
}

/** Returns true when the user wants no colours in any program (no-color.org). */
function asksForNoColor(environment: Environment): boolean {
  return (environment.NO_COLOR ?? '') !== '';
}

/** Returns the width that the environment gives for a terminal; `null` for none. */
function columnsIn({ COLUMNS: columns = '' }: Environment): number | null {
  return /^[1-9]\d{1,3}$/.test(columns) ? Number(columns) : null;
}

/** Returns the log that the options ask for, in colours only on a terminal and where they are not refused. */
async function createLog(options: NodeOptions, host: Host): Promise<LogWriter> {
  const { output, errorOutput, clock } = host;
  if (options.json) return new JsonLog({ output, errorOutput, clock });
  const hasColors = output.isTerminal && !options.noColor && !asksForNoColor(host.environment);
  const style = hasColors ? await terminalStyle() : PLAIN_STYLE;
  const width = output.columns ?? columnsIn(host.environment);
  return new PlainLog({ output, errorOutput, style, isVerbose: options.verbose, ...(width && { width }) });
}

async function writeConfigFile(
  path: string,
  entry: StartEntry,
  apiKey: string | null,
  chain: Chain,
  host: Host,
): Promise<void> {
  const { block: first } = await chain.view({ tag: 'earliest' });
  const facts = {
    baseFee: first.header.ethereum.baseFeePerGas,
    gasPrice: chain.fees.gasPrice(),
    genesisTimestamp: first.header.timestamp,
    apiKey,
  };
  try {
    await host.writeFile(path, configFileText(entry, facts));
  } catch (error) {
    throw new StartError(
      `--config-out: cannot write ${printable(path)}: ${systemWords(error)}; pass a file in an existing directory`,
    );
  }
}

/** Closes the chain and writes the fork record. Rejects with a {@link SaveError}. */
async function closeNode(opened: OpenedNode): Promise<void> {
  try {
    await opened.close();
  } catch (error) {
    throw error instanceof CodedError ? new SaveError(error.message) : error;
  }
}

/** Starts a chain and serves it; {@link RunningNode.announce} is to follow. Rejects with `UsageError` or {@link StartError}; nothing is left running then. */
export async function startNode(given: StartOptions, host: Host): Promise<RunningNode> {
  const { printsReports = !given.quiet } = given;
  const log = await createLog(given, host);
  const { clock, timers } = host;
  const openedChain = await openChain(given, log, host);
  const { opened, options, compat, saver } = openedChain;
  const { node } = opened;
  const { chain } = node;
  const rehearsal = new StartRehearsal(timers);
  let requestCount = 0;
  const served = await serveNode(
    {
      node,
      serviceOf: (lanes, activity) => opened.serviceOf(node, lanes, activity),
      openLanes: (limits) => opened.openLanes(limits),
    },
    {
      server: serverOptionsOf(options),
      lanes: options.lanes ? { limit: options.laneLimit, timeout: options.laneTimeout } : null,
      log: options.quiet ? null : log,
      showsConsole: !options.noConsoleLog,
      isVerbose: options.verbose,
      servesMetrics: options.metrics,
    },
    {
      clock,
      timers,
      onInternalError: (error) => log.internalError(error),
      onCall: () => {
        requestCount += 1;
        rehearsal.onCall();
      },
    },
  ).catch(async (error: unknown) => {
    saver?.stop();
    await chain.close();
    throw error instanceof ListenError ? new StartError(error.message) : error;
  });

  const preparation = timers.after(PREPARED_AFTER, () => {
    host.tuneProcess();
    void curve.prepare();
    rehearsal.begin(options, compat.choice);
    // The artifacts of a project are read in the background, so that the first failure is explained without waiting.
    if (node.inspector.artifacts.isInUse) void node.inspector.artifacts.load();
  });

  /** Writes all reports. Resolves to the exit code. */
  async function finishReports(): Promise<number> {
    const output: ReportOutput = {
      notice: (text) => log.notice(text),
      report: (kind, facts, lines) => log.report(kind, facts, lines),
      printsFiles: printsReports,
      isJson: options.json,
      onIncompleteProfile: () => undefined,
    };
    const hasGrown = await opened.reports.finish(node.inspector, output);
    return hasGrown ? EXIT_CODES.gasGrew : EXIT_CODES.success;
  }

  /** Lets those who use lanes finish, for as long as the options say. */
  async function drain(): Promise<void> {
    const { lanes } = served;
    const open = lanes?.list().length ?? 0;
    if (lanes === null || options.drainTimeout === 0 || open === 0) return;
    if (!options.quiet)
      log.notice(
        `waiting up to ${options.drainTimeout} s for ${open} ${open === 1 ? 'lane' : 'lanes'} (--drain-timeout); press Ctrl-C again to exit immediately`,
      );
    await lanes.drain(IDLE_LANE, options.drainTimeout);
  }

  async function closeAll(isHurried: boolean): Promise<number> {
    preparation.cancel();
    await rehearsal.end();
    if (!isHurried) await drain();
    chain.stopSearching();
    served.lanes?.stopSearching();
    await served.close(isHurried ? 0 : undefined);
    try {
      return await finishReports();
    } finally {
      await node.inspector.artifacts.close();
      try {
        await saver?.close();
      } finally {
        await closeNode(opened);
      }
    }
  }

  let closed: Promise<number> | null = null;
  const close = (isHurried = false): Promise<number> => {
    closed ??= closeAll(isHurried);
    return closed;
  };

  const entryOf = (): StartEntry =>
    startEntry(
      {
        ...openedChain,
        accounts: opened.accounts,
        chain,
        fork: node.fork.current,
        savedTo: saver?.path ?? null,
        now: Math.floor(clock.now() / 1_000),
      },
      served.url,
    );

  async function writeConfig(): Promise<void> {
    if (options.configOut === null) return;
    const [apiKey = null] = options.apiKey;
    await writeConfigFile(options.configOut, entryOf(), apiKey, chain, host).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }

  async function announce(): Promise<void> {
    await writeConfig();
    if (closed !== null) return;
    if (!options.quiet) log.banner(entryOf());
    log.listening(served.url);
  }

  const { artifacts } = node.inspector;
  return {
    url: served.url,
    requestCount: () => requestCount,
    artifacts,
    writeConfig,
    announce,
    close,
    unsaved: () => saver?.unsaved() ?? null,
  };
}
