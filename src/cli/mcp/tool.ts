/** The definition of a tool of the MCP server, and the form of its answers and refusals. */

import type { z } from 'zod';
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
