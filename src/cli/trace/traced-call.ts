/** Creates a call object from command-line arguments in the format of Foundry's `cast call`. */

import { UsageError } from '../../config/errors.ts';
import { quoted } from '../../config/usage-messages.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import {
  type AbiFunction,
  encodedCall,
  functionOf,
  selectedFunction,
  type Taker,
  weiOf,
} from './written-call.ts';

/** A function name without parameters. */
const NAME = /^[A-Za-z_$][\w$]*$/;
/** Resolves to the functions of the contract at an address; empty if the contract is unknown. */
export type FunctionsAt = (address: string) => Promise<readonly AbiFunction[]>;

export type CallObject = Readonly<Record<string, unknown>>;

/** The call options of the command line. */
export interface CallFlags {
  readonly from: Uint8Array | null;
  /** In wei, or with a unit: `1ether`. */
  readonly value: string | null;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const DATA = /^0x(?:[0-9a-fA-F]{2})*$/;
const EXAMPLE = 'for example trace --call 0x<address> "transfer(address,uint256)" 0x<recipient> 5';
const TAKER: Taker = { name: 'trace --call', example: EXAMPLE };

/**
 * Resolves to the call of the words: an address, optionally with data or with a function and its arguments;
 * or a JSON call object. `functionsAt` resolves function names. Rejects with {@link UsageError}.
 */
export async function tracedCall(
  words: readonly string[],
  flags: CallFlags,
  functionsAt: FunctionsAt,
): Promise<CallObject> {
  const [to = '', signature, ...written] = words;
  const given = {
    ...(flags.from === null ? {} : { from: toHex(flags.from) }),
    ...(flags.value === null ? {} : { value: toQuantity(weiOf(flags.value, '--value')) }),
  };
  if (to.trimStart().startsWith('{')) return withFlags(callOfJson(to, words), given);
  if (!ADDRESS.test(to)) {
    throw new UsageError(
      `trace --call: expected an address (0x and 40 hexadecimal digits) or a JSON call object, got ${quoted(to)}; ${EXAMPLE}`,
    );
  }
  if (signature === undefined) return { to, ...given };
  if (NAME.test(signature)) {
    const functions = await functionsAt(to);
    if (functions.length === 0) throw unknownName(signature, to);
    return {
      to,
      data: encodedCall(selectedFunction(signature, written.length, functions), written, TAKER),
      ...given,
    };
  }
  if (!DATA.test(signature))
    return { to, data: encodedCall(functionOf(signature, TAKER), written, TAKER), ...given };
  if (written.length > 0)
    throw new UsageError(
      `trace --call: unexpected argument ${quoted(written[0] ?? '')} after the data; remove it`,
    );
  return { to, data: signature, ...given };
}

function callOfJson(text: string, words: readonly string[]): CallObject {
  if (words.length > 1)
    throw new UsageError(
      `trace --call: unexpected argument ${quoted(words[1] ?? '')} after the call object; remove it`,
    );
  try {
    const value: unknown = JSON.parse(text);
    // The text starts with a brace, so the value is an object.
    return value as CallObject;
  } catch (error) {
    throw new UsageError(`trace --call: invalid JSON in the call object: ${(error as SyntaxError).message}`);
  }
}

function withFlags(call: CallObject, given: CallObject): CallObject {
  const twice = Object.keys(given).find((name) => name in call);
  if (twice === undefined) return { ...call, ...given };
  throw new UsageError(
    `--${twice} cannot be used with a call object that contains ${twice}; remove one of them`,
  );
}

function unknownName(name: string, to: string): UsageError {
  return new UsageError(
    `trace --call: the node has no ABI of ${to}; write ${name} with the parameter types: ${EXAMPLE}`,
  );
}
