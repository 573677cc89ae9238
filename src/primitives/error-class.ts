import {
  CodedError,
  type ErrorEntry,
  type ExitEntry,
  ExitError,
  type FilledEntry,
  fill,
} from './coded-error.ts';

type Tail<Parts extends readonly unknown[]> = Parts extends readonly [unknown, ...infer Rest] ? Rest : never;

/** The parameters of an error: the values of its message, if the message has placeholders. */
type ErrorParts<Entry extends ErrorEntry | ExitEntry> =
  Tail<Parameters<typeof fill<Entry>>> extends [infer Values] ? [values: Values, options?: ErrorOptions] : [];

/** The base class of one error class. It has the entry of the error. */
export interface ErrorBase<Entry extends ErrorEntry | ExitEntry, Instance> {
  readonly entry: Entry;
  new (...parts: ErrorParts<Entry>): Instance;
}

/** Returns a subclass of `parent` with an entry of the catalogue. Its constructor completes the message. */
export function errorBase<Entry extends ErrorEntry | ExitEntry, Instance extends Error>(
  parent: abstract new (filled: FilledEntry<Entry>, options?: ErrorOptions) => Instance,
  entry: Entry,
): ErrorBase<Entry, Instance> {
  const Parent: abstract new (filled: FilledEntry<Entry>, options?: ErrorOptions) => Error = parent;
  const fillEntry = fill<Entry> as (entry: Entry, values?: unknown) => FilledEntry<Entry>;
  const Base = class extends Parent {
    static readonly entry = entry;

    constructor(values?: unknown, options?: ErrorOptions) {
      super(fillEntry(entry, values), options);
    }
  };
  return Base as unknown as ErrorBase<Entry, Instance>;
}

/** Returns the base class of an error with a JSON-RPC code. */
export function codedError<const Entry extends ErrorEntry>(entry: Entry): ErrorBase<Entry, CodedError> {
  return errorBase<Entry, CodedError>(CodedError, entry);
}

/** Returns the base class of an error that ends the process with an exit code. */
export function exitError<const Entry extends ExitEntry>(entry: Entry): ErrorBase<Entry, ExitError> {
  return errorBase<Entry, ExitError>(ExitError, entry);
}
