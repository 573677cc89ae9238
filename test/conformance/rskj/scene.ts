import { Buffer } from 'node:buffer';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../../rpc/example-chain.ts';

export const { sender: SENDER, receiver: RECEIVER, counter: COUNTER } = EXAMPLE;
export const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;
export const STRANGER = `0x${'b1'.repeat(20)}`;

/** `count()` of the Counter. */
export const COUNT = '0x06661abd';

export type Call = ExampleChain['call'];

/** The error of a call; `undefined` if it has a result. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Resolves to the error of a call. Rejects if the call has a result. */
export async function failureOf(answer: Promise<unknown>): Promise<Failure> {
  let result: unknown;
  try {
    result = await answer;
  } catch (error) {
    const { code, message, data } = error as Failure;
    return { code, message, data };
  }
  throw new Error(`expected an error, got ${JSON.stringify(result)}`);
}

/** Deploys initcode from an account of the node. Resolves to the address of the contract. */
export async function deployed(call: Call, from: string, initcode: string): Promise<string> {
  const hash = await call('eth_sendTransaction', [{ from, data: initcode, gas: '0x7a120' }]);
  const receipt = (await call('eth_getTransactionReceipt', [hash])) as { readonly contractAddress: string };
  return receipt.contractAddress;
}

/** Initcode of a contract with code of up to 255 bytes. */
export function creationOf(code: string): string {
  const bytes = Buffer.from(code.replaceAll(/^0x|\s/g, ''), 'hex');
  const size = bytes.length.toString(16).padStart(2, '0');
  return `0x60${size}600a5f3960${size}5ff3${bytes.toString('hex')}`;
}

export { createExampleChain, EXAMPLE };
