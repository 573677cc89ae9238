/** Encodes function calls that users write: a signature or a function name, and arguments as in a shell. */
import { encodeFunctionData, parseAbiItem, parseUnits } from 'viem/utils';
import { printable, UsageError } from '../../config/errors.ts';
import { quoted } from '../../config/usage-messages.ts';
import { isRecord } from '../../primitives/record.ts';

/** Parses arguments as written in a shell: `5`, `true`, `0x…`, `[1,2]`, `(1,0x…)`. */

export interface WrittenParameter {
  readonly name?: string;
  readonly type: string;
  readonly components?: readonly WrittenParameter[];
}

const ARRAY = /^(?<item>.*)\[(?<length>\d*)\]$/;
const NUMBER = /^-?(?:\d+|0x[0-9a-fA-F]+)$/;
/** A number such as `1e18` or `2.5e6`. */
const POWER = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?e(?<exponent>\d{1,3})$/;

/**
 * Returns the value for the encoder. Throws {@link UsageError} if the text does not match the type. In the
 * message, `place` names the argument (`amount of transfer`) and `taker` the command.
 */
export function argumentValue(
  parameter: WrittenParameter,
  written: string,
  place: string,
  taker: string,
): unknown {
  const { type, components } = parameter;
  const text = written.trim();
  const array = ARRAY.exec(type)?.groups;
  if (array !== undefined) {
    const items = listOf(text, '[', ']');
    const { item = '', length = '' } = array;
    if (items === null || (length !== '' && items.length !== Number(length)))
      throw bad(type, written, place, taker);
    return items.map((each) => argumentValue({ ...parameter, type: item }, each, place, taker));
  }
  if (components !== undefined) {
    const members = listOf(text, '(', ')');
    if (members === null || members.length !== components.length)
      throw bad(typeOf(parameter), written, place, taker);
    return components.map((component, index) => argumentValue(component, members[index] ?? '', place, taker));
  }
  if (type === 'string') return unquoted(written);
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'address' && /^0x[0-9a-fA-F]{40}$/.test(text)) return text.toLowerCase();
  if (/^u?int/.test(type)) {
    const number = numberOf(text);
    if (number !== null && isInRange(type, number)) return number;
  }
  if (/^bytes/.test(type) && /^0x(?:[0-9a-fA-F]{2})*$/.test(text)) {
    const size = type.slice('bytes'.length);
    if (size === '' || text.length === 2 + 2 * Number(size)) return text;
  }
  throw bad(type, written, place, taker);
}

/** Returns a description of the type that fits after "expected". */
function formOf(type: string): string {
  if (ARRAY.test(type)) return `a list in brackets for ${type}`;
  if (type.startsWith('(')) return `members in parentheses for ${type}`;
  if (type === 'bool') return 'true or false';
  if (type === 'address') return 'an address (0x and 40 hexadecimal digits)';
  if (type === 'bytes') return 'bytes (0x and pairs of hexadecimal digits)';
  if (type.startsWith('bytes'))
    return `${type} (0x and ${2 * Number(type.slice('bytes'.length))} hexadecimal digits)`;
  return `a number for ${type}`;
}

function bad(type: string, written: string, place: string, taker: string): UsageError {
  return new UsageError(`${taker}: ${place}: expected ${formOf(type)}, got ${quoted(written)}`);
}

function typeOf({ type, components }: WrittenParameter): string {
  return components === undefined ? type : `(${components.map(typeOf).join(',')})`;
}

function numberOf(text: string): bigint | null {
  if (NUMBER.test(text)) return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  const { sign = '', whole = '', fraction = '', exponent = '' } = POWER.exec(text)?.groups ?? {};
  if (whole === '' || fraction.length > Number(exponent)) return null;
  const digits = `${whole}${fraction}${'0'.repeat(Number(exponent) - fraction.length)}`;
  return BigInt(`${sign}${digits}`);
}

function isInRange(type: string, value: bigint): boolean {
  const [, unsigned = '', bits = '256'] = /^(u?)int(\d*)$/.exec(type) ?? [];
  const size = BigInt(bits === '' ? 256 : bits);
  return unsigned === 'u'
    ? BigInt.asUintN(Number(size), value) === value
    : BigInt.asIntN(Number(size), value) === value;
}

/** Removes surrounding quotes. */
function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Splits a list at its top-level commas; `null` if the text is not a list in these brackets. */
function listOf(text: string, open: string, close: string): string[] | null {
  if (!text.startsWith(open) || !text.endsWith(close)) return null;
  const inner = text.slice(1, -1);
  if (inner.trim() === '') return [];
  const items: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let from = 0;
  for (let index = 0; index < inner.length; index++) {
    const character = inner[index];
    if (isQuoted && character === '\\') index++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '[' || character === '(') depth++;
    else if (character === ']' || character === ')') depth--;
    else if (character === ',' && depth === 0) {
      items.push(inner.slice(from, index));
      from = index + 1;
    }
    if (depth < 0) return null;
  }
  return depth === 0 && !isQuoted ? [...items, inner.slice(from)] : null;
}

export interface AbiFunction {
  readonly type: 'function';
  readonly name: string;
  readonly inputs: readonly WrittenParameter[];
}

/** Maximum functions in a message. */
const MAX_NAMED = 10;

