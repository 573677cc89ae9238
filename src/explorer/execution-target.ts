/** The executions that the node can run again: transactions, failures and calls. */

/** A call with the parameters of `inspect_call`. */
export interface CallTarget {
  readonly call: Readonly<Record<string, string>>;
  readonly block: string;
  readonly hardfork?: string;
}

/** A transaction hash, the number of a failure, or a call. */
export type Target = string | number | CallTarget;

/** The subject and the query of a view's URL. */
export interface TargetPlace {
  readonly subject: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns the parameter `target` of the inspection methods. */
export function targetParameter(target: Target): unknown {
  return typeof target === 'number' ? { failure: target } : target;
}

/** Returns the place of a target in the URL of the debug view. */
export function targetPlace(target: Target): TargetPlace {
  if (typeof target === 'string') return { subject: `tx/${target}`, query: {} };
  if (typeof target === 'number') return { subject: `failure/${target}`, query: {} };
  return { subject: 'call', query: { call: JSON.stringify(target) } };
}

const HASH = /^0x[0-9a-f]{64}$/i;
const NUMBER = /^[1-9]\d{0,14}$/;

function isCallTarget(value: unknown): value is CallTarget {
  if (typeof value !== 'object' || value === null) return false;
  return 'call' in value && typeof value.call === 'object' && 'block' in value;
}

function callIn(text: string): CallTarget | null {
  try {
    const value: unknown = JSON.parse(text);
    return isCallTarget(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Returns the target in the URL of the debug view; `null` if the URL names none. */
export function targetAt(subject: string, query: URLSearchParams): Target | null {
  const [kind = '', id = '', ...rest] = subject.split('/');
  if (rest.length > 0) return null;
  if (kind === 'tx') return HASH.test(id) ? id : null;
  if (kind === 'failure') return NUMBER.test(id) ? Number(id) : null;
  return kind === 'call' && id === '' ? callIn(query.get('call') ?? '') : null;
}
