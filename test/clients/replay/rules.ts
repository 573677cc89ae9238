/** Thrown if a client's own decoder would reject a value. */
export class RejectedValueError extends Error {
  constructor(path: string, expected: string, value: unknown) {
    super(`${path}: the client expects ${expected}, got ${JSON.stringify(value)}`);
  }
}

/** Throws `RejectedValueError` for a value that the client's decoder rejects. */
export type Rule = (value: unknown, path: string) => void;

export function rule(expected: string, accepts: (value: unknown) => boolean): Rule {
  return (value, path) => {
    if (!accepts(value)) throw new RejectedValueError(path, expected, value);
  };
}

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

/** Any value. */
export const anything: Rule = () => {};

export const text = rule('a string', (value) => typeof value === 'string');
export const flag = rule('a boolean', (value) => typeof value === 'boolean');
/** An integer as a JSON number. */
export const integer = rule('an integer', (value) => Number.isSafeInteger(value));
/** Digits of an integer after `0x`. */
export const quantity = rule('a hexadecimal integer', (value) => isText(value, /^0x[0-9a-f]+$/i));
export const address = rule('20 bytes', (value) => isText(value, /^0x[0-9a-f]{40}$/i));
/** Bytes of any length. */
export const data = rule('bytes', (value) => isText(value, /^0x(?:[0-9a-f]{2})*$/i));

/** Exactly `length` bytes. */
export function bytes(length: number): Rule {
  return rule(`${length} bytes`, (value) => isText(value, new RegExp(`^0x[0-9a-f]{${length * 2}}$`, 'i')));
}

/** At most `length` bytes; half a byte is padded. */
export function upTo(length: number): Rule {
  return rule(`at most ${length} bytes`, (value) =>
    isText(value, new RegExp(`^0x[0-9a-f]{0,${length * 2}}$`, 'i')),
  );
}

export function nullable(inner: Rule): Rule {
  return (value, path) => {
    if (value !== null) inner(value, path);
  };
}

export function list(inner: Rule): Rule {
  return (value, path) => {
    if (!Array.isArray(value)) throw new RejectedValueError(path, 'a list', value);
    for (const [index, item] of value.entries()) inner(item, `${path}[${index}]`);
  };
}

export function either(first: Rule, second: Rule): Rule {
  return (value, path) => {
    try {
      first(value, path);
    } catch (error) {
      if (!(error instanceof RejectedValueError)) throw error;
      second(value, path);
    }
  };
}

/** An object whose `required` fields exist. Each field that exists passes its rule; other fields are ignored. */
export function object(fields: Readonly<Record<string, Rule>>, required: readonly string[] = []): Rule {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new RejectedValueError(path, 'an object', value);
    const found = new Map(Object.entries(value));
    for (const name of required)
      if (!found.has(name)) throw new RejectedValueError(`${path}.${name}`, 'a value', undefined);
    for (const [name, field] of Object.entries(fields))
      if (found.has(name)) field(found.get(name), `${path}.${name}`);
  };
}

/** The values of an object by any key. */
export function record(inner: Rule): Rule {
  return (value, path) => {
    object({})(value, path);
    for (const [name, item] of Object.entries(value as object)) inner(item, `${path}.${name}`);
  };
}
