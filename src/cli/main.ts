// The entry of the command line: reads the command, runs it, and prints errors on one line.

import type { CommandName } from '../config/commands.ts';
import { VERSION } from '../config/options.ts';
import { ExitError } from '../primitives/coded-error.ts';
import type { LoadedStart } from '../start/process-start.ts';
import { startWarmUp } from '../start/warm-up.ts';
import { type Command, EXIT_CODES } from './command.ts';
import { errorLine, readCommandLine } from './command-line.ts';
import { closeOnSignal, endingWithInput } from './exit.ts';
import { helpAbout } from './help.ts';
import { type Host, type ImportModule, systemHost } from './host.ts';
import type { InProcessOutput, InProcessRun } from './in-process.ts';
import type { CommandLine } from './read-options.ts';
import type { RunningNode } from './start.ts';

const printHelp: Command = async ({ topic }, host) => {
  await host.print(await helpAbout(topic));
  return EXIT_CODES.success;
};

const printVersion: Command = async (_commandLine, host) => {
  await host.print(`${VERSION}\n`);
  return EXIT_CODES.success;
};

/** The commands that run once. Each is loaded when it runs, and resolves to an exit code. */
const COMMANDS: Readonly<Record<Exclude<CommandName, 'start'>, () => Promise<Command>>> = {
  accounts: async () => (await import('./commands/accounts.ts')).printAccounts,
  'state inspect': async () => (await import('./commands/state.ts')).inspectState,
  'state diff': async () => (await import('./commands/state.ts')).diffStates,
  'cache ls': async () => (await import('./commands/cache.ts')).listCache,
  'cache pack': async () => (await import('./commands/cache.ts')).packCache,
  'cache unpack': async () => (await import('./commands/cache.ts')).unpackCache,
  'coverage merge': async () => (await import('./commands/coverage-merge.ts')).mergeCoverage,
  completion: async () => (await import('./commands/completion.ts')).printCompletion,
  methods: async () => (await import('./commands/methods.ts')).printMethods,
  exec: async () => (await import('./commands/exec.ts')).execWithNode,
  mcp: async () => (await import('./commands/mcp.ts')).serveAgents,
  debug: async () => (await import('./commands/debug.ts')).debugInEditor,
  wait: async () => (await import('./commands/status.ts')).waitForNode,
  status: async () => (await import('./commands/status.ts')).printStatus,
  trace: async () => (await import('./commands/trace.ts')).printTrace,
  compare: async () => (await import('./commands/compare.ts')).printComparison,
  help: async () => printHelp,
  version: async () => printVersion,
  'cache clean': async () => (await import('./commands/cache.ts')).cleanCache,
};

async function run(commandLine: CommandLine, host: Host): Promise<void> {
  const { command, topic, options } = commandLine;
  if (options.help || options.version) {
    host.output.write(options.help ? await helpAbout(topic) : `${VERSION}\n`);
    host.exit(EXIT_CODES.success);
    return;
  }
  if (command !== 'start') {
    const answer = await COMMANDS[command]();
    host.exit(await answer(commandLine, host));
    return;
  }
  // Loaded here, so that help, the version and usage errors appear without loading the node.
  const { startNode } = await import('./start.ts');
  let running: RunningNode | null = null;
  closeOnSignal(
    options.endWithStdin ? endingWithInput(host) : host,
    () => running,
    () => {
      if (!options.quiet && !options.json) host.output.write('Stopped\n');
    },
  );
  running = await startNode(options, host);
  // From here on the node is reachable, so a signal must save the chain.
  await running.announce();
}

/** Runs the command of the process. Exits, or leaves the started node running. */
export async function runCommand(host: Host): Promise<void> {
  try {
    await run(await readCommandLine(host), host);
  } catch (error) {
    host.errorOutput.write(`${errorLine(error)}\n`);
    host.exit(error instanceof ExitError ? error.exit : EXIT_CODES.failure);
  }
}

/** Runs the command of this process. `importModule` imports modules outside the program. */
export function main(start: LoadedStart, importModule: ImportModule): Promise<void> {
  return runCommand(systemHost({ ...start, warmUp: startWarmUp }, importModule));
}

/**
 * Starts the node of a test run in this process, with the arguments of `start`. Rejects with the line that the
 * command would print.
 */
export async function startInProcess(
  words: readonly string[],
  output: InProcessOutput,
  start: LoadedStart,
  importModule: ImportModule,
): Promise<InProcessRun> {
  const { openInProcess } = await import('./in-process.ts');
  return openInProcess(words, output, { ...start, warmUp: startWarmUp }, importModule);
}