function isParameter(value: unknown): value is WrittenParameter {
  if (!isRecord(value) || typeof value.type !== 'string') return false;
  const { components } = value;
  return components === undefined || (Array.isArray(components) && components.every(isParameter));
}

function isFunction(value: unknown): value is AbiFunction {
  if (!isRecord(value) || value.type !== 'function' || typeof value.name !== 'string') return false;
  return Array.isArray(value.inputs) && value.inputs.every(isParameter);
}

/** Returns the functions in a result of `inspect_source`. Functions behind a proxy come first. */
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

/** Returns the type as in signatures, with the members of structs: `(uint8,bool)[]`. */
function typeText({ type, components }: WrittenParameter): string {
  return components === undefined
    ? type
    : `(${components.map(typeText).join(',')})${type.replace(/^tuple/, '')}`;
}

function signatureOf({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(typeText).join(',')})`;
}

/** Returns the first signatures on one line, and the number of the others. */
function listed(functions: readonly AbiFunction[]): string {
  const named = functions.slice(0, MAX_NAMED).map((each) => printable(signatureOf(each)));
  const more = functions.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Returns the only function with this name and number of parameters. Throws {@link UsageError} with the
 * candidates if there is no match or more than one.
 */
export function selectedFunction(
  name: string,
  count: number,
  functions: readonly AbiFunction[],
): AbiFunction {
  const ofName = functions.filter((each) => each.name === name);
  const fitting = ofName.filter(({ inputs }) => inputs.length === count);
  const [meant] = fitting;
  if (meant !== undefined && fitting.length === 1) return meant;
  if (ofName.length === 0)
    throw new UsageError(`unknown function ${name}; expected one of ${listed(functions)}`);
  const given = `${count} ${count === 1 ? 'argument' : 'arguments'}`;
  if (ofName.length === 1)
    throw new UsageError(
      `${listed(ofName)}: expected ${ofName[0]?.inputs.length === 1 ? '1 argument' : `${ofName[0]?.inputs.length} arguments`}, got ${count}`,
    );
  throw new UsageError(
    fitting.length === 0
      ? `no overload of ${name} takes ${given}; expected one of ${listed(ofName)}`
      : `${name} with ${given} is ambiguous; write one of ${listed(fitting)} in quotes`,
  );
}

/** The option or argument that takes a call, for error messages. */
export interface Taker {
  /** For example `trace --call`. */
  readonly name: string;
  /** An example that ends a sentence of an error message. */
  readonly example: string;
}

/** `transfer(address,uint256)`, optionally followed by results in the style of cast or Solidity. */
const SIGNATURE = /^(?<name>[A-Za-z_$][\w$]*)\s*(?<parameters>\(.*\))\s*$/s;

/** Returns the amount in wei (default unit: wei). Throws {@link UsageError} for fractions of a wei. */
export function weiOf(text: string, place: string): bigint {
  const [, number = text, unit = 'wei'] = /^([\d.]+)(ether|gwei|wei)$/.exec(text) ?? [];
  const decimals = unit === 'ether' ? 18 : unit === 'gwei' ? 9 : 0;
  const [, fraction = ''] = number.split('.');
  if (fraction.length > decimals)
    throw new UsageError(`${place}: expected at most ${decimals} decimal places for ${unit}, got ${text}`);
  return parseUnits(number, decimals);
}

/** Returns the function of a signature. Throws {@link UsageError} for an invalid signature. */
export function functionOf(signature: string, taker: Taker): AbiFunction {
  const { name, parameters } = SIGNATURE.exec(signature)?.groups ?? {};
  if (name === undefined || parameters === undefined) throw badSignature(signature, taker);
  try {
    const item: unknown = parseAbiItem(`function ${name}${firstList(parameters)}` as 'function f()');
    // A signature that starts with `function` is parsed as a function.
    return item as AbiFunction;
  } catch {
    throw badSignature(signature, taker);
  }
}

/** Returns the arguments for the encoder. `of` is the name of the function. Throws {@link UsageError}. */
export function argumentValues(
  inputs: readonly WrittenParameter[],
  written: readonly string[],
  of: string,
  taker: Taker,
): unknown[] {
  if (inputs.length !== written.length) {
    const wanted = inputs.length === 1 ? '1 argument' : `${inputs.length} arguments`;
    throw new UsageError(
      `${of}: expected ${wanted} (${inputs.map(({ type }) => type).join(', ')}), got ${written.length}`,
    );
  }
  return inputs.map((input, index) => {
    const { name = '' } = input;
    const place = `${name === '' ? `argument ${index + 1}` : printable(name)} of ${of}`;
    return argumentValue(input, written[index] ?? '', place, taker.name);
  });
}

/** Encodes a function call. Throws {@link UsageError} for invalid arguments. */
export function encodedCall(item: AbiFunction, written: readonly string[], taker: Taker): string {
  const args = argumentValues(item.inputs, written, item.name, taker);
  const call = { abi: [item], functionName: item.name, args };
  return encodeFunctionData(call as Parameters<typeof encodeFunctionData>[0]);
}

function badSignature(signature: string, { name, example }: Taker): UsageError {
  return new UsageError(
    `${name}: expected a signature or data after the address, got ${quoted(signature)}; ${example}`,
  );
}

/** Returns the parameters up to their closing bracket. Results may follow in the text. */
function firstList(text: string): string {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return [...text].slice(0, index + 1).join('');
  }
  return text;
}
