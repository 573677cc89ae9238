import { maskUrl } from '../fork/upstream/mask-url.ts';
import { nearestWord } from '../primitives/nearest-word.ts';
import { UsageError } from './errors.ts';
import { GANACHE_DEFAULTS, ganacheRemedy } from './ganache-flags.ts';
import type { ListOption, OptionDefinition, ValueOption } from './option-definition.ts';
import { flagOf, flagsFor, OPTION_ENTRIES, type OptionKey, optionWithFlag } from './options.ts';
import type { ValueForm } from './value-form.ts';

/**
 * Flags of Anvil's command line, of Hardhat's `node` and of Ganache, and settings of Hardhat's network written as flags, that
 * this one has under no name (those that it has under another one are `aliases` of that option).
 */

/** Flags that ask for what is so in any case: they are taken and change nothing. */
export const NEEDLESS_FLAGS: Readonly<Record<string, string>> = {
  '--steps-tracing': 'traces hold their steps in any case',
  '--tracing': 'traces hold their steps in any case',
  '--preserve-historical-states': 'dumps hold the states of all blocks in any case',
  '--print-logs': 'console.log is printed unless --no-console-log is given',
  ...GANACHE_DEFAULTS,
};

const OTHER_CHAINS = 'the rules of a chain are chosen with --hardfork';

const ONE_THREAD = 'one thread is all that the node needs; leave it out';
const OWN_CHAIN = 'the node is a chain of its own; leave it out, or choose the rules with --hardfork';
const COMPILES_NOTHING = 'the node compiles nothing; leave it out';
const GAS_REPORT = 'give --gas-report for what functions cost';
const THROWS = 'give --compat hardhat, with which a transaction that fails is answered with an error';

/** Flags for what is not here, with what to do instead. */
const PEER_FLAGS: Readonly<Record<string, string>> = {
  '--number': 'give the number of the first block in the file of --init',
  '--slots-in-an-epoch': 'the blocks safe and finalized are the newest one',
  '--ipc': 'call over HTTP or WebSocket, which --port serves',
  '--ipcpath': 'call over HTTP or WebSocket, which --port serves',
  '--max-persisted-states':
    'states are kept in memory; give --prune-history to keep those of the newest blocks',
  '--cache-path': 'give --fork-cache-dir for what is kept of a fork, --data-dir for the chain',
  '--max-transactions': 'give --gas-limit to bound what a block takes',
  '--disable-block-gas-limit': 'give --gas-limit a number as large as need be',
  '--disable-gas-limit': 'give --gas-limit a number as large as need be',
  '--memory-limit': 'an execution may use 384 MiB, and halts beyond; leave it out',
  '--disable-min-priority-fee': 'give --gas-price for what eth_gasPrice suggests',
  '--no-priority-fee': 'give --gas-price for what eth_gasPrice suggests',
  '--print-traces': 'ask debug_traceTransaction or debug_traceCall for a trace',
  '--enable-trace-printing': 'ask debug_traceTransaction or debug_traceCall for a trace',
  '--disable-pool-balance-checks': 'give the sender a balance with anvil_setBalance',
  '--no-cors': 'pages of other machines are refused unless --allow-origin names their origin',
  '--no-request-size-limit': 'give --body-limit a number of bytes',
  '--color': 'leave out colours with --no-color',
  '--threads': ONE_THREAD,
  '--jobs': ONE_THREAD,
  '-j': ONE_THREAD,
  '--network': OWN_CHAIN,
  '-n': OWN_CHAIN,
  '--evm-version': OTHER_CHAINS,
  '--optimism': OTHER_CHAINS,
  '--celo': OTHER_CHAINS,
  '--tempo': OTHER_CHAINS,
  '--tempo.fee-payer': OTHER_CHAINS,
  '--odyssey': OTHER_CHAINS,
  '--alphanet': OTHER_CHAINS,
  '--chain-type': OTHER_CHAINS,
  '--tsconfig': COMPILES_NOTHING,
  '--build-profile': COMPILES_NOTHING,
  '--typecheck': COMPILES_NOTHING,
  '--gas-stats': GAS_REPORT,
  '--gas-stats-json': GAS_REPORT,
  '--logging-enabled': 'the log is on; leave it out, or give --quiet for none',
  '--throw-on-transaction-failures': THROWS,
  '--throw-on-call-failures': THROWS,
  '--show-stack-traces': 'errors of contracts are in the log; leave it out',
  '--max-memory': 'give it to Node: NODE_OPTIONS=--max-old-space-size=<megabytes>',
  '--verbosity': 'give --verbose for all that the log can show',
  '--md': 'node-cli help prints plain text; leave it out',
  '--emoji': 'leave it out',
  '--flamegraph': 'give --profile for what gas is used on, call path by call path',
};

