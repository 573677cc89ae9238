import { resolve } from 'node:path';
import type { Chain } from '../chain/chain.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { printable, StartError } from '../config/errors.ts';
import { withNewMnemonic } from '../config/node-settings.ts';
import { flagOf, type NodeOptions } from '../config/options.ts';
import { type ChosenCompat, chooseCompat } from '../config/project-compat.ts';
import { MEMORY_LIMITS } from '../evm/halt-reasons.ts';
import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import type { ArtifactFolderEntry } from '../log/log-entries.ts';
import type { LogWriter } from '../log/log-writer.ts';
import type { ChainNode } from '../node/create-node.ts';
import { type NodeHost, type OpenedNode, openNode } from '../node/open-node.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { EngineDifferenceError } from '../reference/shadow-engine.ts';
import { DiskError } from '../storage/errors.ts';
import { EXIT_CODES } from './command.ts';
import type { ServingHost } from './host.ts';
import { reportFilesOf } from './report-files.ts';
import type { InitialState, LoadedFile } from './state/initial-state.ts';
import type { StateSaver } from './state/state-saver.ts';

/** A node with the state of its files. */
export interface OpenChain {
  readonly opened: OpenedNode;
  readonly compat: ChosenCompat;
  /** The options, completed with values of the files. */
  readonly options: NodeOptions;
  readonly beginning: InitialState;
  /** The folders with build outputs. */
  readonly artifactFolders: readonly ArtifactFolderEntry[];
  /** Saves the chain; `null` if no option requests it. */
  readonly saver: StateSaver | null;
}

/** Reads the state files of the options. Loads the code for it only if an option needs it. */
async function readBeginning(options: NodeOptions, host: ServingHost): Promise<InitialState> {
  const { state, loadState, init } = options;
  if (state === null && loadState === null && init === null) {
    return { options, accounts: null, genesis: null, file: null, notices: [] };
  }
  const { readInitialState: beginningOf } = await import('./state/initial-state.ts');
  return beginningOf(options, host.fileSystem);
}

/** Rejects with a `UsageError` if an output file would overwrite another file. */
async function checkOutputs(options: NodeOptions, host: ServingHost): Promise<void> {
  if (options.configOut === null && options.dumpState === null) return;
  const { checkOutputPaths } = await import('./state/state-path.ts');
  await checkOutputPaths(options, host.fileSystem);
}

/** Returns the file to save to; `null` for none. Rejects with {@link StartError} if it is not writable. */
async function savePathOf({ state, dumpState }: NodeOptions, host: ServingHost): Promise<string | null> {
  const given = state ?? dumpState;
  if (given === null) return null;
  const { checkSavable, statePath } = await import('./state/state-path.ts');
  const path = await statePath(host.fileSystem, given);
  await checkSavable(host.fileSystem, state === null ? 'dumpState' : 'state', path);
  return path;
}

async function startSaving(
  { dump }: ChainNode,
  path: string,
  { options, file }: InitialState,
  loaded: LoadedFile | null,
  log: LogWriter,
  host: ServingHost,
): Promise<StateSaver> {
  const { StateSaver } = await import('./state/state-saver.ts');
  const isSameFile = file !== null && file.path === path;
  const isOfAnvil = isSameFile
    ? file.dump.kind === 'anvil' || file.dump.carrier !== null
    : options.compat === 'anvil';
  return new StateSaver({
    dump,
    files: host.fileSystem,
    path,
    form: isOfAnvil ? 'anvil' : 'own',
    interval: options.stateInterval,
    log,
    isQuiet: options.quiet,
    clock: host.clock,
    timers: host.timers,
    saved: isSameFile && loaded?.isAsSaved === true ? dump.mark() : null,
    file: isSameFile ? (loaded?.file ?? null) : null,
  });
}

/** Loads the file into the chain, if there is one. */
async function load(
  node: ChainNode,
  beginning: InitialState,
  chainOptions: ChainOptions,
  log: LogWriter,
  host: ServingHost,
): Promise<LoadedFile | null> {
  const { file, options } = beginning;
  if (file === null) return null;
  const { loadInitialState: loadBeginning } = await import('./state/initial-state.ts');
  const { reporting } = await import('../log/work-report.ts');
  const report = { clock: host.clock, timers: host.timers, log: options.quiet ? null : log };
  const left: string[] = [];
  const stop = node.chain.events.on('notice', (text) => left.push(text));
  try {
    return await reporting(report, { activity: 'load', path: file.path }, (onProgress) =>
      loadBeginning(node.dump, { ...beginning, file }, chainOptions, onProgress),
    );
  } finally {
    stop();
    for (const text of options.quiet ? [] : left) log.notice(text);
  }
}

/** Returns notices about options whose value is above the bound of the node. */
function boundNotices({ memoryLimit }: NodeOptions): string[] {
  const most = MEMORY_LIMITS.execution;
  return memoryLimit > most
    ? [
        `${flagOf('memoryLimit')}: the limit stays at ${most} bytes, the maximum; the option can only lower it`,
      ]
    : [];
}

