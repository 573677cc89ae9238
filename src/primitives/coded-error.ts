/** An error in the catalogue: one row of the page "Error codes". */
export interface ErrorEntry {
  /** Stable and unique. Clients may compare it, unlike the message. */
  readonly name: string;
  /** The JSON-RPC code. */
  readonly code: number;
  /** The message. Each `{name}` is replaced by a value. */
  readonly message: string;
  /** The module whose README explains the error. */
  readonly page: string;
}

/** The entry of an error that ends the process: it has an exit code in place of a JSON-RPC code. */
export type ExitEntry = Omit<ErrorEntry, 'code'> & { readonly exit: number };

/** A catalogue entry with its complete message. */
export interface FilledEntry<Entry extends ErrorEntry | ExitEntry = ErrorEntry> {
  readonly entry: Entry;
  readonly message: string;
}

type Placeholder<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type Value = string | number | bigint;

/** The values of a template: one for each placeholder. Empty if it has none. */
type Values<Template extends string> = [Placeholder<Template>] extends [never]
  ? []
  : [values: { readonly [Name in Placeholder<Template>]: Value }];

/** Returns the entry with its message. Each placeholder of the message is replaced by its value. */
export function fill<const Entry extends ErrorEntry | ExitEntry>(
  entry: Entry,
  ...[values]: Values<Entry['message']>
): FilledEntry<Entry> {
  if (values === undefined) return { entry, message: entry.message };
  const filled = (_: string, name: string): string => String(Reflect.get(values, name));
  return { entry, message: entry.message.replaceAll(/\{(\w+)\}/g, filled) };
}

/** Returns the name of an error's class. The bundler puts `_` before the name of a class that refers to itself. */
function classNameOf(error: Error): string {
  return error.constructor.name.replace(/^_/, '');
}

/**
 * An error that is reported to the client with its JSON-RPC code. Each module declares its own subclasses in `errors.ts`. Any other
 * error is a bug of the node and is reported as -32603.
 */
export abstract class CodedError extends Error {
  readonly code: number;
  /** More about the error, fit for JSON; `undefined` if absent. */
  readonly data: unknown = undefined;
  readonly #entry: ErrorEntry;

  constructor({ entry, message }: FilledEntry, options?: ErrorOptions) {
    super(message, options);
    this.code = entry.code;
    this.#entry = entry;
  }

  get entry(): ErrorEntry {
    return this.#entry;
  }

  override get name(): string {
    return classNameOf(this);
  }
}

/** An error that ends the process with an exit code. The library rejects with it. The message is one line for the user. */
export abstract class ExitError extends Error {
  readonly #exit: number;

  constructor({ entry, message }: FilledEntry<ExitEntry>, options?: ErrorOptions) {
    super(message, options);
    this.#exit = entry.exit;
  }

  get exit(): number {
    return this.#exit;
  }

  override get name(): string {
    return classNameOf(this);
  }
}