/** Returns what to do instead of a flag of a peer that is not here; `undefined` for any other flag. */
function insteadOf(flag: string): string | undefined {
  return Object.hasOwn(PEER_FLAGS, flag) ? PEER_FLAGS[flag] : ganacheRemedy(flag);
}

const LONGEST_SHOWN = 60;

/** Ends the messages that have nothing nearer to suggest. */
export const SEE_HELP = 'node-cli --help lists all options';

/**
 * Returns the user's text in quotes, without control sequences of terminals, and not too long. Parts of URLs that may be
 * secret are masked.
 */
export function quoted(given: string): string {
  const text = /\w:\/\//.test(given) ? maskUrls(given) : given;
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
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

const BARE_VALUE = /^([\d.]+|true|".*")$/s;

/** Returns an option with its value as it is written where `source` is: a flag, a variable, or a key of an object. */
export function optionText(source: string, value: string): string {
  if (source.startsWith('--')) return `${source} ${value}`;
  if (/^[A-Z]/.test(source)) return `${source}=${value}`;
  // A key of a file is named with the file, where it is not written.
  const [key] = source.split(' ');
  return `${key}: ${BARE_VALUE.test(value) ? value : JSON.stringify(value)}`;
}

/** Returns the error for a value that is not of the option's form. */
export function badValue(source: string, form: ValueForm<unknown>, text: string): UsageError {
  const nearest = nearestWord(text, form.choices);
  const suggestion =
    nearest === undefined
      ? `for example ${optionText(source, form.example)}`
      : `did you mean ${optionText(source, nearest)}?`;
  return new UsageError(
    `${source} takes ${form.allowed}, not ${form.isSecret ? 'what was given' : quoted(text)}; ${suggestion}`,
  );
}

/** Returns an option as it may be written where `source` is, with the value of its example. */
function exampleOf(source: string, definition: OptionDefinition | undefined): string {
  if (definition !== undefined && definition.kind !== 'switch')
    return optionText(source, definition.form.example);
  return source.startsWith('--') ? source : optionText(source, 'true');
}

/** Returns the error for an option of that source that means nothing without `other`, or one of the others. */
export function missingCompanion(
  source: string,
  definition: OptionDefinition,
  [other, ...others]: readonly [string, ...string[]],
  nameOf: NameOf,
): UsageError {
  const name = nameOf(other);
  const companion = exampleOf(name, OPTION_ENTRIES.find(([candidate]) => candidate === other)?.[1]);
  const pair = [exampleOf(source, definition), companion].join(name === other ? ', ' : ' ');
  const names = [name, ...others.map(nameOf)].join(' or ');
  return new UsageError(`${source} needs ${names}; for example ${pair}`);
}

/** Returns the values that an option takes, in words that follow "takes". */
export function allowedBy(definition: OptionDefinition): string {
  return definition.kind === 'switch' ? 'true or false' : definition.form.allowed;
}

/** Returns a value that no option has in words: a text in quotes, or the type where there is no safe text. */
function quotedValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  return value === null || typeof value === 'boolean' ? String(value) : `a value of type ${typeof value}`;
}