async function fetchReport(log: LogWriter, { clock, timers }: ServingHost): Promise<UpstreamTraffic> {
  const { FetchReport } = await import('../log/work-report.ts');
  return new FetchReport({ log, clock, timers });
}

/** Opens the node on the genesis, the accounts and the fork of the files. */
async function openFrom(
  { options, genesis, accounts, file }: InitialState,
  log: LogWriter,
  host: ServingHost,
): Promise<Pick<OpenChain, 'opened' | 'compat' | 'artifactFolders'>> {
  const compat = chooseCompat(options.compat, host.workingDirectory);
  const folders = await artifactFolders(options, log, host);
  // A warning must not split the log lines of a block. The chain's log prints it later.
  let chain: Chain | null = null;
  const nodeHost: NodeHost = {
    clock: host.clock,
    timers: host.timers,
    random: host.random,
    environment: host.environment,
    reportFiles: reportFilesOf(host),
    ...(options.quiet ? {} : { listen: () => fetchReport(log, host) }),
    onWarning: (text) => (chain === null ? log.notice(text) : chain.events.emit('notice', text)),
    onMiningError: (error) =>
      error instanceof DiskError ? log.notice(error.message) : log.internalError(error),
    onInternalError: (error) => log.internalError(error),
    onEngineDifference: endOnDifference(host),
  };
  try {
    const opened = await openNode(options, nodeHost, {
      compat: compat.choice,
      artifactFolders: folders.map(({ path }) => path),
      start: { accounts, genesis, fork: file?.facts?.fork ?? null },
    });
    chain = opened.node.chain;
    return { opened, compat, artifactFolders: folders };
  } catch (error) {
    throw error instanceof CodedError ? new StartError(error.message) : error;
  }
}

/** Returns the folders of `--artifacts`, or the build folders of the project in the working directory. */
export async function artifactFolders(
  options: NodeOptions,
  log: Pick<LogWriter, 'notice'>,
  { workingDirectory, fileSystem }: ServingHost,
): Promise<ArtifactFolderEntry[]> {
  if (options.noArtifacts || options.hosted) return [];
  const asEntry = async (path: string, tool: string | null): Promise<ArtifactFolderEntry> => {
    return { path, tool, isThere: (await fileSystem.stat(path)) !== null };
  };
  if (options.artifacts.length > 0) {
    const paths = options.artifacts.map((folder) => resolve(workingDirectory, folder));
    const folders = await Promise.all(paths.map((path) => asEntry(path, null)));
    for (const { path, isThere } of folders) {
      if (!isThere && !options.quiet)
        log.notice(
          `--artifacts: ${printable(path)} does not exist yet; the node reads it as soon as it exists`,
        );
    }
    return folders;
  }
  const { projectFolders } = await import('../artifacts/project.ts');
  return Promise.all(projectFolders(workingDirectory).map(({ path, tool }) => asEntry(path, tool)));
}

/**
 * Opens the node with the state of its files. Rejects with {@link StartError} if a file, the data directory
 * or the fork URL fails, and with a `UsageError` for conflicting paths. Nothing stays open then.
 */
export async function openChain(given: NodeOptions, log: LogWriter, host: ServingHost): Promise<OpenChain> {
  await checkOutputs(given, host);
  const savePath = await savePathOf(given, host);
  const beginning = await readBeginning(await withNewMnemonic(given, host.random), host);
  const { options, notices } = beginning;
  const parts = await openFrom(beginning, log, host);
  const { node, chainOptions } = parts.opened;
  try {
    const loaded = await load(node, beginning, chainOptions, log, host);
    if (!options.quiet) for (const notice of [...notices, ...boundNotices(options)]) log.notice(notice);
    const saver = savePath === null ? null : await startSaving(node, savePath, beginning, loaded, log, host);
    return { ...parts, options, beginning, saver };
  } catch (error) {
    await node.chain.close();
    throw error;
  }
}

/**
 * Ends the node with a failure if the engines differ. Writes the data to reproduce the message to a file in
 * the working directory, or to the error output if that fails.
 */
export function endOnDifference(host: ServingHost): (error: EngineDifferenceError) => void {
  let isEnding = false;
  return (error) => {
    if (isEnding) return;
    isEnding = true;
    const path = `node-cli-difference-${host.clock.now()}.json`;
    const dump = `${JSON.stringify(error.dump, null, 2)}\n`;
    const tell = (rest: string): void => host.errorOutput.write(`node-cli: ${error.message}; ${rest}\n`);
    void host
      .writeFile(path, dump)
      .then(
        () => tell(`the data to reproduce it is in ${path}`),
        () => tell(`the data to reproduce it:\n${dump}`),
      )
      .finally(() => host.exit(EXIT_CODES.failure));
  };
}
