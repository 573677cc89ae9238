import type { Hex } from 'viem';
import { compileSolidity } from '../../support/solidity.ts';
import type { Rule } from './rules.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Box {
    uint256 public value;
    event Changed(address indexed who, uint256 value);
    constructor(uint256 given) { value = given; }
    function set(uint256 given) external { value = given; emit Changed(msg.sender, given); }
    function fail() external view { require(value > 1e30, "too small"); }
}
`;

/** `set(42)`, `value()` and `fail()` */
export const SET_42: Hex = `0x60fe47b1${42n.toString(16).padStart(64, '0')}`;
export const VALUE: Hex = '0x3fa4f245';
export const FAIL: Hex = '0xa9cc4718';
/** The topic of `Changed`. */
export const CHANGED: Hex = '0xb52dda022b6c1a1f40905a85f257f689aa5d69d850e49cf939d688fbe5af5946';

/** Values of earlier steps by name, and `from`, `to` and `creation` at the start. */
export type Scene = Readonly<Record<string, string>>;

/** One request of a client, in the client's form. */
export interface Step {
  readonly method: string;
  readonly params: (scene: Scene) => unknown;
  /** The rule of the client's decoder for the result. */
  readonly result: Rule;
  /** The name of the result in the scene. */
  readonly as?: string;
  /** Reads further values of the scene from the result. */
  readonly reads?: (result: never) => Scene;
}

/** A client, and the requests of one session with it. */
export interface Client {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The envelope of a request. */
  readonly envelope: (method: string, params: unknown, index: number) => object;
  readonly steps: readonly Step[];
}

interface Response {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Sends one request. Throws for an HTTP status other than 200, as all clients do. */
export async function send(
  url: string,
  client: Pick<Client, 'headers' | 'envelope'>,
  method: string,
  params: unknown,
  index = 1,
): Promise<Response> {
  const body = JSON.stringify(client.envelope(method, params, index));
  const response = await fetch(url, { method: 'POST', headers: client.headers, body });
  if (response.status !== 200) throw new Error(`${method}: HTTP ${response.status}`);
  return (await response.json()) as Response;
}

/** The creation code of the contract `Box` with the value 7. */
export function boxCreation(): Hex {
  const { output } = compileSolidity({ 'Box.sol': SOURCE }, { evmVersion: 'paris' });
  return `0x${output.contracts['Box.sol']?.Box?.evm.bytecode.object}${7n.toString(16).padStart(64, '0')}`;
}

/** Replays all steps of a client. Throws for the first response that the client would reject. */
export async function replay(url: string, client: Client, start: Scene): Promise<void> {
  let scene = start;
  for (const [index, { method, params, result: check, as, reads }] of client.steps.entries()) {
    const given = params(scene);
    const { result, error } = await send(url, client, method, given, index);
    if (error !== undefined) throw new Error(`${method}(${JSON.stringify(given)}): ${error.message}`);
    check(result, `${method} (step ${index})`);
    if (as !== undefined) scene = { ...scene, [as]: String(result) };
    if (reads !== undefined) scene = { ...scene, ...reads(result as never) };
  }
}
