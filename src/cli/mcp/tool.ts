/** The definition of a tool of the MCP server, the form of its answers and refusals, and what to do next after an error of the node. */

import type { z } from 'zod';
import { UsageError } from '../../config/errors.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { type AnsweredError, METHOD_NOT_FOUND } from '../node-client.ts';
import type { Session } from './session.ts';

/** The effect of a tool on the chain, as clients show it to their users. */
export type Effect = 'reads' | 'adds' | 'destroys';

/** The answer of a tool. */
export interface ToolAnswer {
  /** For the model: what came out, in words. */
  readonly text: string;
  /** The answer as a value, where it has parts. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** Advice what to do about an answer that is a failure, as a transaction that reverted; absent for all others. */
  readonly next?: string;
  /** True for a piece of an answer that was cut before. */
  readonly isPiece?: boolean;
}

/** A tool of the server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** The purpose of the tool, and when to use it. */
  readonly description: string;
  readonly effect: Effect;
  /** True where doing it twice does no more than doing it once. */
  readonly isIdempotent: boolean;
  readonly input: z.ZodObject;
  /** Resolves to the answer to arguments that `input` accepts. */
  run(given: unknown, session: Session): Promise<ToolAnswer>;
}

/** The declaration of a tool, whose arguments have the types that its schema says. */
interface ToolDefinition<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'run' | 'isIdempotent'> {
  readonly isIdempotent?: boolean;
  readonly input: Input;
  readonly run: (given: z.output<Input>, session: Session) => Promise<ToolAnswer>;
}

/** Returns a tool from its declaration. */
export function defineTool<Input extends z.ZodObject>({
  isIdempotent = false,
  run,
  ...rest
}: ToolDefinition<Input>): Tool {
  // The server parses arguments by the schema of the tool before it calls it.
  return { ...rest, isIdempotent, run: (given, session) => run(given as z.output<Input>, session) };
}

const INVALID_PARAMS = -32602;
const TOO_MUCH = -32012;
/** Codes of executions that failed, in the dialects. */
const FAILED: readonly number[] = [-32015, 3];

/** Names that a message lists. */
const MOST_NAMED = 5;

/** Returns the methods that may have been meant: the nearest, and those of the same name in other namespaces. */
export function nearestMethods(method: string, names: readonly string[]): readonly string[] {
  const nearest = nearestWord(method, names);
  const own = method.toLowerCase().replace(/^[^_.]*[_.]/, '');
  const namesakes = names.filter((name) => name.toLowerCase().replace(/^[^_.]*[_.]/, '') === own);
  return [...new Set([...(nearest === undefined ? [] : [nearest]), ...namesakes])].slice(0, MOST_NAMED);
}

/** Returns what to do about an error that a method answered with. */
export function adviceOn({ code, data }: AnsweredError, method: string, names: readonly string[]): string {
  if (code === METHOD_NOT_FOUND) {
    const near = nearestMethods(method, names);
    const hint = near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `;
    return `${hint}method_docs lists the methods.`;
  }
  if (code === INVALID_PARAMS)
    return `method_docs {"name": "${method}"} returns the parameters and an example.`;
  if (FAILED.includes(code)) {
    const hash = hashIn(data);
    return hash === null
      ? 'Call explain_failure with the same to, function, args, from and value. It returns the reason and the source lines.'
      : `explain_failure {"hash": "${hash}"} returns the reason and the source lines.`;
  }
  if (code === TOO_MUCH) return 'Request less data in one call.';
  return `method_docs {"name": "${method}"} describes the method. help_topic {"topic": "errors"} describes the error codes.`;
}

/** Returns the hash of the transaction that nodes in the way of Hardhat name in the data of an error. */
function hashIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null) return null;
  const hash: unknown = Reflect.get(data, 'txHash') ?? Reflect.get(data, 'transactionHash');
  return typeof hash === 'string' ? hash : null;
}

/** Returns a failed answer to what a caller did. */
export function refusal(message: string, next: string): ToolAnswer {
  return { text: message, next };
}

/** Returns what to do about an error that was met before a node was asked: what was written was wrong, or no node answers. */
export function adviceOnOwn(error: Error, tool: string, isRemote: boolean): string {
  if (error instanceof UsageError) return `Correct the arguments and call ${tool} again.`;
  return isRemote
    ? 'Start the node at that URL, then call the tool again.'
    : 'Check with node_status whether a node is running; start_node starts one.';
}
