/** A node for the tests of the explorer, and requests to it. */

import { readFileSync } from 'node:fs';
import { type Abi, encodeFunctionData, type Hex } from 'viem';
import { onTestFinished } from 'vitest';
import { createNode, type LocalNodeOptions } from '../../../src/index.ts';

/** A chain that the explorer shows. `path` is the path of a lane. */
export interface Scene {
  readonly url: string;
  readonly accounts: readonly Hex[];
  /** The first account. */
  readonly from: Hex;
  /** Resolves to the result of a method. Rejects with the message of an error. */
  call<Result = unknown>(method: string, params?: readonly unknown[], path?: string): Promise<Result>;
  /** Sends a transaction from the first account, with 3,000,000 gas by default; resolves to its hash. */
  send(fields?: object, path?: string): Promise<Hex>;
  /** Deploys a contract, with 8,000,000 gas by default; resolves to its address. */
  deploy(data: Hex, fields?: object): Promise<Hex>;
}

/** Returns a scene on a node at a URL. `call` sends its requests. */
export async function sceneOf(url: string, call: Scene['call']): Promise<Scene> {
  const accounts = await call<readonly Hex[]>('eth_accounts');
  const [from = '0x'] = accounts;
  const send: Scene['send'] = (fields, path) =>
    call('eth_sendTransaction', [{ from, gas: '0x2dc6c0', ...fields }], path);
  return {
    url,
    accounts,
    from,
    call,
    send,
    async deploy(data, fields) {
      const hash = await send({ data, gas: '0x7a1200', ...fields });
      return (await call<{ contractAddress: Hex }>('eth_getTransactionReceipt', [hash])).contractAddress;
    },
  };
}

/** Returns a scene on a node at a URL. Its requests use HTTP, like the requests of programs. */
export function sceneAt(url: string): Promise<Scene> {
  return sceneOf(url, async (method, params = [], path = '') => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    const { result, error } = (await response.json()) as {
      readonly result: never;
      readonly error?: { readonly message: string };
    };
    if (error !== undefined) throw new Error(error.message);
    return result;
  });
}

/** The options of a node, and true to serve lanes. */
export type SceneOptions = LocalNodeOptions & { readonly lanes?: boolean };

/** Starts a node in this process for one test. It reads no artifacts by default. */
export async function openScene({ lanes = false, ...options }: SceneOptions = {}): Promise<Scene> {
  const node = await createNode({ artifacts: [], ...options });
  onTestFinished(() => node.close());
  return sceneAt((await node.listen({ lanes })).url);
}

/** The artifacts of the Hardhat project with the contract Checks. */
export const CHECKS_ARTIFACTS = new URL('../../../fixtures/projects/hardhat-2/artifacts', import.meta.url)
  .pathname;

const CHECKS: { readonly abi: Abi; readonly bytecode: Hex } = JSON.parse(
  readFileSync(`${CHECKS_ARTIFACTS}/contracts/Checks.sol/Checks.json`, 'utf8'),
);

/** Returns the input of `Checks.notZero`. It fails for 0. */
export function notZero(value: bigint): Hex {
  return encodeFunctionData({ abi: CHECKS.abi, functionName: 'notZero', args: [value] });
}

/** A scene with the contract Checks. */
export interface ChecksScene extends Scene {
  readonly contract: Hex;
  /** Sends a call of `notZero`; resolves to its hash. */
  check(value: bigint, fields?: object, path?: string): Promise<Hex>;
}

/** Deploys the contract Checks in a scene. */
export async function withChecks(scene: Scene): Promise<ChecksScene> {
  const contract = await scene.deploy(CHECKS.bytecode);
  const check: ChecksScene['check'] = (value, fields, path) =>
    scene.send({ to: contract, gas: '0x186a0', data: notZero(value), ...fields }, path);
  return { ...scene, contract, check };
}

/** Starts a node that reads the artifacts of the contract Checks, and deploys it in block 1. */
export async function openChecksScene(options: SceneOptions = {}): Promise<ChecksScene> {
  return withChecks(await openScene({ artifacts: [CHECKS_ARTIFACTS], ...options }));
}
