import { COMMAND_ENTRIES, type CommandName, TOPIC_NAMES, takesOption } from '../../config/commands.ts';
import { UsageError } from '../../config/errors.ts';
import type { OptionDefinition } from '../../config/option-definition.ts';
import { flagOf, OPTION_ENTRIES } from '../../config/options.ts';
import { quoted } from '../../config/usage-messages.ts';
import { nearestWord } from '../../primitives/nearest-word.ts';
import { type Command, EXIT_CODES } from '../command.ts';

/** A flag in the form that the shell scripts need. */
interface Flag {
  readonly long: string;
  /** The letter of the short form; `null` if the flag has none. */
  readonly short: string | null;
  readonly description: string;
  /** The argument of the flag: no argument, one of these words, a path, or free text. */
  readonly value: readonly string[] | 'none' | 'file' | 'text';
}

const PATHS = ['<file>', '<dir>'];

function valueKind(definition: OptionDefinition): Flag['value'] {
  if (definition.kind === 'switch') return 'none';
  const { choices, placeholder } = definition.form;
  if (choices.length > 0) return choices;
  return PATHS.includes(placeholder) ? 'file' : 'text';
}

function flagsOf(command: CommandName): Flag[] {
  return OPTION_ENTRIES.filter(([key]) => takesOption(command, key)).map(([key, definition]) => ({
    long: flagOf(key),
    short: definition.short ?? null,
    description: definition.description,
    value: valueKind(definition),
  }));
}

/** Returns the second words of each command by its first word. The list is empty for commands of one word. */
function commandTree(): ReadonlyMap<string, readonly string[]> {
  const tree = new Map<string, string[]>();
  for (const [name] of COMMAND_ENTRIES) {
    const [first = name, second] = name.split(' ');
    const seconds = tree.get(first) ?? [];
    tree.set(first, second === undefined ? seconds : [...seconds, second]);
  }
  return tree;
}

