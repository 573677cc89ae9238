/** All tools, and how one is called: its arguments are checked, its failures explained, its long answers cut. */

import { z } from 'zod';
import { SaveError, StartError, UsageError } from '../../config/errors.ts';
import { internalErrorText } from '../../log/log-entries.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { AnsweredError } from '../trace/asked-node.ts';
import { UnknownAnswerError } from '../trace/read-inspection.ts';
import { DOCS_TOOLS } from './reference.ts';
import { type Session, ToolError } from './session.ts';
import { adviceOn, adviceOnOwn, refusal, type Tool, type ToolAnswer } from './tool.ts';
import { CHAIN_TOOLS } from './tools/chain-tools.ts';
import { CONTRACT_TOOLS } from './tools/contract-tools.ts';
import { NODE_TOOLS } from './tools/node-tools.ts';
import { TRACE_TOOLS } from './tools/trace-tools.ts';

const TOOLS: readonly Tool[] = [
  ...NODE_TOOLS,
  ...CONTRACT_TOOLS,
  ...TRACE_TOOLS,
  ...CHAIN_TOOLS,
  ...DOCS_TOOLS,
];

/** A tool as the protocol lists it. */
interface ListedTool extends Pick<Tool, 'name' | 'title' | 'description'> {
  readonly inputSchema: { readonly type: 'object'; readonly [member: string]: unknown };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** Returns the tools as the protocol lists them. */
export function listedTools(): ListedTool[] {
  return TOOLS.map(({ name, title, description, effect, isIdempotent, input }) => ({
    name,
    title,
    description,
    inputSchema: { ...z.toJSONSchema(input, { io: 'input' }), type: 'object' },
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'destroys',
      idempotentHint: isIdempotent || effect === 'reads',
      // A node that is no fork asks nothing of the world.
      openWorldHint: false,
    },
  }));
}

/** An answer as the protocol has it. */
export interface ToolResult {
  readonly text: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** Resolves to the answer of a tool; never rejects. */
export async function callTool(name: string, given: unknown, session: Session): Promise<ToolResult> {
  return asResult(await answerOf(name, given, session), session);
}

async function answerOf(name: string, given: unknown, session: Session): Promise<ToolAnswer> {
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const names = TOOLS.map((each) => each.name);
    const nearest = nearestWord(name, names);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return refusal(
      `there is no tool ${name}${hint}`,
      `There are ${names.join(', ')}. A JSON-RPC method is called by rpc_call.`,
    );
  }
  const { success, data, error } = tool.input.safeParse(given);
  if (!success)
    return refusal(
      `${name} cannot take its arguments: ${error.issues.map(issueText).join('; ')}`,
      `It takes ${Object.keys(tool.input.shape).join(', ') || 'none'}; mend the arguments, and call it again.`,
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

/** Returns why a tool could not do what it was asked, and what to do next. */
function explained(error: unknown, tool: string, session: Session): ToolAnswer {
  if (error instanceof ToolError) return refusal(error.message, error.next);
  if (error instanceof AnsweredError)
    return refusal(`the node answers with code ${error.code}: ${error.message}`, adviceOn(error, tool, []));
  if (error instanceof UsageError || error instanceof StartError || error instanceof SaveError)
    return refusal(error.message, adviceOnOwn(error, tool, session.isRemote));
  if (error instanceof UnknownAnswerError)
    return refusal(
      `the node answers with what this version of node-cli cannot read: ${error.message}`,
      'Use a node and a server of the same version; rpc_call shows the answer as it is.',
    );
  return refusal(
    internalErrorText(error),
    'This is a mistake of node-cli itself; another tool may do for now.',
  );
}

function asResult({ text, content, next, isPiece = false }: ToolAnswer, { longTexts }: Session): ToolResult {
  const isError = next !== undefined;
  const { text: shown, isCut } = isPiece ? { text, isCut: false } : longTexts.cut(text.trimEnd());
  const whole = isError ? `${shown}\n\nNext: ${next}` : shown;
  // The value of an answer that was cut would be as long as the whole text.
  const value = isCut ? { isCut, note: 'The answer is long: its text has the beginning.' } : plain(content);
  return { text: whole, ...(value === undefined ? {} : { content: value }), isError };
}

/** Returns the value as JSON has it: large numbers as texts. */
function plain(content: ToolAnswer['content']): ToolAnswer['content'] {
  if (content === undefined) return undefined;
  const text = JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return JSON.parse(text) as ToolAnswer['content'];
}
