/** The contract call of a tool: by ABI, signature, name of a known function, or data. */

import { z } from 'zod';
import { UsageError } from '../../config/errors.ts';
import { toQuantity } from '../../primitives/hex.ts';
import { isRecord } from '../../primitives/record.ts';
import type { NodeClient } from '../node-client.ts';
import {
  type AbiFunction,
  encodedCall,
  functionOf,
  functionsIn,
  selectedFunction,
  type Taker,
  type WrittenParameter,
  weiOf,
} from '../trace/written-call.ts';
import { ToolError } from './session.ts';

/**
 * Returns an argument as written in a shell: `5`, `[1,2]`, `(1,0x…)`. Structs may be objects with their
 * members as keys. Throws {@link UsageError} for values without that form.
 */
export function writtenValue(parameter: WrittenParameter, value: unknown, place: string): string {
  return written(parameter, value, place, false);
}

function written(parameter: WrittenParameter, value: unknown, place: string, isInside: boolean): string {
  const { type, components } = parameter;
  if (typeof value === 'string') {
    // Without quotes, a comma in a list or struct would end the string.
    return isInside && type === 'string' ? JSON.stringify(value) : value;
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new UsageError(`${place}: the number ${value} is not exact in JSON; write it as a string`);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const item = /^(.*)\[\d*\]$/.exec(type)?.[1];
  if (Array.isArray(value) && item !== undefined) {
    const items = value.map((each) => written({ ...parameter, type: item }, each, place, true));
    return `[${items.join(',')}]`;
  }
  if (components !== undefined && item === undefined && typeof value === 'object' && value !== null) {
    const members = Array.isArray(value) ? value : membersOf(components, value, place);
    if (members.length !== components.length)
      throw new UsageError(
        `${place}: expected ${components.length} ${components.length === 1 ? 'member' : 'members'}, got ${members.length}`,
      );
    const texts = components.map((component, index) => written(component, members[index], place, true));
    return `(${texts.join(',')})`;
  }
  throw new UsageError(`${place}: expected ${formOf(parameter)}, got ${JSON.stringify(value) ?? 'nothing'}`);
}

function formOf({ type, components }: WrittenParameter): string {
  if (type.endsWith(']')) return `an array for ${type}`;
  return components === undefined
    ? `a string, a number or a boolean for ${type}`
    : 'an object, or an array of the members in order';
}

function membersOf(components: readonly WrittenParameter[], value: object, place: string): unknown[] {
  return components.map(({ name = '' }) => {
    if (Object.hasOwn(value, name)) return Reflect.get(value, name);
    throw new UsageError(
      `${place}: missing member ${name}; expected ${components.map((each) => each.name).join(', ')}`,
    );
  });
}

export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'expected an address: 0x and 40 hexadecimal digits');

export const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'expected a transaction hash: 0x and 64 hexadecimal digits');

const data = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'expected bytes: 0x and pairs of hexadecimal digits');

export const lane = z
  .string()
  .optional()
  .describe('The name of a lane that create_lane returned; by default the base chain.');

export const abi = z.array(z.record(z.string(), z.unknown()));

export const values = z
  .array(z.unknown())
  .describe(
    'Arguments in order. Write large numbers as strings, such as "1000000000000000000" or "1e18". Write structs as objects or arrays.',
  );

/** The parameters that sending and calling share. */
export const CALL = {
  function: z
    .string()
    .optional()
    .describe(
      'The signature of the function, such as "transfer(address,uint256)". The name alone is enough if the node has artifacts of the contract, or if abi is given. Omit function for a plain transfer of value.',
    ),
  args: values.optional(),
  data: data.optional().describe('The encoded call; use it instead of function and args.'),
  abi: abi.optional().describe('The ABI of the contract, if the node has no artifacts of it.'),
  from: address.optional().describe('The sender; by default the first account of the node.'),
  value: z
    .string()
    .optional()
    .describe('The value to send: an amount with a unit ("1ether", "5gwei"), or a number of wei.'),
  gas: z.string().regex(/^\d+$/, 'expected a decimal number').optional().describe('The gas limit.'),
};

