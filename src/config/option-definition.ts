import type { ValueForm } from './value-form.ts';

/** The option groups of the short help. */
export const COMMON_GROUPS = [
  'Server',
  'Accounts',
  'Chain and mining',
  'Forking and persistence',
  'Output and errors',
] as const;

interface OptionBase {
  /** The group in the short help; absent to omit the option there. */
  readonly common?: (typeof COMMON_GROUPS)[number];
  /**
   * `user` if only the user may set it with `mcp`: files, folders, ports, access, secrets, and options that
   * do not describe the chain. An agent may set the others when it starts a node.
   */
  readonly setBy: 'user' | 'agent';
  /** The effect, in at most 70 characters. */
  readonly description: string;
  /** True for an option of single commands. The node does not accept it. */
  readonly isOfCommand?: true;
  /** The letter of the short form. */
  readonly short?: string;
  /** Names of peers for the same option, without dashes; also valid as variables and in files. */
  readonly aliases?: readonly string[];
  /** Keys of options that conflict with this one. */
  readonly conflicts?: readonly string[];
  /** Reasons for conflicts that are not obvious, by key. Each one is a clause after the other name. */
  readonly conflictReasons?: Readonly<Record<string, string>>;
  /** Keys of options that this one requires. */
  readonly needs?: readonly string[];
  /** Keys of options. This one requires at least one of them. */
  readonly needsOneOf?: readonly string[];
}

/** Default values of other options, by key, in written form. */
export type ImpliedOptions = Readonly<Record<string, string>>;

/** An option with one value. */
export interface ValueOption extends OptionBase {
  readonly kind: 'value';
  readonly form: ValueForm<unknown>;
  /** In written form; `null` for no default. */
  readonly default: string | null;
  /** The behaviour without the option if `default` is null and the behaviour is not obvious. */
  readonly otherwise?: string;
  /** The value of the flag alone. The placeholder of its form is then in brackets. */
  readonly bare?: string;
  /** The implied options by value of this option, or a function of the value in written form. */
  readonly implies?: Readonly<Record<string, ImpliedOptions>> | ((text: string) => ImpliedOptions);
}

/** A repeatable option. Its value may also be a comma-separated list, unless it is taken whole. */
export interface ListOption extends OptionBase {
  readonly kind: 'list';
  /** True if commas belong to the value. */
  readonly isWhole?: true;
  readonly form: ValueForm<unknown>;
  /** The behaviour without the option, if it is not obvious. */
  readonly otherwise?: string;
}

/** An option without a value. */
export interface SwitchOption extends OptionBase {
  readonly kind: 'switch';
  /** True for a request for information, such as `--help`. The environment cannot set it. */
  readonly isQuestion?: true;
  /** The implied options. Implications of values take precedence, unless the switch is decisive. */
  readonly implies?: ImpliedOptions;
  readonly isDecisive?: true;
}

/**
 * The only declaration of an option. Flags, variables, help, types and the README derive from it. Rules about
 * values of several options are in `option-checks.ts`.
 */
export type OptionDefinition = ValueOption | ListOption | SwitchOption;

/** Converts camel case to kebab case: `blockTime` to `block-time`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}
