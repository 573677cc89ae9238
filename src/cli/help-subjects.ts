/** The subjects of the help: commands and topics. */

import { COMMAND_ENTRIES, type HelpTopic, isTopic, TOPIC_NAMES } from '../config/commands.ts';
import { helpText, topicText } from './program.ts';

/** The names of all topics and commands. */
export const HELP_SUBJECTS: readonly HelpTopic[] = [...TOPIC_NAMES, ...COMMAND_ENTRIES.map(([name]) => name)];

/** Returns true for the name of a topic or of a command. */
export function isHelpSubject(word: string): word is HelpTopic {
  return HELP_SUBJECTS.some((subject) => subject === word);
}

/** Resolves to the help of a topic or of a command. */
export async function helpAbout(topic: HelpTopic): Promise<string> {
  return isTopic(topic) ? topicText(topic) : helpText(topic);
}
