import { dirname, resolve } from 'node:path';
import { LazyArtifacts } from '../artifacts/lazy-artifacts.ts';
import type { ChainOptions } from '../chain/settings/chain-options.ts';
import { printable, StartError } from '../config/errors.ts';
import { openForkConfig, optionsOnFork } from '../config/forking.ts';
import { chainOptionsOf, devAccountsOf, withMadeMnemonic } from '../config/node-settings.ts';
import type { NodeOptions } from '../config/options.ts';
import type { EngineDifferenceError } from '../evm/shadow-engine.ts';
import type { UpstreamTraffic } from '../fork/upstream/upstream-call.ts';
import type { Coverage } from '../inspect/coverage/coverage.ts';
import type { ArtifactFolderEntry } from '../log/log-entries.ts';
import type { LogWriter } from '../log/log-writer.ts';
import { type ChainNode, createNode } from '../node/create-node.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { makeDirectories, systemWords } from '../primitives/file-system.ts';
import { DiskError } from '../storage/errors.ts';
import type { DevAccount } from '../wallet/dev-accounts.ts';
import { EXIT_CODES } from './command.ts';
import type { Host } from './host.ts';
import { type Measuring, openMeasuring } from './measuring.ts';
import type { InitialState } from './state/initial-state.ts';
import type { StateSaver } from './state/state-saver.ts';

/** A node that was made from the options and the files that they name. */
export interface OpenChain {
  readonly node: ChainNode;
  readonly chainOptions: ChainOptions;
  /** The options, with the values of the files where none was given. */
  readonly options: NodeOptions;
  /** The accounts to show. */
  readonly accounts: readonly DevAccount[];
  /** The state that files gave the chain at its start. */
  readonly beginning: InitialState;
  /** The folders in which build outputs are looked for. */
  readonly artifactFolders: readonly ArtifactFolderEntry[];
  /** Saves the chain; `null` when no option asks for it. */
  readonly saver: StateSaver | null;
  /** The file into which the coverage is written at the end; `null` for none. */
  readonly coverageFile: string | null;
  readonly measuring: Measuring;
}

/** Reads the files that options name; their code is loaded only then. */
async function readBeginning(options: NodeOptions, host: Host): Promise<InitialState> {
  const { state, loadState, init } = options;
  if (state === null && loadState === null && init === null) {
    return { options, accounts: null, genesis: null, file: null, notices: [] };
  }
  const { readInitialState: beginningOf } = await import('./state/initial-state.ts');
  return beginningOf(options, host.fileSystem);
}

/** Rejects with a `UsageError` where files that are written would destroy others. */
async function checkOutputs(options: NodeOptions, host: Host): Promise<void> {
  if (options.configOut === null && options.dumpState === null) return;
  const { checkOutputPaths } = await import('./state/state-path.ts');
  await checkOutputPaths(options, host.fileSystem);
}

/** Returns the file that the chain is to be saved to; `null` for none. Rejects with {@link StartError} when it cannot be. */
async function savePathOf({ state, dumpState }: NodeOptions, host: Host): Promise<string | null> {
  const given = state ?? dumpState;
  if (given === null) return null;
  const { checkSavable, statePath } = await import('./state/state-path.ts');
  const path = await statePath(host.fileSystem, given);
  await checkSavable(host.fileSystem, state === null ? 'dumpState' : 'state', path);
  return path;
}

/** Returns the path of the file of the coverage; its folder is there then. Rejects with {@link StartError} when no file can be made there. */
async function coverageFileOf({ coverage }: NodeOptions, host: Host): Promise<string | null> {
  if (coverage === null) return null;
  const { coveragePath } = await import('../inspect/coverage/coverage-reports.ts');
  const { checkSavable } = await import('./state/state-path.ts');
  const path = resolve(host.workingDirectory, coveragePath(coverage, host.processId));
  try {
    makeDirectories(dirname(path));
  } catch (error) {
    throw new StartError(
      `--coverage: cannot create the directory of ${printable(path)}: ${systemWords(error)}`,
    );
  }
  await checkSavable(host.fileSystem, 'coverage', path);
  return path;
}

async function startSaving(
  { dump }: ChainNode,
  path: string,
  { options, file }: InitialState,
  isAsLoaded: boolean,
  log: LogWriter,
  host: Host,
): Promise<StateSaver> {
  const { StateSaver } = await import('./state/state-saver.ts');
  const isSameFile = file !== null && file.path === path;
  const isOfAnvil = isSameFile
    ? file.dump.kind === 'anvil' || file.dump.isCarried
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
    saved: isSameFile && isAsLoaded ? dump.mark() : null,
  });
}

