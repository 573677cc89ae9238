/** The arguments of the requests `launch` and `attach`. */

import { isRecord } from '../../primitives/record.ts';
import { InvalidArgumentError } from './debug-error.ts';
import { type PathMap, styleOf } from './path-mapping.ts';

/** A call to debug, with data or with a function and its arguments. */
export interface LaunchCall {
  readonly to: string;
  readonly data: string | null;
  readonly function: string | null;
  readonly args: readonly unknown[];
  readonly from: string | null;
  /** In wei, or with a unit: `1ether`. */
  readonly value: string | null;
  readonly block: string;
}

export type LaunchTarget =
  | { readonly kind: 'transaction'; readonly hash: string }
  | { readonly kind: 'failure'; readonly number: number | 'last' }
  | { readonly kind: 'call'; readonly call: LaunchCall }
  | { readonly kind: 'test'; readonly name: string };

/** The chain on the node. At most one member is not `null`, because each API key has a chain of its own. */
export interface NodeArguments {
  /** `null` for the base chain. With a test, `null` for the lane of the test. */
  readonly lane: string | null;
  /** An API key. */
  readonly key: string | null;
}

/** `lane` is `null` for the base chain and all lanes. */
export interface AttachArguments extends NodeArguments {
  readonly projectRoot: string;
  readonly pathMap: PathMap;
}

export interface LaunchArguments extends AttachArguments {
  readonly target: LaunchTarget;
  readonly stopOnEntry: boolean;
}

const HASH = /^0x[0-9a-fA-F]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/;
const VALUE = /^(?:0x[0-9a-fA-F]{1,64}|\d{1,78}(?:\.\d+)?(?:ether|gwei|wei)?)$/;
const BLOCK = /^(?:\d{1,15}|0x[0-9a-fA-F]{1,64}|earliest|latest|pending|safe|finalized)$/;
const TARGETS = ['transaction', 'failure', 'call', 'test'] as const;
const MAX_TEXT = 4_096;

type Given = Readonly<Record<string, unknown>>;

/** Reads the arguments. `workingDirectory` is the default project root. Throws {@link InvalidArgumentError}. */
export function launchArguments(given: unknown = {}, workingDirectory: string): LaunchArguments {
  if (!isRecord(given)) throw new InvalidArgumentError('launch', 'an object', given);
  const stopOnEntry = optionalFlag(given, 'stopOnEntry');
  return { ...commonArguments(given, workingDirectory), target: targetOf(given), stopOnEntry };
}

/** Reads the arguments, as {@link launchArguments}. */
export function attachArguments(given: unknown = {}, workingDirectory: string): AttachArguments {
  if (!isRecord(given)) throw new InvalidArgumentError('attach', 'an object', given);
  const target = TARGETS.find((name) => !isAbsent(given[name]));
  if (target !== undefined)
    throw new InvalidArgumentError('attach', `no ${target}; use launch for one execution`, given[target]);
  return commonArguments(given, workingDirectory);
}

function commonArguments(given: Given, workingDirectory: string): AttachArguments {
  const root = optionalText(given, 'projectRoot');
  if (root !== null && styleOf(root) === null)
    throw new InvalidArgumentError('projectRoot', 'an absolute path', root);
  const [lane, key] = [optionalText(given, 'lane'), optionalText(given, 'key')];
  if (lane !== null && key !== null)
    throw new InvalidArgumentError('lane', 'no lane with key, because each API key has one lane', lane);
  return { lane, key, projectRoot: root ?? workingDirectory, pathMap: pathMapOf(given.pathMap) };
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function targetOf(given: Given): LaunchTarget {
  const named = TARGETS.filter((name) => !isAbsent(given[name]));
  const [name] = named;
  if (name === undefined || named.length > 1)
    throw new InvalidArgumentError(
      'launch',
      'exactly one of transaction, failure, call and test',
      name === undefined ? undefined : named,
    );
  const value = given[name];
  switch (name) {
    case 'transaction':
      if (typeof value !== 'string' || !HASH.test(value))
        throw new InvalidArgumentError(name, 'a transaction hash (0x and 64 hexadecimal digits)', value);
      return { kind: name, hash: value };
    case 'failure':
      if (value !== 'last' && !(typeof value === 'number' && Number.isSafeInteger(value) && value > 0))
        throw new InvalidArgumentError(name, 'the number of a failure, from 1, or "last"', value);
      return { kind: name, number: value };
    case 'call':
      return { kind: name, call: callOf(value) };
    case 'test':
      if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_TEXT)
        throw new InvalidArgumentError(name, 'the name of a test ("file > name")', value);
      return { kind: name, name: value };
  }
}

const CALL_MEMBERS = ['to', 'data', 'function', 'args', 'from', 'value', 'block'];

function callOf(value: unknown): LaunchCall {
  if (!isRecord(value))
    throw new InvalidArgumentError('call', 'an object with to, and data or function', value);
  const unknown = Object.keys(value).find((name) => !CALL_MEMBERS.includes(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError('call', `only ${CALL_MEMBERS.join(', ')}`, unknown);
  const text = (name: string, pattern: RegExp, expected: string): string | null => {
    const given = value[name];
    if (isAbsent(given)) return null;
    const shown = typeof given === 'number' && Number.isSafeInteger(given) ? String(given) : given;
    if (typeof shown !== 'string' || !pattern.test(shown))
      throw new InvalidArgumentError(`call.${name}`, expected, given);
    return shown;
  };
  const address = 'an address (0x and 40 hexadecimal digits)';
  const to = text('to', ADDRESS, address);
  if (to === null) throw new InvalidArgumentError('call.to', address, value.to);
  const data = text('data', DATA, 'data (0x and pairs of hexadecimal digits)');
  const name = text('function', /\S/, 'the name or the signature of a function');
  if (data !== null && name !== null)
    throw new InvalidArgumentError('call', 'data or function, not both', Object.keys(value));
  const { args = [] } = value;
  if (!Array.isArray(args)) throw new InvalidArgumentError('call.args', 'an array', args);
  if (args.length > 0 && name === null)
    throw new InvalidArgumentError('call.args', 'no arguments without function', args);
  return {
    to,
    data,
    function: name,
    args,
    from: text('from', ADDRESS, address),
    value: text('value', VALUE, 'an amount of wei, or an amount with a unit (1ether)'),
    block: text('block', BLOCK, 'a block number, a block hash or a block tag') ?? 'latest',
  };
}

function optionalText(given: Given, name: string): string | null {
  const value = given[name];
  if (isAbsent(value)) return null;
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT)
    throw new InvalidArgumentError(name, 'a text', value);
  return value;
}

function optionalFlag(given: Given, name: string): boolean {
  const value = given[name];
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') throw new InvalidArgumentError(name, 'true or false', value);
  return value;
}

function pathMapOf(value: unknown): PathMap {
  if (isAbsent(value)) return [];
  const expected = 'an object of path prefixes: { "/app": "C:\\\\work\\\\app" }';
  if (!isRecord(value)) throw new InvalidArgumentError('pathMap', expected, value);
  return Object.entries(value).map(([adapter, editor]) => {
    if (typeof editor !== 'string' || editor === '' || adapter === '')
      throw new InvalidArgumentError('pathMap', expected, value);
    return [adapter, editor] as const;
  });
}
