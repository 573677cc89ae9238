// Tools that read the reference, and the rest of answers that were cut.

import { z } from 'zod';
import { UsageError } from '../../../config/errors.ts';
import { nearestWord } from '../../../primitives/nearest-word.ts';
import { documentationOf } from '../../commands/methods.ts';
import { HELP_SUBJECTS, helpAbout, isHelpSubject } from '../../help-subjects.ts';
import { methodIndex } from '../../llms-text.ts';
import { defineTool, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';

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
