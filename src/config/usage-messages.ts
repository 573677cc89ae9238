import { maskUrl } from '../fork/upstream/mask-url.ts';
import { nearestWord } from '../primitives/nearest-word.ts';
import { UsageError } from './errors.ts';
import { GANACHE_DEFAULTS, ganacheRemedy } from './ganache-flags.ts';
import type { ListOption, OptionDefinition, ValueOption } from './option-definition.ts';
import { flagOf, flagsFor, OPTION_ENTRIES, type OptionKey, optionWithFlag } from './options.ts';
import type { ValueForm } from './value-form.ts';

/** Flags of peers whose effect node-cli always has: they are accepted and change nothing. */
export const NEEDLESS_FLAGS: Readonly<Record<string, string>> = {
  '--steps-tracing': 'traces always include the steps',
  '--tracing': 'traces always include the steps',
  '--preserve-historical-states': 'dumps always include the states of all blocks',
  '--print-logs': 'console.log output is printed unless --no-console-log is set',
  ...GANACHE_DEFAULTS,
};

const USE_HARDFORK = 'choose the rules with --hardfork';
const OTHER_NETWORK = 'but node-cli has only rules of Rootstock and Ethereum; remove the option';
const SINGLE_THREADED = 'but node-cli is single-threaded; remove the option';
const OWN_CHAIN =
  'but node-cli always runs its own chain; remove the option, or choose the rules with --hardfork';
const NO_COMPILER = 'but node-cli does not compile contracts; remove the option';
const PLAIN_HELP = 'but node-cli prints plain text; remove the option';
const USE_GAS_REPORT = 'pass --gas-report to print the gas of each function';
const USE_COMPAT = 'pass --compat hardhat to get an error if a sent transaction fails';

/**
 * Remedies for flags of Anvil and Hardhat without a meaning here. If a remedy starts with "but", a reason
 * comes first. Flags with the same meaning under another name are `aliases` of that option.
 */
