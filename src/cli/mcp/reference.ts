/** The reference as resources and as tools: the help of topics and commands, the methods, and the rest of answers that were cut. */

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

/** A resource, or a template of several, as lists of the protocol have it. */
interface ListedResource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'text/plain' | 'text/markdown';
}

/** The resources that have one address each. */
export const RESOURCES: readonly (ListedResource & { readonly uri: string })[] = [
  {
    uri: INDEX,
    name: 'llms.txt',
    title: 'About node-cli, and where its reference is',
    description: 'The overview: how to start the node, its commands, topics and methods',
    mimeType: 'text/markdown',
  },
  {
    uri: FULL,
    name: 'llms-full.txt',
    title: 'The whole reference of node-cli',
    description: 'The help of all commands and topics, and the methods with their parameters',
    mimeType: 'text/markdown',
  },
  ...HELP_SUBJECTS.map((subject) => ({
    uri: `${HELP}${encodeURIComponent(subject)}`,
    name: `help ${subject}`,
    title: `Help about ${subject}`,
    description: `What node-cli help ${subject} prints`,
    mimeType: 'text/plain' as const,
  })),
];

/** The resources that have a name in their address. */
export const RESOURCE_TEMPLATES: readonly (ListedResource & { readonly uriTemplate: string })[] = [
  {
    uriTemplate: `${METHODS}{name}`,
    name: 'method',
    title: 'Documentation of a JSON-RPC method',
    description: 'Parameters, result and an example of a method, or of all whose names begin so',
    mimeType: 'text/plain',
  },
];

/** The resource is not there; the message says which there are. */
export class UnknownResourceError extends Error {
  override readonly name = 'UnknownResourceError';
}

/** Resolves to the content of a resource. Rejects with {@link UnknownResourceError}. */
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
    `there is no resource ${uri}; there are ${INDEX}, ${FULL}, ${HELP}<topic> for ${HELP_SUBJECTS.join(', ')}, and ${METHODS}<name>`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Most values that a completion may have (Model Context Protocol). */
const MOST_COMPLETIONS = 100;

/** Resolves to the names of methods that begin with a word. */
export async function completedMethods(
  word: string,
): Promise<{ readonly values: string[]; readonly total: number }> {
  const found = (await methodNames()).filter((name) => name.startsWith(word));
  return { values: found.slice(0, MOST_COMPLETIONS), total: found.length };
}

export const DOCS_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'method_docs',
    title: 'Documentation of methods',
    description:
      'Describes a JSON-RPC method by its name (parameters, result, an example that works), or which methods begin with a word ("debug_"), or all there are. Read it before rpc_call of a method that you are not sure of.',
    effect: 'reads',
    input: z.strictObject({
      name: z
        .string()
        .optional()
        .describe('"evm_mine", or the beginning of names, as "inspect_". Without it all are listed.'),
    }),
    async run({ name }) {
      if (name === undefined) return { text: await methodIndex() };
      try {
        return { text: (await documentationOf(name)).text() };
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        throw new ToolError(error.message, 'method_docs without a name lists all.');
      }
    },
  }),
  defineTool({
    name: 'help_topic',
    title: 'Help of node-cli',
    description:
      'Shows the help of a topic (forks, lanes, mining, hardforks, state-files, gas, errors …) or of a command with its options (start, trace, exec …), or lists them. Read "start" before start_node with options that you are not sure of.',
    effect: 'reads',
    input: z.strictObject({
      topic: z.string().optional().describe('A topic or a command; absent for a list of them.'),
    }),
    async run({ topic }) {
      if (topic === undefined) return { text: await helpAbout('help') };
      if (isHelpSubject(topic)) return { text: await helpAbout(topic) };
      const nearest = nearestWord(topic, HELP_SUBJECTS);
      throw new ToolError(
        `there is no topic ${topic}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
        `There are ${HELP_SUBJECTS.join(', ')}.`,
      );
    },
  }),
  defineTool({
    name: 'read_more',
    title: 'Read the rest of an answer',
    description:
      'Gives the next piece of an answer that was too long and was cut; its note names id and offset.',
    effect: 'reads',
    input: z.strictObject({ id: z.string(), offset: z.int().nonnegative() }),
    async run({ id, offset }, { longTexts }) {
      const text = longTexts.rest(id, offset);
      if (text !== null) return { text, isPiece: true };
      throw new ToolError(
        `no answer ${id} is kept any more`,
        'Call the tool that gave it again, and ask for less.',
      );
    },
  }),
];