const TO = { to: address.describe('The contract or account to call.') };

export const call = z.strictObject({ ...TO, ...CALL });

export type GivenCall = z.output<typeof call>;

/** A call object of JSON-RPC, and its function if known. */
export interface EncodedCall {
  readonly call: Readonly<Record<string, unknown>>;
  readonly item: AbiFunction | null;
}

const TAKER: Taker = {
  name: 'the call',
  example: 'for example function "transfer(address,uint256)" with args ["0x<recipient>", "5"]',
};

/** Resolves to `from`, or to the first account. Rejects with {@link ToolError} if the node has none. */
export async function senderOf(node: NodeClient, from: string | undefined): Promise<string> {
  if (from !== undefined) return from;
  const accounts = await node.ask('eth_accounts', []);
  const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  if (typeof first === 'string') return first;
  throw new ToolError(
    'the node has no accounts to send from',
    'Call rpc_call hardhat_impersonateAccount with an address, then pass the address as from.',
  );
}

/** Returns the amounts of a call object as quantities. */
export function amountsOf({
  value,
  gas,
}: Pick<GivenCall, 'value' | 'gas'>): Readonly<Record<string, string>> {
  return {
    ...(value === undefined ? {} : { value: toQuantity(weiOf(value, 'value')) }),
    ...(gas === undefined ? {} : { gas: toQuantity(BigInt(gas)) }),
  };
}

/** Resolves to the call object. Rejects with {@link ToolError} or, for invalid arguments, `UsageError`. */
export async function callWithData(given: GivenCall, node: NodeClient): Promise<EncodedCall> {
  const { to, data: encoded, function: named, args = [] } = given;
  if (encoded !== undefined && named !== undefined)
    throw new ToolError('data cannot be used with function', 'Remove one of them.');
  if (named === undefined && args.length > 0)
    throw new ToolError(
      'args requires function, because the argument types are needed',
      'Add function, such as "transfer(address,uint256)".',
    );
  const item = named === undefined ? null : await meant(named, given, node);
  const input = item === null ? encoded : encodedCall(item, writtenArguments(item, args), TAKER);
  return {
    item,
    call: {
      from: await senderOf(node, given.from),
      to,
      ...(input === undefined ? {} : { data: input }),
      ...amountsOf(given),
    },
  };
}

/** Returns the arguments as written in a shell. Keeps surplus ones, because the encoder rejects them. */
function writtenArguments({ name, inputs }: AbiFunction, args: readonly unknown[]): string[] {
  return args.map((value, index) => {
    const input = inputs[index];
    if (input === undefined) return String(value);
    const { name: own = '' } = input;
    return writtenValue(input, value, `${own === '' ? `argument ${index + 1}` : own} of ${name}`);
  });
}

async function meant(
  named: string,
  { to, abi: own, args = [] }: GivenCall,
  node: NodeClient,
): Promise<AbiFunction> {
  if (named.includes('(')) return functionOf(named, TAKER);
  const known =
    own === undefined
      ? functionsIn(await node.ask('inspect_source', [to, false]).catch(() => null))
      : functionsIn({ contract: { abi: own } });
  if (known.length > 0) return selectedFunction(named, args.length, known);
  const code = await node.ask('eth_getCode', [to, 'latest']).catch(() => null);
  if (code === '0x')
    throw new ToolError(
      `no contract at ${to} on this chain`,
      'Deploy the contract with deploy_contract, or pass the lane of the contract; list_lanes lists the lanes.',
    );
  throw new ToolError(
    `no artifact is known for the contract at ${to}, so the types of ${named} are unknown`,
    `Pass the signature as function, such as "${named}(uint256)". Alternatively, pass abi, or call add_artifacts with the folder of the build outputs.`,
  );
}

/** Returns a member that is a string; `null` for other values. */
export function textIn(answer: unknown, name: string): string | null {
  const value = isRecord(answer) ? answer[name] : null;
  return typeof value === 'string' ? value : null;
}