const REMEDIES = {
  Anvil: {
    '--max-persisted-states':
      'but the states of all blocks stay in memory; pass --prune-history to keep only the newest blocks',
    '--cache-path':
      'but the states of all blocks stay in memory; pass --data-dir to store the chain in a directory',
    '--threads': SINGLE_THREADED,
    '--jobs': SINGLE_THREADED,
    '-j': SINGLE_THREADED,
    '-n': OTHER_NETWORK,
    '--evm-version': USE_HARDFORK,
    '--optimism': OTHER_NETWORK,
    '--celo': OTHER_NETWORK,
    '--monad': OTHER_NETWORK,
    '--tempo': OTHER_NETWORK,
    '--tempo.fee-payer': OTHER_NETWORK,
    '--odyssey': USE_HARDFORK,
    '--alphanet': USE_HARDFORK,
    '--md': PLAIN_HELP,
    '--markdown': PLAIN_HELP,
    '--markdown-help': PLAIN_HELP,
    '--allow-local-compiler': NO_COMPILER,
    '--allow-project-env': 'set the options as variables NODE_CLI_… in the shell',
  },
  Hardhat: {
    '--network': OWN_CHAIN,
    '--chain-type': USE_HARDFORK,
    '--tsconfig': NO_COMPILER,
    '--build-profile': NO_COMPILER,
    '--typecheck': NO_COMPILER,
    '--gas-stats': USE_GAS_REPORT,
    '--gas-stats-json': USE_GAS_REPORT,
    '--logging-enabled':
      'but the log is on by default; remove the option, or pass --quiet to turn the log off',
    '--throw-on-transaction-failures': USE_COMPAT,
    '--throw-on-call-failures': USE_COMPAT,
    '--show-stack-traces': 'but the log always includes the errors of contracts; remove the option',
    '--max-memory': 'set NODE_OPTIONS=--max-old-space-size=<megabytes>',
    '--verbosity': 'pass --verbose to print a detailed log',
    '--emoji': 'but node-cli prints no emoji; remove the option',
    '--flamegraph': 'pass --profile <file> to write the gas of each call path',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Returns the error for a flag of a peer without a meaning here; undefined for any other flag. */
function peerFlag(flag: string): UsageError | undefined {
  const own = Object.entries(REMEDIES).find(([, remedies]) => Object.hasOwn(remedies, flag));
  const [peer, remedies] = own ?? ['Ganache', {}];
  const remedy = Object.entries(remedies).find(([name]) => name === flag)?.[1] ?? ganacheRemedy(flag);
  if (remedy === undefined) return undefined;
  const article = peer === 'Anvil' ? 'an' : 'a';
  const separator = remedy.startsWith('but ') ? ', ' : '; ';
  return new UsageError(`${flag} is ${article} ${peer} option${separator}${remedy}`);
}

const MAX_SHOWN_LENGTH = 60;

/** The remedy of messages without a suggestion. */
export const SEE_HELP = 'npx node-cli help --all lists all options';

/**
 * Returns the user's text in quotes, shortened and without terminal sequences. Masks possible secrets in
 * URLs.
 */
export function quoted(given: string): string {
  const text = /\w:\/\//.test(given) ? maskUrls(given) : given;
  return JSON.stringify(text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text);
}

function maskUrls(text: string): string {
  return text.replaceAll(/[a-z][a-z\d+.-]*:\/\/\S+/gi, maskUrl);
}

/** An option with values, and its name in the code. */
export type ValuedEntry = readonly [key: OptionKey, definition: ValueOption | ListOption];

/** Names an option as the user would write it: as a flag, or as a key of an object. */
export type NameOf = (key: string) => string;

/** Returns the name of an option in an object of options: the one that the code uses. */
export function keyName(key: string): string {
  return key;
}

/** Returns the message for two options that conflict. `reason` is a clause after the other name. */
export function conflictText(source: string, otherSource: string, reason?: string): string {
  const why = reason === undefined ? '' : `, ${reason}`;
  return `${source} cannot be used with ${otherSource}${why}; remove one of them`;
}

const BARE_VALUE = /^([\d.]+|true|".*")$/s;

/** Returns an option with its value in the form of its source: a flag, a variable, or a key of an object. */
export function optionText(source: string, value: string): string {
  if (source.startsWith('--')) return `${source} ${value}`;
  if (/^[A-Z]/.test(source)) return `${source}=${value}`;
  // The source of a file's key also contains the name of the file. The written form does not.
  const [key] = source.split(' ');
  return `${key}: ${BARE_VALUE.test(value) ? value : JSON.stringify(value)}`;
}

/** Returns the error for an invalid value of an option. */
export function badValue(source: string, form: ValueForm<unknown>, text: string): UsageError {
  const hint = form.hint(text);
  if (hint !== undefined) return new UsageError(`${source}: unknown ${form.noun} ${quoted(text)}; ${hint}`);
  if (form.choices.length > 0) {
    const nearest = nearestWord(text, form.choices);
    const meant = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    const expected = `expected one of ${form.choices.join(', ')}`;
    return new UsageError(`${source}: unknown ${form.noun} ${quoted(text)}${meant}; ${expected}`);
  }
  const given = form.isSecret ? 'another value (not shown)' : quoted(text);
  return new UsageError(`${source}: expected ${form.allowed}, got ${given}`);
}

/** Returns an option in the form of its source, with the value of its example. */
function exampleOf(source: string, definition: OptionDefinition | undefined): string {
  if (definition !== undefined && definition.kind !== 'switch')
    return optionText(source, definition.form.example);
  return source.startsWith('--') ? source : optionText(source, 'true');
}

/** Returns the error for an option that requires `other`, or one of the others. */
export function missingCompanion(
  source: string,
  [other, ...others]: readonly [string, ...string[]],
  nameOf: NameOf,
): UsageError {
  const name = nameOf(other);
  const companion = exampleOf(name, OPTION_ENTRIES.find(([candidate]) => candidate === other)?.[1]);
  const names = [name, ...others.map(nameOf)].join(' or ');
  return new UsageError(`${source} requires ${names}; add ${companion}`);
}

/** Returns the values of an option, as words that follow "expected". */
export function allowedBy(definition: OptionDefinition): string {
  return definition.kind === 'switch' ? 'true or false' : definition.form.allowed;
}

/** Returns a value as text: strings in quotes, other values by their type. */
function quotedValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** Returns the error for a value of a wrong type. */
export function badKind(source: string, definition: OptionDefinition, value: unknown): UsageError {
  return new UsageError(`${source}: expected ${allowedBy(definition)}, got ${quotedValue(value)}`);
}

/** Returns the error for one option that is given by two of its names. */
export function repeatedOption(source: string, second: string): UsageError {
  return new UsageError(`${source} and ${second} are the same option; remove one of them`);
}

function withoutValue(flag: string): UsageError {
  return new UsageError(`${flag} takes no value; write ${flag} alone`);
}

/** Returns the error for a switch letter with `=`. Commander passes only the part from `=` on. */
export function valueOfLetter(argument = '-'): UsageError {
  return withoutValue(`-${argument.split('=', 1).join('').at(-1)}`);
}

/** Returns the error for an unknown option, or for a flag of a peer. */
export function unknownOption(argument: string): UsageError {
  const [flag = argument] = argument.split('=');
  const known = OPTION_ENTRIES.find((entry) => flagsFor(entry).includes(flag));
  if (known !== undefined || Object.hasOwn(NEEDLESS_FLAGS, flag)) return withoutValue(flag);
  const name = quoted(flag).slice(1, -1);
  return peerFlag(flag) ?? new UsageError(`unknown option ${name}; ${suggestionFor(flag, OPTION_ENTRIES)}`);
}

/** Returns the error for the option of another command. `takesUrl`: the command calls a running node. */
export function optionOfOthers(command: string, flag: string, takesUrl: boolean): UsageError {
  const own = OPTION_ENTRIES.filter(([, { isOfCommand }]) => isOfCommand !== true);
  let hint = `npx node-cli ${command} --help lists its options`;
  if (command === 'start') hint = suggestionFor(flag, own);
  else if (takesUrl && (flag === '--port' || flag === '--host'))
    hint = 'to select a node, pass --url, such as http://127.0.0.1:8545';
  return new UsageError(`${flag} is not an option of ${command}; ${hint}`);
}

/** Returns the option with the nearest name, as a question; if there is none, a hint at the help. */
function suggestionFor(flag: string, entries: typeof OPTION_ENTRIES): string {
  const flags = entries.flatMap(flagsFor).filter((each) => each.startsWith('--'));
  const opposite = flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-');
  const nearest = flags.includes(opposite) ? opposite : nearestWord(flag, flags);
  const meant = nearest === undefined ? undefined : optionWithFlag(nearest);
  if (meant === undefined) return SEE_HELP;
  const [key, definition] = meant;
  const value = definition.kind === 'switch' ? '' : ` ${definition.form.placeholder}`;
  return `did you mean ${flagOf(key)}${value}?`;
}

/** Returns the option of a flag, with or without `=` and a value; undefined for none. */
export function optionNamed(argument: string): (typeof OPTION_ENTRIES)[number] | undefined {
  return optionWithFlag(argument.split('=', 1).join(''));
}

/** Returns the error for an option that is followed by another option instead of its value. */
export function optionForValue([key, { form }]: ValuedEntry, argument: string): UsageError {
  const [flag = argument] = argument.split('=');
  return new UsageError(`${flagOf(key)}: expected ${form.allowed}, got the option ${flag}`);
}

/** Returns the error for an option without its value at the end of the line. */
export function missingValue(lastArgument: string): UsageError {
  const short = lastArgument.startsWith('--') ? undefined : lastArgument.at(-1);
  const found = OPTION_ENTRIES.find((entry) =>
    short === undefined ? flagsFor(entry).includes(lastArgument) : entry[1].short === short,
  );
  if (found === undefined || found[1].kind === 'switch')
    return new UsageError(`${lastArgument}: missing value`);
  const [key, { form }] = found;
  return new UsageError(`${flagOf(key)}: missing value; expected ${form.allowed}`);
}
