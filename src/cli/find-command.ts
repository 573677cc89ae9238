import {
  COMMAND_ENTRIES,
  COMMANDS,
  type CommandGroup,
  type CommandName,
  commandsOf,
  type HelpTopic,
  isCommandGroup,
} from '../config/commands.ts';
import { UsageError } from '../config/errors.ts';
import { nearestWord } from '../config/suggestion.ts';
import { SEE_HELP, shown } from '../config/usage-messages.ts';

/** A command and what follows its words. */
export interface FoundCommand {
  readonly name: CommandName;
  readonly operands: readonly string[];
  /** What a question about the program is about: the command, or the first word of several that stands alone. */
  readonly topic: HelpTopic;
}

/** Operands as they may be written, by how the help names them; of files there are two. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '<file>': ['before.json', 'after.json'],
  '<bash|zsh|fish>': ['bash'],
};

const FIRST_WORDS = [...new Set(COMMAND_ENTRIES.map(([name]) => name.split(' ')[0] ?? name))];

/** The command of this one word. Throws {@link UsageError} where there is none. */
function commandNamed(word: string): CommandName {
  const found = COMMAND_ENTRIES.find(([name]) => name === word)?.[0];
  if (found !== undefined && FIRST_WORDS.includes(found)) return found;
  const nearest = nearestWord(word, FIRST_WORDS);
  const meant = word === 'node' ? 'start' : nearest;
  const hint = meant === undefined ? SEE_HELP : `did you mean ${meant}?`;
  throw new UsageError(`unknown command ${shown(word)}; ${hint}`);
}

/** A command as it may be written. */
function exampleOf(name: CommandName): string {
  const { operands } = COMMANDS[name];
  const examples = operands.map((operand, index) => EXAMPLES[operand]?.[index] ?? operand);
  return ['node-cli', name, ...examples].join(' ');
}

/** The command whose first word it is, and which its second word must tell. */
function commandWithTwoWords(first: CommandGroup, second: string | undefined): CommandName {
  const own = commandsOf(first).map(([name]) => name);
  const example = own.slice(0, 1).map(exampleOf).join('');
  const found = own.find((name) => name === `${first} ${second}`);
  if (found !== undefined) return found;
  const seconds = own.map((name) => name.slice(first.length + 1));
  const given = second === undefined ? 'nothing' : shown(second);
  throw new UsageError(`${first} takes ${seconds.join(' or ')}, not ${given}; for example ${example}`);
}

function checkOperands(name: CommandName, operands: readonly string[]): void {
  const wanted: readonly string[] = COMMANDS[name].operands;
  const surplus = operands[wanted.length];
  if (surplus !== undefined) {
    const words = wanted.length === 0 ? 'options' : wanted.join(' ');
    const too = wanted.length === 0 ? '' : ' too';
    throw new UsageError(`${name} takes ${words} only, not ${shown(surplus)}${too}; ${SEE_HELP}`);
  }
  if (operands.length < wanted.length) {
    throw new UsageError(`${name} needs ${wanted.join(' ')}; for example ${exampleOf(name)}`);
  }
}

/**
 * The command that the arguments without options name. Throws {@link UsageError} for one that there is none of, and,
 * unless a question is asked about it, for operands that are missing or too many.
 */
export function findCommand(words: readonly string[], asksQuestion: boolean): FoundCommand {
  const [first = 'start', second] = words;
  if (first === 'help') {
    const [about, ...rest] = words.slice(1);
    const topic = about === undefined ? 'start' : findCommand([about, ...rest], true).topic;
    return { name: 'help', operands: [], topic: asksQuestion ? 'help' : topic };
  }
  if (asksQuestion && second === undefined && isCommandGroup(first))
    return { name: 'start', operands: [], topic: first };
  const name = isCommandGroup(first) ? commandWithTwoWords(first, second) : commandNamed(first);
  const operands = words.slice(name.split(' ').length);
  if (!asksQuestion) checkOperands(name, operands);
  return { name, operands, topic: name };
}
