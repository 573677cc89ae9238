/** Reads the arguments of requests. An editor may send any JSON. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { isRecord } from '../../primitives/record.ts';
import { InvalidArgumentError } from './debug-error.ts';

export type RequestArguments = Readonly<Record<string, unknown>>;

export function argumentsOf(given: unknown): RequestArguments {
  return isRecord(given) ? given : {};
}

export function numberIn(given: RequestArguments, name: string): number {
  const value = given[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new InvalidArgumentError(name, 'an integer', value);
  return value;
}

export function optionalNumber(given: RequestArguments, name: string): number | null {
  return given[name] === undefined || given[name] === null ? null : numberIn(given, name);
}

export function textIn(given: RequestArguments, name: string): string {
  const value = given[name];
  if (typeof value !== 'string') throw new InvalidArgumentError(name, 'a text', value);
  return value;
}

export function optionalText(given: RequestArguments, name: string): string | null {
  const value = given[name];
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Returns the objects of a list; an empty list if it is absent. */
export function listIn(given: RequestArguments, name: string): RequestArguments[] {
  const value = given[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isRecord))
    throw new InvalidArgumentError(name, 'an array of objects', value);
  return value;
}

/** Returns the texts of a list; an empty list if it is absent. */
export function textsIn(given: RequestArguments, name: string): string[] {
  const value = given[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string'))
    throw new InvalidArgumentError(name, 'an array of texts', value);
  return value;
}

export function sourceIn(given: RequestArguments): DebugProtocol.Source {
  const { source } = given;
  if (!isRecord(source))
    throw new InvalidArgumentError('source', 'an object with path or sourceReference', source);
  const path = optionalText(source, 'path');
  const sourceReference = optionalNumber(source, 'sourceReference');
  if (path === null && sourceReference === null)
    throw new InvalidArgumentError('source', 'an object with path or sourceReference', source);
  return {
    ...(path === null ? {} : { path }),
    ...(sourceReference === null ? {} : { sourceReference }),
  };
}
