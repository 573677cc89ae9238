/** The definition of MCP tools, the format of their answers, and advice after errors. */

import type { z } from 'zod';
import { UsageError } from '../../config/errors.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { type AnsweredError, METHOD_NOT_FOUND } from '../node-client.ts';
import type { Session } from './session.ts';

/** The effect of a tool on the chain. Clients show it to their users. */
export type Effect = 'reads' | 'adds' | 'destroys';

export interface ToolAnswer {
  /** The result in words, for the model. */
  readonly text: string;
  /** The result as a value, if it has parts. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** The next step after a failure, such as a reverted transaction; absent on success. */
  readonly next?: string;
  /** True for the rest of a response that was cut. */
  readonly isPiece?: boolean;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** The purpose of the tool, and when to use it. */
  readonly description: string;
  readonly effect: Effect;
  /** True if a second call has no further effect. */
  readonly isIdempotent: boolean;
  readonly input: z.ZodObject;
  /** Resolves to the answer. `given` must match `input`. */
  run(given: unknown, session: Session): Promise<ToolAnswer>;
}

/** The declaration of a tool. The type of `input` determines the arguments of `run`. */
interface ToolDefinition<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'run' | 'isIdempotent'> {
  readonly isIdempotent?: boolean;
  readonly input: Input;
  readonly run: (given: z.output<Input>, session: Session) => Promise<ToolAnswer>;
}

export function defineTool<Input extends z.ZodObject>({
  isIdempotent = false,
  run,
  ...rest
}: ToolDefinition<Input>): Tool {
  // The server has parsed the arguments with the schema.
  return { ...rest, isIdempotent, run: (given, session) => run(given as z.output<Input>, session) };
}

const INVALID_PARAMS = -32602;
const TOO_MUCH = -32012;
/** Codes of failed executions in the compat modes. */
const FAILED: readonly number[] = [-32015, 3];

/** Maximum names in a message. */
const MAX_NAMED = 5;

/** Returns suggestions: the nearest name, and the methods with the same name in other namespaces. */
export function nearestMethods(method: string, names: readonly string[]): readonly string[] {
  const nearest = nearestWord(method, names);
  const own = method.toLowerCase().replace(/^[^_.]*[_.]/, '');
  const namesakes = names.filter((name) => name.toLowerCase().replace(/^[^_.]*[_.]/, '') === own);
  return [...new Set([...(nearest === undefined ? [] : [nearest]), ...namesakes])].slice(0, MAX_NAMED);
}

/** Returns the next step after an error of a method. */
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

/** Returns the transaction hash in the data of an error in Hardhat style. */
function hashIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null) return null;
  const hash: unknown = Reflect.get(data, 'txHash') ?? Reflect.get(data, 'transactionHash');
  return typeof hash === 'string' ? hash : null;
}

/** Returns the answer for a failure. */
export function refusal(message: string, next: string): ToolAnswer {
  return { text: message, next };
}

/** Returns the next step after an error of this process: an invalid argument, or no node answers. */
export function adviceOnOwn(error: Error, tool: string, isRemote: boolean): string {
  if (error instanceof UsageError) return `Correct the arguments and call ${tool} again.`;
  return isRemote
    ? 'Start the node at that URL, then call the tool again.'
    : 'Check with node_status whether a node is running; start_node starts one.';
}
