/** The MCP server: tools and resources over the input and output of the process. */

import { type Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  ErrorCode,
  type JSONRPCMessage,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { printable, SaveError, StartError, UsageError } from '../../config/errors.ts';
import { VERSION } from '../../config/options.ts';
import { internalErrorText } from '../../log/log-entries.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import type { Host } from '../host.ts';
import { AnsweredError } from '../node-client.ts';
import { UnknownAnswerError } from '../trace/read-inspection.ts';
import type { AgentInput } from './agent-input.ts';
import {
  completedMethods,
  DOCS_TOOLS,
  RESOURCE_TEMPLATES,
  RESOURCES,
  readResource,
  UnknownResourceError,
} from './reference.ts';
import { type Session, ToolError } from './session.ts';
import { adviceOn, adviceOnOwn, refusal, type Tool, type ToolAnswer } from './tool.ts';
import { CHAIN_TOOLS } from './tools/chain-tools.ts';
import { CONTRACT_TOOLS } from './tools/contract-tools.ts';
import { NODE_TOOLS } from './tools/node-tools.ts';
import { PEG_TOOLS } from './tools/peg-tools.ts';
import { TRACE_TOOLS } from './tools/trace-tools.ts';

// A tool call checks the arguments, explains failures and cuts long responses.

const TOOLS: readonly Tool[] = [
  ...NODE_TOOLS,
  ...CONTRACT_TOOLS,
  ...TRACE_TOOLS,
  ...CHAIN_TOOLS,
  ...PEG_TOOLS,
  ...DOCS_TOOLS,
];

/** A tool in the protocol's format. */
interface ListedTool extends Pick<Tool, 'name' | 'title' | 'description'> {
  readonly inputSchema: { readonly type: 'object'; readonly [member: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

function listedTools(): ListedTool[] {
  return TOOLS.map(({ name, title, description, effect, isIdempotent, input }) => ({
    name,
    title,
    description,
    inputSchema: { ...z.toJSONSchema(input, { io: 'input' }), type: 'object' },
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'destroys',
      idempotentHint: isIdempotent || effect === 'reads',
      // A node without a fork makes no requests to other hosts.
      openWorldHint: false,
    },
  }));
}

/** The result of a tool call in the protocol's format. */
interface ToolResult {
  readonly text: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** Resolves to the result of a tool. Never rejects. */
async function callTool(name: string, given: unknown, session: Session): Promise<ToolResult> {
  return asResult(await answerOf(name, given, session), session);
}

async function answerOf(name: string, given: unknown, session: Session): Promise<ToolAnswer> {
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const names = TOOLS.map((each) => each.name);
    const nearest = nearestWord(name, names);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return refusal(
      `unknown tool ${name}${hint}`,
      `Expected one of ${names.join(', ')}. Use rpc_call for a JSON-RPC method.`,
    );
  }
  const { success, data, error } = tool.input.safeParse(given);
  if (!success)
    return refusal(
      `${name}: invalid arguments: ${error.issues.map(issueText).join('; ')}`,
      `Correct the arguments and call the tool again. The tool accepts ${Object.keys(tool.input.shape).join(', ') || 'no arguments'}.`,
    );
  try {
    return await tool.run(data, session);
  } catch (failure) {
    return explained(failure, name, session);
  }
}

function issueText({
  path,
  message,
}: {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}): string {
  return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
}

/** Returns the reason of a failed tool call and the next step. */
function explained(error: unknown, tool: string, session: Session): ToolAnswer {
  if (error instanceof ToolError) return refusal(error.message, error.next);
  if (error instanceof AnsweredError)
    return refusal(`the node returned error ${error.code}: ${error.message}`, adviceOn(error, tool, []));
  if (error instanceof UsageError || error instanceof StartError || error instanceof SaveError)
    return refusal(error.message, adviceOnOwn(error, tool, session.isRemote));
  if (error instanceof UnknownAnswerError)
    return refusal(
      `this version of node-cli cannot read the node's response: ${error.message}`,
      'Use the same node-cli version for the node and for this server. Or call the method with rpc_call, which returns the response unchanged.',
    );
  return refusal(internalErrorText(error), 'This is a bug of node-cli. Try another tool.');
}

function asResult({ text, content, next, isPiece = false }: ToolAnswer, { longTexts }: Session): ToolResult {
  const isError = next !== undefined;
  const { text: shown, isCut } = isPiece ? { text, isCut: false } : longTexts.cut(text.trimEnd());
  const whole = isError ? `${shown}\n\nNext: ${next}` : shown;
  // The value of a cut response would be as long as the whole text.
  const value = isCut
    ? { isCut, note: 'The response was cut; the text contains the first part.' }
    : plain(content);
  return { text: whole, ...(value === undefined ? {} : { content: value }), isError };
}

/** Returns the value as JSON has it, with large numbers as strings. */
function plain(content: ToolAnswer['content']): ToolAnswer['content'] {
  if (content === undefined) return undefined;
  const text = JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return JSON.parse(text) as ToolAnswer['content'];
}

const INSTRUCTIONS = `node-cli is a local development node for Rootstock and Ethereum contracts. A node is already running: node_status returns its URL and
accounts. Deploy with deploy_contract, change state with send_transaction, read with call_contract. After a failure, call explain_failure
with the hash: it returns the reason, the stack trace and the source. To undo an experiment, call snapshot before it and revert
after it, or create an isolated chain with create_lane. rpc_call calls any JSON-RPC method. method_docs and help_topic return the reference.`;

function outputOf(host: Host): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void host.print(text).then(() => done(), done),
  });
}

/** The messages of one client. Counts the pending requests. */
class CountingTransport extends StdioServerTransport {
  readonly #waiting = new Set<string | number>();
  #onIdle: (() => void) | null = null;

  /** Resolves when all received requests are answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#look();
    });
  }

  /** Counts a request of the client. */
  note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#waiting.add(message.id);
    // A cancelled request gets no response.
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

/** Serves the session until the input ends. Then waits a limited time for pending requests. */
export async function serveSession(session: Session, input: AgentInput, host: Host): Promise<void> {
  const output = outputOf(host);
  const server = new Server(
    { name: 'node-cli', title: 'node-cli', version: VERSION },
    { capabilities: { tools: {}, resources: {}, completions: {} }, instructions: INSTRUCTIONS },
  );
  addTools(server, session);
  addResources(server);
  server.onerror = (error) => host.errorOutput.write(`node-cli: note: ${printable(error.message)}\n`);
  const transport = new CountingTransport(input.messages, output);
  transport.onmessage = (message) => transport.note(message);
  const isEnded = finished(input.messages);
  await server.connect(transport);
  await isEnded;
  await input.answering(transport.idle());
  await server.close();
}

/** Answers the first request of a client, its handshake, with the reason of the failed start. */
export async function rejectSession(reason: string, input: AgentInput, host: Host): Promise<void> {
  const output = outputOf(host);
  const transport = new StdioServerTransport(input.messages, output);
  const isAsked = new Promise<void>((resolve) => {
    transport.onmessage = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const error = { code: ErrorCode.InternalError, message: reason };
      void transport.send({ jsonrpc: '2.0', id: message.id, error }).then(resolve);
    };
  });
  const isEnded = finished(input.messages);
  await transport.start();
  await Promise.race([isAsked, isEnded]);
  await transport.close();
}

/** Resolves at the end of the messages. */
function finished(messages: Readable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) messages.once(event, () => resolve());
  });
}