/** Returns the options of all commands with this first word. */
function flagsAfter(word: string): readonly Flag[] {
  const commands = COMMAND_ENTRIES.filter(([name]) => name.split(' ')[0] === word);
  const flags = commands.flatMap(([name]) => flagsOf(name));
  return Array.from(new Map(flags.map((flag) => [flag.long, flag])).values());
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

function namesOf({ long, short }: Flag): string[] {
  return short === null ? [long] : [long, `-${short}`];
}

function bashScript(): string {
  const tree = [...commandTree()];
  const all = flagsOf('start');
  const valueCases = all.map((flag) => {
    const names = namesOf(flag).join('|');
    if (flag.value === 'none') return '';
    if (flag.value === 'file') return `    ${names}) COMPREPLY=($(compgen -f -- "$current")); return ;;\n`;
    if (flag.value === 'text') return `    ${names}) COMPREPLY=(); return ;;\n`;
    return `    ${names}) COMPREPLY=($(compgen -W "${flag.value.join(' ')}" -- "$current")); return ;;\n`;
  });
  const flagCases = tree
    .filter(([first]) => first !== 'start')
    .map(([first]) => {
      const flags = flagsAfter(first).flatMap(namesOf).join(' ');
      return `    ${first}) flags="${flags}" ;;\n`;
    });
  const secondCases = tree
    .filter(([, seconds]) => seconds.length > 0)
    .map(([first, seconds]) => `      ${first}) words="${seconds.join(' ')}" ;;\n`);
  const firsts = tree.map(([first]) => first).join(' ');
  return `# Completion of node-cli for bash: source <(node-cli completion bash)
_node_cli() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local flags words
  case "$previous" in
${valueCases.join('')}  esac
  case "\${COMP_WORDS[1]}" in
${flagCases.join('')}    *) flags="${all.flatMap(namesOf).join(' ')}" ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "${firsts}" -- "$current"))
  else
    case "\${COMP_WORDS[1]}" in
${secondCases.join('')}      help) words="${firsts} ${TOPIC_NAMES.join(' ')}" ;;
      completion) words="${SHELLS.join(' ')}" ;;
    esac
    if (( COMP_CWORD == 2 )) && [[ -n "$words" ]]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
    else
      COMPREPLY=($(compgen -f -- "$current"))
    fi
  fi
}
complete -F _node_cli node-cli
`;
}

/** Returns the text in single quotes; `quote` is the shell's escape of a quote. */
function shellQuoted(text: string, quote: string): string {
  return `'${text.replaceAll("'", quote)}'`;
}

/** Returns the argument of a flag in the syntax of zsh's `_arguments`. */
function zshAction(value: Flag['value']): string {
  if (value === 'none') return '';
  if (value === 'file') return ':file:_files';
  return value === 'text' ? ':value:' : `:value:(${value.join(' ')})`;
}

function zshSpec(flag: Flag): string {
  const words = flag.description.replaceAll(/[[\]:\\]/g, '\\$&');
  return namesOf(flag)
    .map((name) => `      ${shellQuoted(`*${name}[${words}]${zshAction(flag.value)}`, `'\\''`)} \\\n`)
    .join('');
}

/** Returns the operands of a command in the syntax of zsh's `_arguments`. */
function zshOperands(first: string, seconds: readonly string[], firsts: readonly string[]): string {
  if (first === 'help') return `'*:command:(${[...firsts, ...TOPIC_NAMES].join(' ')})'`;
  if (first === 'completion') return `'*:shell:(${SHELLS.join(' ')})'`;
  return seconds.length === 0 ? "'*:file:_files'" : `'2:command:(${seconds.join(' ')})' '*:file:_files'`;
}

function zshScript(): string {
  const tree = [...commandTree()];
  const firsts = tree.map(([first]) => first);
  const cases = tree.map(([first, seconds]) => {
    const isLast = first === 'start';
    const specs = flagsAfter(first).map(zshSpec).join('');
    const operands = zshOperands(first, seconds, firsts);
    const pattern = isLast ? 'start|*' : first;
    return { isLast, text: `    ${pattern}) _arguments \\\n${specs}      ${operands} ;;\n` };
  });
  const sorted = [...cases.filter(({ isLast }) => !isLast), ...cases.filter(({ isLast }) => isLast)];
  return `#compdef node-cli
# Completion of node-cli for zsh: source <(node-cli completion zsh)
_node_cli() {
  if (( CURRENT == 2 )) && [[ "\${words[2]}" != -* ]]; then
    compadd -- ${firsts.join(' ')}
    return
  fi
  case "\${words[2]}" in
${sorted.map(({ text }) => text).join('')}  esac
}
if [[ "\${funcstack[1]}" = _node_cli ]]; then _node_cli "$@"; else compdef _node_cli node-cli; fi
`;
}

function fishArgument(value: Flag['value']): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  return value === 'text' ? ' -x' : ` -x -a '${value.join(' ')}'`;
}

function fishFlag({ long, short, description, value }: Flag, condition: string): string {
  const letter = short === null ? '' : ` -s ${short}`;
  const name = long.slice('--'.length);
  const words = shellQuoted(description, "\\'");
  return `complete -c node-cli -n ${condition} -l ${name}${letter}${fishArgument(value)} -d ${words}\n`;
}

function fishScript(): string {
  const tree = [...commandTree()];
  const others = tree.map(([first]) => first).filter((first) => first !== 'start');
  const lines = [
    '# Completion of node-cli for fish: node-cli completion fish | source\n',
    `complete -c node-cli -n __fish_use_subcommand -f -a '${tree.map(([first]) => first).join(' ')}'\n`,
    `complete -c node-cli -n '__fish_seen_subcommand_from help' -f -a '${[...others, ...TOPIC_NAMES].join(' ')}'\n`,
    `complete -c node-cli -n '__fish_seen_subcommand_from completion' -f -a '${SHELLS.join(' ')}'\n`,
  ];
  for (const [first, seconds] of tree) {
    const condition =
      first === 'start'
        ? `'not __fish_seen_subcommand_from ${others.join(' ')}'`
        : `'__fish_seen_subcommand_from ${first}'`;
    if (seconds.length > 0) lines.push(`complete -c node-cli -n ${condition} -a '${seconds.join(' ')}'\n`);
    for (const flag of flagsAfter(first)) lines.push(fishFlag(flag, condition));
  }
  return lines.join('');
}

const SCRIPTS: Readonly<Record<Shell, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints the completion script of a shell. Rejects with {@link UsageError} for an unknown shell. */
export const printCompletion: Command = async ({ operands: [name = ''] }, host) => {
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined) {
    const nearest = nearestWord(name, SHELLS);
    const meant = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    throw new UsageError(`unknown shell ${quoted(name)}${meant}; expected one of ${SHELLS.join(', ')}`);
  }
  await host.print(SCRIPTS[shell]());
  return EXIT_CODES.success;
};
