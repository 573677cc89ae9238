/** Makes a call object from the words of a command line, in the form that users of Foundry's cast know. */

import { encodeFunctionData, parseAbiItem, parseUnits } from 'viem/utils';
import { printable, UsageError } from '../../config/errors.ts';
import { quoted } from '../../config/usage-messages.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { argumentValue } from './argument-value.ts';
import { type AbiFunction, meantFunction } from './named-function.ts';

/** A function by its name alone. */
const NAME = /^[A-Za-z_$][\w$]*$/;
/** Resolves to the functions of the contract at an address; to none where nothing is known of it. */
export type FunctionsAt = (address: string) => Promise<readonly AbiFunction[]>;

/** A call object of JSON-RPC. */
export type CallObject = Readonly<Record<string, unknown>>;

/** The options of a call besides its words. */
export interface CallFlags {
  readonly from: Uint8Array | null;
  /** Wei, or an amount with its unit: `1ether`. */
  readonly value: string | null;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/;
/** `transfer(address,uint256)`, and behind it the results as cast writes them, which a trace does not need. */
const SIGNATURE = /^(?<name>[A-Za-z_$][\w$]*)\s*(?<parameters>\(.*\))\s*$/s;
const EXAMPLE = 'for example trace --call 0x<address> "transfer(address,uint256)" 0x<recipient> 5';

/**
 * Resolves to the call that the words mean: an address, a signature or the name of a function and arguments; an address and data;
 * an address alone; or a call object of JSON. `functionsAt` is asked for names. Rejects with {@link UsageError} for anything else.
 */
export async function tracedCall(
  words: readonly string[],
  flags: CallFlags,
  functionsAt: FunctionsAt,
): Promise<CallObject> {
  const [to = '', signature, ...written] = words;
  const given = {
    ...(flags.from === null ? {} : { from: toHex(flags.from) }),
    ...(flags.value === null ? {} : { value: toQuantity(weiOf(flags.value)) }),
  };
  if (to.trimStart().startsWith('{')) return withFlags(callOfJson(to, words), given);
  if (!ADDRESS.test(to)) {
    throw new UsageError(
      `trace --call takes an address of 0x and 40 hexadecimal digits, or a call object of JSON, not ${quoted(to)}; ${EXAMPLE}`,
    );
  }
  if (signature === undefined) return { to, ...given };
  if (NAME.test(signature)) {
    const functions = await functionsAt(to);
    if (functions.length === 0) throw unknownName(signature, to);
    return { to, data: encoded(meantFunction(signature, written.length, functions), written), ...given };
  }
  if (!DATA.test(signature)) return { to, data: callData(signature, written), ...given };
  if (written.length > 0)
    throw new UsageError(`trace --call takes no arguments behind data, not ${quoted(written[0] ?? '')}`);
  return { to, data: signature, ...given };
}

/** Returns the amount in wei; a number without a unit is wei. */
function weiOf(text: string): bigint {
  const [, number = text, unit = 'wei'] = /^([\d.]+)(ether|gwei|wei)$/.exec(text) ?? [];
  const decimals = unit === 'ether' ? 18 : unit === 'gwei' ? 9 : 0;
  const [, fraction = ''] = number.split('.');
  if (fraction.length > decimals)
    throw new UsageError(`--value takes at most ${decimals} digits after the point of ${unit}, not ${text}`);
  return parseUnits(number, decimals);
}

function callOfJson(text: string, words: readonly string[]): CallObject {
  if (words.length > 1)
    throw new UsageError(`trace --call takes nothing behind a call object, not ${quoted(words[1] ?? '')}`);
  try {
    const value: unknown = JSON.parse(text);
    // The text begins with a brace.
    return value as CallObject;
  } catch (error) {
    throw new UsageError(`trace --call cannot read the call object: ${(error as SyntaxError).message}`);
  }
}

function withFlags(call: CallObject, given: CallObject): CallObject {
  const twice = Object.keys(given).find((name) => name in call);
  if (twice === undefined) return { ...call, ...given };
  throw new UsageError(
    `--${twice} cannot be used with a call object that has ${twice} too; leave one of them out`,
  );
}

/** Encodes the call of a function by its signature. */
function callData(signature: string, written: readonly string[]): string {
  const { name, parameters } = SIGNATURE.exec(signature)?.groups ?? {};
  if (name === undefined || parameters === undefined) throw badSignature(signature);
  let item: unknown;
  try {
    item = parseAbiItem(`function ${name}${firstList(parameters)}` as 'function f()');
  } catch {
    throw badSignature(signature);
  }
  // A signature that begins with `function` is that of one.
  const entry = item as AbiFunction;
  const { inputs } = entry;
  if (inputs.length !== written.length) {
    const wanted = inputs.length === 1 ? '1 argument' : `${inputs.length} arguments`;
    throw new UsageError(
      `${name} takes ${wanted} (${inputs.map(({ type }) => type).join(', ')}), not ${written.length}`,
    );
  }
  return encoded(entry, written);
}

/** Encodes the call of a function with as many arguments as it takes. */
function encoded(item: AbiFunction, written: readonly string[]): string {
  const args = item.inputs.map((input, index) => {
    const { name = '' } = input;
    const place = `${name === '' ? `argument ${index + 1}` : printable(name)} of ${item.name}`;
    return argumentValue(input, written[index] ?? '', place);
  });
  const call = { abi: [item], functionName: item.name, args };
  return encodeFunctionData(call as Parameters<typeof encodeFunctionData>[0]);
}

function unknownName(name: string, to: string): UsageError {
  return new UsageError(
    `the node knows no functions of ${to}, so that ${name} needs its types behind it; ${EXAMPLE}`,
  );
}

function badSignature(signature: string): UsageError {
  return new UsageError(
    `trace --call takes a signature or data behind the address, not ${quoted(signature)}; ${EXAMPLE}`,
  );
}

/** Returns the parameters up to the bracket that closes them; results may follow. */
function firstList(text: string): string {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return [...text].slice(0, index + 1).join('');
  }
  return text;
}
