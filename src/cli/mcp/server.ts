/** The server of the Model Context Protocol: tools and resources, over the input and output of the process. */

import { Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { printable } from '../../config/errors.ts';
import { VERSION } from '../../config/options.ts';
import type { Host } from '../host.ts';
import {
  completedMethods,
  RESOURCE_TEMPLATES,
  RESOURCES,
  readResource,
  UnknownResourceError,
} from './reference.ts';
import type { Session } from './session.ts';
import { callTool, listedTools } from './tools.ts';

const INSTRUCTIONS = `node-cli is a local developer node for Ethereum-compatible chains. A node runs already: node_status tells its URL and accounts.
Deploy with deploy_contract, change with send_transaction, look with call_contract. After a failure use explain_failure with the hash: it
shows the reason, the stack trace and the source. Before an experiment take a snapshot and revert afterwards, or create_lane for a chain of
its own. rpc_call runs every other JSON-RPC method; method_docs and help_topic hold the reference.`;

/** Returns a stream whose text goes to the output of the process. */
function outputOf(host: Host): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void host.print(text).then(() => done(), done),
  });
}

/** The messages of one client, which counts the questions that wait for an answer. */
class CountingTransport extends StdioServerTransport {
  readonly #waiting = new Set<string | number>();
  #onIdle: (() => void) | null = null;

  /** Resolves when all questions that came are answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#look();
    });
  }

  /** Takes note of a message of the client. */
  note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#waiting.add(message.id);
    // A question that was taken back is not answered.
    const { requestId } = message.params ?? {};
    if (
      message.method === 'notifications/cancelled' &&
      (typeof requestId === 'string' || typeof requestId === 'number')
    )
      this.#answered(requestId);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message) && message.id !== undefined) this.#answered(message.id);
  }

  #answered(id: string | number): void {
    this.#waiting.delete(id);
    this.#look();
  }

  #look(): void {
    if (this.#waiting.size === 0) this.#onIdle?.();
  }
}

function addTools(server: Server, session: Session): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools() }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params: { name, arguments: given = {} } }): Promise<CallToolResult> => {
      const { text, content, isError } = await callTool(name, given, session);
      return {
        content: [{ type: 'text', text }],
        ...(content === undefined ? {} : { structuredContent: content }),
        ...(isError ? { isError } : {}),
      };
    },
  );
}

function addResources(server: Server): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [...RESOURCE_TEMPLATES],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const { text, mimeType } = await readResource(uri).catch((error: unknown) => {
      if (error instanceof UnknownResourceError) throw new McpError(ErrorCode.InvalidParams, error.message);
      throw error;
    });
    return { contents: [{ uri, text, mimeType }] };
  });
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { argument } }) => {
    const { values, total } = await completedMethods(argument.value);
    return { completion: { values, total, hasMore: total > values.length } };
  });
}

/** Serves the session until the client ends its messages, and until all that it asked before is answered. */
export async function serveSession(session: Session, host: Host): Promise<void> {
  const input = host.openInput();
  const output = outputOf(host);
  const server = new Server(
    { name: 'node-cli', title: 'node-cli', version: VERSION },
    { capabilities: { tools: {}, resources: {}, completions: {} }, instructions: INSTRUCTIONS },
  );
  addTools(server, session);
  addResources(server);
  server.onerror = (error) => host.errorOutput.write(`node-cli: note: ${printable(error.message)}\n`);
  const transport = new CountingTransport(input, output);
  transport.onmessage = (message) => transport.note(message);
  const isEnded = ended(input);
  await server.connect(transport);
  await isEnded;
  await transport.idle();
  await server.close();
}

/** Answers the first question of a client, which is how it connects, with the reason why there is nothing to connect to. */
export async function refuseSession(reason: string, host: Host): Promise<void> {
  const input = host.openInput();
  const output = outputOf(host);
  const transport = new StdioServerTransport(input, output);
  const isAsked = new Promise<void>((resolve) => {
    transport.onmessage = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const error = { code: ErrorCode.InternalError, message: reason };
      void transport.send({ jsonrpc: '2.0', id: message.id, error }).then(resolve);
    };
  });
  const isEnded = ended(input);
  await transport.start();
  await Promise.race([isAsked, isEnded]);
  await transport.close();
}

/** Resolves when nothing more will come. */
function ended(input: ReturnType<Host['openInput']>): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
  });
}
