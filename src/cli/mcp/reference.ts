/** The reference as MCP resources and tools: help texts, methods, and the rest of cut responses. */

import { z } from 'zod';
import { HELP_SUBJECTS, isHelpSubject } from '../../config/commands.ts';
import { UsageError } from '../../config/errors.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { documentationOf } from '../commands/methods.ts';
import { helpAbout, optionTopic } from '../help.ts';
import { llmsFullText, llmsText, methodIndex, methodNames } from '../llms-text.ts';
import { ToolError } from './session.ts';
import { defineTool, type Tool } from './tool.ts';

const SCHEME = 'node-cli://';
const HELP = `${SCHEME}help/`;
const METHODS = `${SCHEME}methods/`;
const INDEX = `${SCHEME}llms.txt`;
const FULL = `${SCHEME}llms-full.txt`;

/** The fields that resources and resource templates share in the protocol. */
interface ListedResource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'text/plain' | 'text/markdown';
}

/** Resources with a fixed URI. */
export const RESOURCES: readonly (ListedResource & { readonly uri: string })[] = [
  {
    uri: INDEX,
    name: 'llms.txt',
    title: 'Overview of node-cli',
    description: 'How to start, and lists of commands, topics and methods, with links to the full reference',
    mimeType: 'text/markdown',
  },
  {
    uri: FULL,
    name: 'llms-full.txt',
    title: 'Full reference of node-cli',
    description: 'The help of all commands and topics, and the methods with their parameters',
    mimeType: 'text/markdown',
  },
  ...HELP_SUBJECTS.map((subject) => ({
    uri: `${HELP}${encodeURIComponent(subject)}`,
    name: `help ${subject}`,
    title: `Help about ${subject}`,
    description: `Output of node-cli help ${subject}`,
    mimeType: 'text/plain' as const,
  })),
];

/** Resources with a name in their URI. */
export const RESOURCE_TEMPLATES: readonly (ListedResource & { readonly uriTemplate: string })[] = [
  {
    uriTemplate: `${METHODS}{name}`,
    name: 'method',
    title: 'Documentation of a JSON-RPC method',
    description:
      'Parameters, result and an example of a method; for a prefix, the list of methods that begin with it',
    mimeType: 'text/plain',
  },
];

/** Thrown for an unknown URI. The message lists the known ones. */
export class UnknownResourceError extends Error {
  override readonly name = 'UnknownResourceError';
}

/** Rejects with {@link UnknownResourceError}. */
export async function readResource(
  uri: string,
): Promise<{ readonly text: string; readonly mimeType: string }> {
  if (uri === INDEX) return { text: await llmsText(), mimeType: 'text/markdown' };
  if (uri === FULL) return { text: await llmsFullText(), mimeType: 'text/markdown' };
  const plain = (text: string): { readonly text: string; readonly mimeType: string } => ({
    text,
    mimeType: 'text/plain',
  });
  const subject = uri.startsWith(HELP) ? decoded(uri.slice(HELP.length)) : '';
  if (isHelpSubject(subject)) return plain(await helpAbout(subject));
  if (uri.startsWith(METHODS)) {
    try {
      return plain((await documentationOf(decoded(uri.slice(METHODS.length)))).text());
    } catch (error) {
      if (error instanceof UsageError) throw new UnknownResourceError(error.message);
      throw error;
    }
  }
  throw new UnknownResourceError(
    `unknown resource ${uri}; expected ${INDEX}, ${FULL}, ${METHODS}<name>, or ${HELP}<topic> with one of ${HELP_SUBJECTS.join(', ')}`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Maximum values of a completion (Model Context Protocol). */
const MAX_COMPLETIONS = 100;

/** Resolves to the first matching method names and the number of all matches. */
export async function completedMethods(
  word: string,
): Promise<{ readonly values: string[]; readonly total: number }> {
  const found = (await methodNames()).filter((name) => name.startsWith(word));
  return { values: found.slice(0, MAX_COMPLETIONS), total: found.length };
}

export const DOCS_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'method_docs',
    title: 'Documentation of methods',
    description:
      'Returns parameters, result and an example of a JSON-RPC method. For a prefix ("debug_"), it returns the list of methods that begin with it. Without a name, it returns the list of all methods. Use this tool before you call an unfamiliar method with rpc_call.',
    effect: 'reads',
    input: z.strictObject({
      name: z
        .string()
        .optional()
        .describe(
          'A method such as "evm_mine", or a prefix such as "inspect_". If absent, all methods are listed.',
        ),
    }),
    async run({ name }) {
      if (name === undefined) return { text: await methodIndex() };
      try {
        return { text: (await documentationOf(name)).text() };
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        throw new ToolError(error.message, 'Call method_docs without a name to list all methods.');
      }
    },
  }),
  defineTool({
    name: 'help_topic',
    title: 'Help of node-cli',
    description:
      'Returns the help of a topic (forks, lanes, mining, hardforks, state-files, gas, errors …), of a command (start, trace, exec …) or of an option (--balance). The topic "--all" returns all options; read it before start_node if you do not know the options. Without a topic, it returns the list of topics.',
    effect: 'reads',
    input: z.strictObject({
      topic: z.string().optional().describe('A topic, a command, an option, or "--all".'),
    }),
    async run({ topic }) {
      if (topic === undefined) return { text: await helpAbout('help') };
      const subject = isHelpSubject(topic) ? topic : optionTopic(topic);
      if (subject !== undefined) return { text: await helpAbout(subject) };
      const nearest = nearestWord(topic, HELP_SUBJECTS);
      throw new ToolError(
        `unknown topic ${topic}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
        `Expected one of ${HELP_SUBJECTS.join(', ')}, or an option.`,
      );
    },
  }),
  defineTool({
    name: 'read_more',
    title: 'Read the rest of a long response',
    description:
      'Returns the next part of a response that was cut. The note at the end of the cut response contains id and offset.',
    effect: 'reads',
    input: z.strictObject({ id: z.string(), offset: z.int().nonnegative() }),
    async run({ id, offset }, { longTexts }) {
      const text = longTexts.rest(id, offset);
      if (text !== null) return { text, isPiece: true };
      throw new ToolError(
        `response ${id} is no longer stored`,
        'Call the tool that returned the response again, and request less data.',
      );
    },
  }),
];
