// Serves a node and its tools to agents (Model Context Protocol on standard input and output).

import { printable, StartError, UsageError } from '../../config/errors.ts';
import { closed } from '../child-node.ts';
import { type Command, EXIT_CODES } from '../command.ts';
import { readConfigFile } from '../config-file.ts';
import { closeOnSignal } from '../exit.ts';
import { AgentInput } from '../mcp/agent-input.ts';
import { rejectSession, serveSession } from '../mcp/server.ts';
import { Session } from '../mcp/session.ts';
import { splitCommandLine } from '../read-options.ts';

/**
 * Starts a node unless `--url` is set, and serves the tools until the input ends. Resolves to the exit code.
 * If the start fails, the client gets the reason when it connects. Rejects with `UsageError`.
 */
export const serveAgents: Command = async ({ options }, host) => {
  // Parsed again, because a tool can start another node with some of these options changed.
  const given = splitCommandLine(host.commandLine, host.environment);
  const file = options.noConfig ? null : await readConfigFile(options.config, host);
  const session = new Session({ given, file }, host);
  const input = new AgentInput(host);
  input.endsProcess(session);
  let isUp = session.isRemote;
  closeOnSignal(host, () => (isUp ? session : null));
  if (!session.isRemote) {
    try {
      await session.start({});
      isUp = true;
    } catch (error) {
      if (!(error instanceof StartError || error instanceof UsageError)) throw error;
      host.errorOutput.write(`node-cli: ${printable(error.message)}\n`);
      if (!input.isTerminal) await rejectSession(error.message, input, host);
      return error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failure;
    }
  }
  await serveSession(session, input, host);
  return closed({ close: () => session.close(true) }, host);
};