/** Returns the error for a value of a type that the option never has. */
export function badKind(source: string, definition: OptionDefinition, value: unknown): UsageError {
  const example = definition.kind === 'switch' ? 'true' : definition.form.example;
  return new UsageError(
    `${source} takes ${allowedBy(definition)}, not ${quotedValue(value)}; for example ${optionText(source, example)}`,
  );
}

/** Returns the error for one option that is given by two of its names. */
export function givenTwice(source: string, second: string): UsageError {
  return new UsageError(`${source} and ${second} are the same option; leave one of them out`);
}

function withoutValue(flag: string): UsageError {
  return new UsageError(`${flag} takes no value; write ${flag} alone`);
}

/** Returns the error for the letter of a switch with `=` behind it, of which commander leaves only what is from there on. */
export function valueOfLetter(argument = '-'): UsageError {
  return withoutValue(`-${argument.split('=', 1).join('').at(-1)}`);
}

/** Returns the error for an argument that looks like an option and is none. */
export function unknownOption(argument: string): UsageError {
  const [flag = argument] = argument.split('=');
  const known = OPTION_ENTRIES.find((entry) => flagsFor(entry).includes(flag));
  if (known !== undefined || Object.hasOwn(NEEDLESS_FLAGS, flag)) return withoutValue(flag);
  const instead = insteadOf(flag);
  if (instead !== undefined) return new UsageError(`there is no option ${flag} here; ${instead}`);
  const name = quoted(flag).slice(1, -1);
  return new UsageError(`unknown option ${name}; ${suggestionFor(flag, OPTION_ENTRIES)}`);
}

/** Returns the error for the option of another command; the node itself may have one whose name is near. */
export function optionOfOthers(command: string, flag: string): UsageError {
  const own = OPTION_ENTRIES.filter(([, { isOfCommand }]) => isOfCommand !== true);
  const hint =
    command === 'start' ? suggestionFor(flag, own) : `node-cli ${command} --help lists what it takes`;
  return new UsageError(`${command} does not take ${flag}; ${hint}`);
}

/** Returns the option that was most likely meant, as a question; the help where none is near. */
function suggestionFor(flag: string, entries: typeof OPTION_ENTRIES): string {
  const flags = entries.map(([key]) => flagOf(key));
  const opposite = flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-');
  const nearest = flags.includes(opposite) ? opposite : nearestWord(flag, flags);
  const meant = entries.find(([key]) => flagOf(key) === nearest);
  if (meant === undefined) return SEE_HELP;
  const [key, definition] = meant;
  const value =
    definition.kind === 'switch'
      ? ' (takes no value)'
      : ` ${definition.form.placeholder} (takes ${definition.form.allowed})`;
  return `did you mean ${flagOf(key)}${value}?`;
}

/** Returns the option whose flag an argument is, without a value behind `=`; `undefined` when there is none. */
export function optionNamed(argument: string): (typeof OPTION_ENTRIES)[number] | undefined {
  return optionWithFlag(argument.split('=', 1).join(''));
}

/** Returns the error for an option that is followed by another one in the place of its value. */
export function optionForValue([key, { form }]: ValuedEntry, argument: string): UsageError {
  const [flag = argument] = argument.split('=');
  const example = optionText(flagOf(key), form.example);
  return new UsageError(
    `${flagOf(key)} takes ${form.allowed}, not the option ${flag}; for example ${example}`,
  );
}

/** Returns the error for an option at the end of the line that should be followed by its value. */
export function missingValue(lastArgument: string): UsageError {
  const short = lastArgument.startsWith('--') ? undefined : lastArgument.at(-1);
  const found = OPTION_ENTRIES.find((entry) =>
    short === undefined ? flagsFor(entry).includes(lastArgument) : entry[1].short === short,
  );
  if (found === undefined || found[1].kind === 'switch')
    return new UsageError(`${lastArgument} needs a value`);
  const [key, { form }] = found;
  return new UsageError(
    `${flagOf(key)} takes ${form.allowed}; for example ${optionText(flagOf(key), form.example)}`,
  );
}
