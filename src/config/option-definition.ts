import type { ValueForm } from './value-form.ts';

/** The headings of the options in full lists. */
export const OPTION_GROUPS = [
  'Server',
  'Accounts',
  'Chain',
  'Fork',
  'State',
  'Mining',
  'Compat',
  'Output',
  'Gas and coverage',
  'Running node',
  'Trace',
  'Program',
] as const;

/** The headings of the options in the short help. */
export const COMMON_GROUPS = [
  'Server',
  'Accounts',
  'Chain and mining',
  'Forking and persistence',
  'Output and errors',
] as const;

interface OptionBase {
  readonly group: (typeof OPTION_GROUPS)[number];
  /** Its heading in the short help, which leaves out all options without one. */
  readonly common?: (typeof COMMON_GROUPS)[number];
  /**
   * Who may set it in `node-cli mcp`. Only the user may set an option that names a file or folder, listens, opens the node, holds a
   * secret, or is no property of the chain. An agent may set all others too, when it starts a node.
   */
  readonly setBy: 'user' | 'agent';
  /** The effect, in at most 70 characters. */
  readonly description: string;
  /** It belongs to commands that name it; the node itself does not take it. */
  readonly isOfCommand?: true;
  /** The letter of the short form. */
  readonly short?: string;
  /** Flags, without their dashes, by which peers know the same option; they stand for it also as variables and in files. */
  readonly aliases?: readonly string[];
  /** Keys of options that cannot be given together with this one. */
  readonly conflicts?: readonly string[];
  /** The reasons for conflicts that are not plain, by the key of the other option, as clauses that follow its name. */
  readonly conflictReasons?: Readonly<Record<string, string>>;
  /** Keys of options without which this one means nothing. */
  readonly needs?: readonly string[];
  /** Keys of options of which one at least must be given for this one to mean anything. */
  readonly needsOneOf?: readonly string[];
}

/** Values of other options, by key and as they would be written, that hold where those are not given. */
export type ImpliedOptions = Readonly<Record<string, string>>;

/** A list whose different values a number must have room for. */
export interface RoomFor {
  /** Key of the list option. */
  readonly list: string;
  /** Key of the switch without which there need not be room. */
  readonly where: string;
  /** The reason, as a clause that follows a semicolon. */
  readonly because: string;
}

/** The value that another option must have for an option to mean anything. */
export interface OnlyWith {
  /** Key of the other option. */
  readonly option: string;
  /** Its values with which the option means something. */
  readonly values: readonly string[];
  /** The advice for all its other values. */
  readonly otherwise: string;
}

/** An option with one value. */
export interface ValueOption extends OptionBase {
  readonly kind: 'value';
  readonly form: ValueForm<unknown>;
  /** As it would be written; `null` for none. */
  readonly default: string | null;
  /** The behaviour without the option if `default` is null and the behaviour is not obvious. */
  readonly otherwise?: string;
  /** The value that it has where its flag is written alone; such a value is in brackets in the form's placeholder. */
  readonly bare?: string;
  /** By a value of this option: keys of options that cannot be given together with that value. */
  readonly valueConflicts?: Readonly<Record<string, readonly string[]>>;
  /** By a value of this option: the options that it implies. */
  readonly valueImplies?: Readonly<Record<string, ImpliedOptions>>;
  /** Key of an option whose value this one's, wei or gas both, must reach where it is given. */
  readonly notBelow?: string;
  /** The value that another option must have for this one to mean anything. */
  readonly onlyWith?: OnlyWith;
  /** The list option whose different values this one's value, a number, must have room for where a switch is given. */
  readonly roomFor?: RoomFor;
}

/** An option that may be given several times, or once with commas unless it is taken whole. */
export interface ListOption extends OptionBase {
  readonly kind: 'list';
  /** A comma is part of the value. */
  readonly isWhole?: true;
  readonly form: ValueForm<unknown>;
  /** The behaviour without the option, if it is not obvious. */
  readonly otherwise?: string;
}

/** An option without a value. */
export interface SwitchOption extends OptionBase {
  readonly kind: 'switch';
  /** It asks about the program instead of setting the node, so the environment cannot give it. */
  readonly isQuestion?: true;
  /** The options that it implies; those that values of options imply go before them. */
  readonly implies?: ImpliedOptions;
}

/** One option in its only declaration: flags, environment variables, help, types and the README come from it. */
export type OptionDefinition = ValueOption | ListOption | SwitchOption;

/** Returns a camel-case name in lower case with hyphens: `blockTime` as `block-time`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}