/** Makes the chain what its file says; true when it is that and nothing else. */
async function load(
  node: ChainNode,
  beginning: InitialState,
  chainOptions: ChainOptions,
  log: LogWriter,
  host: Host,
): Promise<boolean> {
  const { file, options } = beginning;
  if (file === null) return false;
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

async function fetchReport(log: LogWriter, { clock, timers }: Host): Promise<UpstreamTraffic> {
  const { FetchReport } = await import('../log/work-report.ts');
  return new FetchReport({ log, clock, timers });
}

async function createFrom(
  beginning: InitialState,
  { measurements }: Measuring,
  log: LogWriter,
  host: Host,
): Promise<Pick<OpenChain, 'node' | 'chainOptions' | 'accounts' | 'artifactFolders'>> {
  const { options, genesis } = beginning;
  const { clock, timers, random } = host;
  const onMiningError = (error: unknown): void => {
    if (error instanceof DiskError) log.notice(error.message);
    else log.internalError(error);
  };
  // A note must not land inside of what is written of a block: the log of the chain puts it behind.
  let noteLater: ((text: string) => void) | null = null;
  const onWarning = (text: string): void => (noteLater === null ? log.notice(text) : noteLater(text));
  const folders = await artifactFolders(options, log, host);
  const artifacts = new LazyArtifacts(
    { timers, onWarning, ownerCount: Math.max(1, options.apiKey.length) },
    folders.map(({ path }) => path),
  );
  const onEngineDifference = endOnDifference(host);
  const coverage = await coverageOf(options, artifacts);
  const shared = { clock, timers, random, artifacts, coverage, measurements };
  const dependencies = { ...shared, onMiningError, onEngineDifference };
  const accounts = beginning.accounts ?? (await devAccountsOf(options));
  const wished = { ...chainOptionsOf(options, accounts), genesis };
  try {
    const record = beginning.file?.facts?.fork ?? null;
    const forkHost = options.quiet ? host : { ...host, listen: () => fetchReport(log, host) };
    const forking = await openForkConfig(options, forkHost, record);
    forking.fork?.hold();
    try {
      const chainOptions = optionsOnFork(wished, forking, options, record !== null);
      const node = await createNode(chainOptions, dependencies, forking);
      noteLater = (text) => node.chain.events.emit('notice', text);
      return { node, chainOptions, accounts, artifactFolders: folders };
    } finally {
      forking.fork?.release();
    }
  } catch (error) {
    throw error instanceof CodedError ? new StartError(error.message) : error;
  }
}

/** Returns the coverage of the node; `null` where the options ask for none. Its code is loaded only when they do. */
async function coverageOf(options: NodeOptions, artifacts: LazyArtifacts): Promise<Coverage | null> {
  if (options.coverage === null) return null;
  const { Coverage } = await import('../inspect/coverage/coverage.ts');
  return new Coverage(artifacts, options.coverageExclude);
}

/** Returns the folders that the options name, or those of the project that the node runs in. */
export async function artifactFolders(
  options: NodeOptions,
  log: Pick<LogWriter, 'notice'>,
  { workingDirectory, fileSystem }: Host,
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
 * Opens the node that the options ask for, its chain loaded if it is to be. Rejects with {@link StartError} when its directory, a file or
 * its upstream fails, and with a `UsageError` for paths that are at odds; nothing is left open then. `printsReports` is true
 * to print at the end which files have reports.
 */
export async function openChain(
  given: NodeOptions,
  log: LogWriter,
  host: Host,
  printsReports = !given.quiet,
): Promise<OpenChain> {
  await checkOutputs(given, host);
  const coverageFile = await coverageFileOf(given, host);
  const savePath = await savePathOf(given, host);
  const beginning = await readBeginning(await withMadeMnemonic(given, host.random), host);
  const { options, notices } = beginning;
  const measuring = await openMeasuring({ ...options, printsReports }, log, host);
  const opened = await createFrom(beginning, measuring, log, host);
  const { node, chainOptions } = opened;
  try {
    const isAsLoaded = await load(node, beginning, chainOptions, log, host);
    if (!options.quiet) for (const notice of notices) log.notice(notice);
    const saver =
      savePath === null ? null : await startSaving(node, savePath, beginning, isAsLoaded, log, host);
    return { ...opened, options, beginning, saver, coverageFile, measuring };
  } catch (error) {
    await node.chain.close();
    throw error;
  }
}

/**
 * Ends the node, as a failure, when the engines differ: what is needed to run the message again goes into a file in the
 * folder that the node runs in, or to the error output where no file can be written.
 */
export function endOnDifference(host: Host): (error: EngineDifferenceError) => void {
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
