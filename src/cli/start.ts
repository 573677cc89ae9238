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
import { systemMessage } from '../primitives/file-system.ts';
import { curve } from '../primitives/secp256k1/curve.ts';
import { IpcPathError, ListenError } from '../server/errors.ts';
import type { InProcessCall } from '../server/in-process-calls.ts';
import type { RunningWarmUp } from '../start/process-start.ts';
import { hasColors } from './colors.ts';
import { EXIT_CODES } from './command.ts';
import type { ServingHost } from './host.ts';
import { openChain } from './open-chain.ts';
import { configFileText, startEntry } from './start-entry.ts';

/**
 * Milliseconds between listening and preparing for transactions. Earlier, the preparation would delay the
 * first responses. Later, it would delay the first transaction.
 */
const PREPARED_AFTER = 50;

/** Minimum seconds without a call until a closing node treats a lane as done. */
const IDLE_LANE = 10;

export type StartOptions = NodeOptions & {
  /** True to print the report summaries even with `quiet`. By default, `quiet` suppresses them. */
  readonly printsReports?: boolean;
  /** False if the node shares its process with its clients: nothing is prepared in the background. */
  readonly preparesItself?: boolean;
};

export interface RunningNode {
  readonly url: string;
  /** Calls the node in this process. */
  readonly call: InProcessCall;
  /** Lets the process exit while the node listens. */
  unref(): void;
  /** Number of answered JSON-RPC requests. */
  requestCount(): number;
  /** The user's contracts, shared by the chain and its lanes. */
  readonly artifacts: LazyArtifacts;
  /** Writes the `--config-out` file. If that fails, closes the node and rejects with a {@link StartError}. */
  writeConfig(): Promise<void>;
  /** Also prints the banner, unless the node has been closed meanwhile. */
  announce(): Promise<void>;
  /**
   * Finishes pending requests, then stops serving and mining, and prints reports. `isHurried` ends pending
   * requests and lanes immediately. Resolves to the exit code; rejects with a `SaveError`.
   */
  close(isHurried?: boolean): Promise<number>;
  /** Returns a message if the chain has unsaved changes; `null` if it is saved or not to be saved. */
  unsaved(): string | null;
}

/** Returns the terminal width of the environment; `null` if not set. */
function columnsIn({ COLUMNS: columns = '' }: Environment): number | null {
  return /^[1-9]\d{1,3}$/.test(columns) ? Number(columns) : null;
}

/** Returns the log for the options. Only a terminal can move the cursor. */
async function createLog(options: NodeOptions, host: ServingHost): Promise<LogWriter> {
  const { output, errorOutput, clock } = host;
  if (options.json) return new JsonLog({ output, errorOutput, clock });
  const colored = hasColors(options, host) ? await terminalStyle() : PLAIN_STYLE;
  const style = output.isTerminal ? colored : { ...colored, eraseLineAbove: null };
  const width = output.columns ?? columnsIn(host.environment);
  return new PlainLog({ output, errorOutput, style, isVerbose: options.verbose, ...(width && { width }) });
}

async function writeConfigFile(
  path: string,
  entry: StartEntry,
  apiKey: string | null,
  chain: Chain,
  host: ServingHost,
): Promise<void> {
  const { block: first } = await chain.view({ tag: 'earliest' });
  const facts = {
    baseFee: first.header.ethereum.baseFeePerGas,
    gasPrice: chain.fees.gasPrice(),
    genesisTimestamp: chain.blocks.firstTimestamp,
    apiKey,
  };
  try {
    await host.writeFile(path, configFileText(entry, facts));
  } catch (error) {
    throw new StartError(
      `--config-out: cannot write ${printable(path)}: ${systemMessage(error)}; pass a file in an existing directory`,
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

/** Starts and serves a chain. Rejects with `UsageError` or {@link StartError}; nothing keeps running. */
export async function startNode(given: StartOptions, host: ServingHost): Promise<RunningNode> {
  const { printsReports = !given.quiet, preparesItself = true } = given;
  const log = await createLog(given, host);
  const { clock, timers } = host;
  const openedChain = await openChain(given, log, host);
  const { opened, options, compat, saver } = openedChain;
  const { node } = opened;
  const { chain } = node;
  const { start } = host;
  let warmUp: RunningWarmUp | null = null;
  let requestCount = 0;
  const served = await serveNode(
    {
      node,
      serviceOf: (lanes, activity) => opened.serviceOf(node, lanes, activity),
      openLanes: (limits) => opened.openLanes(limits),
    },
    {
      server: serverOptionsOf(options),
      parentPort: options.parentPort,
      ipc: options.ipc,
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
        if (requestCount === 0) start.cache('called');
        requestCount += 1;
        warmUp?.onCall();
        start.onCall();
      },
    },
  ).catch(async (error: unknown) => {
    saver?.stop();
    await chain.close();
    throw error instanceof ListenError || error instanceof IpcPathError
      ? new StartError(error.message)
      : error;
  });

  start.cache('listening');
  const preparation = timers.after(PREPARED_AFTER, () => {
    if (!preparesItself) return;
    start.tune();
    host.guardSignals();
    void curve.prepare();
    warmUp = start.warmUp(options, compat.choice, timers, () => start.cache('settled'));
    // Read in the background, so that the first failure is explained without delay.
    if (node.inspector.artifacts.isInUse) void node.inspector.artifacts.load();
  });

  /** Writes all reports and resolves to the exit code. */
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

  /** Waits for lanes in use, at most `--drain-timeout` seconds. */
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
    await warmUp?.end();
    if (!isHurried) await drain();
    chain.stopSearching();
    served.lanes?.stopSearching();
    await served.close(isHurried ? 0 : undefined);
    chain.abortMining();
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
        parentUrl: served.parentUrl,
        ipcPath: served.ipcPath,
        parentChain: node.parentChain,
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
    call: served.call,
    unref: () => served.unref(),
    requestCount: () => requestCount,
    artifacts,
    writeConfig,
    announce,
    close,
    unsaved: () => saver?.unsaved() ?? null,
  };
}
