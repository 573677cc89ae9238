import { StartError, UsageError } from './errors.ts';
import { closeOnSignal, EXIT_CODES } from './exit.ts';
import type { Host } from './host.ts';
import { internalErrorText } from './internal-error.ts';
import type { NodeOptions } from './options.ts';
import { helpText } from './program.ts';
import { readOptions } from './read-options.ts';
import { VERSION } from './version.ts';

async function obey(options: NodeOptions, host: Host): Promise<void> {
  if (options.help || options.version) {
    host.output.write(options.help ? helpText() : `${VERSION}\n`);
    host.exit(EXIT_CODES.success);
    return;
  }
  // The node's own code is loaded here, so that help, version and wrong options answer at once.
  const { startNode } = await import('./start.ts');
  const starting = startNode(options, host);
  closeOnSignal(host, async () => (await starting).close());
  await starting;
}

/** Does what the command line and the environment ask for: answers a question, or starts a node and leaves it running. */
export async function runCommand(host: Host): Promise<void> {
  try {
    await obey(readOptions(host.commandLine, host.environment), host);
  } catch (error) {
    const isForUser = error instanceof UsageError || error instanceof StartError;
    host.errorOutput.write(`node-cli: ${isForUser ? error.message : internalErrorText(error)}\n`);
    host.exit(error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failure);
  }
}
