// Debugs executions in an editor (Debug Adapter Protocol).

import { Writable } from 'node:stream';
import { printable } from '../../config/errors.ts';
import type { NodeOptions } from '../../config/options.ts';
import { childHost, childOptions, closed, rejectNodeOptions, urlFor } from '../child-node.ts';
import { type Command, EXIT_CODES } from '../command.ts';
import { type AdapterParts, listenForEditors, serveStreams } from '../debug/adapter-server.ts';
import { debugNodesAt } from '../debug/debug-nodes.ts';
import type { DebugNodes } from '../debug/targets.ts';
import { closeOnSignal } from '../exit.ts';
import type { Host } from '../host.ts';
import { splitCommandLine } from '../read-options.ts';
import { type RunningNode, startNode } from '../start.ts';

function outputOf(host: Host): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      host.print(chunk.toString('utf8')).then(() => done(), done);
    },
  });
}

/** Starts a node with lanes, with its log on the error output. */
async function startDebugNode(options: NodeOptions, host: Host): Promise<RunningNode> {
  const lanes = options.lanes || options.apiKey.length === 0;
  const running = await startNode({ ...childOptions(options), lanes }, childHost(host));
  host.errorOutput.write(`node-cli: node at ${urlFor(running, options)}\n`);
  await (options.verbose ? running.announce() : running.writeConfig());
  return running;
}

/**
 * Serves one editor on stdin and stdout, or editors on `--adapter-port`. Starts a node unless `--url` is set.
 * Resolves to the exit code when the editor disconnects. Rejects with `UsageError` or `StartError`.
 */
export const debugInEditor: Command = async ({ options }, host) => {
  const isRemote = options.given.has('url');
  if (isRemote) rejectNodeOptions(splitCommandLine(host.commandLine, host.environment));
  let running: RunningNode | null = null;
  closeOnSignal(host, () => running ?? { close: async () => EXIT_CODES.success, unsaved: () => null });
  const started = isRemote ? null : startDebugNode(options, host);
  const nodes: Promise<DebugNodes> =
    started === null
      ? Promise.resolve(debugNodesAt(options.url))
      : started.then((node) => {
          running = node;
          return debugNodesAt(urlFor(node, options));
        });
  const parts: AdapterParts = {
    nodes,
    workingDirectory: host.workingDirectory,
    host: process.platform === 'win32' ? 'windows' : 'posix',
    exists: async (path) => (await host.fileSystem.stat(path).catch(() => null)) !== null,
    report: (text) => host.errorOutput.write(`node-cli: ${printable(text)}\n`),
  };
  const { adapterPort } = options;
  if (adapterPort === null) {
    // The editor gets the reason of a failed start in the response to its launch.
    nodes.catch((error: unknown) => parts.report(error instanceof Error ? error.message : String(error)));
    await serveStreams(host.openInput(), outputOf(host), parts);
  } else {
    await nodes;
    const server = await listenForEditors(adapterPort, parts);
    host.errorOutput.write(`node-cli: debug adapter at 127.0.0.1:${server.port}\n`);
    await new Promise<never>(() => undefined);
  }
  if (started === null) return EXIT_CODES.success;
  const node = await started.catch(() => null);
  return node === null ? EXIT_CODES.failure : closed({ close: () => node.close(true) }, host);
};
