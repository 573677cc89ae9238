/** The texts of `help` and `--help`, all made from the tables of commands, topics and options. */

import {
  ALL_OPTIONS,
  COMMAND_ENTRIES,
  COMMAND_GROUPS,
  COMMANDS,
  type CommandDefinition,
  type CommandGroup,
  type CommandName,
  commandsOf,
  type HelpTopic,
  isCommandGroup,
  isOptionTopic,
  isTopic,
  type OptionTopic,
  ownDescription,
  TOPIC_NAMES,
  TOPICS,
  type TopicName,
  takesOption,
} from '../config/commands.ts';
import { COMMON_GROUPS, type OptionDefinition } from '../config/option-definition.ts';
import {
  flagOf,
  GROUP_NAMES,
  groupOf,
  OPTION_ENTRIES,
  type OptionKey,
  optionWithFlag,
  variableOf,
} from '../config/options.ts';
import { allowedBy } from '../config/usage-messages.ts';
import type { ValueForm } from '../config/value-form.ts';

/** Columns of the widest line. */
const WIDTH = 100;

/** Characters of the longest example of an option. */
const MAXIMUM_EXAMPLE = 60;

/** Values that the short help lists with an option. Longer lists are in the full help. */
const MAXIMUM_CHOICES = 4;

const INTRODUCTION =
  'A local development node for Rootstock and Ethereum contracts (chain id 33), with an explorer.';

type Entry = readonly [OptionKey, OptionDefinition];
type Row = readonly [left: string, right: string];

/** Returns the default of an option as text; null if it has none. */
export function defaultOf(definition: OptionDefinition): string | null {
  if (definition.kind === 'switch') return null;
  const written = definition.kind === 'list' ? null : definition.default;
  return written ?? definition.otherwise ?? null;
}

/** Returns the flag with the placeholder of its value. */
export function withPlaceholder(flag: string, definition: OptionDefinition): string {
  return definition.kind === 'switch' ? flag : `${flag} ${definition.form.placeholder}`;
}

/** Returns the flags of an option with the placeholder: `-p, --port <number>`. */
export function flagsOf(key: OptionKey, definition: OptionDefinition): string {
  const named = withPlaceholder(flagOf(key), definition);
  return definition.short === undefined ? named : `-${definition.short}, ${named}`;
}

