import packageJson from '../../package.json' with { type: 'json' };
import { kebabCase, type OptionDefinition } from './option-definition.ts';
import { ACCOUNT_OPTIONS } from './options/account-options.ts';
import { CHAIN_OPTIONS } from './options/chain-options.ts';
import { DEBUG_OPTIONS } from './options/debug-options.ts';
import { FORK_OPTIONS } from './options/fork-options.ts';
import { MEASURING_OPTIONS } from './options/measuring-options.ts';
import { MINING_OPTIONS } from './options/mining-options.ts';
import { COMPAT_OPTIONS, OUTPUT_OPTIONS, PROGRAM_OPTIONS } from './options/output-options.ts';
import { PARENT_CHAIN_OPTIONS } from './options/parent-chain-options.ts';
import { SERVER_OPTIONS } from './options/server-options.ts';
import { STATE_OPTIONS } from './options/state-options.ts';
import { RUNNING_NODE_OPTIONS, TRACE_OPTIONS } from './options/trace-options.ts';
import type { ValueForm } from './value-form.ts';

/** The options by group, in the order of the full help. */
export const OPTION_GROUPS = {
  Server: SERVER_OPTIONS,
  Accounts: ACCOUNT_OPTIONS,
  Chain: CHAIN_OPTIONS,
  Fork: FORK_OPTIONS,
  State: STATE_OPTIONS,
  Mining: MINING_OPTIONS,
  'Parent chain': PARENT_CHAIN_OPTIONS,
  Compat: COMPAT_OPTIONS,
  Output: OUTPUT_OPTIONS,
  'Gas and coverage': MEASURING_OPTIONS,
  'Running node': RUNNING_NODE_OPTIONS,
  Trace: TRACE_OPTIONS,
  Debugger: DEBUG_OPTIONS,
  Program: PROGRAM_OPTIONS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, OptionDefinition>>>>;

export type OptionGroup = keyof typeof OPTION_GROUPS;

export const GROUP_NAMES = Object.keys(OPTION_GROUPS) as readonly OptionGroup[];

export function groupOf(key: OptionKey): OptionGroup {
  return GROUP_NAMES.find((group) => Object.hasOwn(OPTION_GROUPS[group], key)) as OptionGroup;
}

type KeyOf<Group> = Group extends unknown ? keyof Group : never;

type Merged<Group> = {
  readonly [Key in KeyOf<Group>]: Group extends Readonly<Record<Key, infer Definition>> ? Definition : never;
};

/** All options by key. Flags and variables derive from the keys. */
export const OPTIONS: Merged<(typeof OPTION_GROUPS)[OptionGroup]> = Object.assign(
  {},
  ...Object.values(OPTION_GROUPS),
);

export type OptionKey = keyof typeof OPTIONS;

type ValueOf<Definition> = Definition extends { kind: 'switch' }
  ? boolean
  : Definition extends { kind: 'list'; form: ValueForm<infer Value> }
    ? readonly Value[]
    : Definition extends { kind: 'value'; default: null; form: ValueForm<infer Value> }
      ? Value | null
      : Definition extends { kind: 'value'; form: ValueForm<infer Value> }
        ? Value
        : never;

/** All options with their values. Bytes, wei and gas have internal types. */
export type NodeOptions = { readonly [Key in OptionKey]: ValueOf<(typeof OPTIONS)[Key]> } & {
  /** The keys of given and implied options. */
  readonly given: ReadonlySet<string>;
};

/** In the order of their declaration. */
export const OPTION_ENTRIES: readonly (readonly [OptionKey, OptionDefinition])[] = Object.entries(
  OPTIONS,
).map(([key, definition]) => [key as OptionKey, definition]);

/** Computed once, because each start searches all flags. */
const FLAGS: ReadonlyMap<string, string> = new Map(
  OPTION_ENTRIES.map(([key]) => [key, `--${kebabCase(key)}`]),
);

/** Returns the long flag of an option: `--block-time`. */
export function flagOf(key: string): string {
  return FLAGS.get(key) ?? `--${kebabCase(key)}`;
}

/** Returns the flags of an option: its own one and the aliases of peers. */
export function flagsFor([key, { aliases = [] }]: readonly [string, OptionDefinition]): readonly string[] {
  return [flagOf(key), ...aliases.map((alias) => `--${alias}`)];
}

const ENTRIES_BY_FLAG: ReadonlyMap<string, (typeof OPTION_ENTRIES)[number]> = new Map(
  OPTION_ENTRIES.flatMap((entry) => {
    const { short } = entry[1];
    const flags = short === undefined ? flagsFor(entry) : [...flagsFor(entry), `-${short}`];
    return flags.map((flag) => [flag, entry] as const);
  }),
);

/** Returns the option of a long flag, or of `-` and a letter; `undefined` if unknown. */
export function optionWithFlag(flag: string): (typeof OPTION_ENTRIES)[number] | undefined {
  return ENTRIES_BY_FLAG.get(flag);
}

/** The process's environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the keys of an option in a configuration file: its own one and the aliases of peers. */
export function keysFor([key, { aliases = [] }]: readonly [string, OptionDefinition]): readonly string[] {
  const names = aliases.map((alias) =>
    alias.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  return [...new Set([key, ...names])];
}

/** The prefix of the environment variables of options. */
export const VARIABLE_PREFIX = 'NODE_CLI_';

/** Returns the environment variable of an option: `NODE_CLI_BLOCK_TIME`. */
export function variableOf(key: string): string {
  return `${VARIABLE_PREFIX}${kebabCase(key).replaceAll('-', '_').toUpperCase()}`;
}

/** Returns the variables of an option: its own one and the aliases of peers. */
export function variablesFor(entry: readonly [string, OptionDefinition]): readonly string[] {
  return [...new Set(keysFor(entry).map(variableOf))];
}

export const VERSION: string = packageJson.version;
