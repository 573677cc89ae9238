/** Finds the function that a bare name on the command line means, by what the node knows of the contract. */

import { printable, UsageError } from '../../config/errors.ts';
import type { WrittenParameter } from './argument-value.ts';
import { isRecord } from './asked-node.ts';

/** A function of an ABI. */
export interface AbiFunction {
  readonly type: 'function';
  readonly name: string;
  readonly inputs: readonly WrittenParameter[];
}

/** Functions that a message names. */
const MOST_NAMED = 10;

function isParameter(value: unknown): value is WrittenParameter {
  if (!isRecord(value) || typeof value.type !== 'string') return false;
  const { components } = value;
  return components === undefined || (Array.isArray(components) && components.every(isParameter));
}

function isFunction(value: unknown): value is AbiFunction {
  if (!isRecord(value) || value.type !== 'function' || typeof value.name !== 'string') return false;
  return Array.isArray(value.inputs) && value.inputs.every(isParameter);
}

/** Returns the functions in an answer of `inspect_source`, those of the contract behind a proxy first; none for a contract that is not known. */
export function functionsIn(source: unknown): readonly AbiFunction[] {
  if (!isRecord(source)) return [];
  const { contract, implementation } = source;
  const behind = isRecord(implementation) ? implementation.contract : null;
  const found = new Map<string, AbiFunction>();
  for (const described of [behind, contract]) {
    const abi = isRecord(described) && Array.isArray(described.abi) ? described.abi : [];
    for (const each of abi.filter(isFunction)) {
      if (!found.has(signatureOf(each))) found.set(signatureOf(each), each);
    }
  }
  return [...found.values()];
}

/** Returns the type as signatures have it, with the members of structs: `(uint8,bool)[]`. */
export function typeText({ type, components }: WrittenParameter): string {
  return components === undefined
    ? type
    : `(${components.map(typeText).join(',')})${type.replace(/^tuple/, '')}`;
}

function signatureOf({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(typeText).join(',')})`;
}

/** Returns the signatures in one line, the first ones of many. */
function listed(functions: readonly AbiFunction[]): string {
  const named = functions.slice(0, MOST_NAMED).map((each) => printable(signatureOf(each)));
  const more = functions.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Returns the function of this name that takes as many arguments. Throws {@link UsageError}, which names the functions that were
 * meant, where there is none or where several do.
 */
export function meantFunction(name: string, count: number, functions: readonly AbiFunction[]): AbiFunction {
  const ofName = functions.filter((each) => each.name === name);
  const fitting = ofName.filter(({ inputs }) => inputs.length === count);
  const [meant] = fitting;
  if (meant !== undefined && fitting.length === 1) return meant;
  if (ofName.length === 0)
    throw new UsageError(`the contract has no function ${name}; it has ${listed(functions)}`);
  const given = `${count} ${count === 1 ? 'argument' : 'arguments'}`;
  if (ofName.length === 1)
    throw new UsageError(`the contract has ${listed(ofName)}, which does not take ${given}`);
  throw new UsageError(
    fitting.length === 0
      ? `none of ${listed(ofName)} takes ${given}`
      : `${name} with ${given} is one of ${listed(fitting)}; write the one that is meant in quotes`,
  );
}