/** Returns the words in lines of at most `width` characters. A longer word has a line of its own. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Returns two columns. The right column is wrapped. */
function table(rows: readonly Row[], width: number = widthOf(rows)): string {
  const indent = ' '.repeat(width + 4);
  const lines = rows.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrapped(right, WIDTH - indent.length);
    const start =
      left.length > width ? [`  ${left}`, `${indent}${first}`] : [`  ${left.padEnd(width)}  ${first}`];
    return [...start, ...rest.map((line) => `${indent}${line}`)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function widthOf(rows: readonly Row[]): number {
  return Math.max(...rows.map(([left]) => left.length));
}

function section(heading: string, rows: readonly Row[], width?: number): string {
  return rows.length === 0 ? '' : `${heading}:\n${table(rows, width)}`;
}

/** Returns the description of an option with its values, its other names and its default. */
function describe([key, definition]: Entry): string {
  const { description, aliases = [], kind } = definition;
  const also = aliases.length === 0 ? '' : `; also ${aliases.map((alias) => `--${alias}`).join(', ')}`;
  const notes = [...defaultNotes(definition), ...(kind === 'list' ? ['repeatable'] : [])];
  const listed = choicesNote(key, definition);
  return `${description}${listed}${also}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

/** Returns the description for the short help: the values only if they are few, and no other names. */
function describeBriefly([key, definition]: Entry): string {
  const notes = defaultNotes(definition);
  const listed = choicesNote(key, definition, MAXIMUM_CHOICES);
  return `${definition.description}${listed}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function choicesNote(key: OptionKey, definition: OptionDefinition, maximum?: number): string {
  const choices = definition.kind === 'switch' ? [] : definition.form.choices;
  const isShown = flagsOf(key, definition).includes(choices.join('|'));
  return isShown || (maximum !== undefined && choices.length > maximum) ? '' : `: ${choices.join(', ')}`;
}

function defaultNotes(definition: OptionDefinition): string[] {
  const otherwise = defaultOf(definition);
  return otherwise === null ? [] : [`default: ${otherwise}`];
}

function optionRow(entry: Entry): Row {
  return [flagsOf(...entry), describe(entry)];
}

/** Returns the sections of options by the groups of the full help. */
function optionSections(entries: readonly Entry[], rowOf: (entry: Entry) => Row = optionRow): string {
  const width = widthOf(entries.map(rowOf));
  return GROUP_NAMES.map((group) => {
    const own = entries.filter(([key]) => groupOf(key) === group);
    return section(group, own.map(rowOf), width);
  })
    .filter((text) => text !== '')
    .join('\n');
}

/** Returns the options that people use most, by the groups of the short help. */
function commonOptions(): string {
  const rowOf = (entry: Entry): Row => [flagsOf(...entry), describeBriefly(entry)];
  const entries = OPTION_ENTRIES.filter(([, { common }]) => common !== undefined);
  const width = widthOf(entries.map(rowOf));
  return COMMON_GROUPS.map((group) => {
    const own = entries.filter(([, { common }]) => common === group);
    return section(group, own.map(rowOf), width);
  }).join('');
}

/** Returns the examples of a command. Long ones have their effect on the next line. */
function exampleRows(definitions: readonly CommandDefinition[]): Row[] {
  return definitions.flatMap(({ examples }) =>
    examples.map(([line, effect]) => [`node-cli ${line}`.trimEnd(), effect] as const),
  );
}

function examplesOf(definitions: readonly CommandDefinition[]): string {
  const rows = exampleRows(definitions);
  const width = Math.max(...rows.map(([line]) => line.length).filter((length) => length <= MAXIMUM_LEFT));
  return section('Examples', rows, Math.max(width, MINIMUM_LEFT));
}

const MAXIMUM_LEFT = 52;
const MINIMUM_LEFT = 16;

/** Returns a row for each command; commands with a first word in common share one row. */
function overviewRows(): Row[] {
  const rows = new Map<string, string>();
  for (const [name, { description }] of COMMAND_ENTRIES) {
    const [first = name] = name.split(' ');
    rows.set(first, isCommandGroup(first) ? COMMAND_GROUPS[first] : description);
  }
  return [...rows];
}

/** Returns the short help: the commands, the common options and the ways to more help. */
function overview(): string {
  const hidden = ['help', 'version'];
  const commands = overviewRows().filter(([name]) => !hidden.includes(name));
  const more: readonly Row[] = [
    ['node-cli help --all', 'list all options'],
    ['node-cli help <command>', 'print the options and examples of a command'],
    ['node-cli help --port', 'explain an option'],
    ['node-cli help <topic>', `explain ${TOPIC_NAMES.join(', ')}`],
  ];
  const rows = [...exampleRows([COMMANDS.start]), ...more];
  return [
    `Usage: node-cli [start] [options]\n\n${INTRODUCTION}\n`,
    section('Commands', commands, widthOf(commands)),
    commonOptions(),
    section('Examples', rows),
  ].join('\n');
}

/** Returns the help text with all options of the node. */
function allOptions(): string {
  const entries = OPTION_ENTRIES.filter(([key]) => takesOption('start', key));
  const commands = COMMAND_ENTRIES.map(
    ([name, { operands, description }]) => [[name, ...operands].join(' '), description] as const,
  );
  return [
    `Usage: node-cli [start] [options]\n\n${INTRODUCTION}\n`,
    optionSections(entries),
    section('Commands', commands),
    'node-cli help --<option> explains one option.\nnode-cli help config explains how to set options in a file or in environment variables.\n',
  ].join('\n');
}

/** Returns the usage line of a command. The words after the command of `exec` belong to that command. */
function usageOf(name: CommandName): string {
  const { operands, options } = COMMANDS[name];
  const words = options === null ? ['[options]', ...operands] : [...operands, '[options]'];
  return ['Usage: node-cli', name, ...words].join(' ');
}

/**
 * Returns the options of a command. If it accepts all options of the node, returns only options with another
 * meaning.
 */
function ownOptions(name: CommandName): readonly Entry[] {
  const { options, also = [] }: CommandDefinition = COMMANDS[name];
  const isOwn =
    options === null
      ? (key: OptionKey) => also.includes(key) || ownDescription(name, key) !== null
      : (key: OptionKey) => takesOption(name, key);
  return OPTION_ENTRIES.filter(([key]) => isOwn(key));
}

function commandText(name: CommandName): string {
  const { options, description } = COMMANDS[name];
  const rest =
    options === null ? [`${name} also accepts all options of start (node-cli help --all lists them).\n`] : [];
  const rowOf = (entry: Entry): Row => [flagsOf(...entry), ownDescription(name, entry[0]) ?? describe(entry)];
  const topics = TOPIC_NAMES.map((topic) => [topic, TOPICS[topic]] as const);
  return [
    `${usageOf(name)}\n\n${description}.\n`,
    optionSections(ownOptions(name), rowOf),
    ...rest,
    ...(name === 'help' ? [section('Topics', topics)] : []),
    examplesOf([COMMANDS[name]]),
  ].join('\n');
}

function groupText(group: CommandGroup): string {
  const commands = commandsOf(group);
  const seconds = commands.map(([name]) => name.slice(group.length + 1)).join('|');
  const rows = commands.map(
    ([name, { operands, description }]) => [[name, ...operands].join(' '), description] as const,
  );
  return [
    `Usage: node-cli ${group} <${seconds}> [options]\n\n${COMMAND_GROUPS[group]}.\n`,
    section('Commands', rows),
    examplesOf(commands.map(([, definition]) => definition)),
    `node-cli ${commands[0]?.[0]} --help lists its options.\n`,
  ].join('\n');
}

/** Returns Markdown paragraphs, lists and indented commands in lines that fit the width. */
function reflowed(markdown: string): string {
  const blocks: { indent: string; text: string }[] = [];
  let isOpen = false;
  for (const line of markdown.replaceAll('`', '').split('\n')) {
    const last = blocks.at(-1);
    if (line === '' || line.startsWith('    ')) {
      blocks.push({ indent: '', text: line });
      isOpen = false;
    } else if (line.startsWith('- ')) {
      blocks.push({ indent: '  ', text: line });
      isOpen = true;
    } else if (isOpen && last !== undefined) last.text += ` ${line.trim()}`;
    else {
      blocks.push({ indent: '', text: line });
      isOpen = true;
    }
  }
  return blocks
    .flatMap(({ indent, text }) => {
      if (text.startsWith('    ')) return [text];
      const [first = '', ...rest] = wrapped(text, WIDTH - indent.length);
      return [first, ...rest.map((line) => `${indent}${line}`)];
    })
    .join('\n');
}

/** Resolves to the help text of a topic: its text, and the options of `start` that belong to it. */
export async function topicText(name: TopicName): Promise<string> {
  const { HELP_TOPICS } = await import('../config/help-topics.ts');
  const { text, groups } = HELP_TOPICS[name];
  const entries = OPTION_ENTRIES.filter(
    ([key]) => groups.includes(groupOf(key)) && takesOption('start', key),
  );
  const options = entries.length === 0 ? '' : `\n${section('Options', entries.map(optionRow))}`;
  return `${TOPICS[name]}\n${reflowed(text)}\n${options}`;
}

/** Returns the commands that take an option, if they are few. */
function takersOf([key, definition]: Entry): readonly CommandName[] {
  if (definition.isOfCommand !== true) return [];
  return COMMAND_ENTRIES.map(([name]) => name).filter((name) => takesOption(name, key));
}

/** Resolves to the name of the topic that lists an option; undefined if none does. */
async function topicOf(key: OptionKey): Promise<TopicName | undefined> {
  const { HELP_TOPICS } = await import('../config/help-topics.ts');
  return TOPIC_NAMES.find((name) => HELP_TOPICS[name].groups.includes(groupOf(key)));
}

function flagList(keys: readonly string[]): string {
  return keys.map(flagOf).join(', ');
}

/** Returns the example of a form; its placeholder if the example is long. */
function exampleValue({ example, placeholder }: ValueForm<unknown>): string {
  return example.length > MAXIMUM_EXAMPLE ? placeholder : example;
}

/** Resolves to the help text of an option: its effect, its values, and all ways to set it. */
async function optionText(topic: OptionTopic): Promise<string> {
  const entry = optionWithFlag(topic);
  if (entry === undefined) throw new Error(`no option has the flag ${topic}`);
  const [key, definition] = entry;
  const { aliases = [], needs = [], needsOneOf = [], conflicts = [] } = definition;
  const takers = takersOf(entry);
  const isQuestion = definition.kind === 'switch' && definition.isQuestion === true;
  const value = definition.kind === 'switch' ? 'true' : exampleValue(definition.form);
  const written = /^([\d.]+|true|".*")$/.test(value) ? value : JSON.stringify(value);
  const list = definition.kind === 'list' ? 'yes' : null;
  const named = await topicOf(key);
  const rows: readonly (readonly [string, string | null])[] = [
    ['Value', definition.kind === 'switch' ? null : allowedBy(definition)],
    ['Default', definition.kind === 'switch' ? 'off' : defaultOf(definition)],
    ['Repeatable', list],
    ['Other names', aliases.length === 0 ? null : aliases.map((alias) => `--${alias}`).join(', ')],
    ['Commands', takers.length === 0 ? null : takers.join(', ')],
    ['Environment', isQuestion ? null : `${variableOf(key)}=${value}`],
    ['File', isQuestion || takers.length > 0 ? null : `{ "${key}": ${written} }`],
    ['Requires', needs.length === 0 ? null : flagList(needs)],
    ['Requires one of', needsOneOf.length === 0 ? null : flagList(needsOneOf)],
    ['Not with', conflicts.length === 0 ? null : flagList(conflicts)],
    ['Topic', named === undefined ? null : `node-cli help ${named}`],
  ];
  const known = rows.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
  return `${flagsOf(key, definition)}\n\n${definition.description}.\n\n${table(known)}`;
}

/** Returns the help text of a command or of a group of commands. */
export function helpText(topic: CommandName | CommandGroup = 'start'): string {
  if (isCommandGroup(topic)) return groupText(topic);
  return topic === 'start' ? overview() : commandText(topic);
}

/** Resolves to the help text about a topic, a command or an option. */
export async function helpAbout(topic: HelpTopic): Promise<string> {
  if (topic === ALL_OPTIONS) return allOptions();
  if (isOptionTopic(topic)) return optionText(topic);
  return isTopic(topic) ? topicText(topic) : helpText(topic);
}

/** Returns the option that a word means in `help`, with or without dashes; undefined if unknown. */
export function optionTopic(word: string): OptionTopic | undefined {
  const flag = word.startsWith('-') ? word : flagOf(word);
  const [name = flag] = flag.split('=', 1);
  if (name === ALL_OPTIONS) return ALL_OPTIONS;
  const entry = optionWithFlag(name);
  return entry === undefined ? undefined : (flagOf(entry[0]) as OptionTopic);
}
